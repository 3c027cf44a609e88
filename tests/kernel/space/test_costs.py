"""What a path costs, and how far an allowance goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Outline, Point, between, distance, rectangle, to_mil, to_point
from server.kernel.space.paths import path_length
from server.kernel.space.terrain import Terrain

calm = settings(deadline=None, derandomize=True)

steps = st.tuples(st.integers(0, 48), st.integers(0, 48)).map(lambda p: (p[0] * 1000, p[1] * 1000))
points = steps | st.tuples(st.integers(0, 48000), st.integers(0, 48000))
paths = st.lists(points, max_size=5)
areas = st.tuples(points, st.integers(1, 9000), st.integers(1, 9000)).map(
    lambda v: ground("a", rectangle(v[0][0], v[0][1], v[0][0] + v[1], v[0][1] + v[2]))
)
lines = st.lists(points, min_size=2, max_size=4, unique=True).map(lambda v: ground("l", tuple(v), linear=True))
pieces = st.lists(st.tuples(areas | lines, st.integers(0, 400)), max_size=5)


def ground(name: str, outline: Outline, *, linear: bool = False) -> Terrain:
    return Terrain(name, name, "ground", outline, linear=linear)


STREAM = ground("stream", rectangle(0, 10000, 48000, 14000))
SWAMP = ground("swamp", rectangle(8000, 12000, 16000, 20000))
HEDGE = ground("hedge", ((10000, 10000), (14000, 10000)), linear=True)


def test_a_stream_of_four_inches_costs_eight_to_cross() -> None:
    assert Costs([(STREAM, 200)]).path([(5000, 10000), (5000, 14000)]) == 8000


def test_where_pieces_overlap_the_dearest_counts_alone() -> None:
    # 2" before, 2" of stream, 2" of both, 6" of swamp, 2" behind
    cost = Costs([(STREAM, 200), (SWAMP, 300)]).path([(12000, 8000), (12000, 22000)])
    assert to_mil(cost) == 2000 + 2 * 2000 + 3 * 2000 + 3 * 6000 + 2000


def test_the_bank_is_not_the_stream() -> None:
    assert Costs([(STREAM, 200)]).path([(5000, 10000), (9000, 10000)]) == 4000


def test_a_hedge_takes_its_toll_once_a_crossing() -> None:
    there = [(12000, 9000), (12000, 11000)]
    assert Costs([(HEDGE, 1000)]).path(there) == 3000
    assert Costs([(HEDGE, 1000)]).path([*there, there[0]]) == 6000
    assert Costs([(HEDGE, 1000)]).path([(12000, 9000), (12000, 10000), (12000, 11000)]) == 3000
    assert Costs([(HEDGE, 0)]).path(there) == 2000


def test_where_open_ground_costs_more_a_road_costs_less() -> None:
    # A vehicle drives 2" over the open at three times the cost, 4" along the road, 2" over the open.
    road = ground("road", rectangle(7000, 0, 11000, 48000))
    assert to_mil(Costs([(road, 100)], 300).path([(5000, 9000), (13000, 9000)])) == 3 * 2000 + 4000 + 3 * 2000


@calm
@given(paths, pieces)
def test_a_cost_never_undercuts_the_length(path: list[Point], over: list[tuple[Terrain, int]]) -> None:
    cost = Costs(over).path(path)
    assert cost >= path_length(path)
    assert Costs([]).path(path) == path_length(path)
    assert cost <= 4 * path_length(path) + 400 * 10 * len(over) * len(path)


def test_an_allowance_pays_for_a_part_of_a_way() -> None:
    # 2" before the stream, 4" of it at twice the cost; the hedge takes its toll as it is met.
    assert Costs([(STREAM, 200)]).part_within((12000, 8000), (12000, 18000), 4000) * 10000 == pytest.approx(3000)
    assert Costs([(HEDGE, 1000)]).part_within((12000, 9000), (12000, 11000), 1500) * 2000 == pytest.approx(1000)
    assert Costs([(HEDGE, 1000)]).part_within((12000, 9000), (12000, 11000), 2500) * 2000 == pytest.approx(1500)
    assert Costs([(HEDGE, 1000)]).part_within((12000, 9000), (12000, 11000), 3000) == 1


@calm
@given(points, points, pieces, st.integers(0, 20000))
def test_no_more_of_a_way_is_paid_for_than_costs_the_allowance(
    a: Point, b: Point, over: list[tuple[Terrain, int]], allowance: int
) -> None:
    part, length = Costs(over).part_within(a, b, allowance), distance(a, b)
    if length == 0:
        return
    for far, dearer in ((part - 2 / length, False), (part + 2 / length, True)):
        if 0 < far < 1:
            cost = Costs(over).path([a, to_point(between(a, b, far))])
            assert cost > allowance - 20 if dearer else cost < allowance + 20


@calm
@given(paths, st.lists(st.tuples(areas, st.integers(100, 400)), max_size=4))
def test_the_way_back_costs_the_same(path: list[Point], over: list[tuple[Terrain, int]]) -> None:
    assert Costs(over).path(path[::-1]) == pytest.approx(Costs(over).path(path), abs=1e-3)
    assert Costs(over[::-1]).path(path) == pytest.approx(Costs(over).path(path), abs=1e-3)
