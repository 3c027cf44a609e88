"""Damage to vehicles of FAD 4, the tests of their crews, and what is left of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Assigned
from server.kernel.bodies import body
from server.kernel.facts import (
    ConditionGained,
    ConditionLost,
    Declared,
    Rolled,
    TerrainAdded,
    UnitLeft,
    UnitMoved,
    UnitNoted,
)
from tests.support.battlefield import BattleTable, battle, driven, lines, play, unit, vehicle
from tests.support.tabletop import Place

SPARE = unit("red", (30, 44))
"""A second unit, so that the battle goes on without the first."""


def shot_at(*dice: int, at: Place | Sequence[Place] = (6, 6), **target: object) -> BattleTable:
    """Return the table after the Open Fire of a squad at `at` with assault rifles (damage +2) at a vehicle at (20, 20)."""
    shooters = unit("blue", at, apart=1.5)
    state = battle(shooters, vehicle("red", (20, 20), **target), SPARE)  # type: ignore[arg-type]
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=dice)


def damage_of(table: BattleTable) -> Rolled:
    return table.rolled("vehicle_damage")


# --- hits -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/damage.vehicle-damaged")
@pytest.mark.rule("fad4/tech.vehicle-armour")
@pytest.mark.parametrize(
    ("facing", "side", "rating"),
    [(270, "front armour", 9), (90, "rear armour", 4), (0, "side armour", 7), (180, "side armour", 7)],
)
def test_a_hit_is_compared_with_the_armour_of_the_facing_towards_the_shooters(
    facing: int, side: str, rating: int
) -> None:
    roll = damage_of(shot_at(1, 1, 1, 1, at=(18, 6), facing=facing, armour=(5, 3, 2)))
    assert (roll.numbers[1].lines[0].reason, roll.numbers[1].value) == (side, rating), (
        "base 4, and soft skin adds nothing"
    )


@pytest.mark.rule("fad4/damage.vehicle-damaged")
def test_the_quadrants_meet_in_the_corners_of_the_hull() -> None:
    # The hull is 4 by 2, and its front left corner at (18, 19): the line from its centre through there leads to (8, 14).
    front = damage_of(shot_at(1, 1, at=[(8, 14.1)], facing=180, armour=(5, 3, 3)))
    side = damage_of(shot_at(1, 1, at=[(8, 13.9)], facing=180, armour=(5, 3, 3)))
    assert (front.numbers[1].value, side.numbers[1].value) == (9, 7)


@pytest.mark.rule("fad4/damage.vehicle-damaged")
@pytest.mark.rule("fad4/damage.vehicle-critical")
@pytest.mark.parametrize(
    ("face", "mark", "marked"),
    [(4, "fail", []), (5, "hit", ["vehicle_damaged"]), (6, "hit", ["vehicle_damaged"])],
)
def test_reaching_the_armour_by_0_to_2_damages_the_vehicle(face: int, mark: str, marked: list[str]) -> None:
    table = shot_at(1, 1, face, 1, armour=(3, 3, 3))
    assert damage_of(table).marks == (mark, "fail"), "+2 against 7"
    assert [fact.condition for fact in table.seen(ConditionGained) if fact.condition != "under_fire"] == marked


@pytest.mark.rule("fad4/damage.vehicle-critical")
def test_exceeding_the_armour_by_3_is_critical_counted_after_armour_piercing() -> None:
    # Light beam: damage +2, AP 3 + 4 - 2 = 5. Front 7 + 4 = 11, less 5 is 6.
    state = battle(
        vehicle("blue", (20, 6), weapons=("light-beam",)), vehicle("red", (20, 20), facing=270, armour=(7, 7, 7)), SPARE
    )
    for face, mark in ((6, "hit"), (4, "hit"), (3, "fail")):
        table = play(state).activates("blue-1").answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, face])
        roll = damage_of(table)
        assert lines(roll.numbers[1]) == [("tech.vehicle-armour", 11), ("damage.armour-piercing", -5)]
        assert roll.marks == (mark,)
    thin = battle(vehicle("blue", (20, 6), weapons=("light-beam",)), vehicle("red", (20, 20), armour=(0, 0, 0)), SPARE)
    table = play(thin).activates("blue-1").answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 5])
    assert damage_of(table).marks == ("critical",), "7 against 4"
    assert [fact.condition for fact in table.seen(ConditionGained)] == [
        "vehicle_damaged",
        "critically_damaged",
        "under_fire",
    ]
    assert table.seen(UnitNoted) == [UnitNoted("red-1", "damage_tokens", 1)], "it counts once"


@pytest.mark.rule("fad4/damage.armour-piercing")
@pytest.mark.rule("fad4/tech.ap-from-anti-tank")
@pytest.mark.parametrize(("armour", "lowered"), [(4, 4), (3, 4), (2, 4), (8, 7)])
def test_armour_piercing_lowers_the_armour_of_a_vehicle_down_to_soft_skin(armour: int, lowered: int) -> None:
    # Light beam, AP 5: 8 and 7 come to 4, as far as it goes; 4 is soft skin as it is; 12 comes to 7.
    target = vehicle("red", (20, 20), armour=(armour, armour, armour))
    state = battle(vehicle("blue", (20, 6), weapons=("light-beam",)), target, SPARE)
    table = play(state).activates("blue-1").answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1])
    assert damage_of(table).numbers[1].value == lowered


@pytest.mark.rule("fad4/damage.vehicle-record")
def test_tokens_add_up_and_stay_after_repairs() -> None:
    table = shot_at(6, 6, 5, 5, 1, damage_tokens=1, armour=(3, 3, 3), conditions=["vehicle_damaged"])
    assert table.unit("red-1").profile["damage_tokens"] == 3
    table.activates("red-1", dice=[3, 3, 1, 3, 3, 1])
    assert table.seen(ConditionLost)[-1] == ConditionLost("red-1", "vehicle_damaged", "vehicle.repaired")
    assert table.unit("red-1").profile["damage_tokens"] == 3


@pytest.mark.rule("fad4/damage.vehicle-removed")
@pytest.mark.parametrize(("resolve", "removed"), [("reluctant", 2), ("uncertain", 4), ("steady", 6), ("determined", 8)])
def test_twice_the_resolve_in_tokens_removes_a_vehicle_and_leaves_a_wreck(resolve: str, removed: int) -> None:
    before: dict[str, object] = {"armour": (3, 3, 3), "resolve": resolve}
    stays = shot_at(1, 1, 5, 1, damage_tokens=removed - 2, **before)  # type: ignore[arg-type]  # as `vehicle` takes it
    assert stays.seen(UnitLeft) == []
    gone = shot_at(1, 1, 5, 1, damage_tokens=removed - 1, **before)  # type: ignore[arg-type]  # as `vehicle` takes it
    assert gone.seen(UnitLeft) == [UnitLeft("red-1", "destroyed", "damage.vehicle-removed")]
    wreck = gone.seen(TerrainAdded)[-1].piece
    assert (wreck.kind, wreck.cover, wreck.sight, wreck.flags) == ("wreck", "partial", "solid", ("impassable",))
    assert wreck.name == "Wreck of Red 1"
    hull = body(next(iter(gone.unit("red-1").figures.values()))).outline
    assert all(0 < wreck.distance(corner) < 50 for corner in hull), "a base that touched the hull stands outside of it"


@pytest.mark.rule("fad4/underfire.vehicle")
def test_a_vehicle_that_is_shot_at_is_under_fire_and_can_do_everything() -> None:
    table = shot_at(1, 1, 1, 1, armour=(9, 9, 9))
    assert table.unit("red-1").conditions == ("under_fire",)
    table.activates("red-1")
    assert table.path("drive-out").allowance == 18_000
    table.answers("drive-out", driven(facing=0))
    assert table.unit("red-1").conditions == ()


@pytest.mark.rule("fad4/pin.trigger")
def test_a_vehicle_is_never_pinned() -> None:
    table = shot_at(6, 6, 1, 1, 1, armour=(9, 9, 9))
    assert table.fire_effect.value > 10
    assert table.unit("red-1").conditions == ("under_fire",)


# --- repairs --------------------------------------------------------------------------------------------------------


def damaged(*, critical: bool = False, quality: str = "regular", **other: object) -> BattleTable:
    """Return a table on which a damaged vehicle of blue's is about to activate."""
    marks = ["vehicle_damaged", *(["critically_damaged"] if critical else [])]
    own = vehicle("blue", (20, 20), conditions=marks, damage_tokens=1, quality=quality, **other)  # type: ignore[arg-type]
    return play(battle(own, unit("blue", (2, 2), figures=2), unit("red", (20, 40))))


