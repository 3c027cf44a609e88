"""What a path costs, where it is illegal, whether a unit keeps together."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.geometry import Outline, Point, at_most, between, distance, gap, rectangle, to_mil
from server.kernel.space.paths import (
    PathFault,
    cohesive,
    largest_gap,
    overlaps,
    path_cost,
    path_faults,
    path_length,
)
from server.kernel.space.terrain import Terrain
from tests.vectors import make_paths

calm = settings(deadline=None, derandomize=True)

TABLE = (48000, 48000)
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
CLIFF = ground("cliff", rectangle(20000, 20000, 24000, 24000))


def test_a_stream_of_four_inches_costs_eight_to_cross() -> None:
    assert path_cost([(5000, 10000), (5000, 14000)], [(STREAM, 200)]) == 8000


def test_where_pieces_overlap_the_dearest_counts_alone() -> None:
    # 2" before, 2" of stream, 2" of both, 6" of swamp, 2" behind
    cost = path_cost([(12000, 8000), (12000, 22000)], [(STREAM, 200), (SWAMP, 300)])
    assert to_mil(cost) == 2000 + 2 * 2000 + 3 * 2000 + 3 * 6000 + 2000


def test_the_bank_is_not_the_stream() -> None:
    assert path_cost([(5000, 10000), (9000, 10000)], [(STREAM, 200)]) == 4000


def test_a_hedge_takes_its_toll_once_a_crossing() -> None:
    there = [(12000, 9000), (12000, 11000)]
    assert path_cost(there, [(HEDGE, 1000)]) == 3000
    assert path_cost([*there, there[0]], [(HEDGE, 1000)]) == 6000
    assert path_cost([(12000, 9000), (12000, 10000), (12000, 11000)], [(HEDGE, 1000)]) == 3000
    assert path_cost(there, [(HEDGE, 0)]) == 2000


@calm
@given(paths, pieces)
def test_a_cost_never_undercuts_the_length(path: list[Point], over: list[tuple[Terrain, int]]) -> None:
    cost = path_cost(path, over)
    assert cost >= path_length(path)
    assert path_cost(path, []) == path_length(path)
    assert cost <= 4 * path_length(path) + 400 * 10 * len(over) * len(path)


@calm
@given(paths, st.lists(st.tuples(areas, st.integers(100, 400)), max_size=4))
def test_the_way_back_costs_the_same(path: list[Point], over: list[tuple[Terrain, int]]) -> None:
    assert path_cost(path[::-1], over) == pytest.approx(path_cost(path, over), abs=1e-3)
    assert path_cost(path, over[::-1]) == pytest.approx(path_cost(path, over), abs=1e-3)


def test_a_base_stays_wholly_on_the_table() -> None:
    assert path_faults([(5000, 5000), (500, 5000)], 500, TABLE, [], []) is None
    assert path_faults([(5000, 5000), (0, 5000)], 500, TABLE, [], []) == PathFault("table", (500, 5000), 0)


def test_a_base_may_touch_a_cliff_and_not_enter_it() -> None:
    assert path_faults([(19500, 10000), (19500, 30000)], 500, TABLE, [CLIFF], []) is None
    fault = path_faults([(5000, 22000), (10000, 22000), (30000, 22000)], 500, TABLE, [CLIFF], [])
    assert fault == PathFault("impassable", (19500, 22000), 1, piece="cliff")


def test_a_base_may_brush_past_another_and_not_through_it() -> None:
    path = [(5000, 5000), (9000, 5000)]
    assert path_faults(path, 500, TABLE, [], [((7000, 6000), 500)]) is None
    fault = path_faults(path, 500, TABLE, [], [((7000, 5000), 500), ((6500, 5000), 250)])
    assert fault == PathFault("base", (5750, 5000), 0, base=1)


def test_a_base_that_stands_illegally_may_leave_and_not_go_deeper() -> None:
    inside = (20200, 22000)
    for away in ((15000, 22000), (19700, 22000)):
        assert path_faults([inside, away], 500, TABLE, [CLIFF], []) is None
    other = [((5600, 5000), 500)]
    assert path_faults([(5000, 5000), (3000, 5000)], 500, TABLE, [], other) is None
    assert path_faults([(5000, 5000), (5100, 5000)], 500, TABLE, [], other) is not None


TRUCK = rectangle(6500, 6000, 11500, 8500)


def test_a_base_may_brush_past_a_hull_and_not_enter_it() -> None:
    assert path_faults([(5000, 5500), (15000, 5500)], 500, TABLE, [], [], [TRUCK]) is None
    fault = path_faults([(9000, 3000), (9000, 12000)], 500, TABLE, [], [], [TRUCK])
    assert fault == PathFault("hull", (9000, 5500), 0, hull=0)
    within = (9000, 6200)
    assert path_faults([within, (9000, 4000)], 500, TABLE, [], [], [TRUCK]) is None


def test_a_path_keeps_clear_of_enemies_and_not_of_friends() -> None:
    path = [(5000, 5000), (15000, 5000)]
    friend, foe = [((9000, 3500), 500)], [((9000, 6900), 500)]
    assert path_faults(path, 500, TABLE, [], friend) is None
    assert path_faults(path, 500, TABLE, [], foe, clear=900) is None
    assert path_faults(path, 500, TABLE, [], foe, clear=901) is not None
    assert path_faults(path, 500, TABLE, [], [], [TRUCK], 2000) is None
    assert path_faults(path, 500, TABLE, [], [], [], 500, [TRUCK]) is None
    fault = path_faults(path, 500, TABLE, [], [], [TRUCK], 501, [TRUCK])
    assert fault is not None
    assert (fault.kind, fault.hull) == ("hull", 1)
    # Nearer than that to begin with: away, and along, but not nearer.
    assert path_faults([(9000, 5400), (9000, 3000)], 500, TABLE, [], [], [], 1000, [TRUCK]) is None
    assert path_faults([(9000, 5400), (10000, 5400)], 500, TABLE, [], [], [], 1000, [TRUCK]) is None
    assert path_faults([(9000, 5400), (9000, 5450)], 500, TABLE, [], [], [], 1000, [TRUCK]) is not None


@calm
@given(paths, st.lists(areas | lines, max_size=3), st.lists(st.tuples(points, st.integers(250, 1500)), max_size=3))
def test_faults_are_where_shapely_finds_them(
    path: list[Point], impassable: list[Terrain], blocked: list[tuple[Point, int]]
) -> None:
    radius = 500
    shapes = [(shapely.LineString if piece.linear else shapely.Polygon)(piece.outline) for piece in impassable]
    keep_off = [(shape, radius) for shape in shapes] + [(shapely.Point(c), r + radius) for c, r in blocked]

    def room(leg: shapely.Geometry) -> float:
        """By how much the leg keeps off everything, counting what the start allows."""
        start = shapely.Point(path[0])
        free = [leg.distance(shape) - min(needed, start.distance(shape)) for shape, needed in keep_off]
        left, bottom, right, top = leg.bounds
        return float(min([*free, left - radius, bottom - radius, 47500 - right, 47500 - top]))

    if not path or not shapely.box(500, 500, 47500, 47500).covers(shapely.Point(path[0])):
        return
    fault = path_faults(path, radius, TABLE, impassable, blocked)
    for index, (a, b) in enumerate(pairwise(path)):
        left_over = room(shapely.LineString([a, b]))
        if fault is None or index < fault.segment:
            assert left_over > -1.1  # a mil for each rounding
        elif index == fault.segment:
            assert left_over < 0
            before = shapely.LineString([a, fault.at])
            assert room(before) > -2
            beyond = between(fault.at, b, min(1.0, 200 / max(1.0, distance(fault.at, b))))
            assert room(shapely.LineString([fault.at, beyond])) < 0.5


def test_overlapping_is_more_than_touching() -> None:
    assert not overlaps((9000, 5500), 500, [], [TRUCK])
    assert overlaps((9000, 5600), 500, [], [TRUCK])
    assert not overlaps((5000, 5000), 500, [((6000, 5000), 500)])
    assert overlaps((5001, 5000), 500, [((9000, 9000), 500), ((6000, 5000), 500)])


@calm
@given(st.lists(st.tuples(points, st.integers(250, 1500)), max_size=7), st.integers(0, 20000))
def test_a_unit_keeps_together_if_every_base_can_be_reached(bases: list[tuple[Point, int]], limit: int) -> None:
    reached = set(range(min(1, len(bases))))
    while True:
        more = {
            i
            for i, (p, r) in enumerate(bases)
            if i not in reached and any(at_most(gap(p, r, *bases[j]), limit) for j in reached)
        }
        if not more:
            break
        reached |= more
    centres, radii = [p for p, _ in bases], [r for _, r in bases]
    assert cohesive(centres, radii, limit) == (len(reached) == len(bases))
    assert cohesive(centres, radii, largest_gap(centres, radii))


def test_every_base_needs_its_radius() -> None:
    with pytest.raises(ValueError, match="2 centres, but 1 radii"):
        largest_gap([(0, 0), (1, 1)], [500])


def test_the_vectors_say_what_the_kernel_says() -> None:
    written = make_paths.FILE.read_text(encoding="utf-8")
    assert written == make_paths.text(), "run tests/vectors/make_paths.py and look at what changed"
    kinds = {(v["answers"]["fault"] or {"kind": None})["kind"] for v in json.loads(written)}
    assert kinds == {None, "table", "impassable", "base", "hull"}
