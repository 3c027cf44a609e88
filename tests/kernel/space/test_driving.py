"""What a vehicle may not drive over, and which ground it drives through."""

from __future__ import annotations

import json
from itertools import pairwise

import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.driving import drive_fault, end_pose, entered
from server.kernel.space.geometry import Outline, Point, rectangle
from server.kernel.space.hulls import outline
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull, Neighbour, Obstacles, PathFault, Pose
from tests.vectors import make_drives
from tests.vectors.make_paths import on_bases, vehicles

calm = settings(deadline=None, derandomize=True)

TABLE = (48000, 48000)
TRUCK = Hull(5000, 2500)
HERE = (10000, 10000)
EAST = Pose(HERE, 0)
points = st.tuples(st.integers(3000, 45000), st.integers(3000, 45000))
facings = st.none() | st.integers(0, 35999)


def ground(name: str, outline: Outline, *, linear: bool = False) -> Terrain:
    return Terrain(name, name, "ground", outline, linear=linear)


def fault(
    path: list[Point],
    *,
    pose: Pose = EAST,
    facing: int | None = None,
    barred: tuple[Terrain, ...] = (),
    avoided: tuple[Neighbour, ...] = (),
    others: tuple[Neighbour, ...] = (),
    clear: int = 0,
) -> PathFault | None:
    return drive_fault(pose, path, facing, TRUCK, Obstacles(TABLE, barred, avoided, others, clear))


def test_a_drive_ends_facing_along_its_last_leg_or_as_told() -> None:
    path = [HERE, (20000, 10000), (20000, 20000), (20000, 20000)]
    assert end_pose(EAST, path, None) == Pose((20000, 20000), 9000)
    assert end_pose(EAST, path, 123) == Pose((20000, 20000), 123)
    assert end_pose(EAST, [HERE], None) == EAST


def test_the_whole_width_of_a_vehicle_must_stay_on_the_table() -> None:
    assert fault([HERE, (10000, 2500)], facing=9000) is None
    assert fault([HERE, (10000, 1250)], facing=0) is not None
    assert fault([HERE, (5000, 5000), (5000, 1250)], facing=0) == PathFault("table", (5000, 2490), 1)


def test_a_vehicle_drives_away_from_the_wall_or_edge_along_which_it_stands() -> None:
    parked = Pose((10000, 1250), 0)
    wall = ground("wall", ((0, 2500), (40000, 2500)), linear=True)
    assert fault([parked.at, (20000, 1250)], pose=parked, barred=(wall,)) is None
    assert fault([parked.at, (10000, 4000)], pose=parked) is None
    assert fault([parked.at, (10000, 4000)], pose=parked, barred=(wall,)) == PathFault(
        "impassable", parked.at, 0, "wall"
    )


def test_a_vehicle_runs_into_a_house_with_its_corner() -> None:
    house = ground("house", rectangle(20000, 11000, 26000, 14000))
    assert fault([HERE, (40000, 10000)], barred=(house,)) == PathFault("impassable", (17509, 10000), 0, "house")
    assert fault([HERE, (12000, 9750), (40000, 9750)], barred=(house,)) is None


def test_a_vehicle_keeps_its_clear_distance_and_runs_over_no_base() -> None:
    man = on_bases("foe", ((20000, 11750), 500))
    assert fault([HERE, (40000, 10000)], avoided=man) is None
    # At 16.099" its corner (drawn in by 0.01") comes within an inch of the man's edge.
    assert fault([HERE, (40000, 10000)], avoided=man, clear=1000) == PathFault("base", (16099, 10000), 0, "foe0")


def test_a_vehicle_too_near_to_a_base_may_drive_away_and_turn() -> None:
    man = on_bases("foe", ((13200, 10000), 500))
    assert fault([HERE, (8000, 10000)], avoided=man, clear=1000) is None
    assert fault([HERE, (10100, 10000)], avoided=man, clear=1000) is not None
    assert fault([HERE], facing=300, avoided=man, clear=1000) is None


def test_a_vehicle_that_overlaps_another_must_end_clear_of_it() -> None:
    other = vehicles("truck", outline(Pose((12000, 10000), 9000), TRUCK))
    assert fault([HERE, (9000, 10000)], others=other) == PathFault("hull", (9000, 10000), 0, "truck0")
    assert fault([HERE, (8000, 10000)], others=other) is None


