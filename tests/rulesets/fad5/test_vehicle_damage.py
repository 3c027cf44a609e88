"""Vehicles of FAD 5 under fire: whether hits penetrate, what that does to them, those aboard and those near by."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, FiguresFell, Rolled, TerrainAdded, UnitLeft, UnitMoved, UnitPlaced
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, lines, piece, play, unit
from tests.support.tabletop import Row

SPARE = unit("red", (30, 44))
"""A second unit, so that the battle goes on without the first."""
FIRE = "fire-drive"


def duel(weapon: str = "light-beam", others: Sequence[Row] = (), **target: object) -> BattleTable:
    """Return a table on which blue-1, a vehicle of Regulars at (20, 10), is active. red-1 at (20, 20) faces it."""
    own = vehicle("blue", (20, 10), weapons=(weapon,))
    foe = vehicle("red", (20, 20), **{"facing": 270, "armour": (8, 6, 5), **target})
    return play(battle(own, foe, *others, SPARE)).activates("blue-1")


def shot_at(dice: Sequence[int], weapon: str = "light-beam", **target: object) -> BattleTable:
    """Return the table after blue-1 has fired at red-1."""
    return duel(weapon, **target).answers(FIRE, Assigned({"m1": "red-1"}), dice=dice)  # type: ignore[arg-type]  # as `vehicle` takes it


def rolls(table: BattleTable) -> list[tuple[str, tuple[int, ...], str]]:
    """Return the purpose, faces and outcome of each roll after the Fire Effect."""
    found = [(fact.purpose, fact.faces, fact.outcome) for fact in table.seen(Rolled)]
    return found[[purpose for purpose, _, _ in found].index("fire_effect") + 1 :]


def gained(table: BattleTable, unit_id: str = "red-1") -> list[str]:
    return [fact.condition for fact in table.seen(ConditionGained) if fact.unit == unit_id]


@pytest.mark.rule("fad5/move.vehicle-rates")
def test_a_vehicle_drives_cautiously_and_fires_or_drives_at_its_standard_rate_and_does_not() -> None:
    state = battle(vehicle("blue", (10, 10)), unit("red", (6, 40)))
    table = play(state).activates("blue-1")
    assert (table.path("drive-fire").allowance, table.path("drive-out").allowance) == (12_000, 18_000)
    table.answers("drive-fire", driven((10, 22))).answers("fire", Assigned({"m1": "red-1"}), dice=[2, 1, 6])
    out = play(state).activates("blue-1").answers("drive-out", driven((10, 28)))
    assert out.seen(UnitMoved)[-1].paths["1"][-1] == (10_000, 28_000)
    assert out.asked == "red", "the activation is over"


# --- penetration --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.vehicle-penetration")
@pytest.mark.parametrize(("face", "outcome"), [(4, "fail"), (5, "hit"), (6, "hit")])
def test_a_hit_penetrates_that_reaches_the_armour_with_its_anti_tank_rating(face: int, outcome: str) -> None:
    # A light beam has damage +2 and anti-tank +3: 5 reaches 8. No die falls for the vehicle.
    table = shot_at([4, face, 1, 1] if outcome == "hit" else [4, face, 2])
    roll = table.rolled("penetration")
    assert [lines(number) for number in roll.numbers] == [[("weapon.small-arms", 3)], [("damage.vehicle-facing", 8)]]
    assert (roll.outcome, roll.rule) == (outcome, "damage.vehicle-penetration")


@pytest.mark.rule("fad5/damage.vehicle-facing")
@pytest.mark.parametrize(
    ("at", "facing", "armour", "reason", "value"),
    [
        ((20, 10), 270, (8, 6, 5), "front armour", 8),
        ((20, 10), 90, (8, 6, 5), "rear armour", 5),
        ((20, 10), 0, (8, 6, 5), "side armour", 6),
        # 45 degrees from straight ahead, and from straight back, the better armour counts.
        ((10, 10), 270, (8, 6, 5), "front armour", 8),
        ((10, 10), 270, (6, 8, 5), "side armour", 8),
        ((10, 10), 90, (8, 6, 5), "side armour", 6),
        # Just beside the border; by the corners of the hull it would be the side.
        ((10.1, 10), 270, (8, 6, 5), "front armour", 8),
        ((9.9, 10), 270, (8, 6, 5), "side armour", 6),
        # Below 3 a facing is soft skin.
        ((20, 10), 270, (2, 2, 2), "front armour", 0),
    ],
)
def test_a_shot_strikes_the_facing_within_45_degrees_of_straight_ahead_or_back_or_else_the_side(
    at: tuple[float, float], facing: int, armour: tuple[int, int, int], reason: str, value: int
) -> None:
    own = vehicle("blue", at, weapons=("light-beam",))
    state = battle(own, vehicle("red", (20, 20), facing=facing, armour=armour), SPARE)
    table = play(state).activates("blue-1").answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 6, 1, 1])
    (line,) = table.rolled("penetration").numbers[1].lines
    assert (line.reason, line.amount) == (reason, value)


@pytest.mark.rule("fad5/damage.vehicle-facing")
def test_the_nearest_figure_that_contributes_decides_on_the_facing() -> None:
    # The riflemen stand in front of the vehicle, and the gunner to its side: only he fires.
    squad = unit("blue", [(10, 24), (20, 14), (20.5, 13)], support=["plasma-rifle"])
    state = battle(squad, vehicle("red", (20, 24), facing=270, armour=(8, 6, 5)), SPARE)
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[3, 1, 3, 1, 1])
    assert table.rolled("penetration").numbers[1].lines[0].reason == "side armour"


# --- what a hit does ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.vehicle-kill")
@pytest.mark.rule("fad5/damage.wrecks")
def test_two_dice_without_a_one_kill_a_vehicle_and_leave_its_wreck() -> None:
    table = shot_at([4, 5, 2, 6])
    assert table.rolled("vehicle_kill").outcome == "kill"
    assert table.seen(UnitLeft) == [UnitLeft("red-1", "destroyed", "damage.vehicle-kill")]
    (added,) = table.seen(TerrainAdded)
    assert added.rule == "damage.wrecks"
    wreck = added.piece
    assert (wreck.name, wreck.cover, wreck.sight, wreck.flags) == ("Wreck of Red 1", "heavy", "solid", ("impassable",))


@pytest.mark.rule("fad5/damage.wrecks")
def test_an_option_takes_killed_vehicles_off_the_table() -> None:
    own = vehicle("blue", (20, 10), weapons=("light-beam",))
    state = battle(own, vehicle("red", (20, 20), armour=(0, 0, 0)), SPARE, options={"wrecks": "removed"})
    table = play(state).activates("blue-1").answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 5, 2, 6])
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["red-1"]
    assert table.seen(TerrainAdded) == []


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
@pytest.mark.rule("fad5/resolve.vehicles")
def test_one_die_of_two_with_a_one_puts_a_vehicle_out_of_action() -> None:
    table = shot_at([4, 5, 1, 6])
    assert table.rolled("vehicle_kill").rule == "damage.vehicle-system-kill"
    assert gained(table) == ["out_of_action", "crew_shaken", "under_fire"]
    assert not table.unit("red-1").left


@pytest.mark.rule("fad5/damage.vehicle-nondamaging")
def test_two_ones_do_no_damage_but_the_crew_must_test_its_morale() -> None:
    table = shot_at([4, 5, 1, 1])
    assert table.rolled("vehicle_kill").rule == "damage.vehicle-nondamaging"
    assert gained(table) == ["crew_shaken", "under_fire"]


@pytest.mark.rule("fad5/damage.external-immobilised")
@pytest.mark.parametrize(("face", "marks"), [(1, ["crew_shaken", "immobilised", "under_fire"]), (2, ["under_fire"])])
def test_a_hit_that_does_not_penetrate_immobilises_on_a_one(face: int, marks: list[str]) -> None:
    table = shot_at([4, 4, face])
    assert table.rolled("external_damage").faces == (face,)
    assert sorted(gained(table)) == marks


@pytest.mark.rule("fad5/damage.external-immobilised")
def test_an_immobilised_flyer_comes_down_where_it_is() -> None:
    table = shot_at([4, 4, 1], mobility="fly")
    assert sorted(gained(table)) == ["crew_shaken", "immobilised", "landed", "under_fire"]


@pytest.mark.rule("fad5/damage.external-immobilised")
def test_a_flyer_that_is_immobilised_over_impassable_ground_stays_on_top_of_it() -> None:
    own = vehicle("blue", (20, 10), weapons=("light-beam",))
    foe = vehicle("red", (20, 20), facing=270, armour=(8, 6, 5), mobility="fly")
    cliff = piece("cliff", (18, 21), (22, 25))
    table = play(battle(own, foe, SPARE, terrain=[cliff])).activates("blue-1")
    table.answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 4, 1])
    assert sorted(gained(table)) == ["crew_shaken", "immobilised", "under_fire"]


@pytest.mark.rule("fad5/damage.external-immobilised")
@pytest.mark.rule("fad5/damage.vehicle-kill")
def test_hits_are_resolved_one_after_the_other_and_those_after_a_kill_are_lost() -> None:
    # A machine gun crew of Elites: Fire Effect 6 + 2 + 2 is three hits.
    own = vehicle("blue", (20, 10), weapons=("heavy-machine-gun",), quality="elite")
    state = battle(own, vehicle("red", (20, 20), facing=270, armour=(5, 5, 5)), SPARE)
    fired = play(state).activates("blue-1").answers(FIRE, Assigned({"m1": "red-1"}), dice=[6, 3, 1, 4, 2, 2])
    assert fired.rolled("fire_effect").outcome == "3"
    assert rolls(fired) == [
        ("penetration", (3,), "fail"),
        ("external_damage", (1,), "immobilised"),
        ("penetration", (4,), "hit"),
        ("vehicle_kill", (2, 2), "kill"),
    ]
    again = play(state).activates("blue-1").answers(FIRE, Assigned({"m1": "red-1"}), dice=[6, 3, 1, 3, 3])
    assert [purpose for purpose, _, _ in rolls(again)] == [
        "penetration",
        "external_damage",
        "penetration",
        "penetration",
    ], "what is immobilised has nothing more to lose outside"


# --- those near by and aboard -------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.vehicle-kill-shock")
def test_a_kill_puts_all_infantry_of_both_sides_within_four_inches_under_fire() -> None:
    # The hull reaches from (19, 18) to (21, 22).
    others = [
        unit("blue", [(25.5, 20)], id="ours"),
        unit("red", [(14.5, 20), (10, 20)], id="theirs"),
        unit("red", [(25.52, 22)], id="beyond"),
        vehicle("red", (20, 25), id="tank"),
    ]
    table = duel(others=others).answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 5, 2, 6])
    shocked = [fact.unit for fact in table.seen(ConditionGained) if fact.rule == "damage.vehicle-kill-shock"]
    assert shocked == ["ours", "theirs"]


@pytest.mark.rule("fad5/damage.vehicle-kill-passengers")
@pytest.mark.rule("fad5/damage.vehicle-kill-shock")
def test_passengers_of_a_killed_vehicle_die_on_four_and_are_set_down_within_an_inch_under_fire() -> None:
    aboard = unit("red", None, figures=3, id="aboard") | {"aboard": "red-1"}
    table = duel(others=[aboard], seats=5).answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 5, 2, 6, 3, 4, 6])
    roll = table.rolled("passengers")
    assert (roll.marks, roll.rule) == (("pass", "fail", "fail"), "damage.vehicle-kill-passengers")
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("2", "3")]
    assert table.asked == "red"
    table.defaults()
    placed = table.seen(UnitPlaced)[-1]
    assert placed.unit == "aboard"
    assert gained(table, "aboard") == ["under_fire"]
    marked = next(fact for fact in table.seen(ConditionGained) if fact.unit == "aboard")
    assert marked.rule == "damage.vehicle-kill-shock"


@pytest.mark.rule("fad5/damage.vehicle-kill-passengers")
def test_passengers_in_powered_armour_die_on_five() -> None:
    aboard = unit("red", None, figures=3, id="aboard", armour="light-powered") | {"aboard": "red-1"}
    table = duel(others=[aboard], seats=6).answers(FIRE, Assigned({"m1": "red-1"}), dice=[4, 5, 2, 6, 4, 5, 6])
    roll = table.rolled("passengers")
    assert (roll.marks, lines(roll.numbers[0])) == (
        ("pass", "fail", "fail"),
        [("damage.vehicle-kill-passengers", 5)],
    )


# --- what a damaged vehicle may do --------------------------------------------------------------------------------------


def damaged(*marks: str, dice: Sequence[int] = (), **other: object) -> BattleTable:
    """Return a table on which a vehicle of blue's with these markers activates."""
    own = vehicle("blue", (20, 20), conditions=list(marks), **other)
    state = battle(own, unit("blue", (2, 2), figures=2), unit("red", (20, 30)))
    return play(state).activates("blue-1", dice=dice)


