"""Crews of FAD 5: their morale after hits, the return of their vehicle to action, and what armoured vehicles do for infantry."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Assigned, Picked, UnitNamed
from server.kernel.facts import (
    ConditionGained,
    ConditionLost,
    Declared,
    Rolled,
    TerrainAdded,
    UnitLeft,
    UnitMoved,
    UnitPlaced,
)
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, lines, piece, play, unit
from tests.support.tabletop import Row

FOE = unit("red", (20, 40))


def active(*marks: str, dice: Sequence[int] = (), others: Sequence[Row] = (), **own: object) -> BattleTable:
    """Return a table on which a vehicle of blue's with these markers activates, with these dice."""
    tried = vehicle("blue", (20, 20), conditions=list(marks), **own)
    state = battle(tried, unit("blue", (2, 2), figures=2), unit("red", (20, 40)), *others)
    return play(state).activates("blue-1", dice=dice)


def purposes(table: BattleTable) -> list[str]:
    return [fact.purpose for fact in table.seen(Rolled)]


# --- morale -------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/resolve.vehicles")
def test_a_crew_tests_its_morale_once_after_it_was_shaken_and_not_else() -> None:
    assert purposes(active()) == []
    assert purposes(active("under_fire", "immobilised")) == [], "neither fire nor old damage shakes it"
    table = active("crew_shaken", dice=[3, 3, 1])
    assert table.rolled("crew_morale").outcome == "rallied"
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "crew_shaken", "resolve.vehicles")]
    assert "fire-drive" in table.offered


@pytest.mark.rule("fad5/morale.result-one-vehicle")
def test_with_one_pass_a_vehicle_drives_away_at_standard_speed_and_does_not_fire() -> None:
    table = active("crew_shaken", dice=[3, 1, 1])
    assert table.offered == ["fall-back"]
    assert table.path("fall-back").allowance == 18_000
    assert table.refused("fall-back", driven((20, 25))).rule == "morale.result-one-vehicle"
    table.defaults()
    moved = table.seen(UnitMoved)[-1]
    assert (moved.manner, moved.rule, moved.paths["1"][-1]) == (
        "fall-back",
        "morale.result-one-vehicle",
        (20_000, 2_000),
    )
    assert table.asked == "red", "it does not fire"
    assert table.unit("blue-1").conditions == (), "it is not Broken"


@pytest.mark.rule("fad5/morale.result-one-vehicle")
@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_a_vehicle_falls_back_with_its_whole_standard_rate_and_nowhere_nearer_to_the_enemy() -> None:
    table = active("crew_shaken", dice=[3, 1, 1])
    short = table.refused("fall-back", driven((20, 10)))
    assert short.rule == "morale.result-one-vehicle"
    assert short.sentence == (
        "Blue 1 falls back as fast as it can: it uses up 17.5\" at least, or ends out of every enemy's sight or at the table's "
        "edge."
    )
    around = table.refused("fall-back", driven((20, 21), (20, 4.5)))
    assert around.rule == "morale.fall-back-direction"
    choice = table.prompt.choice("fall-back")
    assert choice is not None
    assert choice.preview
    way = driven((20, 2.4))
    told = fad5().preview(table.state, table.prompt, Picked("fall-back", (way,)))
    assert told is not None
    assert told.notes == ("It ends in an enemy's sight.",)
    assert table.answers("fall-back", way).seen(UnitMoved)


@pytest.mark.rule("fad5/morale.result-one-vehicle")
def test_a_vehicle_that_gets_out_of_sight_or_finds_no_longer_way_need_not_use_all_of_its_rate() -> None:
    wall = piece("cliff", (10, 14), (30, 14.5))
    hidden = play(battle(vehicle("blue", (34, 20), facing=180, conditions=["crew_shaken"]), FOE, terrain=[wall]))
    hidden.activates("blue-1", dice=[3, 1, 1])
    assert hidden.refused("fall-back", driven((36, 10))).rule == "morale.result-one-vehicle"
    assert hidden.answers("fall-back", driven((34, 12), (26, 11))).seen(UnitMoved), "behind the wall"
    # A corner of the table: the enemy stands in the middle, and 6 inches are all that there is.
    cornered = play(battle(vehicle("blue", (5, 5), conditions=["crew_shaken"]), unit("red", (20, 20))))
    cornered.activates("blue-1", dice=[3, 1, 1])
    (way,) = cornered.prompt.default.values
    assert cornered.refused("fall-back", driven((5, 4.5))).rule == "morale.result-one-vehicle"
    assert cornered.answers("fall-back", way).seen(UnitMoved)


