"""What a base may not run into on its way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.geometry import (
    Outline,
    Point,
    between,
    distance,
    rectangle,
    segment_distance_to_outline,
    to_mil,
)
from server.kernel.space.plain import Border
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Neighbour, Obstacles, PathFault
from server.kernel.space.walking import walk_fault
from tests.vectors import make_paths
from tests.vectors.make_paths import on_bases, vehicles

calm = settings(deadline=None, derandomize=True)

TABLE = (48000, 48000)
RADIUS = 500
points = st.tuples(st.integers(0, 48), st.integers(0, 48)).map(lambda p: (p[0] * 1000, p[1] * 1000)) | st.tuples(
    st.integers(0, 48000), st.integers(0, 48000)
)
paths = st.lists(points, max_size=5)
areas = st.tuples(points, st.integers(1, 9000), st.integers(1, 9000)).map(
    lambda v: ground("a", rectangle(v[0][0], v[0][1], v[0][0] + v[1], v[0][1] + v[2]))
)
lines = st.lists(points, min_size=2, max_size=4, unique=True).map(lambda v: ground("l", tuple(v), linear=True))


def ground(name: str, outline: Outline, *, linear: bool = False) -> Terrain:
    return Terrain(name, name, "ground", outline, linear=linear)


CLIFF = ground("cliff", rectangle(20000, 20000, 24000, 24000))
TRUCK = rectangle(6500, 6000, 11500, 8500)


def fault(
    path: Sequence[Point],
    *,
    barred: tuple[Terrain, ...] = (),
    avoided: tuple[Neighbour, ...] = (),
    others: tuple[Neighbour, ...] = (),
    clear: int = 0,
) -> PathFault | None:
    return walk_fault(path, RADIUS, Obstacles(TABLE, barred, avoided, others, clear))


def test_a_base_stays_wholly_on_the_table() -> None:
    assert fault([(5000, 5000), (500, 5000)]) is None
    assert fault([(5000, 5000), (0, 5000)]) == PathFault("table", (500, 5000), 0)


def test_a_base_may_touch_a_cliff_and_not_enter_it() -> None:
    assert fault([(19500, 10000), (19500, 30000)], barred=(CLIFF,)) is None
    found = fault([(5000, 22000), (10000, 22000), (30000, 22000)], barred=(CLIFF,))
    assert found == PathFault("impassable", (19500, 22000), 1, "cliff")


def test_a_base_may_brush_past_another_and_not_through_it() -> None:
    path = [(5000, 5000), (9000, 5000)]
    assert fault(path, avoided=on_bases("foe", ((7000, 6000), 500))) is None
    found = fault(path, avoided=on_bases("foe", ((7000, 5000), 500), ((6500, 5000), 250)))
    assert found == PathFault("base", (5750, 5000), 0, "foe1")


def test_a_base_may_pass_through_the_bases_of_units_that_are_not_avoided_and_not_through_their_hulls() -> None:
    path = [(5000, 5000), (9000, 5000), (9000, 12000)]
    friends = on_bases("friend", ((7000, 5000), 500))
    assert fault(path[:2], others=friends) is None
    assert fault(path, others=(*friends, *vehicles("truck", TRUCK))) == PathFault("hull", (9000, 5500), 1, "truck0")


def test_a_fault_names_the_unit_whose_figure_is_in_the_way() -> None:
    near, far = ((7000, 5000), 500), ((9000, 5000), 500)
    squads = (Neighbour("first", (far, ((20000, 20000), 500))), Neighbour("second", (((30000, 5000), 500), near)))
    found = fault([(5000, 5000), (12000, 5000)], avoided=squads)
    assert found == PathFault("base", (6000, 5000), 0, "second")


def test_of_obstacles_at_the_same_place_terrain_is_named_before_bases_and_hulls_of_avoided_units_last() -> None:
    path = [(5000, 5000), (9000, 5000)]
    wall = ground("wall", ((6500, 4000), (6500, 6000)), linear=True)
    foe, tank = on_bases("foe", ((7000, 5000), 500)), vehicles("tank", rectangle(6500, 4500, 9000, 5500))
    truck = vehicles("truck", rectangle(6500, 4000, 8000, 6000))
    assert fault(path, barred=(wall,), avoided=tank + foe, others=truck) == PathFault(
        "impassable", (6000, 5000), 0, "wall"
    )
    assert fault(path, avoided=tank + foe, others=truck) == PathFault("base", (6000, 5000), 0, "foe0")
    assert fault(path, avoided=tank, others=truck) == PathFault("hull", (6000, 5000), 0, "truck0")
    assert fault(path, avoided=tank) == PathFault("hull", (6000, 5000), 0, "tank0")


def test_a_base_that_stands_illegally_may_leave_and_not_go_deeper() -> None:
    inside = (20200, 22000)
    for away in ((15000, 22000), (19700, 22000)):
        assert fault([inside, away], barred=(CLIFF,)) is None
    other = on_bases("foe", ((5600, 5000), 500))
    assert fault([(5000, 5000), (3000, 5000)], avoided=other) is None
    assert fault([(5000, 5000), (5100, 5000)], avoided=other) is not None


def test_a_base_may_brush_past_a_hull_and_not_enter_it() -> None:
    truck = vehicles("truck", TRUCK)
    assert fault([(5000, 5500), (15000, 5500)], others=truck) is None
    assert fault([(9000, 3000), (9000, 12000)], others=truck) == PathFault("hull", (9000, 5500), 0, "truck0")
    within = (9000, 6200)
    assert fault([within, (9000, 4000)], others=truck) is None


def test_a_path_keeps_clear_of_enemies_and_not_of_friends() -> None:
    path = [(5000, 5000), (15000, 5000)]
    foe = on_bases("foe", ((9000, 6900), 500))
    friendly, hostile = vehicles("truck", TRUCK), vehicles("tank", TRUCK)
    assert fault(path, others=on_bases("friend", ((9000, 3500), 500))) is None
    assert fault(path, avoided=foe, clear=900) is None
    assert fault(path, avoided=foe, clear=901) is not None
    assert fault(path, others=friendly, clear=2000) is None
    assert fault(path, avoided=hostile, clear=500) is None
    found = fault(path, others=friendly, avoided=hostile, clear=501)
    assert found is not None
    assert (found.kind, found.what) == ("hull", "tank0")
    # Nearer than that to begin with: away, and along, but not nearer.
    assert fault([(9000, 5400), (9000, 3000)], avoided=hostile, clear=1000) is None
    assert fault([(9000, 5400), (10000, 5400)], avoided=hostile, clear=1000) is None
    assert fault([(9000, 5400), (9000, 5450)], avoided=hostile, clear=1000) is not None


@calm
@given(paths, st.lists(areas | lines, max_size=3), st.lists(st.tuples(points, st.integers(250, 1500)), max_size=3))
def test_faults_are_where_shapely_finds_them(
    path: list[Point], barred: list[Terrain], foes: list[tuple[Point, int]]
) -> None:
    radius = RADIUS
    shapes = [(shapely.LineString if piece.linear else shapely.Polygon)(piece.outline) for piece in barred]
    keep_off = [(shape, radius) for shape in shapes] + [(shapely.Point(c), r + radius) for c, r in foes]

    def room(leg: shapely.Geometry) -> float:
        """By how much the leg keeps off everything, counting what the start allows."""
        start = shapely.Point(path[0])
        free = [leg.distance(shape) - min(needed, start.distance(shape)) for shape, needed in keep_off]
        left, bottom, right, top = leg.bounds
        return float(min([*free, left - radius, bottom - radius, 47500 - right, 47500 - top]))

    if not path or not shapely.box(500, 500, 47500, 47500).covers(shapely.Point(path[0])):
        return
    found = fault(path, barred=tuple(barred), avoided=on_bases("foe", *foes))
    for index, (a, b) in enumerate(pairwise(path)):
        left_over = room(shapely.LineString([a, b]))
        if found is None or index < found.segment:
            assert left_over > -1.1  # a mil for each rounding
        elif index == found.segment:
            assert left_over < 0
            before = shapely.LineString([a, found.at])
            assert room(before) > -2
            beyond = between(found.at, b, min(1.0, 200 / max(1.0, distance(found.at, b))))
            assert room(shapely.LineString([found.at, beyond])) < 0.5


def test_the_vectors_say_what_the_kernel_says() -> None:
    written = make_paths.FILE.read_text(encoding="utf-8")
    assert written == make_paths.text(), "run tests/vectors/make_paths.py and look at what changed"
    kinds = {(v["answers"]["fault"] or {"kind": None})["kind"] for v in json.loads(written)}
    assert kinds == {None, "table", "impassable", "base", "hull"}


@calm
@given(points, points, st.lists(points, min_size=2, max_size=7, unique=True), st.booleans(), st.integers(0, 4000))
def test_a_prepared_border_lets_pass_what_its_measured_distance_lets_pass(
    a: Point, b: Point, corners: list[Point], linear: bool, needed: int
) -> None:
    far = to_mil(segment_distance_to_outline(a, b, tuple(corners), linear=linear))
    border = Border(tuple(corners), linear=linear)
    assert border.keeps_off(a, b, needed) is (far >= needed)
    assert border.keeps_off(a, b, far), "exactly so far off"
    assert not border.keeps_off(a, b, far + 1)
