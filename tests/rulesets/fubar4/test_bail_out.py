"""Bailing out of a destroyed vehicle: the dice, the places, the wreck."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import FiguresPlaced, PlacementParameter
from server.kernel.facts import (
    Declared,
    FigureRearmed,
    FiguresFell,
    FiguresGained,
    Rolled,
    TerrainAdded,
    UnitFormed,
    UnitPlaced,
)
from server.kernel.space.hulls import base_to_outline, outline
from server.kernel.space.values import Hull, Pose
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, crowd, given, lines, piece, play, unit, vehicle

SHAPE = outline(Pose((10_000, 30_000), 9000), Hull(4000, 2200))


def destroyed(
    *units: Row, dice: Sequence[int], crew: int = 2, terrain: Sequence[Row] = (), **own: object
) -> BattleTable:
    """Let an anti-tank gun destroy the carrier red-1 at (10, 30), which faces north; `dice` fall for its crew and passengers."""
    carrier = vehicle("red", (10, 30), **{"armour": "light", "crew": crew, "seats": 8, **own})  # type: ignore[arg-type]
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    state = battle(gunner, unit("blue", (40, 2), figures=1), carrier, *units, terrain=terrain)
    table = play(state).activates("blue-1", dice=[6])
    return table.answers("aimed-fire", given(_1="light-anti-tank-gun@red-1"), dice=[6, 1, 1, 1, 6, *dice])


def placement(table: BattleTable) -> PlacementParameter:
    (parameter,) = table.choice("bail-out").parameters
    assert isinstance(parameter, PlacementParameter)
    return parameter


# --- the dice -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_an_unarmoured_crew_bails_out_on_five_or_more() -> None:
    table = destroyed(dice=[4, 5])
    roll = table.rolled("bail-out")
    assert (roll.unit, roll.faces, roll.marks) == ("red-1-crew", (4, 5), ("fail", "pass"))
    assert lines(roll.numbers[0]) == [("vdamage.destroyed", 5)]
    assert table.seen(FiguresFell) == [FiguresFell("red-1-crew", ("1",), "bail_out", "vdamage.destroyed")]


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_passengers_bail_out_by_their_own_armour_if_that_is_better() -> None:
    squad = unit("red", None, figures=3, armour="heavy", aboard="red-1")
    table = destroyed(squad, dice=[1, 1, 2, 4, 6])
    roll = table.rolled("bail-out")
    assert (roll.unit, roll.faces, roll.marks) == ("red-2", (2, 4, 6), ("fail", "pass", "pass"))
    assert roll.numbers[0].value == 4
    assert table.unit("red-2").strength == 2


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_each_man_bails_out_by_the_better_of_five_and_his_own_armour() -> None:
    squad = unit("red", None, figures=3, armour="light", aboard="red-1", each={2: {"armour": "power"}})
    table = destroyed(squad, dice=[1, 1, 5, 4, 3])
    rolls = [fact for fact in table.seen(Rolled) if fact.unit == "red-2"]
    assert [(fact.faces, fact.marks, fact.numbers[0].value) for fact in rolls] == [
        ((5, 4), ("pass", "fail"), 5),
        ((3,), ("pass",), 3),
    ]
    assert list(table.unit("red-2").living) == ["1", "2"]


# --- who gets out ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_a_crew_that_bails_out_is_a_unit_with_pistols_at_the_vehicles_level() -> None:
    table = destroyed(dice=[5, 5], level="veteran", crew_armour="medium", activated=1)
    (formed,) = table.seen(UnitFormed)
    crew = formed.unit
    assert (crew.id, crew.side, crew.profile) == ("red-1-crew", "red", {"kind": "crew", "level": "veteran"})
    assert crew.figures["1"].profile == {"arm": "pistol", "armour": "medium"}
    # It has had its try this turn, as the vehicle has.
    assert (crew.number, crew.activated, len(crew.figures)) == (4, 1, 2)


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_a_crew_without_survivors_leaves_the_game() -> None:
    table = destroyed(unit("red", (40, 46), figures=1), dice=[1, 2])
    assert table.unit("red-1-crew").left == "destroyed"
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_survivors_are_placed_within_three_inches_of_the_wreck() -> None:
    table = destroyed(dice=[5, 5])
    assert table.asked == "red"
    near = FiguresPlaced(({"1": (10_000, 35_480), "2": (6000, 30_000)},))
    far = FiguresPlaced(({"1": (10_000, 35_520), "2": (6000, 30_000)},))
    assert table.refused("bail-out", far).code == "zone"
    table.answers("bail-out", near)
    assert table.seen(UnitPlaced) == [UnitPlaced("red-1-crew", near.places[0])]


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_survivors_are_suggested_to_stand_behind_the_wreck() -> None:
    squad = unit("red", None, figures=5, armour="battlesuit", aboard="red-1")
    table = destroyed(squad, dice=[5, 5, 6, 6, 6, 6, 6])
    for unit_id in ("red-1-crew", "red-2"):
        places = table.defaults().unit(unit_id).places()
        assert all(base_to_outline(at, radius, SHAPE) <= 300 for at, radius in places)
    # The gun is in the south, so the first survivors stand behind the wreck.
    assert all(at[1] > 32_000 for at, _ in table.unit("red-1-crew").places())


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_survivors_without_free_space_near_the_wreck_are_placed_farther_out() -> None:
    # The carrier stands in a crowd that reaches more than 3" from it on every side, with figures an inch apart.
    ring = [(x, y) for x in range(3, 18) for y in range(22, 39) if not (8 < x < 12 and 27 < y < 33)]
    table = destroyed(*crowd("red", ring), dice=[6, 6])
    parameter = placement(table)
    (places,) = parameter.suggested
    assert len(places) == 2
    assert table.seen(FiguresFell) == []
    # No farther out than a base that touches the crowd's edge without overlapping it.
    assert all(4_000 < base_to_outline(at, 500, SHAPE) < 6_500 for at in places.values())
    table.answers("bail-out", FiguresPlaced((places,)))
    assert table.unit("red-1-crew").strength == 2


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_a_survivor_is_placed_in_a_gap_near_the_wreck_that_the_rows_of_places_miss() -> None:
    # One man of the crowd around it is missing, 3.6" from the hull's corner: that is the only free space.
    ring = [(x, y) for x in range(3, 18) for y in range(22, 39) if not (8 < x < 12 and 27 < y < 33)]
    table = destroyed(*crowd("red", [place for place in ring if place != (13, 34)]), dice=[6, 1])
    (places,) = placement(table).suggested
    assert list(places.values()) == [(13_000, 34_000)]


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_survivors_are_lost_only_on_a_full_table_and_the_log_says_so() -> None:
    # A table of 4" by 4.2" with two rows of four men along one edge; the place of the carrier has space for its crew of
    # eight.
    carrier = vehicle("red", (2, 1.1), facing=0, crew=8, seats=4)
    gunner = unit("blue", (0.5, 3.7), figures=1, level="elite", support=["light-anti-tank-gun"])
    riders = unit("red", None, figures=4, aboard="red-1", id="riders")
    men = [(x + 0.5, y) for y in (2.7, 3.7) for x in range(4)]
    men.remove((0.5, 3.7))
    state = battle(gunner, carrier, riders, *crowd("red", men), size=(4, 4.2))
    table = play(state).activates("blue-1", dice=[6])
    table.answers("aimed-fire", given(_1="light-anti-tank-gun@red-1"), dice=[6, 1, 1, 1, 6, *[6] * 12])
    table.defaults()
    assert [fact.action for fact in table.seen(Declared) if fact.action == "no-room"] == ["no-room"]
    fell = [fact for fact in table.seen(FiguresFell) if fact.cause == "no_room"]
    assert [fact.unit for fact in fell] == ["riders"]
    assert table.unit("red-1-crew").strength == 8


@pytest.mark.rule("fubar4/vehicle.never-suppressed")
def test_bailing_out_suppresses_no_figure() -> None:
    table = destroyed(unit("red", None, figures=3, aboard="red-1"), dice=[5, 1, 5, 5, 1]).defaults().defaults()
    assert table.seen(FiguresGained) == []
    assert all(not figure.conditions for figure in table.unit("red-2").figures.values())


# --- the wreck ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_the_wreck_is_moderate_cover_where_the_vehicle_stood() -> None:
    table = destroyed(dice=[5, 5])
    (added,) = table.seen(TerrainAdded)
    assert (added.piece.id, added.piece.cover, added.piece.outline) == ("wreck-red-1", "moderate", SHAPE)
    assert table.state.table.terrain[-1] == added.piece
    assert table.unit("red-1").left == "destroyed"


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_a_crew_that_bails_out_may_activate_this_turn_if_its_vehicle_has_not() -> None:
    table = destroyed(dice=[5, 5], terrain=[piece("road", (0, 0), (1, 1))]).defaults()
    table.activates("blue-2", dice=[1])
    assert table.targets("activate") == {"red-1-crew": ""}


@pytest.mark.rule("fubar4/close.by-assault")
def test_survivors_are_placed_clear_of_enemies() -> None:
    table = destroyed(unit("blue", (13.5, 30), figures=1, id="near"), dice=[6, 6])
    close = FiguresPlaced(({"1": (11_690, 30_000), "2": (11_690, 28_000)},))
    assert table.refused("bail-out", close).rule == "close.by-assault"
    table.defaults()
    assert table.unit("red-1-crew").strength == 2


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_another_man_takes_over_the_weapon_of_a_gunner_who_does_not_get_out() -> None:
    squad = unit("red", None, figures=3, support=["heavy-machine-gun"], aboard="red-1")
    table = destroyed(squad, dice=[1, 1, 6, 6], crew=1)
    assert table.seen(FigureRearmed) == [FigureRearmed("red-2", "2", "heavy-machine-gun", "weapon.hmg-crew")]