def test_a_vehicle_may_pass_over_the_bases_of_others_and_not_end_on_them() -> None:
    squad = (Neighbour("friends", (((20000, 10000), 500), ((30000, 10000), 500))),)
    assert fault([HERE, (25000, 10000)], others=squad) is None
    assert fault([HERE, (30000, 10000)], others=squad) == PathFault("base", (30000, 10000), 0, "friends")


def test_a_vehicle_enters_the_pieces_that_its_width_touches_and_none_behind_its_turn() -> None:
    woods = ground("woods", rectangle(14000, 11000, 20000, 20000))
    hedge = ground("hedge", ((0, 8700), (40000, 8700)), linear=True)
    assert entered([HERE, (25000, 10000)], None, TRUCK, [hedge, woods]) == ("woods",)
    assert entered([HERE, (25000, 9700)], None, TRUCK, [hedge, woods]) == ("hedge", "woods")
    assert entered([HERE, (10000, 20000)], None, TRUCK, [hedge, woods]) == ()
    assert entered([HERE], 9000, TRUCK, [hedge, woods]) == ("hedge",)
    assert entered([HERE], None, TRUCK, [hedge, woods]) == ()


def swept(a: Point, b: Point) -> shapely.Polygon:
    """All the ground that the truck covers on its way from `a` to `b`, its tail included."""
    way = shapely.LineString([a, b])
    dx, dy = ((b[i] - a[i]) * TRUCK.length / 2 / way.length for i in (0, 1))
    ends = [(a[0] - dx, a[1] - dy), (b[0] + dx, b[1] + dy)]
    return shapely.LineString(ends).buffer(TRUCK.width / 2, cap_style="flat")


@calm
@given(
    st.lists(points, min_size=1, max_size=4, unique=True),
    facings,
    st.lists(st.tuples(points, st.integers(500, 6000), st.integers(500, 6000)), max_size=3),
    st.lists(st.tuples(points, st.integers(250, 750)), max_size=3),
    st.lists(st.tuples(points, st.integers(0, 35999)), max_size=2),
)
def test_faults_are_where_shapely_finds_them(
    path: list[Point],
    facing: int | None,
    boxes: list[tuple[Point, int, int]],
    bases: list[tuple[Point, int]],
    others: list[tuple[Point, int]],
) -> None:
    pose = Pose(path[0], 1234)
    barred = [ground(str(i), rectangle(x, y, x + w, y + h)) for i, ((x, y), w, h) in enumerate(boxes)]
    hulls = [outline(Pose(at, turn), TRUCK) for at, turn in others]
    solid = shapely.union_all(
        [
            *(shapely.Polygon(piece.outline) for piece in barred),
            *(shapely.Point(at).buffer(radius) for at, radius in bases),
            *(shapely.Polygon(hull) for hull in hulls),
        ]
    )
    start = shapely.Polygon(outline(pose, TRUCK))
    end = shapely.Polygon(outline(end_pose(pose, path, facing), TRUCK))
    table = shapely.box(0, 0, *TABLE)
    if start.buffer(20).intersects(solid) or not table.covers(start):
        return
    found = fault(
        path,
        pose=pose,
        facing=facing,
        barred=tuple(barred),
        avoided=on_bases("foe", *bases),
        others=vehicles("truck", *hulls),
    )
    # The whole of each leg, tail included, is free, and the end too: then it is legal.
    whole = shapely.union_all([end, *(swept(a, b) for a, b in pairwise(path))])
    if not whole.buffer(2).intersects(solid) and table.covers(whole.buffer(2)):
        assert found is None
    # Deep in anything at the end, or with its centre on the way: then it is not.
    way = shapely.LineString(path) if len(path) > 1 else shapely.Point(path[0])
    inner = end.buffer(-30)
    moves = len(path) > 1 or facing is not None
    if moves and (inner.intersects(solid) or way.intersects(solid) or not table.covers(inner)):
        assert found is not None


def test_the_vectors_say_what_the_kernel_says() -> None:
    written = make_drives.FILE.read_text(encoding="utf-8")
    assert written == make_drives.text(), "run tests/vectors/make_drives.py and look at what changed"
    kinds = {(v["answers"]["fault"] or {"kind": None})["kind"] for v in json.loads(written)}
    assert kinds == {None, "table", "impassable", "base", "hull"}
