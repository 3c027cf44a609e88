"""Declared paths: the cost of a figure's way, its faults, and the cohesion of a unit.

A path is the line its base's centre follows, a sequence of points. The browser computes the same while a figure is dragged;
`tests/vectors/paths.json` holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

import msgspec

from server.kernel.space.geometry import (
    Outline,
    Place,
    Point,
    Span,
    between,
    bounds,
    crossings,
    distance,
    gap,
    segment_distance_to_outline,
    segment_distance_to_terrain,
    segment_point_distance,
    spans_inside,
    to_mil,
    to_point,
)
from server.kernel.space.hulls import off, overlaps_hull
from server.kernel.space.terrain import Terrain

Base = tuple[Point, int]
"""A round base on the table: its centre and its radius (mil)."""

WHOLE = 100
"""Percent: open ground costs its length."""

_HALVINGS = 30  # finds the place of a fault on any table to far less than a mil


# What it costs


def path_length(path: Sequence[Point]) -> float:
    """Return the length of a path in mil."""
    total = 0.0
    for a, b in pairwise(path):
        total += distance(a, b)
    return total


def path_cost(path: Sequence[Point], pieces: Sequence[tuple[Terrain, int]]) -> float:
    """Return what a path uses up of a move allowance, in mil; never less than its length.

    Each piece comes with its number. For an area that is the cost of its ground in percent (200 = double); where pieces
    overlap the highest counts, they do not multiply, and what runs along a border is outside. For a linear piece it is a toll
    in mil for each time the path meets it (0 = none); starting on it is free, ending on it is not.
    """
    total = 0.0
    for a, b in pairwise(path):
        length = distance(a, b)
        if length == 0:
            continue
        dear: list[tuple[Span, int]] = []
        for piece, number in pieces:
            if piece.linear:
                if number > 0:
                    total += number * _meetings(crossings(a, b, piece.outline, linear=True), length)
            elif number > WHOLE:
                dear.extend((span, number) for span in spans_inside(a, b, piece.outline))
        total += length * (_mean_factor(dear) / WHOLE)
    return total


def _mean_factor(dear: Sequence[tuple[Span, int]]) -> float:
    """Return the mean percent of a segment of which the given stretches cost more than their length."""
    cuts = sorted({0.0, 1.0, *(end for span, _ in dear for end in span)})
    mean = 0.0
    for start, end in pairwise(cuts):
        middle = (start + end) / 2
        factor = WHOLE
        for (low, high), number in dear:
            if low <= middle <= high and number > factor:
                factor = number
        mean += (end - start) * (factor - WHOLE)
    # Only the surcharge is summed up, so that plain ground costs exactly its length.
    return WHOLE + mean


def _meetings(found: Sequence[float], length: float) -> int:
    """Return how often a segment of this length (mil) meets a line, given where; a shared corner counts once."""
    count = 0
    last = 0.0
    for t in found:
        if t > 0 and (count == 0 or (t - last) * length >= 0.5):
            count += 1
            last = t
    return count


def crossed(path: Sequence[Point], pieces: Sequence[Terrain]) -> tuple[str, ...]:
    """Return the ids of the pieces, in their order, that a path leads through or over, as `path_cost` has it."""
    found: list[str] = []
    for piece in pieces:
        for a, b in pairwise(path):
            if piece.linear:
                through = _meetings(crossings(a, b, piece.outline, linear=True), distance(a, b)) > 0
            else:
                through = bool(spans_inside(a, b, piece.outline))
            if through:
                found.append(piece.id)
                break
    return tuple(found)


# Where it is illegal


class PathFault(msgspec.Struct, frozen=True):
    """The first thing wrong with a path.

    `kind`: "table" the base or hull leaves the table, "impassable" it enters such a piece, "base" it passes through a
    base, or nearer than it may, "hull" likewise a hull. `at` is the last legal place rounded, on the segment that begins
    at `path[segment]`. `piece` is the id of the terrain piece, `base` the index into the blocked bases, `hull` that into the
    hulls (blocked ones counted on after the others), each None unless it is to blame.
    """

    kind: Literal["table", "impassable", "base", "hull"]
    at: Point
    segment: int
    piece: str | None = None
    base: int | None = None
    hull: int | None = None


def path_faults(
    path: Sequence[Point],
    radius: int,
    table_size: tuple[int, int],
    impassable: Sequence[Terrain],
    blocked: Sequence[Base],
    hulls: Sequence[Outline] = (),
    clear: int = 0,
    blocked_hulls: Sequence[Outline] = (),
) -> PathFault | None:
    """Return the first fault of a path for a round base of this radius (mil), or None.

    The whole base must stay on the table (width, height), may not come nearer to an impassable piece or a hull than its
    radius nor overlap a blocked base; touching is allowed. From blocked bases and blocked hulls it keeps `clear` mil away
    besides. A figure that stands illegally to begin with may leave, but not go deeper. Where things go wrong at the same
    place, the table is named first, then terrain, then bases, then hulls, in order.
    """
    if not path:
        return None
    xs, ys = [x for x, _ in path], [y for _, y in path]
    box = (min(xs), min(ys), max(xs), max(ys))
    around = obstacles(path[0], box, radius, table_size, impassable, blocked, hulls, clear, blocked_hulls)
    for index, (a, b) in enumerate(pairwise(path)):
        first: tuple[float, Obstacle] | None = None
        for obstacle in around:
            if not obstacle.allows(a, b):
                t = _last_legal(a, b, obstacle)
                if first is None or t < first[0]:
                    first = (t, obstacle)
        if first is not None:
            t, obstacle = first
            return obstacle.fault(to_point(between(a, b, t)), index)
    return None


def obstacles(
    start: Point,
    box: tuple[int, int, int, int],
    radius: int,
    table_size: tuple[int, int],
    impassable: Sequence[Terrain],
    blocked: Sequence[Base],
    hulls: Sequence[Outline] = (),
    clear: int = 0,
    blocked_hulls: Sequence[Outline] = (),
) -> list[Obstacle]:
    """Return the obstacles for a path from `start` that stays within `box` (left, bottom, right, top): see `path_faults`."""
    left, bottom, right, top = box
    found: list[Obstacle] = [_Edge(table_size, radius)]
    found += [_Ground(piece, min(radius, to_mil(piece.distance(start)))) for piece in impassable]
    for number, (centre, other) in enumerate(blocked):
        reach = radius + other + clear
        # Most bases are nowhere near the box round the path.
        if left - reach <= centre[0] <= right + reach and bottom - reach <= centre[1] <= top + reach:
            found.append(_Berth(number, centre, min(reach, to_mil(distance(start, centre)))))
    if hulls or blocked_hulls:
        found += _sides(start, box, radius, hulls, 0)
        found += _sides(start, box, radius + clear, blocked_hulls, len(hulls))
    return found


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


class Obstacle(Protocol):
    """Something a path can come into conflict with: its centre line must keep `needed` mil off the `outline` (a single point for
    a base; none for the table's edge, which it must keep inside).
    """

    @property
    def needed(self) -> int: ...

    @property
    def outline(self) -> Outline: ...

    @property
    def linear(self) -> bool: ...

    def allows(self, a: Place, b: Place) -> bool:
        """Return whether the straight way from `a` to `b` is legal."""

    def fault(self, at: Point, segment: int) -> PathFault:
        """Return the fault if it is not."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """The table's edge. A table is convex, so the end of the way tells; its beginning is not judged."""

    table_size: tuple[int, int]
    needed: int
    outline: Outline = ()
    linear: bool = True

    def allows(self, a: Place, b: Place) -> bool:  # noqa: ARG002 - the other obstacles need both ends
        return on_table(b, self.needed, self.table_size)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("table", at, segment)


@dataclass(frozen=True, slots=True)
class _Ground:
    """An impassable piece and how far (mil) the centre must keep off it."""

    piece: Terrain
    needed: int

    @property
    def outline(self) -> Outline:
        return self.piece.outline

    @property
    def linear(self) -> bool:
        return self.piece.linear

    def allows(self, a: Place, b: Place) -> bool:
        # Far off, which is most often so, the boxes round both tell.
        left, bottom, right, top = bounds(self.piece.outline)
        if max(a[0], b[0]) < left - self.needed or min(a[0], b[0]) > right + self.needed:
            return True
        if max(a[1], b[1]) < bottom - self.needed or min(a[1], b[1]) > top + self.needed:
            return True
        return to_mil(segment_distance_to_terrain(a, b, self.piece)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("impassable", at, segment, piece=self.piece.id)


@dataclass(frozen=True, slots=True)
class _Berth:
    """A base that is in the way and how far (mil) the centres must keep apart."""

    index: int
    centre: Point
    needed: int
    linear: bool = True

    @property
    def outline(self) -> Outline:
        return (self.centre,)

    def allows(self, a: Place, b: Place) -> bool:
        return to_mil(segment_point_distance(a, b, self.centre)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("base", at, segment, base=self.index)


@dataclass(frozen=True, slots=True)
class _Side:
    """A hull that is in the way and how far (mil) the centre must keep off it."""

    index: int
    outline: Outline
    needed: int
    linear: bool = False

    def allows(self, a: Place, b: Place) -> bool:
        return to_mil(segment_distance_to_outline(a, b, self.outline, linear=False)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("hull", at, segment, hull=self.index)


def _sides(
    start: Point, box: tuple[int, int, int, int], reach: int, hulls: Sequence[Outline], number: int
) -> list[Obstacle]:
    """Return those of the hulls that a path from `start` within `box` could come nearer to than `reach` mil, counted from
    `number`.
    """
    near: list[Obstacle] = []
    for index, outline in enumerate(hulls, number):
        left, bottom, right, top = bounds(outline)
        if box[0] - reach <= right and left <= box[2] + reach and box[1] - reach <= top and bottom <= box[3] + reach:
            near.append(_Side(index, outline, min(reach, to_mil(off(start, outline)))))
    return near


def _last_legal(a: Place, b: Place, obstacle: Obstacle) -> float:
    """Return how far along an illegal way one may go: halved again and again, for once illegal it stays illegal."""
    low = 0.0
    high = 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if obstacle.allows(a, between(a, b, middle)):
            low = middle
        else:
            high = middle
    return low


# Keeping together


def largest_gap(centres: Sequence[Point], radii: Sequence[int]) -> int:
    """Return the widest step (whole mil, base edge to base edge) one must take to walk from any base to every other.

    That is the longest edge of the shortest tree that joins them all: the number a coherency limit is held against. 0 for
    fewer than two bases. Raises ValueError when there are not as many radii as centres.
    """
    if len(centres) != len(radii):
        raise ValueError(f"{len(centres)} centres, but {len(radii)} radii")
    widest = 0
    waiting = list(range(1, len(centres)))
    nearest = {i: to_mil(gap(centres[0], radii[0], centres[i], radii[i])) for i in waiting}
    while waiting:
        joined = min(waiting, key=nearest.__getitem__)
        waiting.remove(joined)
        widest = max(widest, nearest[joined])
        for i in waiting:
            step = to_mil(gap(centres[joined], radii[joined], centres[i], radii[i]))
            nearest[i] = min(nearest[i], step)
    return widest


def cohesive(centres: Sequence[Point], radii: Sequence[int], gap_limit: int) -> bool:
    """Return whether bases form one chain in which no gap is wider than the limit (mil)."""
    return largest_gap(centres, radii) <= gap_limit
