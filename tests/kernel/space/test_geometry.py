"""Distances, angles and outlines, held against worked examples and against another library."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space import geometry as g
from tests.kernel.space.outlines import outlines, points

calm = settings(deadline=None, derandomize=True)


def test_inches_are_whole_thousandths() -> None:
    assert [g.inches(v) for v in (4, 4.5, "6", '2.25"', " 0.1 ", 0.0005)] == [4000, 4500, 6000, 2250, 100, 1]
    assert [g.inches_text(v) for v in (4000, 4500, 125, -2250, 7999.6)] == ['4"', '4.5"', '0.125"', '-2.25"', '8"']


@pytest.mark.parametrize("text", ["", "four", "nan", "inf", "4''"])
def test_a_text_that_is_no_length_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a length"):
        g.inches(text)


def test_lengths_are_rounded_before_they_are_compared() -> None:
    assert g.at_most(8000.0000001, 8000)
    assert g.at_most(8000.4999, 8000)
    assert not g.at_most(8000.5, 8000)
    assert [g.to_mil(v) for v in (0.5, 1.5, 2.5, -0.5, -1.5)] == [1, 2, 3, 0, -1]


def test_a_gap_is_measured_between_edges() -> None:
    assert g.gap((0, 0), 500, (3000, 4000), 250) == 4250
    assert g.gap((0, 0), 500, (600, 0), 500) == 0


def test_directions_count_counterclockwise_from_the_x_axis() -> None:
    ends = [(1, 0), (1, 1), (0, 1), (-1, 0), (0, -1), (0, 0)]
    assert [g.direction((0, 0), end) for end in ends] == [0, 4500, 9000, 18000, 27000, 0]
    assert g.moved((1000, 1000), 9000, 2000) == (1000, 3000)
    assert g.angle_difference(35000, 1000) == 2000
    assert g.angle_difference(0, 18000) == 18000


@calm
@given(points, st.integers(0, 35999))
def test_moving_goes_where_it_points(p: g.Point, angle: int) -> None:
    end = g.moved(p, angle, 10000)
    assert g.angle_difference(g.direction(p, end), angle) <= 1
    assert abs(g.distance(p, end) - 10000) <= 1


@calm
@given(points, points, points, points)
def test_segment_distances_agree_with_shapely(a: g.Point, b: g.Point, p: g.Point, q: g.Point) -> None:
    one, other = shapely.LineString([a, b]), shapely.LineString([p, q])
    assert g.segment_distance_to_outline(a, b, (p, q), linear=True) == pytest.approx(one.distance(other), abs=1e-3)
    assert g.segment_point_distance(a, b, p) == pytest.approx(one.distance(shapely.Point(p)), abs=1e-3)


@calm
@given(outlines(), points)
def test_contains_agrees_with_shapely_and_includes_the_border(outline: g.Outline, p: g.Point) -> None:
    # Covering is decided exactly by both for whole points, so the border needs no exception.
    assert g.contains(outline, p) == shapely.Polygon(outline).covers(shapely.Point(p))
    assert all(g.contains(outline, corner) for corner in outline)


@calm
@given(outlines(), points, points)
def test_distance_to_an_outline_agrees_with_shapely(outline: g.Outline, a: g.Point, b: g.Point) -> None:
    segment = shapely.LineString([a, b])
    for linear, shape in ((False, shapely.Polygon(outline)), (True, shapely.LineString(outline))):
        assert g.distance_to_outline(a, outline, linear=linear) == pytest.approx(
            shape.distance(shapely.Point(a)), abs=1e-3
        )
        assert g.segment_distance_to_outline(a, b, outline, linear=linear) == pytest.approx(
            shape.distance(segment), abs=1e-3
        )


def test_the_middle_and_the_area() -> None:
    assert g.centroid([(0, 0), (1000, 0), (0, 2000)]) == (333, 667)
    assert g.area(((0, 0), (4000, 0), (0, 3000))) == 6_000_000
    with pytest.raises(ValueError, match="no points"):
        g.centroid([])
