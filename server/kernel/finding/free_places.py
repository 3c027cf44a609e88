"""Exact candidates for the free place nearest to a point: a search among them misses no place that exists.

A base may not stand where its centre would lie in certain regions: within some distance of a point (another base) or of an
edge (of a hull, of terrain, of a zone), and in the strip along the table's edge. Of all places outside them, the nearest to a
wanted one is that place itself, or it lies on one of their borders where that comes nearest to it, or where two borders
cross. Borders are segments and circles, so these places can be listed. All lengths are in mil.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from server.kernel.space.geometry import (
    INF,
    Outline,
    Place,
    Point,
    between,
    distance,
    edges,
    segment_point_distance,
    to_point,
)
from server.kernel.space.hulls import SLACK
from server.kernel.space.paths import on_table
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base

_CELL: Final = 2000
"""The size of the table's cells by which borders and regions are sorted."""
_DEEP: Final = 2
"""The depth inside a region at which no neighbouring whole point lies outside it."""
_AROUND = tuple((dx, dy) for dx in range(3) for dy in range(3))
"""The whole points around a measured place, from the first of them."""
_ALONG = range(-8, 9)
"""The same along a way: where it grazes a border, rounding to whole points moves the last free one by some mil."""


@final
class Circle:
    """A border that is a circle, or part of one."""

    def __init__(self, centre: Place, radius: float) -> None:
        self.centre = centre
        self.radius = radius

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top."""
        (x, y), r = self.centre, self.radius
        return (x - r, y - r, x + r, y + r)

    def off(self, p: Place) -> float:
        """Return how far `p` is from the border."""
        return abs(distance(self.centre, p) - self.radius)

    def nearest(self, p: Place) -> Place:
        """Return where the border comes nearest to `p`; some place of it when `p` is its centre."""
        whole = distance(self.centre, p)
        (x, y), share = self.centre, self.radius / whole if whole else 0.0
        return (x + (p[0] - x) * share, y + (p[1] - y) * share) if whole else (x + self.radius, y)


@final
class Segment:
    """A border that is straight, from `a` to `b`."""

    def __init__(self, a: Place, b: Place) -> None:
        self.a = a
        self.b = b

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, bottom, right, top."""
        (ax, ay), (bx, by) = self.a, self.b
        return (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))

    def off(self, p: Place) -> float:
        """Return how far `p` is from the border."""
        return segment_point_distance(self.a, self.b, p)

    def nearest(self, p: Place) -> Place:
        """Return where the border comes nearest to `p`."""
        (ax, ay), (bx, by) = self.a, self.b
        dx, dy = bx - ax, by - ay
        square = dx * dx + dy * dy
        t = 0.0 if square == 0 else max(0.0, min(1.0, ((p[0] - ax) * dx + (p[1] - ay) * dy) / square))
        return (ax + t * dx, ay + t * dy)


Border = Circle | Segment
Region = tuple[Place, Place, float]
"""All that is nearer than the number to the segment between the two points, which may be one."""


