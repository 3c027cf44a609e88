"""Marching: one t for all figures, stops in its order, legs as facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.bodies import bodies
from server.kernel.facts import Fact, FiguresFell, Noted, UnitMoved
from server.kernel.march import Stop, march, on_the_way, swept
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import Point, distance
from server.kernel.space.paths import along, path_length, stretch
from server.kernel.state import State
from tests.support.position import position, squad

START = position(squad("blue-1", [(0, 0), (0, 5000)]))


def marched(declared: dict[str, tuple[Point, ...]], stops: Sequence[Stop] = ()) -> tuple[list[Fact], bool, State]:
    """The facts of a march, whether the unit arrived, and the state after it."""
    game: Game[Any] = Game(None, START)
    steps = march(game, "blue-1", declared, "move", "a.rule", stops)
    facts: list[Fact] = []
    while True:
        try:
            yielded = next(steps)
        except StopIteration as end:
            return facts, end.value, game.state
        assert isinstance(yielded, Fact)
        game.state = yielded.fold(game.state)
        facts.append(yielded)


def note(value: int, *, goes_on: bool = True) -> Stop:
    def happening(_game: Game[Any]) -> Steps[bool]:
        yield Noted("t", value)
        return goes_on

    return Stop(value / 100, happening)


def test_a_march_without_stops_is_one_leg_that_keeps_its_corners() -> None:
    facts, arrived, _ = marched({"1": ((4000, 0), (4000, 3000))})
    assert facts == [UnitMoved("blue-1", "move", {"1": ((4000, 0), (4000, 3000))}, "a.rule")]
    assert arrived


def test_a_march_tells_nothing_of_figures_that_stay() -> None:
    assert marched({"1": (), "2": ((0, 5000),)})[0] == []


def test_stops_come_in_the_order_of_t_with_a_leg_before_each() -> None:
    facts, _, state = marched({"1": ((4000, 0),), "2": ((0, 5000), (0, 9000))}, [note(75), note(25)])
    assert [type(fact).__name__ for fact in facts] == ["UnitMoved", "Noted", "UnitMoved", "Noted", "UnitMoved"]
    first = facts[0]
    assert isinstance(first, UnitMoved)
    assert {key: path[-1] for key, path in first.paths.items()} == {"1": (1000, 0), "2": (0, 6000)}
    assert state.units["blue-1"].figures["1"].at == (4000, 0)


def test_after_a_stop_at_the_very_end_there_is_no_leg() -> None:
    facts, arrived, _ = marched({"1": ((4000, 0),)}, [note(100)])
    assert [type(fact).__name__ for fact in facts] == ["UnitMoved", "Noted"]
    assert arrived


def test_a_stop_may_end_the_march() -> None:
    _, arrived, state = marched({"1": ((4000, 0),)}, [note(50, goes_on=False), note(75)])
    assert not arrived
    assert state.units["blue-1"].figures["1"].at == (2000, 0)
    assert state.book["t"] == 50


def test_a_figure_that_falls_on_the_way_goes_no_farther() -> None:
    def mine(_game: Game[Any]) -> Steps[bool]:
        yield FiguresFell("blue-1", ("1",), "mine", "a.rule")
        return True

    _, _, state = marched({"1": ((4000, 0),), "2": ((4000, 5000),)}, [Stop(0.5, mine)])
    assert state.units["blue-1"].figures["1"].at == (2000, 0)
    assert state.units["blue-1"].figures["2"].at == (4000, 5000)


points = st.tuples(st.integers(0, 48_000), st.integers(0, 48_000))


@settings(derandomize=True, deadline=None)
@given(st.lists(points, min_size=2, max_size=5), st.floats(0, 1), st.floats(0, 1))
def test_a_stretch_is_as_long_as_its_share_of_the_path(path: list[Point], one: float, other: float) -> None:
    start, end = min(one, other), max(one, other)
    part = stretch(path, start, end)
    whole = path_length(path)
    assert path_length(part) == pytest.approx((end - start) * whole, abs=2 * len(path))
    assert distance(stretch(path, 0, start)[-1], part[0]) <= 1
    assert along(path, end) == stretch(path, 0, end)[-1]


@given(st.lists(st.tuples(st.integers(-9000, 9000), st.integers(-9000, 9000)), min_size=1, max_size=4), st.floats(0, 1))
def test_wherever_on_its_way_a_unit_is_it_stays_in_the_box_that_it_sweeps(way: list[Point], t: float) -> None:
    declared = {"1": tuple(way)}
    box = swept(START.units["blue-1"], declared)
    for one in bodies(on_the_way(START, "blue-1", declared, t).units["blue-1"]).values():
        assert box.left <= one.at[0] - one.radius
        assert one.at[0] + one.radius <= box.right
        assert box.bottom <= one.at[1] - one.radius
        assert one.at[1] + one.radius <= box.top
