"""Withdrawal to the letter: who does not withdraw, from whom and how far, and who gets away from the table's edge."""

from __future__ import annotations

import pytest

from server.kernel.facts import FiguresFell, UnitLeft, UnitMoved
from server.kernel.space.geometry import distance
from server.rulesets.fubar.game import FIGHTING, ON_GUARD
from server.rulesets.fubar.withdrawal import must_withdraw
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, fubar4, given, piece, play, unit, vehicle
from tests.support.tabletop import Place

pytestmark = pytest.mark.rule("fubar4/activation.failed-withdraw")
BUILDING = piece("building", (2, 24), (46, 30))


def thinned(at: Place, figures: int = 3, **other: object) -> Row:
    """A blue unit of which one man is left."""
    return unit("blue", at, figures=figures, lost=figures - 1, **other)  # type: ignore[arg-type]


def withdrawn(*others: Row, own: Row, dice: tuple[int, ...] = (1,), **other: object) -> BattleTable:
    """blue-1 has failed."""
    return play(battle(own, *others, **other)).activates("blue-1", dice=dice)  # type: ignore[arg-type]


def place(table: BattleTable) -> Place:
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    return (at[0] / 1000, at[1] / 1000)


def test_units_in_close_combat_and_single_vehicles_do_not_withdraw() -> None:
    fights = {"fights": [["blue-1", "red-1"]]}
    locked = thinned((10, 20), conditions=[FIGHTING])
    state = battle(locked, vehicle("blue", (30, 20)), unit("red", (10, 40)), book=fights)
    assert not must_withdraw(fubar4(), state.units["blue-1"])
    assert not must_withdraw(fubar4(), state.units["blue-2"])
    assert must_withdraw(fubar4(), battle(thinned((10, 20)), unit("red", (10, 40))).units["blue-1"])


def test_who_rides_stays_aboard() -> None:
    squad = unit("blue", None, figures=3, lost=2, aboard="blue-2")
    truck = vehicle("blue", (10, 10), seats=8)
    table = withdrawn(truck, unit("red", (10, 30)), own=squad)
    assert table.unit("blue-1").aboard == "blue-2"
    assert table.seen(UnitMoved) == []
    assert ON_GUARD not in table.unit("blue-1").conditions


def test_it_goes_back_to_where_it_was_set_up_and_not_past_it() -> None:
    table = withdrawn(unit("red", (10, 40)), own=thinned((10, 20), set_up="13000 20000"), terrain=[BUILDING])
    assert place(table) == (13, 20)


def test_it_goes_from_the_nearest_figure_of_the_nearest_enemy() -> None:
    # Red's one man stands north, the other far in the east.
    table = withdrawn(unit("red", [(10, 30), (46, 20)]), own=thinned((10, 20)))
    assert place(table) == (10, 14)


def test_enemies_out_of_sight_drive_nobody_off() -> None:
    near = unit("red", (10, 31), figures=1)
    far = unit("red", (30, 20), figures=1)
    table = withdrawn(near, far, own=thinned((10, 20)), terrain=[BUILDING])
    assert place(table) == (4, 20)


def test_on_its_way_it_keeps_an_inch_from_other_enemies() -> None:
    # A second enemy, farther off than the first, in the way of the withdrawal.
    table = withdrawn(unit("red", (10, 26), figures=1), unit("red", (10, 13), figures=1), own=thinned((10, 20)))
    assert place(table) == (10, 15)


def test_the_rearmost_make_room_before_the_others_follow() -> None:
    column = unit("blue", [(10, 20), (10, 18.9), (10, 17.8), (10, 4), (10, 4), (10, 4), (10, 4)], lost=4)
    table = withdrawn(unit("red", (10, 40)), own=column)
    assert [at[1] for at, _ in table.unit("blue-1").places()] == [14_000, 12_900, 11_800]


def test_whoever_follows_one_that_is_stopped_stops_behind_him() -> None:
    # Water holds up the rearmost, who goes first; the other wants to where he stands.
    column = unit("blue", [(10, 20), (10, 18.9), (10, 4), (10, 4), (10, 4)], lost=3)
    table = withdrawn(unit("red", (10, 40)), own=column, terrain=[piece("deep_water", (0, 0), (48, 13.5))])
    front, rear = (at[1] for at, _ in table.unit("blue-1").places())
    assert rear == 14_000
    assert 15_000 <= front < 16_000


def test_who_would_end_on_a_friend_goes_as_far_as_there_is_room() -> None:
    # A friend stands 5.7" behind: the way leads through him, but nobody ends on another's base.
    table = withdrawn(unit("red", (10, 40)), unit("blue", (10, 14.3), figures=1), own=thinned((10, 20)))
    assert place(table) == (10, 15.3)


def test_those_at_the_edge_are_lost_and_the_others_stay_in_the_game() -> None:
    two = unit("blue", [(10, 4), (12, 9), (10, 4), (10, 4), (10, 4)], lost=3)
    table = withdrawn(unit("red", (11, 40), figures=1), own=two)
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1",)]
    assert table.seen(UnitLeft) == []
    assert table.unit("blue-1").strength == 1


def test_who_is_suppressed_on_his_way_to_the_edge_does_not_leave() -> None:
    guard = unit("red", (10, 12), figures=1, conditions=[ON_GUARD])
    table = withdrawn(guard, unit("blue", (40, 4)), own=thinned((10, 4)))
    assert table.asked == "red"
    # Halfway to the edge.
    table.fires("blue-1", dice=[6, 1]).answers("take-hits", given(_1="suppressed"))
    assert table.seen(FiguresFell) == []
    assert not table.unit("blue-1").left


def test_it_moves_six_inches() -> None:
    table = withdrawn(unit("red", (30, 36), figures=1), own=thinned((20, 20)))
    (move,) = table.seen(UnitMoved)
    assert distance((20_000, 20_000), move.paths["1"][-1]) == pytest.approx(6000, abs=1)
