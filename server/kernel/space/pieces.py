"""Terrain pieces and hulls, prepared for many lines of sight: whether they block one, and whether they hide whole groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import final

from server.kernel.space.areas import Area
from server.kernel.space.geometry import (
    Outline,
    Place,
    Point,
    meeting,
    off_segment,
)
from server.kernel.space.plain import Spot
from server.kernel.space.screens import Group, Screen, screens_of
from server.kernel.space.terrain import DEEP, Terrain
from server.kernel.space.values import Base

Line = tuple[Point, Point]


@final
class Piece:
    """An opaque terrain piece, prepared for many lines: its box, its corners as plain numbers, its screens."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        self.outline: Outline = terrain.outline
        self.linear = terrain.linear
        self.solid = terrain.sight == "solid"
        self.area = area = Area(terrain.outline)
        self.left, self.bottom, self.right, self.top = area.left, area.bottom, area.right, area.top
        self.corners = area.corners
        self.occupied = terrain.sight == "occupied"
        self.depth = terrain.sight_depth if terrain.sight in DEEP else 0
        self.adds = terrain.sight != "depth" and self.depth > 0
        """Whether what lies inside is added up with what lies inside other such pieces (`too_deep`)."""
        self.ends = terrain.sight == "depth_from_edge"
        self.screens: list[Screen] = []
        if terrain.sight == "solid" or not terrain.linear:
            self.screens = screens_of(terrain.outline, linear=terrain.linear, depth=self.depth)

    def holds(self, at: Place) -> bool:
        """Return whether a place lies in this area."""
        return self.area.holds(float(at[0]), float(at[1]))

    def stops(self, sx: float, sy: float, ex: float, ey: float, one: Spot, other: Spot) -> bool:
        """Return whether this piece blocks a line from (sx, sy) to (ex, ey), both whole mil, between two figures."""
        return self.meets(sx, sy, ex, ey) and (
            not self.occupied or not (self.holds((one.x, one.y)) or self.holds((other.x, other.y)))
        )

    def blocks(self, line: Line, centres: Line) -> bool:
        """Return whether this piece blocks a line between two figures with these centres."""
        (sx, sy), (ex, ey) = line
        return self.meets(sx, sy, ex, ey) and (
            not self.occupied or not (self.holds(centres[0]) or self.holds(centres[1]))
        )

    def meets(self, sx: float, sy: float, ex: float, ey: float) -> bool:
        """Return whether a line from (sx, sy) to (ex, ey), both whole mil, crosses this wall, or enters this area by more than
        one sees through.
        """
        if (
            (sx < self.left and ex < self.left)
            or (sx > self.right and ex > self.right)
            or (sy < self.bottom and ey < self.bottom)
            or (sy > self.top and ey > self.top)
        ):
            return False
        if not self.linear:
            if _enters(sx, sy, ex, ey, self.area, self.depth):
                return True
            return self.ends and self._goes_on(sx, sy, ex, ey)
        if self.solid:
            # The line's own ends do not count: a figure may stand on the wall and look either way.
            corners = self.corners
            for i in range(1, len(corners)):
                p, q = corners[i - 1], corners[i]
                first, last = meeting(sx, sy, ex, ey, p.x, p.y, q.x, q.y)
                if first <= last and (0.0 < first < 1.0 or 0.0 < last < 1.0):
                    return True
        return False

    def _goes_on(self, sx: float, sy: float, ex: float, ey: float) -> bool:
        """Return whether a line that enters and leaves this area goes on for more than the depth behind its border, from
        whichever end it is seen.
        """
        length = math.sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy))
        for start, end in self.area.spans(sx, sy, ex, ey, border=True):
            if start > 0.0 and end < 1.0:
                least = min((1.0 - start) * length, end * length)
                if math.floor(least + 0.5) > self.depth:
                    return True
        return False

    def hides(self, ones: Group, others: Group) -> bool:
        """Return whether this piece surely blocks every line between two groups (see `screens`)."""
        for screen in self.screens:
            if screen.hides(ones, others):
                return not self.occupied or not (self._holds_any(ones) or self._holds_any(others))
        return False

    def hides_one(self, one: Spot, others: Group) -> bool:
        """Return what `hides` does for a group of one figure."""
        for screen in self.screens:
            if screen.hides_one(one, others):
                return not self.occupied or not (self.holds((one.x, one.y)) or self._holds_any(others))
        return False

    def hides_pair(self, one: Spot, other: Spot, *, round_bases: bool = True) -> bool:
        """Return whether this piece surely blocks every line between two bases, or hulls that reach so far."""
        for screen in self.screens:
            if screen.hides_pair(one, other, round_bases=round_bases):
                return not self.occupied or not (self.holds((one.x, one.y)) or self.holds((other.x, other.y)))
        return False

    def _holds_any(self, group: Group) -> bool:
        if group.left > self.right or group.right < self.left or group.bottom > self.top or group.top < self.bottom:
            return False
        return any(self.holds(body.at) for body in group.bodies)


