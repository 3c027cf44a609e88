"""Destinations of a base: near to others, beyond their reach, at the table's edge. Each is a `Goal` of a search for a way."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from server.kernel.finding.walks import Walk
from server.kernel.finding.waypoints import Circle, Line, crossings, foot, meetings, offset_sides
from server.kernel.space.geometry import INF, Outline, Place, Point, distance, to_mil, to_point
from server.kernel.space.obstacles import Box
from server.kernel.space.paths import on_table, overlaps
from server.kernel.space.plain import Shape, Spot
from server.kernel.space.values import Base


class Goal(ABC):
    """Where a way is to end."""

    @abstractmethod
    def bound(self, p: Place) -> float:
        """Return the least distance (mil) from `p` to a place that is reached; 0 where `p` may be one. Never too much."""

    @abstractmethod
    def nearest(self, p: Point) -> list[Point]:
        """Return where straight ways from `p` would end without obstacles."""

    @abstractmethod
    def reached(self, p: Point) -> bool:
        """Return whether a base may end at `p`, and has then reached what it wanted."""


class Berths:
    """The places where a base may end: on the table, on no other base, in no hull, no nearer to an obstacle than its way may
    come.

    Args:
        size: the table's width and height, in mil.
        radius: the base's, in mil.
        taken: the bases on which it may not end.
        hulls: the hulls in which it may not end.
    """

    def __init__(
        self, size: tuple[int, int], radius: int, taken: Sequence[Base], hulls: Sequence[Outline] = ()
    ) -> None:
        self.size = size
        self.radius = radius
        self.taken = taken
        self.hulls = hulls

    def free(self, at: Point) -> bool:
        """Return whether other bases and hulls on the table let the base end at `at`."""
        return on_table(at, self.radius, self.size) and not overlaps(at, self.radius, self.taken, self.hulls)

    def curves(self, walk: Walk, box: Box) -> tuple[list[Circle], list[Line]]:
        """Return the curves that bound the places where a base that walks so may end within `box` (left, bottom, right, top):
        circles round bases and corners, lines along sides and the table's edge.
        """
        left, bottom, right, top = box
        circles: list[Circle] = [(at, float(radius + self.radius)) for at, radius in self.taken]
        circles += walk.corners()
        circles += [(corner, float(self.radius)) for hull in self.hulls for corner in hull]
        width, height = self.size
        r = self.radius
        lines: list[Line] = [((r, r), (width - r, r)), ((r, height - r), (width - r, height - r))]
        lines += [((r, r), (r, height - r)), ((width - r, r), (width - r, height - r))]
        lines += walk.sides()
        for hull in self.hulls:
            lines += offset_sides(hull, self.radius + 1, linear=False)
        # Curves a mil farther off are added: where curves meet, coordinates are rounded, and where a base just fits, there is
        # no mil to spare.
        circles += [(at, radius + 1) for at, radius in circles]
        inside = [
            ((x, y), radius)
            for (x, y), radius in circles
            if left - radius <= x <= right + radius and bottom - radius <= y <= top + radius
        ]
        crossing = [
            (a, b)
            for a, b in lines
            if min(a[0], b[0]) <= right
            and max(a[0], b[0]) >= left
            and min(a[1], b[1]) <= top
            and max(a[1], b[1]) >= bottom
        ]
        return inside, crossing


class _Measured(Goal):
    """The common part of near and beyond: bases and hulls from which the distance counts, edge to edge."""

    def __init__(self, berths: Berths, bases: Sequence[Base], sides: Sequence[Outline], reach: int) -> None:
        self._berths = berths
        self._bases = bases
        self._sides = sides
        self._reach = reach
        self._spots = [Spot(at, radius) for at, radius in bases]
        self._shapes = [Shape(side) for side in sides]

    def _off(self, p: Place) -> float:
        """Return the mil from the edge of the base at `p` to the nearest of the others; below 0 where they overlap."""
        radius = float(self._berths.radius)
        x, y = float(p[0]), float(p[1])
        nearest = INF
        for spot in self._spots:
            dx, dy = spot.x - x, spot.y - y
            nearest = min(nearest, math.sqrt(dx * dx + dy * dy) - spot.radius - radius)
        for shape in self._shapes:
            nearest = min(nearest, shape.off(x, y) - radius)
        return nearest

    @abstractmethod
    def _aways(self) -> tuple[int, ...]:
        """Return the distances in mil from the others at which a way ends: where a player would place the base, and the last
        place that is still legal.
        """

    def nearest(self, p: Point) -> list[Point]:
        """Return the ends of straight ways to, or away from, each of the others; the shortest first."""
        places = [(at, radius) for at, radius in self._bases]
        for side in self._sides:
            feet = [foot(a, b, p) for a, b in zip(side[-1:] + side[:-1], side, strict=True)]
            places.append((to_point(min(feet, key=lambda at: distance(at, p))), 0))
        found: list[Point] = []
        for away in self._aways():
            ends = [_along(at, p, radius + self._berths.radius + away) for at, radius in places]
            if len(ends) > 1:
                ends.sort(key=lambda end: distance(end, p))
            found += ends
        return found

    def rim(self) -> tuple[list[Circle], list[Line]]:
        """Return the circles and lines on which the ends of ways lie."""
        away = float(self._berths.radius + self._aways()[-1])
        circles: list[Circle] = [(at, radius + away) for at, radius in self._bases]
        circles += [(corner, away) for side in self._sides for corner in side]
        return circles, [line for side in self._sides for line in offset_sides(side, away, linear=False)]

    def places(self, walk: Walk, most: float) -> list[Point]:
        """Return the places on the rim, at most `most` mil from where `walk` begins, at which free stretches begin: where a
        straight way does not end well, one of them does.
        """
        circles, lines = self.rim()
        # What does not come near to the rim does not meet it.
        others, edges = self._berths.curves(walk, _both(walk.box, _box_of(circles, lines)))
        found = meetings(circles, [*lines, *edges], others)
        found += crossings(others, lines)
        return [at for at in found if distance(walk.start, at) <= most and self.reached(at)]


class Near(_Measured):
    """Ends within `reach` mil of one of these bases or hulls, edge to edge; contact for a reach of `standing.TOUCH`."""

    def _aways(self) -> tuple[int, ...]:
        # A mil less, here and below, for the rounding of coordinates.
        return (self._reach // 2, max(0, self._reach - 1))

    def bound(self, p: Place) -> float:
        """Return the straight way to the nearest place within reach, with half a mil for rounding."""
        return max(0.0, self._off(p) - self._reach - 0.5)

    def reached(self, p: Point) -> bool:
        return to_mil(self._off(p)) <= self._reach and self._berths.free(p)


class Beyond(_Measured):
    """Ends farther than `reach` mil from all of these bases and hulls, edge to edge."""

    def _aways(self) -> tuple[int, ...]:
        return (self._reach + 2,)

    def bound(self, p: Place) -> float:
        """Return the straight way out of the reach of the nearest, with half a mil for rounding."""
        return max(0.0, self._reach + 0.5 - self._off(p))

    def reached(self, p: Point) -> bool:
        return to_mil(self._off(p)) > self._reach and self._berths.free(p)

    def every_place(self, walk: Walk) -> list[Point]:
        """Return the places beyond reach in which two of the curves meet that bound where a base may end: if there is any
        place at all that is not open to a way round a corner, it has one of these at its border.
        """
        circles, lines = self._berths.curves(walk, walk.box)
        return [at for at in meetings(circles, lines, []) if self.reached(at)]


class TableEdge(Goal):
    """Ends at the table's edge, about to leave it."""

    def __init__(self, size: tuple[int, int], radius: int) -> None:
        self._size = size
        self._radius = radius

    def _off(self, p: Place) -> float:
        (x, y), (width, height) = p, self._size
        return min(x, y, width - x, height - y) - self._radius

    def bound(self, p: Place) -> float:
        """Return the straight way to the nearest edge."""
        return max(0.0, self._off(p) - 1)

    def nearest(self, p: Point) -> list[Point]:
        """Return the ends of straight ways to each edge."""
        (x, y), (width, height), r = p, self._size, self._radius
        return [(r, y), (width - r, y), (x, r), (x, height - r)]

    def reached(self, p: Point) -> bool:
        """Return whether the base touches the edge."""
        return to_mil(self._off(p)) <= 1


def _box_of(circles: Sequence[Circle], lines: Sequence[Line]) -> Box:
    """Return the box (left, bottom, right, top) in which these curves lie, with a mil to spare."""
    left, bottom, right, top = INF, INF, -INF, -INF
    for (x, y), radius in circles:
        left, right = min(left, x - radius), max(right, x + radius)
        bottom, top = min(bottom, y - radius), max(top, y + radius)
    for line in lines:
        for x, y in line:
            left, right = min(left, x), max(right, x)
            bottom, top = min(bottom, y), max(top, y)
    return (int(left) - 2, int(bottom) - 2, int(right) + 2, int(top) + 2)


def _both(one: Box, other: Box) -> Box:
    """Return the box that two boxes have in common."""
    return (max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3]))


def _along(origin: Place, p: Place, length: float) -> Point:
    """Return the point `length` mil from `origin` in the direction of `p`."""
    apart = distance(origin, p)
    if apart == 0:
        return to_point((origin[0] + length, origin[1]))
    return to_point((origin[0] + (p[0] - origin[0]) * length / apart, origin[1] + (p[1] - origin[1]) * length / apart))
