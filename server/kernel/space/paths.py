"""Declared paths: the length of a figure's way, where it may end, and the cohesion of a unit.

A path is the line its base's centre follows, a sequence of points. The browser computes the same while a figure is dragged
(`paths.ts`); `tests/vectors/paths.json` holds both to the same answers. What a path costs: `costs`; what it may run into:
`walking`, `driving`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from server.kernel.space.geometry import (
    INF,
    Outline,
    Place,
    Point,
    between,
    distance,
    gap,
    to_mil,
    to_point,
)
from server.kernel.space.hulls import overlaps_hull
from server.kernel.space.plain import Spot
from server.kernel.space.values import Base

# How long it is


def path_length(path: Sequence[Point]) -> float:
    """Return the length of a path in mil."""
    total = 0.0
    for i in range(1, len(path)):
        total += distance(path[i - 1], path[i])
    return total


def stretch(path: Sequence[Point], start: float, end: float) -> tuple[Point, ...]:
    """Return the part of `path` from parameter `start` to `end` (both 0 to 1, by length)."""
    lengths = [distance(a, b) for a, b in pairwise(path)]
    whole = sum(lengths)
    if whole == 0:
        return (path[0],)
    points = [_at(path, lengths, start * whole)]
    passed = 0.0
    for i, length in enumerate(lengths):
        passed += length
        if start * whole < passed < end * whole:
            points.append(path[i + 1])
    points.append(_at(path, lengths, end * whole))
    return tuple(points)


def along(path: Sequence[Point], t: float) -> Point:
    """Return the point of `path` at a parameter (0 to 1, by length): the end of `stretch` from the start to there."""
    lengths = [distance(path[i - 1], path[i]) for i in range(1, len(path))]
    whole = sum(lengths)
    return path[0] if whole == 0 else _at(path, lengths, t * whole)


def _at(path: Sequence[Point], lengths: Sequence[float], along: float) -> Point:
    """Return the point of a path so many mil from its start."""
    for i, length in enumerate(lengths):
        if along <= length and length > 0:
            return to_point(between(path[i], path[i + 1], along / length))
        along -= length
    return path[-1]


# Where it ends


def on_table(p: Place, radius: int, table_size: tuple[int, int]) -> bool:
    """Return whether a round base (centre `p`, radius in mil) stays wholly on a table of this width and height."""
    x, y = to_point(p)
    width, height = table_size
    return radius <= x <= width - radius and radius <= y <= height - radius


def overlaps(end: Point, radius: int, others: Sequence[Base], hulls: Sequence[Outline] = ()) -> bool:
    """Return whether a round base with its centre at `end` lies over any of the others, or over a hull; touching is allowed."""
    x, y = end
    for centre, other in others:
        reach = radius + other
        # Most are far off, which two subtractions tell.
        near = -reach < centre[0] - x < reach and -reach < centre[1] - y < reach
        if near and to_mil(distance(end, centre)) < reach:
            return True
    return bool(hulls) and overlaps_hull(end, radius, hulls)


# Keeping together


def largest_gap(centres: Sequence[Point], radii: Sequence[int]) -> int:
    """Return the widest step (whole mil, base edge to base edge) one must take to walk from any base to every other.

    That is the longest edge of the shortest tree that joins them all: the number a coherency limit is held against. 0 for
    fewer than two bases. Raises ValueError when there are not as many radii as centres.
    """
    if len(centres) != len(radii):
        raise ValueError(f"{len(centres)} centres, but {len(radii)} radii")
    spots = [Spot(at, radius) for at, radius in zip(centres, radii, strict=True)]
    widest = 0
    waiting = spots[1:]
    near = [to_mil(spots[0].gap(spot)) for spot in waiting]
    while waiting:
        nearest = 0
        for i in range(1, len(near)):
            if near[i] < near[nearest]:
                nearest = i
        joined = waiting.pop(nearest)
        widest = max(widest, near.pop(nearest))
        for i in range(len(waiting)):
            near[i] = min(near[i], to_mil(joined.gap(waiting[i])))
    return widest


def narrowest_gap(bases: Sequence[Base], others: Sequence[Base]) -> int:
    """Return the gap (whole mil, base edge to base edge) between the two bases, one of each kind, that are nearest to each other.
    There is one of each.
    """
    least = INF
    for centre, radius in bases:
        for at, other in others:
            least = min(least, gap(centre, radius, at, other))
    return to_mil(least)


def cohesive(centres: Sequence[Point], radii: Sequence[int], gap_limit: int) -> bool:
    """Return whether bases form one chain in which no gap is wider than the limit (mil)."""
    return largest_gap(centres, radii) <= gap_limit