@pytest.mark.rule("fad5/morale.result-one-vehicle")
def test_a_vehicle_that_falls_back_may_stop_at_the_tables_edge() -> None:
    # Its rear is 4" from the edge, and it could go on along it.
    table = play(battle(vehicle("blue", (24, 6), conditions=["crew_shaken"]), unit("red", (20, 40))))
    table.activates("blue-1", dice=[3, 1, 1])
    assert table.refused("fall-back", driven((24, 3), facing=90)).rule == "morale.result-one-vehicle"
    assert table.answers("fall-back", driven((24, 2), facing=90)).seen(UnitMoved)


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_a_vehicle_falls_back_from_the_nearest_enemy_even_if_it_sees_another_one() -> None:
    # The one behind the wall is nearer than the one in sight.
    wall = piece("building", (16, 12), (24, 13))
    state = battle(vehicle("blue", (20, 20), conditions=["crew_shaken"]), FOE, unit("red", (20, 9)), terrain=[wall])
    table = play(state).activates("blue-1", dice=[3, 1, 1])
    assert table.refused("fall-back", driven((20, 15.2))).sentence.endswith("farther from Red 2 than it is now.")


@pytest.mark.rule("fad5/morale.result-one-vehicle")
@pytest.mark.rule("fad5/move.warp")
def test_a_warp_falls_back_to_the_place_of_its_own_zone_or_edge_that_is_farthest_from_all_enemies() -> None:
    state = battle(vehicle("blue", (20, 20), mobility="warp", conditions=["crew_shaken"]), unit("red", (2, 40)))
    table = play(state).activates("blue-1", dice=[3, 1, 1])
    assert table.seen(UnitMoved)[-1].paths == {"1": ((46_000, 2_000),)}, "the south-eastern corner"
    assert table.asked == "red", "there is nothing to choose"


@pytest.mark.rule("fad5/morale.result-one-vehicle")
def test_a_vehicle_on_wheels_off_the_road_uses_up_its_rate_at_half_the_distance() -> None:
    table = active("crew_shaken", dice=[3, 1, 1], mobility="wheel")
    assert table.answers("fall-back", driven((20, 8.2))).seen(UnitMoved)


@pytest.mark.rule("fad5/morale.vehicle-bail-out")
@pytest.mark.rule("fad5/damage.wrecks")
@pytest.mark.parametrize("mark", ["immobilised", "out_of_action"])
def test_with_one_pass_the_crew_of_a_vehicle_that_cannot_drive_bails_out(mark: str) -> None:
    table = active("crew_shaken", mark, dice=[3, 1, 1])
    assert table.rolled("crew_morale").outcome == "abandons"
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "bailed_out", "morale.vehicle-bail-out")]
    assert [(fact.piece.kind, fact.rule) for fact in table.seen(TerrainAdded)] == [("wreck", "damage.wrecks")]


@pytest.mark.rule("fad5/adv.bogging.bogged")
@pytest.mark.rule("fad5/morale.vehicle-bail-out")
def test_with_one_pass_the_crew_of_a_bogged_vehicle_stays_with_it_and_does_nothing() -> None:
    table = active("crew_shaken", "bogged", dice=[3, 1, 1])
    assert table.rolled("crew_morale").outcome == "falls_back"
    assert table.seen(UnitLeft) == []
    declared = table.seen(Declared)[-1]
    assert (declared.action, declared.rule) == ("stay-bogged", "adv.bogging.bogged")
    story = fad5().story(table.state, declared)
    assert story is not None
    assert story.text == "Blue 1 is bogged, and stays where it is."
    assert table.asked == "red"
    state = battle(vehicle("blue", (20, 20), conditions=["crew_shaken", "bogged"]), unit("red", (20, 40)))
    told = fad5().preview(state, play(state).prompt, Picked("activate", (UnitNamed("blue-1"),)))
    assert told is not None
    assert [chance.label for chance in told.chances] == [
        "Acts normally",
        "Falls back if it gets free first, or else stays",
        "Routs",
    ]


@pytest.mark.rule("fad5/morale.vehicle-bail-out")
def test_passengers_of_an_abandoned_vehicle_get_out_unharmed_and_not_under_fire() -> None:
    aboard = unit("blue", None, figures=3, id="aboard") | {"aboard": "blue-1"}
    table = active("crew_shaken", "immobilised", dice=[3, 1, 1], others=[aboard], seats=5)
    table.defaults()
    assert [fact.unit for fact in table.seen(UnitPlaced)] == ["aboard"]
    assert table.unit("aboard").strength == 3
    assert table.seen(ConditionGained) == []


@pytest.mark.rule("fad5/morale.vehicle-bail-out")
@pytest.mark.parametrize(
    ("marks", "dice"), [(("crew_shaken", "immobilised"), [3, 1, 1]), (("crew_shaken",), [1, 1, 1])]
)
def test_passengers_whose_crew_leaves_them_do_not_act_again_this_turn(marks: tuple[str, ...], dice: list[int]) -> None:
    aboard = unit("blue", None, figures=3, id="aboard") | {"aboard": "blue-1"}
    table = active(*marks, dice=dice, others=[aboard], seats=5).defaults()
    assert table.unit("aboard").activated == 1
    assert table.asked == "red"
    table.activates("red-1").holds()
    assert table.targets("activate") == {"blue-2": ""}


@pytest.mark.rule("fad5/morale.result-none")
def test_without_a_pass_a_vehicle_routs_and_stays_as_a_wreck() -> None:
    table = active("crew_shaken", dice=[2, 1, 1])
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "routed", "morale.result-none")]
    assert len(table.seen(TerrainAdded)) == 1