@pytest.mark.rule("fad4/vehicle.repair-test")
@pytest.mark.rule("fad4/vehicle.repaired")
def test_two_passes_repair_a_vehicle_which_then_acts_as_usual() -> None:
    table = damaged().activates("blue-1", dice=[3, 3, 2])
    roll = table.rolled("repair")
    assert (roll.marks, roll.outcome) == (("pass", "pass", "fail"), "repaired")
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "vehicle_damaged", "vehicle.repaired")]
    assert table.barred("fire-all") is None


@pytest.mark.rule("fad4/vehicle.still-damaged")
@pytest.mark.rule("fad4/vehicle.damaged-limits")
def test_with_one_pass_a_vehicle_stays_damaged_and_only_drives_cautiously() -> None:
    table = damaged().activates("blue-1", dice=[3, 2, 2])
    assert table.unit("blue-1").conditions == ("vehicle_damaged",)
    assert table.offered == ["drive-fire", "hold"]
    for choice in ("fire-all", "drive-out", "vehicle-assault"):
        why = table.barred(choice)
        assert why is not None
        assert why.rule == "vehicle.damaged-limits"
    table.answers("drive-fire", driven((20, 22)))
    assert table.asked == "red", "no fire afterwards"


@pytest.mark.rule("fad4/vehicle.beyond-repair")
def test_without_a_pass_a_vehicle_is_beyond_repair() -> None:
    table = damaged().activates("blue-1", dice=[2, 2, 1])
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "beyond_repair", "vehicle.beyond-repair")]
    assert [fact.piece.id for fact in table.seen(TerrainAdded)] == ["wreck-blue-1"]


