"""Vehicles of FAD 5 give fire as their fire control lets them, and squads fire at vehicles with what can harm them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    FiguresParameter,
    FiguresPicked,
    Picked,
    PointTaken,
    UnitNamed,
)
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, Rolled, UnitMoved
from server.kernel.state import State
from server.rulesets.fad.fad5.anti_tank import lower_rated
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, lines, play, unit
from tests.support.tabletop import Row

FAR = unit("red", (4, 30), figures=2)
"""Two Regulars, in close range of every weapon on a vehicle at (10, 10) but those with the shortest range."""
NEAR_TANK = vehicle("red", (20, 20), facing=270, armour=(8, 6, 5), id="tank")
BOTH = ("machine-gun", "heavy-beam", "light-auto-cannon")
FIRE = "fire-drive"


def tank(control: str = "primitive", weapons: Sequence[str] = BOTH, *others: Row, **own: object) -> BattleTable:
    """Return a table on which blue-1, a vehicle at (10, 10) with this fire control, is active."""
    armed = vehicle("blue", (10, 10), fire_control=control, weapons=weapons, **own)
    return play(battle(armed, FAR, *others)).activates("blue-1")


def may_fire(table: BattleTable, choice: str) -> tuple[list[str], int]:
    """Return the weapons that a choice offers, and how many of them at once; none where it is not offered."""
    if choice not in table.offered:
        return [], 0
    (parameter,) = table.choice(choice).parameters
    assert isinstance(parameter, AssignmentParameter)
    return [row.label for row in parameter.rows], parameter.most


GUN, BEAM, CANNON = "General purpose machine gun", "Heavy beam", "Light auto cannon"
ALL = [GUN, BEAM, CANNON]
MISS = {"dice": [1]}
"""A Fire Effect of 2 or less hits nothing at medium range."""


# --- fire control -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.vehicle-weapons")
@pytest.mark.rule("fad5/vehicle.fire-control")
@pytest.mark.parametrize(
    ("control", "still", "slow", "cautious", "standard"),
    [
        pytest.param(
            "primitive",
            (ALL, 1),
            (ALL, 1),
            (ALL, 1),
            ([], 0),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.primitive"),
        ),
        pytest.param(
            "improved",
            (ALL, 1),
            (ALL, 1),
            (ALL, 1),
            ([], 0),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.improved"),
        ),
        pytest.param(
            "extensive",
            (ALL, 2),
            (ALL, 2),
            (ALL, 2),
            ([GUN], 1),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.extensive"),
        ),
        pytest.param(
            "hyper-tech",
            (ALL, 3),
            (ALL, 3),
            (ALL, 3),
            (ALL, 1),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.hyper-tech"),
        ),
        pytest.param(
            "ultratech",
            (ALL, 3),
            (ALL, 3),
            (ALL, 3),
            (ALL, 2),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.ultratech"),
        ),
        pytest.param(
            "defensive",
            (ALL, 3),
            ([GUN], 1),
            ([GUN], 1),
            ([], 0),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.defensive"),
        ),
        pytest.param(
            "close-support",
            (ALL, 3),
            ([GUN, CANNON], 2),
            ([], 0),
            ([], 0),
            marks=pytest.mark.rule("fad5/vehicle.fire-control.close-support"),
        ),
    ],
)
@pytest.mark.rule("fad5/move.vehicle-fire-at-standard")
def test_fire_control_says_which_weapons_fire_at_each_speed(
    control: str,
    still: tuple[list[str], int],
    slow: tuple[list[str], int],
    cautious: tuple[list[str], int],
    standard: tuple[list[str], int],
) -> None:
    assert may_fire(tank(control).answers("drive-fire", driven()), "fire") == still
    assert may_fire(tank(control).answers("drive-fire", driven((10, 16))), "fire") == slow
    assert may_fire(tank(control).answers("drive-fire", driven((10, 16.1))), "fire") == cautious
    assert may_fire(tank(control).answers("drive-out", driven((10, 16))), "fire") == standard
    assert may_fire(tank(control), FIRE) == (slow if control == "close-support" else cautious), (
        "it may drive afterwards"
    )


@pytest.mark.rule("fad5/vehicle.fire-control")
@pytest.mark.rule("fad5/vehicle.fire-control.defensive")
def test_a_turn_on_the_spot_is_standing_still_but_for_fire_control_that_has_to_be_motionless() -> None:
    assert may_fire(tank("defensive").answers("drive-fire", driven(facing=90)), "fire") == (ALL, 3)
    assert may_fire(tank("defensive").answers("drive-fire", driven(facing=100)), "fire") == ([GUN], 1)
    assert may_fire(tank("close-support").answers("drive-fire", driven(facing=100)), "fire") == (ALL, 3)


@pytest.mark.rule("fad5/vehicle.fire-control.close-support")
def test_close_support_that_fires_first_drives_slowly_afterwards() -> None:
    table = tank("close-support").answers(FIRE, Assigned({"m1": "red-1"}), dice=[1, 1, 6])
    table.answers("hold-fire")
    assert table.path("drive").allowance == 6_000
    assert tank().answers(FIRE, Assigned({"m2": "red-1"}), dice=[1]).path("drive").allowance == 12_000


@pytest.mark.rule("fad5/adv.bogging.bogged")
@pytest.mark.rule("fad5/damage.external-immobilised")
@pytest.mark.parametrize(
    ("control", "fires"), [("defensive", (ALL, 3)), ("close-support", (ALL, 3)), ("primitive", (ALL, 1))]
)
def test_a_vehicle_that_cannot_drive_fires_as_one_that_stands_still(control: str, fires: tuple[list[str], int]) -> None:
    table = tank(control, conditions=["immobilised"])
    assert may_fire(table, FIRE) == fires
    assert table.choice(FIRE).label == "Fire"


@pytest.mark.rule("fad5/blast.target-point")
def test_a_blast_at_any_point_may_follow_a_move_and_other_fire() -> None:
    own = vehicle("blue", (10, 10), fire_control="hyper-tech", weapons=("light-cannon", "medium-cannon"))
    state = battle(own, unit("red", (6, 24)), FAR, options={"blast_point": "free"})
    assert "blast:m1" in play(state).activates("blue-1").answers("drive-fire", driven((10, 12))).offered
    table = play(state).activates("blue-1").chance(1).answers("blast:m1", PointTaken((6_000, 24_000)))
    assert "blast:m2" in table.offered


@pytest.mark.rule("fad5/vehicle.fire-control.multiple-targets")
def test_all_weapons_are_aimed_at_those_whom_fire_priority_allows_when_the_vehicle_begins_to_fire() -> None:
    near = unit("red", (10, 16), figures=1, id="near", armour="none")
    others = (unit("red", (10, 20), figures=2, id="second"), unit("red", (10, 24), figures=2, id="third"))
    own = vehicle(
        "blue", (10, 10), quality="conscript", fire_control="hyper-tech", weapons=("machine-gun", "heavy-beam")
    )
    table = play(battle(own, near, *others)).activates("blue-1")
    table.answers(FIRE, Assigned({"m1": "near"}), dice=[6, 1, 1, 1, 6, 6, 6])
    assert table.unit("near").left == "destroyed"
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert [option.unit for row in parameter.rows for option in row.options] == ["second"]


@pytest.mark.rule("fad5/vehicle.fire-control.improved")
@pytest.mark.parametrize(("first", "then"), [("m1", [BEAM, CANNON]), ("m2", [GUN]), ("m3", [GUN])])
def test_improved_fire_control_fires_one_main_weapon_and_one_machine_gun_one_after_the_other(
    first: str, then: list[str]
) -> None:
    table = tank("improved").answers(FIRE, Assigned({first: "red-1"}), dice=[1, 1, 6] if first != "m2" else [1])
    assert may_fire(table, "fire") == (then, 1)


@pytest.mark.rule("fad5/vehicle.fire-control.close-support")
def test_close_support_fires_one_heavier_weapon_from_a_standing_vehicle() -> None:
    heavy = ("heavy-beam", "heavy-auto-cannon", "machine-gun")
    table = tank("close-support", heavy).answers("drive-fire", driven())
    assert may_fire(table, "fire") == ([BEAM, "Heavy auto cannon", GUN], 1), "not both heavier ones at once"
    table.answers("fire", Assigned({"m1": "red-1"}), dice=[1])
    assert may_fire(table, "fire") == ([GUN], 1)


@pytest.mark.rule("fad5/shoot.vehicle-weapons")
@pytest.mark.rule("fad5/vehicle.fire-control.hyper-tech")
def test_each_weapon_rolls_one_die_at_a_target_of_its_own() -> None:
    table = tank("hyper-tech", BOTH, NEAR_TANK)
    table.answers(FIRE, Assigned({"m1": "red-1", "m2": "tank"}), dice=[1, 1, 6, 3, 6, 1, 1])
    shots = [(fact.unit, fact.target) for fact in table.seen(Declared) if fact.action == "shoot"]
    assert shots == [("blue-1", "red-1"), ("blue-1", "tank")]
    assert table.rolled("fire_effect").faces == (3,)
    assert may_fire(table, "fire") == ([CANNON], 1), "what has not fired may be aimed when its turn comes"


@pytest.mark.rule("fad5/shoot.vehicle-weapons")
def test_a_vehicle_that_has_fired_may_drive_cautiously_and_fires_no_more() -> None:
    table = tank().answers(FIRE, Assigned({"m2": "red-1"}), dice=[1])
    assert table.path("drive").allowance == 12_000
    table.answers("drive", driven((10, 22)))
    assert table.seen(UnitMoved)[-1].rule == "move.vehicle-rates"
    assert table.asked == "red"


@pytest.mark.rule("fad5/shoot.vehicle-weapons")
def test_a_fire_control_that_there_is_not_is_refused() -> None:
    with pytest.raises(RulesetError, match="fire_control 'psychic' is not one of primitive, improved"):
        battle(vehicle("blue", (10, 10), fire_control="psychic"), FAR)


# --- under fire ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/under-fire.vehicles")
@pytest.mark.parametrize(
    ("own", "amount"),
    [({}, -1), ({"pintle": ["m2"]}, -1), ({"pintle": ["m1"]}, -3), ({"traits": {"open_topped": True}}, -3)],
)
def test_a_vehicle_under_fire_fires_at_a_malus_worse_with_weapons_served_from_outside(
    own: dict[str, object], amount: int
) -> None:
    table = tank("primitive", BOTH, conditions=["under_fire"], **own)
    assert table.path("drive-out").allowance == 18_000, "its movement is not affected"
    table.answers(FIRE, Assigned({"m1": "red-1"}), dice=[1] if amount < -1 else [2, 1, 6])
    assert ("under-fire.vehicles", amount) in lines(table.fire_effect)


# --- blasts -------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/blast.declare-shot-type")
@pytest.mark.rule("fad5/blast.infantry-only")
@pytest.mark.rule("fad5/blast.no-fire-effect-vs-vehicle")
def test_a_weapon_that_blasts_is_fired_at_a_point_or_aimed_at_a_vehicle_without_its_fire_effect() -> None:
    # A missile launcher has Fire Effect +1, anti-tank +5 and a blast of 2".
    table = tank("primitive", ("missile-launcher",), NEAR_TANK)
    (parameter,) = table.choice(FIRE).parameters
    assert isinstance(parameter, AssignmentParameter)
    assert [option.unit for option in parameter.rows[0].options] == ["tank"], "no aimed shot at infantry"
    table.answers(FIRE, Assigned({"m1": "tank"}), dice=[3, 2, 2])
    assert lines(table.fire_effect) == [("shoot.dice", 3), ("shoot.mod-shooter-quality", 1)]
    assert table.rolled("penetration").numbers[0].value == 5
    blast = tank("primitive", ("missile-launcher",), vehicle("red", (1.5, 31), id="tank"))
    assert blast.refused("blast:m1", PointTaken((1_500, 27_000))).rule == "blast.target-point", (
        "infantry is struck alone"
    )
    blast.answers("blast:m1", PointTaken((4_000, 29_500)), dice=[6, 1, 1, 1, 6])
    assert [fact.unit for fact in blast.seen(ConditionGained)] == ["red-1"], "a blast does nothing to a vehicle"
    assert blast.offered == ["drive", "stay"]


# --- squads at vehicles -------------------------------------------------------------------------------------------------


def squad_at(*dice: int, options: Mapping[str, object] | None = None, armour: int = 8, **squad: object) -> BattleTable:
    """Return the table after six Regulars have fired at a vehicle about 12 inches away, with all weapons."""
    state = aimed_at(options=options, armour=armour, **squad)
    table = play(state).activates("blue-1")
    if lower_rated(fad5().rules, state, shot_at(state)):
        return table.answers("fire-move", "red-1").answers("fire-all", dice=list(dice))
    return table.answers("fire-move", "red-1", dice=list(dice))


def shot_at(state: State) -> Shot:
    found = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(found, Shot)
    return found


def aimed_at(*, options: Mapping[str, object] | None = None, armour: int = 8, **squad: object) -> State:
    """Return six Regulars about 12 inches from a vehicle."""
    return battle(
        unit("blue", (6, 6), **{"apart": 1.5, **squad}),  # type: ignore[arg-type]  # as `unit` takes it
        vehicle("red", (8, 20), facing=270, armour=(armour, 6, 5)),
        unit("red", (30, 44)),
        options=options,
    )


@pytest.mark.rule("fad5/damage.vehicle-needs-anti-tank")
@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
def test_a_squad_without_an_anti_tank_rating_does_not_fire_at_vehicles() -> None:
    state = battle(unit("blue", (6, 6)), vehicle("red", (8, 20)), unit("red", (30, 44)))
    table = play(state).activates("blue-1")
    assert table.targets("fire-move")["red-1"] == "damage.vehicle-needs-anti-tank"
    gunner = battle(
        unit("blue", (6, 6), support=["squad-automatic-weapon"]), vehicle("red", (8, 20)), unit("red", (30, 44))
    )
    assert play(gunner).activates("blue-1").targets("fire-move")["red-1"] == "damage.vehicle-needs-anti-tank"


@pytest.mark.rule("fad5/damage.vehicle-needs-anti-tank")
def test_a_vehicle_aims_no_weapon_without_a_rating_at_a_vehicle_and_one_with_a_rating_of_zero() -> None:
    table = tank("hyper-tech", ("machine-gun", "light-burst-launcher"), NEAR_TANK)
    (parameter,) = table.choice(FIRE).parameters
    assert isinstance(parameter, AssignmentParameter)
    offered = {row.key: [option.unit for option in row.options] for row in parameter.rows}
    assert offered == {"m1": ["red-1"], "m2": ["tank"]}


@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
def test_only_the_weapons_with_a_rating_take_part_in_a_squads_fire_at_a_vehicle() -> None:
    # Assault rifles and the automatic weapon have no rating; the plasma rifle and the rifle grenade have one.
    table = squad_at(2, 3, 1, 6, 1, 6, support=["plasma-rifle", "rifle-grenade", "squad-automatic-weapon"])
    assert lines(table.fire_effect) == [
        ("shoot.dice", 3),
        ("shoot.mod-shooter-quality", 1),
        ("shoot.mod-support-weapons", 1),
        ("shoot.mod-support-weapons", 1),
    ]


@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
def test_a_weapon_that_does_not_reach_so_far_takes_no_part() -> None:
    # Regulars with submachine guns reach 8" at close range: the rifle grenade does not fire, the plasma rifle does.
    table = squad_at(4, 3, 1, 6, support=["plasma-rifle", "rifle-grenade"], small_arm="submachine-gun")
    assert ("shoot.mod-range", -2) in lines(table.fire_effect)
    assert [amount for rule, amount in lines(table.fire_effect) if rule == "shoot.mod-support-weapons"] == [1]
    state = battle(
        unit("blue", (6, 6), support=["rifle-grenade"], small_arm="submachine-gun"), vehicle("red", (8, 20)), FAR
    )
    assert play(state).activates("blue-1").targets("fire-move")["red-1"] == "shoot.support-weapons"


RATED: Mapping[str, Any] = {"support": ["rifle-grenade", "plasma-rifle"], "small_arm": "blaster"}


@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
@pytest.mark.parametrize(
    ("option", "ratings"), [(None, [3, 1, 1, 3]), ("in-turn", [3, 1, 1, 3]), ("worst", [1] * 4), ("best", [3] * 4)]
)
def test_hits_have_the_ratings_in_turn_from_the_highest_down_small_arms_last_and_then_round_again(
    option: str | None, ratings: list[int]
) -> None:
    # Blasters have a rating of +1. Eleven figures: 6 + 1 + 1 + 1 and three times three blasters is 12: four hits.
    options = {"squad_at_hits": option} if option else {}
    table = squad_at(6, 1, *[1, 6] * 4, options=options, armour=12, **{**RATED, "figures": 11, "apart": 1.2})
    assert [fact.numbers[0].value for fact in _penetrations(table)] == ratings
    assert [lines(fact.numbers[0])[0][0] for fact in _penetrations(table)] == ["shoot.squad-vs-vehicle"] * 4


@pytest.mark.rule("fad5/shoot.support-weapons")
def test_an_owner_may_hold_back_support_weapons_with_lower_ratings_than_others() -> None:
    table = play(aimed_at(armour=12, **RATED)).activates("blue-1").answers("fire-move", "red-1")
    (parameter,) = table.choice("hold-back").parameters
    assert isinstance(parameter, FiguresParameter)
    assert (table.prompt.default, parameter.least, parameter.most) == (Picked("fire-all"), 1, 1)
    (grenadier,) = parameter.figures
    assert table.unit("blue-1").figures[grenadier].role == "rifle-grenade"
    # 6 + 1, the plasma rifle's 1 and four blasters' 1 is 9: three hits. The grenade would add a point and a rating of +1.
    table.answers("hold-back", FiguresPicked((grenadier,)), dice=[6, 1, 1, 6, 1, 6, 1, 6])
    assert [fact.numbers[0].value for fact in _penetrations(table)] == [3, 1, 3]


@pytest.mark.rule("fad5/shoot.range-bands")
def test_a_gunner_who_holds_fire_does_not_count_for_the_range() -> None:
    # Close range of the blasters ends at 12": the grenadier is within it, and the others are beyond.
    places = [(8, 6), (9.5, 5), (6.5, 5), (5, 5)]
    state = battle(unit("blue", places, **RATED), vehicle("red", (8, 20), facing=270), unit("red", (30, 44)))
    for choice, reached in (("fire-all", 0), ("hold-back", -2)):
        table = play(state).activates("blue-1").answers("fire-move", "red-1").chance(1)
        table.answers(choice, *[FiguresPicked(("1",))] * (choice == "hold-back"))
        assert sum(amount for rule, amount in lines(table.fire_effect) if rule == "shoot.mod-range") == reached


@pytest.mark.rule("fad5/shoot.support-weapons")
@pytest.mark.parametrize(
    ("squad", "option"),
    [
        ({"support": ["plasma-rifle"] * 2}, "in-turn"),
        (RATED, "best"),
        ({"support": ["squad-automatic-weapon"]}, "worst"),
    ],
)
def test_no_owner_is_asked_where_holding_back_makes_no_hit_better(squad: Mapping[str, Any], option: str) -> None:
    state = aimed_at(options={"squad_at_hits": option}, **{"small_arm": "blaster", **squad})
    assert lower_rated(fad5().rules, state, shot_at(state)) == ()


def _penetrations(table: BattleTable) -> list[Rolled]:
    return [fact for fact in table.seen(Rolled) if fact.purpose == "penetration"]


def test_what_ifs_say_how_many_weapons_fire() -> None:
    state = battle(vehicle("blue", (10, 10), weapons=("heavy-beam", "light-beam")), NEAR_TANK)
    told = fad5().what_if(state, "blue-1", "tank")
    assert told[0].notes[-1] == "It fires one of these weapons in an activation."


@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
def test_the_preview_of_a_squads_fire_says_who_fires_with_which_ratings() -> None:
    squad = unit("blue", (6, 6), apart=1.5, support=["plasma-rifle", "rifle-grenade"])
    table = play(battle(squad, vehicle("red", (8, 20), facing=270, armour=(8, 6, 5)), FAR)).activates("blue-1")
    told = fad5().preview(table.state, table.prompt, Picked("fire-move", (UnitNamed("red-1"),)))
    assert told is not None
    assert told.notes == ("2 of 6 figures fire: those whose weapons can harm it, and that see it in range.",)
    assert [(label, number.value) for label, number in told.numbers] == [
        ("Fire Effect (without the dice)", 3),
        ("Points for each hit", 3),
        ("Anti-tank (plus 1D6 for each hit)", 3),
        ("Anti-tank (plus 1D6 for each hit)", 1),
        ("Armour to reach (front)", 8),
    ], "the damage of the small arms does not count"
