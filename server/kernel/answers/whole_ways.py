"""Conditions on all of a path: that it leads away, that it stays inside terrain. The browser's `table/wholeWays.ts` has the same.

Both are exact: the nearest point of each leg is measured, and the stretches inside the pieces are added up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from client_protocol.choices import KeepsInside, WholeWay
from server.kernel.space.areas import Area
from server.kernel.space.geometry import (
    INF,
    Outline,
    Point,
    Span,
    distance,
    segment_distance_to_outline,
    segment_point_distance,
    to_mil,
)
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base
from server.kernel.standing import bases, hulls, terrain_of
from server.kernel.state import State, Unit

GAP = 1.0
"""Mil of a leg that may lie between two pieces: where their outlines meet is rounded."""


def keeps_to(state: State, unit: Unit, paths: Mapping[str, Sequence[Point]], condition: WholeWay) -> bool:
    """Return whether the figures of `unit` on bases that go these `paths` (starts left out) meet `condition`."""
    moving = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    ways = {key: (figure.at, *paths.get(key, ())) if figure.at is not None else () for key, figure in moving.items()}
    if isinstance(condition, KeepsInside):
        pieces = [piece for piece in terrain_of(state, condition.pieces) if not piece.linear]
        return all(_inside(a, b, pieces) for way in ways.values() for a, b in pairwise(way))
    near, sides = bases(state, only=condition.units), hulls(state, only=condition.units)
    return all(_goes_away(way, moving[key].radius, near, sides) for key, way in ways.items())


def _goes_away(way: Sequence[Point], radius: int, near: Sequence[Base], sides: Sequence[Outline]) -> bool:
    """Return whether a way (start included) ends farther from the nearest of these than it began, and never comes nearer."""
    began = _off(way[0], way[0], radius, near, sides)
    if began == INF:
        return True
    if to_mil(_off(way[-1], way[-1], radius, near, sides)) <= to_mil(began):
        return False
    return all(to_mil(_off(a, b, radius, near, sides)) >= to_mil(began) for a, b in pairwise(way))


def _off(a: Point, b: Point, radius: int, near: Sequence[Base], sides: Sequence[Outline]) -> float:
    """Return the mil from the edge of a base that goes from `a` to `b` to the nearest of these; `INF` if there are none."""
    nearest = INF
    for centre, other in near:
        nearest = min(nearest, segment_point_distance(a, b, centre) - radius - other)
    for side in sides:
        nearest = min(nearest, segment_distance_to_outline(a, b, side, linear=False) - radius)
    return nearest


def _inside(a: Point, b: Point, pieces: Sequence[Terrain]) -> bool:
    """Return whether all of a leg lies inside pieces, their borders included."""
    spans: list[Span] = [span for piece in pieces for span in Area(piece.outline).spans(*a, *b, border=True)]
    far, length = 0.0, distance(a, b)
    for start, end in sorted(spans):
        if (start - far) * length > GAP:
            return False
        far = max(far, end)
    return (1 - far) * length <= GAP