@pytest.mark.rule("fad4/vehicle.critical-repair")
def test_one_die_of_the_repairs_of_a_critically_damaged_vehicle_fails() -> None:
    table = damaged(critical=True, quality="elite").activates("blue-1", dice=[2, 4])
    assert table.rolled("repair").outcome == "repaired"
    assert table.unit("blue-1").conditions == ("critically_damaged",), "for the rest of the game"
    still = damaged(critical=True).activates("blue-1", dice=[3, 2])
    assert still.rolled("repair").outcome == "still_damaged"


# --- crews ----------------------------------------------------------------------------------------------------------


def tried(
    tokens: int, *, at: Place = (20, 20), resolve: str = "steady", marks: tuple[str, ...] = ("under_fire",)
) -> BattleTable:
    """Return a table on which a vehicle of blue's with so many tokens is about to activate."""
    own = vehicle("blue", at, conditions=list(marks), damage_tokens=tokens, resolve=resolve)
    return play(battle(own, unit("blue", (2, 2), figures=2), unit("red", (20, 40))))


@pytest.mark.rule("fad4/resolve.vehicle")
@pytest.mark.parametrize(("resolve", "hits"), [("reluctant", 1), ("uncertain", 2), ("steady", 3), ("determined", 4)])
def test_a_crew_under_fire_tests_its_morale_at_so_many_hits(resolve: str, hits: int) -> None:
    tried(hits - 1, resolve=resolve).activates("blue-1")
    table = tried(hits, resolve=resolve).activates("blue-1", dice=[3, 3, 1])
    assert (table.rolled("crew_morale").rule, table.rolled("crew_morale").outcome) == ("morale.test", "rallied")


@pytest.mark.rule("fad4/resolve.vehicle")
def test_a_crew_that_is_not_under_fire_does_not_test() -> None:
    table = tried(5, marks=()).activates("blue-1")
    assert [roll for roll in table.seen(Rolled) if roll.purpose == "crew_morale"] == []