@lru_cache(maxsize=512)
def piece_of(terrain: Terrain) -> Piece:
    """Return a terrain piece, prepared. Tables share it: where one piece comes about or goes, the others stay as they are."""
    return Piece(terrain)


def too_deep(pieces: Sequence[Piece], sx: float, sy: float, ex: float, ey: float) -> Piece | None:
    """Return the piece in which a line from (sx, sy) to (ex, ey) comes to its end, since more of it than one sees through lies
    inside the pieces whose depths are added up; None if it does not. Where pieces overlap, the densest counts.
    """
    spans: list[tuple[float, float, Piece]] = []
    for piece in pieces:
        if piece.adds:
            for start, end in piece.area.spans(sx, sy, ex, ey, border=True):
                spans.append((start, end, piece))
    if len(spans) < 2:
        return None  # one piece alone is asked by `Piece.meets`
    marks: list[float] = []
    whole = 0
    for start, end, piece in spans:
        marks.append(start)
        marks.append(end)
        whole = max(whole, piece.depth)
    marks.sort()
    length = math.sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy))
    deep = 0.0
    last = spans[0][2]
    for i in range(1, len(marks)):
        densest = _densest(spans, (marks[i - 1] + marks[i]) / 2)
        if densest is not None:
            last = densest
            deep += (marks[i] - marks[i - 1]) * length * (whole / densest.depth)
    return last if math.floor(deep + 0.5) > whole else None


def _densest(spans: list[tuple[float, float, Piece]], at: float) -> Piece | None:
    """Return the piece through which one sees least, of those in which a place of a line lies."""
    densest: Piece | None = None
    for start, end, piece in spans:
        if start < at < end and (densest is None or piece.depth < densest.depth):
            densest = piece
    return densest


class Crowd:
    """Figures of one unit through which no other fires: a line is stopped that passes over a base, or between two of them that
    are less than `gap` mil apart, edge to edge.
    """

    def __init__(self, bases: Sequence[Base], gap: int) -> None:
        self._spots: list[Spot] = [Spot(at, radius) for at, radius in bases]
        self._gaps: list[tuple[Spot, Spot]] = []
        for i, one in enumerate(self._spots):
            for other in self._spots[:i]:
                if math.floor(one.gap(other) + 0.5) < gap:
                    self._gaps.append((one, other))
        self._left = min([spot.x - spot.radius for spot in self._spots])
        self._right = max([spot.x + spot.radius for spot in self._spots])
        self._bottom = min([spot.y - spot.radius for spot in self._spots])
        self._top = max([spot.y + spot.radius for spot in self._spots])

    def between(self, ones: Group, others: Group) -> bool:
        """Return whether any of the figures may stand between two groups. False is certain."""
        return (
            self._left <= max(ones.right, others.right)
            and self._right >= min(ones.left, others.left)
            and self._bottom <= max(ones.top, others.top)
            and self._top >= min(ones.bottom, others.bottom)
        )

    def near(self, one: Spot, other: Spot) -> bool:
        """Return whether any of the figures may stand between two others. False is certain."""
        reach = max(one.radius, other.radius) + 1.0  # what rounding may add
        if (
            self._left > max(one.x, other.x) + reach
            or self._right < min(one.x, other.x) - reach
            or self._bottom > max(one.y, other.y) + reach
            or self._top < min(one.y, other.y) - reach
        ):
            return False
        return not self._aside(one.x, one.y, other.x, other.y, reach)

    def blocks(self, line: Line) -> bool:
        """Return whether a line is stopped."""
        (sx, sy), (ex, ey) = line
        return self.stops(sx, sy, ex, ey)

    def stops(self, sx: float, sy: float, ex: float, ey: float) -> bool:
        """Return whether a line from (sx, sy) to (ex, ey), both whole mil, is stopped."""
        if (sx < self._left and ex < self._left) or (sx > self._right and ex > self._right):
            return False
        if (sy < self._bottom and ey < self._bottom) or (sy > self._top and ey > self._top):
            return False
        if self._aside(sx, sy, ex, ey, 0.0):
            return False
        for spot in self._spots:
            if math.floor(off_segment(sx, sy, ex, ey, spot.x, spot.y) + 0.5) < spot.radius:
                return True
        dx, dy = ex - sx, ey - sy
        for one, other in self._gaps:
            here = dx * (one.y - sy) - dy * (one.x - sx)
            there = dx * (other.y - sy) - dy * (other.x - sx)
            gx, gy = other.x - one.x, other.y - one.y
            begins = gx * (sy - one.y) - gy * (sx - one.x)
            ends = gx * (ey - one.y) - gy * (ex - one.x)
            if here * there < 0.0 and begins * ends < 0.0:
                return True
        return False

    def _aside(self, sx: float, sy: float, ex: float, ey: float, reach: float) -> bool:
        """Return whether all figures surely stand on one side of a line, and no base comes within `reach` mil of it."""
        dx, dy = ex - sx, ey - sy
        length = math.sqrt(dx * dx + dy * dy)
        if length == 0.0:
            return False
        left = right = False
        for spot in self._spots:
            off_line = dx * (spot.y - sy) - dy * (spot.x - sx)
            free = (spot.radius + reach + 1.0) * length  # what rounding may add
            if off_line > free:
                left = True
            elif off_line < -free:
                right = True
            else:
                return False
            if left and right:
                return False
        return True


