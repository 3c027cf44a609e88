"""Stretches of ways inside areas, held against another library."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given, settings

from server.kernel.space.areas import Area
from server.kernel.space.geometry import Outline, Point, between, contains, rectangle, to_mil
from tests.kernel.space.outlines import outlines, points

calm = settings(deadline=None, derandomize=True)


@calm
@given(outlines(), points, points)
def test_length_inside_agrees_with_shapely(outline: Outline, a: Point, b: Point) -> None:
    polygon, segment = shapely.Polygon(outline), shapely.LineString([a, b])
    closed = segment.intersection(polygon).length
    area = Area(outline)
    on_border = segment.intersection(polygon.boundary).length
    assert area.length(*a, *b, border=True) == pytest.approx(closed, abs=0.01)
    assert area.length(*a, *b, border=False) == pytest.approx(closed - on_border, abs=0.01)


def test_running_along_a_border_is_not_inside_unless_asked_for() -> None:
    square = Area(rectangle(1000, 1000, 5000, 5000))
    assert square.length(0, 1000, 9000, 1000, border=False) == 0
    assert to_mil(square.length(0, 1000, 9000, 1000, border=True)) == 4000
    assert square.spans(0, 3000, 10000, 3000, border=False) == [(0.1, 0.5)]


@calm
@given(outlines(), points, points)
def test_an_area_holds_what_its_outline_contains(outline: Outline, a: Point, b: Point) -> None:
    area = Area(outline)
    for at in (a, b, outline[0], between(a, b, 0.3), between(outline[0], outline[1], 0.5)):
        assert area.holds(*at) == contains(outline, at)