@pytest.mark.rule("fad4/morale.vehicle-fall-back")
def test_with_one_pass_the_crew_drives_away_at_standard_speed_and_does_not_fire() -> None:
    table = tried(3).activates("blue-1", dice=[3, 1, 1])
    assert table.unit("blue-1").conditions == ("broken", "under_fire")
    assert table.offered == ["fall-back"]
    assert table.path("fall-back").allowance == 18_000
    assert table.refused("fall-back", driven((20, 25))).code == "path_end"
    assert table.refused("fall-back", driven((20, 19))).rule == "morale.vehicle-fall-back", "not as far as it can"
    assert table.refused("fall-back", driven((20, 2.6))).sentence == (
        'Blue 1 falls back as far as it can: it must end at least 35" from Red 1.'
    )
    table.defaults()
    moved = table.seen(UnitMoved)[-1]
    assert (moved.manner, moved.paths["1"][-1]) == ("fall-back", (20_000, 2_000))
    assert table.asked == "red"


@pytest.mark.rule("fad4/morale.vehicle-fall-back")
def test_a_crew_with_its_back_to_the_edge_drives_aside_where_that_gains_most() -> None:
    table = tried(3, at=(20, 4)).activates("blue-1", dice=[3, 1, 1])
    assert table.refused("fall-back", driven((20, 3))).rule == "morale.vehicle-fall-back"
    table.defaults()
    assert abs(table.seen(UnitMoved)[-1].paths["1"][-1][0] - 20_000) > 15_000


@pytest.mark.rule("fad4/morale.vehicle-fall-back")
def test_a_crew_that_is_not_under_fire_any_more_is_no_longer_broken() -> None:
    table = tried(3, marks=("broken",)).activates("blue-1")
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "broken", "resolve.vehicle")]
    assert "fire-all" in table.offered


@pytest.mark.rule("fad4/morale.vehicle-bail-out")
def test_the_crew_of_a_damaged_vehicle_bails_out_where_it_should_fall_back() -> None:
    table = tried(3, marks=("vehicle_damaged", "under_fire")).activates("blue-1", dice=[3, 1, 1])
    assert table.rolled("crew_morale").outcome == "bails_out"
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "bailed_out", "morale.vehicle-bail-out")]
    assert [fact.piece.kind for fact in table.seen(TerrainAdded)] == ["wreck"]


@pytest.mark.rule("fad4/morale.rout")
def test_a_crew_without_a_pass_routs() -> None:
    table = tried(3).activates("blue-1", dice=[1, 1, 1])
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "routed", "morale.rout")]


@pytest.mark.rule("fad4/vehicle.repair-test")
def test_the_repair_test_comes_after_the_morale_test() -> None:
    table = tried(3, marks=("vehicle_damaged", "under_fire")).activates("blue-1", dice=[3, 3, 1, 3, 3, 1])
    assert [roll.purpose for roll in table.seen(Rolled)] == ["crew_morale", "repair"]
    assert table.seen(Declared) == []


# --- a tank near by -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/morale.tank-nearby")
@pytest.mark.parametrize(
    ("tank", "helps"),
    [
        ({}, True),
        ({"mobility": "walk"}, True),
        ({"mobility": "wheel"}, False),
        ({"armour": (2, 0, 0)}, False),
        ({"weapons": ()}, False),
        ({"at": (40, 30)}, False),
    ],
)
def test_a_tank_within_eight_inches_passes_one_die_of_a_morale_test(tank: dict[str, object], helps: bool) -> None:
    shaken = unit("blue", (6, 6), resolve="reluctant", quality="conscript", lost=1)
    state = battle(shaken, vehicle("blue", **{"at": (10, 13), **tank}), unit("red", (6, 40)))  # type: ignore[arg-type]
    table = play(state).activates("blue-1", dice=[2, 5] if helps else [2, 5, 1])
    roll = table.rolled("morale")
    assert roll.outcome == ("rallied" if helps else "falls_back")
    assert [lines(number) for number in roll.numbers[1:]] == ([[("morale.tank-nearby", 1)]] if helps else [])
