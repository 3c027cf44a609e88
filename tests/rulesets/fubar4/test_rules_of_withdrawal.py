"""Details of withdrawal: units that never withdraw, direction and distance, and figures that reach the table's edge."""

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
    """Return a blue unit with one man left."""
    return unit("blue", at, figures=figures, lost=figures - 1, **other)  # type: ignore[arg-type]


def withdrawn(*others: Row, own: Row, dice: tuple[int, ...] = (1,), **other: object) -> BattleTable:
    """Let blue-1 fail its activation."""
    return play(battle(own, *others, **other)).activates("blue-1", dice=dice)  # type: ignore[arg-type]


def place(table: BattleTable) -> Place:
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    return (at[0] / 1000, at[1] / 1000)


def test_units_in_close_combat_and_single_vehicles_do_not_withdraw() -> None:
    fights = {"fights": [["blue-1", "red-1"]]}
    locked = thinned((10, 20), conditions=[FIGHTING])
    state = battle(locked, vehicle("blue", (30, 20)), unit("red", (10, 40)), book=fights)
    assert not must_withdraw(fubar4().rules, state.units["blue-1"])
    assert not must_withdraw(fubar4().rules, state.units["blue-2"])
    assert must_withdraw(fubar4().rules, battle(thinned((10, 20)), unit("red", (10, 40))).units["blue-1"])


def test_passengers_that_fail_do_not_withdraw() -> None:
    squad = unit("blue", None, figures=3, lost=2, aboard="blue-2")
    truck = vehicle("blue", (10, 10), seats=8)
    table = withdrawn(truck, unit("red", (10, 30)), own=squad)
    assert table.unit("blue-1").aboard == "blue-2"
    assert table.seen(UnitMoved) == []
    assert ON_GUARD not in table.unit("blue-1").conditions


def test_a_withdrawing_unit_goes_back_to_its_deployment_point_and_not_past_it() -> None:
    table = withdrawn(unit("red", (10, 40)), own=thinned((10, 20), set_up="13000 20000"), terrain=[BUILDING])
    assert place(table) == (13, 20)


def test_a_unit_withdraws_from_the_nearest_figure_of_the_nearest_enemy() -> None:
    # One red man stands in the north, the other far in the east.
    table = withdrawn(unit("red", [(10, 30), (46, 20)]), own=thinned((10, 20)))
    assert place(table) == (10, 14)


def test_a_unit_does_not_withdraw_from_enemies_out_of_sight() -> None:
    near = unit("red", (10, 31), figures=1)
    far = unit("red", (30, 20), figures=1)
    table = withdrawn(near, far, own=thinned((10, 20)), terrain=[BUILDING])
    assert place(table) == (4, 20)


def test_a_withdrawing_unit_keeps_an_inch_from_other_enemies() -> None:
    # A second enemy, farther away than the first, stands in the way.
    table = withdrawn(unit("red", (10, 26), figures=1), unit("red", (10, 13), figures=1), own=thinned((10, 20)))
    assert place(table) == (10, 15)


def test_the_foremost_figures_of_a_withdrawal_move_before_those_that_follow() -> None:
    column = unit("blue", [(10, 20), (10, 18.9), (10, 17.8), (10, 4), (10, 4), (10, 4), (10, 4)], lost=4)
    table = withdrawn(unit("red", (10, 40)), own=column)
    assert [at[1] for at, _ in table.unit("blue-1").places()] == [14_000, 12_900, 11_800]


def test_a_withdrawing_figure_stops_behind_one_that_was_stopped() -> None:
    # Water stops the foremost figure, who moves first; the other one wants to reach its place.
    column = unit("blue", [(10, 20), (10, 18.9), (10, 4), (10, 4), (10, 4)], lost=3)
    table = withdrawn(unit("red", (10, 40)), own=column, terrain=[piece("deep_water", (0, 0), (48, 13.5))])
    front, rear = (at[1] for at, _ in table.unit("blue-1").places())
    assert rear == 14_000
    assert 15_000 <= front < 16_000


def test_a_withdrawing_figure_stops_at_the_last_free_place_before_a_friend() -> None:
    # A friend stands 5.7" behind: the path leads through him, but no figure may end on another's base.
    table = withdrawn(unit("red", (10, 40)), unit("blue", (10, 14.3), figures=1), own=thinned((10, 20)))
    assert place(table) == (10, 15.3)


def test_only_withdrawing_figures_that_reach_the_tables_edge_are_lost() -> None:
    two = unit("blue", [(10, 4), (12, 9), (10, 4), (10, 4), (10, 4)], lost=3)
    table = withdrawn(unit("red", (11, 40), figures=1), own=two)
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1",)]
    assert table.seen(UnitLeft) == []
    assert table.unit("blue-1").strength == 1


def test_a_figure_suppressed_on_its_way_to_the_edge_does_not_leave() -> None:
    guard = unit("red", (10, 12), figures=1, conditions=[ON_GUARD])
    table = withdrawn(guard, unit("blue", (40, 4)), own=thinned((10, 4)))
    assert table.asked == "red"
    # Halfway to the edge.
    table.fires("blue-1", dice=[6, 1]).answers("take-hits", given(_1="suppressed"))
    assert table.seen(FiguresFell) == []
    assert not table.unit("blue-1").left


def test_a_withdrawal_is_six_inches() -> None:
    table = withdrawn(unit("red", (30, 36), figures=1), own=thinned((20, 20)))
    (move,) = table.seen(UnitMoved)
    assert distance((20_000, 20_000), move.paths["1"][-1]) == pytest.approx(6000, abs=1)
