"""Declared paths: the cost of a figure's way, where it may end, and the cohesion of a unit.

A path is the line its base's centre follows, a sequence of points. The browser computes the same while a figure is dragged
(`paths.ts`); `tests/vectors/paths.json` holds both to the same answers. What a path may run into: `walking`, `driving`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from server.kernel.space.geometry import (
    INF,
    Outline,
    Place,
    Point,
    Span,
    between,
    crossings,
    distance,
    gap,
    spans_inside,
    to_mil,
    to_point,
)
from server.kernel.space.hulls import overlaps_hull
from server.kernel.space.plain import Spot
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base

WHOLE: Final = 100
"""Percent: open ground costs its length."""


# What it costs


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


def _at(path: Sequence[Point], lengths: Sequence[float], along: float) -> Point:
    """Return the point of a path so many mil from its start."""
    for i, length in enumerate(lengths):
        if along <= length and length > 0:
            return to_point(between(path[i], path[i + 1], along / length))
        along -= length
    return path[-1]


def path_cost(path: Sequence[Point], pieces: Sequence[tuple[Terrain, int]], ground: int = WHOLE) -> float:
    """Return what a path uses up of a move allowance, in mil; never less than its length.

    Each piece comes with its number. For an area that is the cost of its ground in percent (200 = double); where pieces
    overlap the highest counts, they do not multiply, and what runs along a border is outside. For a linear piece it is a toll
    in mil for each time the path meets it (0 = none); starting on it is free, ending on it is not. Outside the areas each mil
    costs `ground` percent.
    """
    total = 0.0
    for i in range(1, len(path)):
        a, b = path[i - 1], path[i]
        length = distance(a, b)
        if length == 0:
            continue
        dear: list[tuple[Span, int]] = []
        for piece, number in pieces:
            if piece.linear:
                if number > 0:
                    total += number * len(_met(crossings(a, b, piece.outline, linear=True), length))
            elif number > WHOLE or ground > WHOLE:
                for span in spans_inside(a, b, piece.outline):
                    dear.append((span, number))  # noqa: PERF401 - a plain loop is compiled to one
        total += length * (_mean_factor(dear, ground) / WHOLE)
    return total


def part_within(a: Point, b: Point, pieces: Sequence[tuple[Terrain, int]], allowance: float) -> float:
    """Return how much of the straight way from `a` to `b` (0 to 1) costs no more than the allowance (mil), by `path_cost` with
    these pieces, as closely as fractions tell.
    """
    length = distance(a, b)
    dear: list[tuple[Span, int]] = []
    tolls: list[tuple[float, int]] = []
    for piece, number in pieces:
        if piece.linear:
            tolls.extend([(met, number) for met in _met(crossings(a, b, piece.outline, linear=True), length)])
        elif number > WHOLE:
            dear.extend([(span, number) for span in spans_inside(a, b, piece.outline)])
    cuts = sorted({0.0, 1.0, *[end for span, _ in dear for end in span], *[met for met, _ in tolls]})
    left = allowance
    for start, end in pairwise(cuts):
        cost = (end - start) * length * (_factor(dear, (start + end) / 2) or WHOLE) / WHOLE
        if cost > left:
            return start + (end - start) * (left / cost)
        left -= cost + sum([number for met, number in tolls if met == end])
        if left < 0:
            return end
    return 1.0


def _mean_factor(dear: Sequence[tuple[Span, int]], ground: int) -> float:
    """Return the mean percent of a segment of which the given stretches cost other than `ground`."""
    if not dear:
        return ground
    cuts = sorted({0.0, 1.0, *(end for span, _ in dear for end in span)})
    mean = 0.0
    for start, end in pairwise(cuts):
        mean += (end - start) * ((_factor(dear, (start + end) / 2) or ground) - ground)
    # Only the difference is summed up, so that plain ground costs exactly its length.
    return ground + mean


def _factor(dear: Sequence[tuple[Span, int]], part: float) -> int:
    """Return the highest number of the given stretches that hold this part of a segment; 0 outside all of them."""
    factor = 0
    for (low, high), number in dear:
        if low <= part <= high and number > factor:
            factor = number
    return factor


def _met(found: Sequence[float], length: float) -> list[float]:
    """Return those of the parts of a segment of this length (mil) at which it meets a line, but for its start: a corner that two
    sides share is found twice and counts once.
    """
    met: list[float] = []
    for t in found:
        if t > 0 and (not met or (t - met[-1]) * length >= 0.5):
            met.append(t)
    return met


def crossed(path: Sequence[Point], pieces: Sequence[Terrain]) -> tuple[str, ...]:
    """Return the ids of the pieces, in their order, that a path leads through or over, as `path_cost` has it."""
    found: list[str] = []
    for piece in pieces:
        for a, b in pairwise(path):
            if piece.linear:
                through = bool(_met(crossings(a, b, piece.outline, linear=True), distance(a, b)))
            else:
                through = bool(spans_inside(a, b, piece.outline))
            if through:
                found.append(piece.id)
                break
    return tuple(found)


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