# --- return to action ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
def test_two_passes_of_two_dice_bring_a_vehicle_back_which_then_acts() -> None:
    table = active("out_of_action", dice=[3, 4])
    roll = table.rolled("return")
    assert (roll.marks, roll.rule) == (("pass", "pass"), "damage.vehicle-system-kill")
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "out_of_action", "damage.vehicle-system-kill")]
    assert {"drive-fire", "drive-out"} <= set(table.offered)


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
def test_with_fewer_a_vehicle_stays_out_of_action_and_does_nothing() -> None:
    table = active("out_of_action", dice=[2, 6])
    assert table.rolled("return").outcome == "stays_out"
    assert table.asked == "red"
    assert table.unit("blue-1").conditions == ("out_of_action",)


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
@pytest.mark.rule("fad5/resolve.vehicles")
def test_morale_is_tested_before_the_return_to_action() -> None:
    assert purposes(active("crew_shaken", "out_of_action", dice=[3, 3, 1, 3, 3])) == ["crew_morale", "return"]


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
def test_with_troops_aboard_the_owner_chooses_between_the_test_and_letting_them_off() -> None:
    aboard = unit("blue", None, figures=3, id="aboard") | {"aboard": "blue-1"}
    table = active("out_of_action", others=[aboard], seats=5)
    assert table.offered == ["return", "let-troops-off"]
    assert table.prompt.default == Picked("return")
    table.answers("return", dice=[1, 1])
    assert table.rolled("return").outcome == "stays_out"
    off = active("out_of_action", others=[aboard], seats=5).answers("let-troops-off")
    assert off.offered == ["hold", "let-off:aboard"], "and nothing else"
    off.defaults()
    assert purposes(off) == [], "there is no test then"


@pytest.mark.rule("fad5/resolve.vehicles")
@pytest.mark.rule("fad5/damage.vehicle-system-kill")
def test_the_preview_of_an_activation_gives_the_chances_of_the_tests() -> None:
    state = battle(vehicle("blue", (20, 20), conditions=["crew_shaken", "out_of_action"]), unit("red", (20, 40)))
    table = play(state)
    told = fad5().preview(table.state, table.prompt, Picked("activate", (UnitNamed("blue-1"),)))
    assert told is not None
    # Regulars pass on 3: two or three of three dice 20 in 27, one 6 in 27, none 1 in 27; both of two 4 in 9.
    assert [(chance.label, chance.per_myriad) for chance in told.chances] == [
        ("Acts normally", 7407),
        ("Crew bails out", 2222),
        ("Routs", 370),
        ("Returns to action", 4444),
    ]
    (parameter,) = table.choice("activate").parameters
    notes = {candidate.unit: candidate.note for candidate in parameter.candidates}  # type: ignore[union-attr]  # units are named
    assert notes["blue-1"] == "out of action, crew must test its morale"


# --- armoured vehicles near by ------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/morale.afv-bolster")
@pytest.mark.parametrize(
    ("tank", "options", "helps"),
    [
        ({}, {}, True),
        ({"mobility": "wheel"}, {}, True),
        ({"armour": (3, 0, 0)}, {}, True),
        ({"armour": (2, 9, 9)}, {}, False),
        ({"weapons": ()}, {}, False),
        ({"conditions": ["out_of_action"]}, {}, False),
        ({"conditions": ["immobilised"]}, {}, True),
        ({}, {"afv_bolster_range": 4}, False),
        ({"at": (10, 17)}, {}, False),
        ({"at": (10, 17)}, {"afv_bolster_range": 12}, True),
    ],
)
def test_an_armed_and_armoured_vehicle_near_by_passes_one_die_of_a_morale_test(
    tank: dict[str, object], options: dict[str, object], helps: bool
) -> None:
    shaken = unit("blue", (6, 6), resolve="reluctant", quality="conscript", lost=1)
    state = battle(shaken, vehicle("blue", **{"at": (10, 13), **tank}), unit("red", (6, 40)), options=options)  # type: ignore[arg-type]
    table = play(state).activates("blue-1", dice=[2, 3] if helps else [2, 3, 1])
    roll = table.rolled("morale")
    assert roll.outcome == ("falls_back" if helps else "routed")
    assert [lines(number) for number in roll.numbers[1:]] == ([[("morale.afv-bolster", 1)]] if helps else [])


@pytest.mark.rule("fad5/damage.vehicle-system-kill")
def test_a_vehicle_out_of_action_can_still_be_shot_at() -> None:
    own = vehicle("blue", (20, 10), weapons=("light-beam",))
    state = battle(own, vehicle("red", (20, 20), conditions=["out_of_action"], armour=(5, 5, 5)), unit("red", (30, 44)))
    table = play(state).activates("blue-1").answers("fire-drive", Assigned({"m1": "red-1"}), dice=[3, 2, 1, 2])
    assert [fact.condition for fact in table.seen(ConditionGained)] == ["crew_shaken", "under_fire"], (
        "and nothing changes"
    )