@pytest.mark.rule("fad5/damage.external-immobilised")
def test_an_immobilised_vehicle_neither_drives_nor_turns_and_may_fire() -> None:
    table = damaged("immobilised")
    for choice in ("drive-fire", "drive-out"):
        why = table.barred(choice)
        assert why is not None
        assert why.rule == "damage.external-immobilised"
    table.answers(FIRE, Assigned({"m1": "red-1"}), dice=[1, 1, 6])
    assert table.asked == "red", "it is not asked to drive"
    assert table.unit("blue-1").conditions == ("immobilised",), "for the rest of the game"


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
@pytest.mark.rule("fad5/resolve.vehicles")
def test_markers_that_no_vehicle_or_only_vehicles_have_are_refused() -> None:
    with pytest.raises(RulesetError, match="its crew is never marked Broken"):
        battle(vehicle("blue", (20, 20), conditions=["broken"]), SPARE)
    with pytest.raises(RulesetError, match="marked Immobilised, which only vehicles are"):
        battle(unit("blue", (20, 20), conditions=["immobilised"]), SPARE)


@pytest.mark.rule("fad5/resolve.dismounted-crew")
def test_a_vehicle_has_no_resolve() -> None:
    with pytest.raises(RulesetError, match="unknown fields: resolve"):
        battle(vehicle("blue", (20, 20)) | {"resolve": "steady"}, SPARE)