@final
class Wall:
    """The outline of a hull, prepared for many lines, which it blocks like a solid piece."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self._area = Area(outline)

    def within(self, left: float, bottom: float, right: float, top: float) -> bool:
        """Return whether the hull may reach into a box. False is certain."""
        area = self._area
        return area.left <= right and area.right >= left and area.bottom <= top and area.top >= bottom

    def near(self, one: Spot, other: Spot) -> bool:
        """Return whether the hull may stand between two figures. False is certain."""
        return self.within(
            min(one.x - one.radius, other.x - other.radius),
            min(one.y - one.radius, other.y - other.radius),
            max(one.x + one.radius, other.x + other.radius),
            max(one.y + one.radius, other.y + other.radius),
        )

    def stops(self, sx: float, sy: float, ex: float, ey: float) -> bool:
        """Return whether a line from (sx, sy) to (ex, ey), both whole mil, enters the hull."""
        return not self._area.missed(sx, sy, ex, ey) and _enters(sx, sy, ex, ey, self._area, 0)

    def blocks(self, line: Line) -> bool:
        """Return whether a line enters the hull."""
        (sx, sy), (ex, ey) = line
        return self.stops(sx, sy, ex, ey)


@lru_cache(maxsize=256)
def wall_of(outline: Outline) -> Wall:
    """Return the wall of a hull; all who look past it share it."""
    return Wall(outline)


def _enters(sx: float, sy: float, ex: float, ey: float, area: Area, depth: int) -> bool:
    """Return whether more than `depth` mil of a line lie inside an area.

    The border counts: between two houses that share a wall there is no slit to look through. Along a lone wall one still
    sees, by the lines that keep to its open side. Whole numbers of this size are the same as floats.
    """
    dx, dy = ex - sx, ey - sy
    # On which side of the line is each corner? Where the side changes, the edge crosses the line drawn on
    # without end; from crossing to crossing in turn one is inside and outside.
    last = area.corners[-1]
    px, py = last.x, last.y
    before = dx * (py - sy) - dy * (px - sx)
    cuts = 0
    first = second = 0.0
    more: list[float] | None = None  # a third and on: only an outline with a bay has them
    for corner in area.corners:
        x, y = corner.x, corner.y
        side = dx * (y - sy) - dy * (x - sx)
        if side == 0.0:  # a corner or a whole edge on the line: the careful way
            return math.floor(area.length(sx, sy, ex, ey, border=True) + 0.5) > depth
        if (side > 0.0) != (before > 0.0):
            t = ((px - sx) * (y - py) - (py - sy) * (x - px)) / (side - before)
            t = 0.0 if t < 0.0 else min(t, 1.0)
            cuts += 1
            if cuts == 1:
                first = t
            elif cuts == 2:
                second = t
            else:
                more = [t] if more is None else [*more, t]
        px, py, before = x, y, side
    if cuts == 0:
        return False
    share = 0.0
    if more is None:
        share = second - first if second > first else first - second
    else:
        ordered = sorted((first, second, *more))
        for i in range(0, len(ordered), 2):
            share += ordered[i + 1] - ordered[i]
    # As `at_most` rounds.
    return math.floor(share * math.sqrt(dx * dx + dy * dy) + 0.5) > depth