class Borders:
    """The borders of the ground on which the centre of a base of `radius` may be: on a table of this size, off terrain, bases and
    hulls, wholly inside `zone` when there is one.
    """

    def __init__(
        self,
        radius: int,
        size: tuple[int, int],
        barred: Iterable[Terrain],
        taken: Iterable[Base],
        hulls: Iterable[Outline],
        zone: Sequence[Point] = (),
    ) -> None:
        self._radius, self._size = radius, size
        self._every: list[Border] = []
        self._crossed: dict[int, list[Place]] = {}
        self._borders: dict[tuple[int, int], list[int]] = {}
        self._regions: dict[tuple[int, int], list[Region]] = {}
        width, height = size
        table = (
            (radius, radius),
            (width - radius, radius),
            (width - radius, height - radius),
            (radius, height - radius),
        )
        for a, b in edges(table, linear=False):
            self._border(Segment(a, b))
        for piece in barred:
            self._line(piece.outline, radius, linear=piece.linear)
        self.keep_off(taken, hulls, 0)
        if zone:
            self._line(tuple(zone), radius, linear=False)

    def keep_off(self, bases: Iterable[Base], hulls: Iterable[Outline], clear: int) -> None:
        """Keep the base `clear` mil away from these bases and hulls. To be called before anything is asked."""
        for at, other in bases:
            self._point(at, self._radius + clear + other)
        for hull in hulls:
            # What overlaps a hull by no more than touching does not stand in it.
            self._line(hull, max(0, self._radius + clear - 2 * SLACK), linear=False)

    def candidates(self, wanted: Point, reach: float, more: Sequence[Base] = (), beyond: float = -INF) -> list[Point]:
        """Return the whole points within about `reach` of `wanted` that could be the free place nearest to it, nearest first.
        Those nearer than about `beyond` may be left out.

        Off the bases in `more` too, which have been added since.
        """
        least, most = beyond - _DEEP, reach + _DEEP
        added = [Circle(at, self._radius + other) for at, other in more]
        places: list[Place] = [wanted] if least <= 0 and self._open(wanted) else []
        for index, border in enumerate(self._every):
            off = border.off(wanted)
            if off <= most:
                if off >= least and self._open(nearest := border.nearest(wanted)):
                    places.append(nearest)
                places += self._crossed_at(index)
        for number, circle in enumerate(added):
            if circle.off(wanted) <= most:
                met = [place for other in added[:number] for place in _circles(circle, other)]
                met += [
                    place for other in self._neighbours(circle, len(self._every)) for place in crossings(other, circle)
                ]
                places += [place for place in (circle.nearest(wanted), *met) if self._open(place)]
        found = set()
        for x, y in places:
            if least <= distance((x, y), wanted) <= most and _off_all((x, y), added):
                left, bottom = math.floor(x + 0.5) - 1, math.floor(y + 0.5) - 1
                found |= {(left + dx, bottom + dy) for dx, dy in _AROUND}
        return sorted(found, key=lambda at: (distance(at, wanted), at))

    def _crossed_at(self, index: int) -> list[Place]:
        """Return where the border of this index crosses one of those before it, and no region lies."""
        known = self._crossed.get(index)
        if known is None:
            border = self._every[index]
            met = [place for other in self._neighbours(border, index) for place in crossings(border, other)]
            known = self._crossed[index] = [place for place in met if self._open(place)]
        return known

    def on_the_way(self, start: Point, end: Point) -> list[Point]:
        """Return the whole points of the straight way from `start` to `end` that could be the last free place on it, the last
        first.
        """
        whole = distance(start, end)
        if whole == 0:
            return [start]
        way = Segment(start, end)
        met = [place for border in self._neighbours(way, len(self._every)) for place in crossings(border, way)]
        lengths = {distance(start, place) + more for place in met for more in _ALONG}
        return [
            to_point(between(start, end, length / whole))
            for length in sorted({0.0, whole, *(length for length in lengths if 0 < length < whole)}, reverse=True)
        ]

    def _open(self, p: Place) -> bool:
        """Return whether a place is not well inside any region."""
        if not on_table(p, self._radius - _DEEP, self._size):
            return False
        return all(
            segment_point_distance(a, b, p) > far - _DEEP
            for a, b, far in self._regions.get((int(p[0] // _CELL), int(p[1] // _CELL)), ())
        )

    def _neighbours(self, border: Border, index: int) -> Iterator[Border]:
        """Yield the borders before the one of this index that come near it."""
        near = {other for cell in _cells(border.box) for other in self._borders.get(cell, ()) if other < index}
        return (self._every[other] for other in sorted(near))

    def _point(self, at: Place, far: float) -> None:
        self._border(Circle(at, far))
        self._region((at, at, far))

    def _line(self, outline: Outline, far: float, *, linear: bool) -> None:
        """Add the region nearer than `far` to a line, on both sides of it."""
        for corner in outline:
            self._border(Circle(corner, far))
        for a, b in edges(outline, linear=linear):
            self._region((a, b, far))
            whole = distance(a, b)
            if whole:
                nx, ny = -(b[1] - a[1]) / whole * far, (b[0] - a[0]) / whole * far
                self._border(Segment((a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny)))
                self._border(Segment((a[0] - nx, a[1] - ny), (b[0] - nx, b[1] - ny)))

    def _border(self, border: Border) -> None:
        for cell in _cells(border.box):
            self._borders.setdefault(cell, []).append(len(self._every))
        self._every.append(border)

    def _region(self, region: Region) -> None:
        (ax, ay), (bx, by), far = region
        for cell in _cells((min(ax, bx) - far, min(ay, by) - far, max(ax, bx) + far, max(ay, by) + far)):
            self._regions.setdefault(cell, []).append(region)


def _cells(box: tuple[float, float, float, float]) -> Iterator[tuple[int, int]]:
    """Yield the cells that a box reaches into."""
    left, bottom, right, top = (int(side // _CELL) for side in (box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1))
    return ((x, y) for x in range(left, right + 1) for y in range(bottom, top + 1))


def _off_all(p: Place, circles: Sequence[Circle]) -> bool:
    """Return whether a place is not well inside any of the circles."""
    return all(distance(circle.centre, p) > circle.radius - _DEEP for circle in circles)


# --- where two borders cross ----------------------------------------------------------------------------------------


def crossings(one: Border, other: Border) -> Iterator[Place]:
    """Yield the places where two borders cross. None for two straight ones that lie along each other: a third one ends what
    is free there.
    """
    if isinstance(one, Circle):
        yield from _circles(one, other) if isinstance(other, Circle) else _cut(one, other)
    elif isinstance(other, Circle):
        yield from _cut(other, one)
    else:
        yield from _segments(one, other)


def _circles(one: Circle, other: Circle) -> Iterator[Place]:
    (ax, ay), (bx, by) = one.centre, other.centre
    whole = distance(one.centre, other.centre)
    # A mil for borders that only just touch.
    if whole == 0 or whole > one.radius + other.radius + 1 or whole < abs(one.radius - other.radius) - 1:
        return
    along = (whole * whole + one.radius * one.radius - other.radius * other.radius) / (2 * whole)
    across = math.sqrt(max(0.0, one.radius * one.radius - along * along))
    ux, uy = (bx - ax) / whole, (by - ay) / whole
    for sign in (1, -1):
        yield (ax + along * ux - sign * across * uy, ay + along * uy + sign * across * ux)


def _cut(circle: Circle, segment: Segment) -> Iterator[Place]:
    (ax, ay), (bx, by) = segment.a, segment.b
    whole = distance(segment.a, segment.b)
    if whole == 0:
        return
    ux, uy = (bx - ax) / whole, (by - ay) / whole
    wx, wy = circle.centre[0] - ax, circle.centre[1] - ay
    along, off = wx * ux + wy * uy, abs(wx * uy - wy * ux)
    if off > circle.radius + 1:
        return
    half = math.sqrt(max(0.0, circle.radius * circle.radius - off * off))
    for t in (along - half, along + half):
        if -1 <= t <= whole + 1:
            yield (ax + t * ux, ay + t * uy)


def _segments(one: Segment, other: Segment) -> Iterator[Place]:
    dx, dy = one.b[0] - one.a[0], one.b[1] - one.a[1]
    ex, ey = other.b[0] - other.a[0], other.b[1] - other.a[1]
    denominator = dx * ey - dy * ex
    if abs(denominator) < 1e-9:
        return
    wx, wy = other.a[0] - one.a[0], other.a[1] - one.a[1]
    t, u = (wx * ey - wy * ex) / denominator, (wx * dy - wy * dx) / denominator
    slack = 1e-3  # for borders that only just meet
    if -slack <= t <= 1 + slack and -slack <= u <= 1 + slack:
        yield (one.a[0] + t * dx, one.a[1] + t * dy)
