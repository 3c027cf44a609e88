"""Terrain pieces and hulls, prepared for many lines of sight: whether they block one, and whether they hide whole groups."""

from __future__ import annotations

import math
from typing import final

from server.kernel.space.geometry import Outline, Place, Point, bounds, contains, length_inside, meeting
from server.kernel.space.plain import Corner, Spot
from server.kernel.space.screens import Group, Screen, screens_of
from server.kernel.space.terrain import Terrain

Line = tuple[Point, Point]


@final
class Piece:
    """An opaque terrain piece, prepared for many lines: its box, its corners as plain numbers, its screens."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        self.outline: Outline = terrain.outline
        self.linear = terrain.linear
        self.solid = terrain.sight == "solid"
        left, bottom, right, top = bounds(terrain.outline)
        self.left, self.bottom, self.right, self.top = float(left), float(bottom), float(right), float(top)
        self.corners = [Corner(float(x), float(y)) for x, y in terrain.outline]
        self.occupied = terrain.sight == "occupied"
        self.depth = terrain.sight_depth if terrain.sight == "depth" else 0
        self.screens: list[Screen] = []
        if terrain.sight == "solid" or not terrain.linear:
            self.screens = screens_of(terrain.outline, linear=terrain.linear, depth=self.depth)

    def holds(self, at: Place) -> bool:
        """Return whether a place lies in this area."""
        x, y = at
        return self.left <= x <= self.right and self.bottom <= y <= self.top and contains(self.outline, at)

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
            return _enters(sx, sy, ex, ey, self.outline, self.corners, self.depth)
        if self.solid:
            # The line's own ends do not count: a figure may stand on the wall and look either way.
            corners = self.corners
            for i in range(1, len(corners)):
                p, q = corners[i - 1], corners[i]
                first, last = meeting(sx, sy, ex, ey, p.x, p.y, q.x, q.y)
                if first <= last and (0.0 < first < 1.0 or 0.0 < last < 1.0):
                    return True
        return False

    def hides(self, ones: Group, others: Group) -> bool:
        """Return whether this piece surely blocks every line between two groups (see `screens`)."""
        for screen in self.screens:
            if screen.hides(ones, others):
                return not self.occupied or not (self._holds_any(ones) or self._holds_any(others))
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


class Wall:
    """The outline of a hull, prepared for a few lines, which it blocks like a solid piece."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._corners = [Corner(float(x), float(y)) for x, y in outline]
        left, bottom, right, top = bounds(outline)
        self._left, self._bottom, self._right, self._top = float(left), float(bottom), float(right), float(top)

    def blocks(self, line: Line) -> bool:
        """Return whether a line enters the hull."""
        (sx, sy), (ex, ey) = line
        if (sx < self._left and ex < self._left) or (sx > self._right and ex > self._right):
            return False
        if (sy < self._bottom and ey < self._bottom) or (sy > self._top and ey > self._top):
            return False
        return _enters(sx, sy, ex, ey, self._outline, self._corners, 0)


def _enters(sx: float, sy: float, ex: float, ey: float, outline: Outline, corners: list[Corner], depth: int) -> bool:
    """Return whether more than `depth` mil of a line lie inside an outline, which has these corners.

    The border counts: between two houses that share a wall there is no slit to look through. Along a lone wall one still
    sees, by the lines that keep to its open side. Whole numbers of this size are the same as floats.
    """
    dx, dy = ex - sx, ey - sy
    # On which side of the line is each corner? Where the side changes, the edge crosses the line drawn on
    # without end; from crossing to crossing in turn one is inside and outside.
    last = corners[-1]
    px, py = last.x, last.y
    before = dx * (py - sy) - dy * (px - sx)
    cuts = 0
    first = second = 0.0
    more: list[float] | None = None  # a third and on: only an outline with a bay has them
    for corner in corners:
        x, y = corner.x, corner.y
        side = dx * (y - sy) - dy * (x - sx)
        if side == 0.0:  # a corner or a whole edge on the line: the careful way
            return math.floor(length_inside((sx, sy), (ex, ey), outline, border=True) + 0.5) > depth
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
