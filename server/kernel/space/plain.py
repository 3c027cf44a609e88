"""Places as plain numbers, for arithmetic that is done very often.

A point is a tuple of objects, which compiled code has to unpack each time; the fields of these classes it reads directly.
"""

from __future__ import annotations

import math
from typing import final

from server.kernel.space.geometry import INF, Outline, Place, contains, meeting, off_segment, to_mil


@final
class Corner:
    """A corner as two plain numbers, which compiled code reads without unpacking a tuple of objects."""

    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y


@final
class Spot:
    """Where a figure is, as plain numbers: the centre and the radius of its base, or how far its hull reaches."""

    def __init__(self, at: Place, radius: float) -> None:
        self.x = float(at[0])
        self.y = float(at[1])
        self.radius = float(radius)

    def gap(self, other: Spot) -> float:
        """Return what `geometry.gap` does."""
        dx, dy = other.x - self.x, other.y - self.y
        free = math.sqrt(dx * dx + dy * dy) - self.radius - other.radius
        return free if free > 0 else 0.0

    def reaches(self, other: Spot) -> bool:
        """Return whether the circles of the two may meet: it is never wrong where it says no."""
        dx, dy = other.x - self.x, other.y - self.y
        reach = self.radius + other.radius + 1
        return dx * dx + dy * dy <= reach * reach


@final
class Border:
    """The border of an outline, closed or an open line, from which many straight ways must keep off."""

    def __init__(self, outline: Outline, *, linear: bool) -> None:
        self.outline = outline
        self.linear = linear
        self.corners = [Corner(float(x), float(y)) for x, y in outline]

    def keeps_off(self, a: Place, b: Place, needed: int) -> bool:
        """Return whether `geometry.segment_distance_to_outline` of the way from `a` to `b`, rounded, is at least `needed` mil."""
        if needed <= 0:
            return True
        if not self.linear and contains(self.outline, a):
            return False
        ax, ay, bx, by = float(a[0]), float(a[1]), float(b[0]), float(b[1])
        # An edge that lies wholly on one side of this box is too far off to be judged.
        spare = needed + 1.0
        west, east = (ax - spare, bx + spare) if ax < bx else (bx - spare, ax + spare)
        south, north = (ay - spare, by + spare) if ay < by else (by - spare, ay + spare)
        nearest = INF
        corners = self.corners
        p = corners[0] if self.linear else corners[-1]
        for q in corners:
            if (
                (p.x > west or q.x > west)
                and (p.x < east or q.x < east)
                and (p.y > south or q.y > south)
                and (p.y < north or q.y < north)
            ):
                start, end = meeting(ax, ay, bx, by, p.x, p.y, q.x, q.y)
                if start <= end:
                    return False
                nearest = min(nearest, off_segment(p.x, p.y, q.x, q.y, ax, ay))
                nearest = min(nearest, off_segment(p.x, p.y, q.x, q.y, bx, by))
                nearest = min(nearest, off_segment(ax, ay, bx, by, q.x, q.y))
            p = q
        return nearest == INF or to_mil(nearest) >= needed


@final
class Shape:
    """The outline of a hull, from which the distance to many places is asked."""

    def __init__(self, outline: Outline) -> None:
        self.corners = [Corner(float(x), float(y)) for x, y in outline]

    def off(self, x: float, y: float) -> float:
        """Return what `hulls.off` does: the mil from a place to the hull; 0 within it."""
        nearest = INF
        outside = False
        corners = self.corners
        a = corners[-1]
        for b in corners:
            if (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) < 0:
                outside = True
            nearest = min(nearest, off_segment(a.x, a.y, b.x, b.y, x, y))
            a = b
        return nearest if outside else 0.0