def test_the_card_tells_the_damage_the_armour_and_the_fire_control() -> None:
    state = battle(vehicle("blue", (20, 20), conditions=["immobilised", "crew_shaken"], pintle=["m1"]), SPARE)
    told = {line.label: line.value for line in fad5().card(state, state.units["blue-1"])}
    assert told["Damage"] == "immobilised, crew must test its morale"
    assert told["Armour"] == "front 6, side 4, rear 3"
    assert told["Fire control"] == "Primitive: one weapon"
    assert "anti-tank +2" in told["Weapon"]
    assert "pintle" in told["Weapon"]
    assert "Resolve" not in told


def test_a_pintle_that_is_no_mount_is_refused() -> None:
    with pytest.raises(RulesetError, match="pintle"):
        battle(vehicle("blue", (20, 20), pintle=["m7"]), SPARE)


# --- previews -----------------------------------------------------------------------------------------------------------


def previewed(table: BattleTable, choice: str, *values: object) -> dict[str, int | None]:
    """Return the chances that a preview tells, in ten-thousandths."""
    ask = table.prompt
    told = fad5().preview(table.state, ask, Picked(choice, values))  # type: ignore[arg-type]  # values of a choice
    assert told is not None
    return {chance.label: chance.per_myriad for chance in told.chances}


