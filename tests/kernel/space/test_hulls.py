"""Hulls: their outlines, distances from and between them, arcs, and the room round them."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.geometry import (
    Point,
    at_most,
    contains,
    edges,
    moved,
    rectangle,
    segment_point_distance,
    to_mil,
)
from server.kernel.space.hulls import (
    SLACK,
    apart,
    base_to_outline,
    bears,
    drawn_in,
    hull_body,
    hull_overlaps,
    near,
    outline,
    outline_to_outline,
    overlaps_hull,
)
from server.kernel.space.values import Body, Hull, Pose

calm = settings(deadline=None, derandomize=True)

TRUCK = Hull(5000, 2500)
points = st.tuples(st.integers(0, 20000), st.integers(0, 20000))
facings = st.sampled_from([0, 4500, 9000, 18000, 27000]) | st.integers(0, 35999)
hulls = st.builds(Hull, st.integers(1000, 8000), st.integers(1000, 4000))
outlines = st.builds(lambda at, facing, hull: outline(Pose(at, facing), hull), points, facings, hulls)


def test_a_hull_lies_along_its_facing_and_its_corners_run_counterclockwise() -> None:
    assert outline(Pose((10000, 10000), 0), TRUCK) == rectangle(7500, 8750, 12500, 11250)
    north = outline(Pose((10000, 10000), 9000), TRUCK)
    assert set(north) == set(rectangle(8750, 7500, 11250, 12500))
    assert shapely.Polygon(north).exterior.is_ccw
    # 5" long at 36.87 degrees: the front's middle is 2" east and 1.5" north of the centre.
    front = outline(Pose((0, 0), 3687), TRUCK)[1:3]
    assert [sum(axis) // 2 for axis in zip(*front, strict=True)] == [2000, 1500]


@calm
@given(points, facings, hulls)
def test_a_hull_is_as_long_and_as_wide_as_it_is(at: Point, facing: int, hull: Hull) -> None:
    shape = shapely.Polygon(outline(Pose(at, facing), hull))
    assert shape.area == pytest.approx(hull.length * hull.width, abs=3 * (hull.length + hull.width))
    assert shape.centroid.distance(shapely.Point(at)) < 1.5
    assert shape.covers(shapely.Point(moved(at, facing, hull.length // 2 - 3)))
    assert not shape.covers(shapely.Point(moved(at, facing, hull.length // 2 + 3)))


@calm
@given(outlines, outlines, points, st.integers(0, 1500))
def test_distances_are_those_that_shapely_finds(
    one: tuple[Point, ...], other: tuple[Point, ...], at: Point, radius: int
) -> None:
    here, there = shapely.Polygon(one), shapely.Polygon(other)
    assert outline_to_outline(one, other) == pytest.approx(here.distance(there), abs=1e-6)
    free = max(0.0, here.distance(shapely.Point(at)) - radius)
    assert base_to_outline(at, radius, one) == pytest.approx(free, abs=1e-6)


def test_bodies_are_measured_from_edge_to_edge() -> None:
    truck = hull_body(Pose((10000, 10000), 0), TRUCK)
    man, mate = Body((10000, 14000), 500), Body((13000, 14000), 500)
    other = hull_body(Pose((20000, 10000), 9000), TRUCK)
    assert apart(man, mate) == 2000
    assert apart(man, truck) == apart(truck, man) == 2250
    assert apart(truck, other) == 6250
    assert apart(truck, hull_body(Pose((12000, 10000), 4500), TRUCK)) == 0
    assert apart(truck, Body((10000, 10000), 500)) == 0
    assert truck.radius >= max(shapely.Point(truck.at).distance(shapely.Point(corner)) for corner in truck.outline)


def test_a_weapon_bears_within_its_arc() -> None:
    east = Pose((10000, 10000), 0)
    assert bears(east, 0, 4500, (20000, 20000))
    assert not bears(east, 0, 4499, (20000, 20000))
    assert not bears(east, 0, 9000, (9999, 10000))
    assert bears(east, 18000, 4500, (0, 10000))
    assert bears(Pose((10000, 10000), 35000), 2000, 100, moved((10000, 10000), 1000, 9000))
    assert bears(east, 0, 18000, (0, 9999))
    assert bears(east, 9000, 0, (10000, 10000))


@calm
@given(outlines, st.integers(100, 3000), st.sampled_from([250, 500, 750]), points)
def test_a_base_inside_the_zone_around_a_hull_is_within_reach_of_it(
    one: tuple[Point, ...], reach: int, radius: int, at: Point
) -> None:
    zone = near(one, reach, radius)
    assert shapely.Polygon(zone).is_valid
    free = base_to_outline(at, radius, one)
    sides = (segment_point_distance(a, b, at) for a, b in edges(zone, linear=False))
    inside = contains(zone, at) and min(to_mil(side) for side in sides) >= radius
    if inside:
        assert at_most(free, reach)
    elif shapely.Polygon(one).distance(shapely.Point(at)) > 0:
        # Rounding the corners takes away no more than one per cent of the way, and 3 mil.
        assert free > reach - 0.01 * (reach + 2 * radius) - 3


@calm
@given(points, facings, hulls, st.integers(0, 400))
def test_drawn_in_a_hull_is_a_smaller_hull(at: Point, facing: int, hull: Hull, by: int) -> None:
    inner = drawn_in(outline(Pose(at, facing), hull), by)
    smaller = outline(Pose(at, facing), Hull(hull.length - 2 * by, hull.width - 2 * by))
    assert all(shapely.Point(p).distance(shapely.Point(q)) < 4 for p, q in zip(inner, smaller, strict=True))


def test_touching_is_no_overlap_and_neither_is_what_rounding_takes() -> None:
    truck = outline(Pose((10000, 10000), 0), TRUCK)
    for far, lies_over in ((0, False), (2 * SLACK, False), (2 * SLACK + 2, True)):
        assert overlaps_hull((10000, 11750 - far), 500, (truck,)) == lies_over
        assert hull_overlaps(truck, [((10000, 11750 - far), 500)], []) == lies_over
        assert hull_overlaps(truck, [], [outline(Pose((15000 - far, 10000), 0), TRUCK)]) == lies_over
    assert hull_overlaps(truck, [], [rectangle(0, 0, 20000, 20000)])
    assert overlaps_hull((10000, 10000), 100, (truck,))