@pytest.mark.rule("fad5/damage.vehicle-kill")
@pytest.mark.rule("fad5/damage.vehicle-system-kill")
@pytest.mark.rule("fad5/damage.external-immobilised")
def test_the_preview_of_a_shot_gives_the_exact_chances_of_each_damage() -> None:
    # Fire Effect 1D6 + 1: one hit on 2 to 4 and two on 5 and 6, each penetrating 8 on 5 or 6.
    table = duel()
    assert isinstance(
        next(choice for choice in table.prompt.choices if choice.key == FIRE).parameters[0], AssignmentParameter
    )
    told = previewed(table, FIRE, Assigned({"m1": "red-1"}))
    killed = (1 / 3) * 25 / 36
    twice = 1 - (1 - killed) ** 2
    assert told["Killed"] == pytest.approx(10_000 * (killed / 2 + twice / 3), abs=1)
    once = (2 / 3) / 6
    # Immobilised by the first hit and not killed by the second, or by the second after a first that did neither.
    both = once * (1 - killed) + (1 - killed - once) * once
    assert told["Immobilised"] == pytest.approx(10_000 * (once / 2 + both / 3), abs=1)
    assert told["At least one hit penetrates"] == pytest.approx(10_000 * (1 / 6 + (5 / 9) / 3), abs=1)
