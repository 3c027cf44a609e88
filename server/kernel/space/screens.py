"""Screens: convex ground across which no line of sight runs, and whether one stands between two groups of figures.

Most figures that do not see each other are hidden by one piece that stands across the whole width between their units. This
is told for whole groups at once, by a few sums for each figure, before any single line is drawn.

A screen settles only what it settles for certain. It is drawn in by `MARGIN` on every side, and bases are taken to be so
much larger, which is far more than all rounding. So where it hides, each line between the two groups runs for `MARGIN` mil at
least through the piece, on either side of the screen's chord; where it does not, the lines themselves are to be asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, final

import shapely

from server.kernel.space.geometry import INF, Outline, Point, edges, segment_point_distance
from server.kernel.space.plain import Corner, Spot
from server.kernel.space.values import Body

MARGIN: Final = 3.0
"""Mil by which a screen is smaller than its piece, and a base larger than it is."""


@final
class Group:
    """Figures that look, or are looked at, together.

    `bodies` are theirs; `spots` are the same as plain numbers; `left` to `top` is the box that holds all of them; `hulls` says
    whether any of them is a hull.
    """

    def __init__(self, bodies: Iterable[Body]) -> None:
        self.bodies: list[Body] = list(bodies)
        self.spots: list[Spot] = []
        left = bottom = INF
        right = top = -INF
        x_sum = y_sum = 0.0
        self.hulls = False
        for body in self.bodies:
            if body.outline:
                self.hulls = True
            spot = Spot(body.at, body.radius)
            self.spots.append(spot)
            x, y, radius = spot.x, spot.y, spot.radius
            x_sum += x
            y_sum += y
            left = min(left, x - radius)
            right = max(right, x + radius)
            bottom = min(bottom, y - radius)
            top = max(top, y + radius)
        self.left, self.bottom, self.right, self.top = left, bottom, right, top
        count = len(self.bodies)
        self.x = x_sum / count if count else 0.0
        self.y = y_sum / count if count else 0.0

    def apart(self, other: Group) -> float:
        """Return the mil between the boxes of two groups: no two of their figures are nearer to each other."""
        dx = max(self.left - other.right, other.left - self.right)
        dy = max(self.bottom - other.top, other.bottom - self.top)
        dx, dy = max(dx, 0.0), max(dy, 0.0)
        return math.sqrt(dx * dx + dy * dy)


@final
class Screen:
    """A convex part of a piece, drawn in by the margin: the corners of an area, or the two ends of a wall's straight part.

    It hides what is seen through more than `depth` mil of it.
    """

    def __init__(self, corners: list[tuple[float, float]], depth: int = 0) -> None:
        self.corners = [Corner(x, y) for x, y in corners]
        self.depth = float(depth)

    def hides(self, ones: Group, others: Group) -> bool:
        """Return whether every line from a base of one group to a base of the other surely crosses this screen."""
        return self._hides(ones.x, ones.y, ones.spots, others)

    def hides_one(self, one: Spot, others: Group) -> bool:
        """Return what `hides` does for a group of one figure."""
        return self._hides(one.x, one.y, [one], others)

    def _hides(self, x: float, y: float, ones: list[Spot], others: Group) -> bool:
        """Return whether this screen hides bases, with their middle at (x, y), from a group.

        Seen along the line between the middles of the groups, the screen's outermost corners to the left and to the right are
        the ends of a chord, which all lines must cross. Where the depth counts, they must cross two chords so far apart.
        """
        dx, dy = others.x - x, others.y - y
        highest = lowest = 0.0
        left = right = self.corners[0]
        for corner in self.corners:
            side = dx * (corner.y - y) - dy * (corner.x - x)
            if side > highest:
                highest, left = side, corner
            elif side < lowest:
                lowest, right = side, corner
        if highest == 0.0 or lowest == 0.0:
            return False
        if self.depth == 0.0:
            return _cross(ones, others.spots, left.x, left.y, right.x, right.y)
        whole = math.sqrt(dx * dx + dy * dy)
        ux, uy = dx / whole, dy / whole
        nearest, farthest = INF, -INF
        for corner in self.corners:
            along = ux * (corner.x - x) + uy * (corner.y - y)
            nearest, farthest = min(nearest, along), max(farthest, along)
        middle, half = (nearest + farthest) / 2, self.depth / 2 + MARGIN
        for along in (middle - half, middle + half):
            chord = self._chord(x, y, ux, uy, along)
            if chord is None or not _cross(ones, others.spots, chord[0], chord[1], chord[2], chord[3]):
                return False
        return True

    def hides_pair(self, one: Spot, other: Spot, *, round_bases: bool = True) -> bool:
        """Return whether every line between two bases surely crosses this screen.

        The lines of round bases begin and end on the lines through their centres that are square to the line of centres; those
        of hulls may begin and end anywhere within the radius.

        All of them run in the strip between the two that is as wide as the larger base, grown by the margin. Where a part of
        this strip lies in the screen from side to side, all run through it for that part's length.
        """
        ax, ay, ra, rb = one.x, one.y, one.radius, other.radius
        dx, dy = other.x - ax, other.y - ay
        length = math.sqrt(dx * dx + dy * dy)
        if length <= 2 * MARGIN:
            return False
        ux, uy = dx / length, dy / length
        half = max(ra, rb) + MARGIN
        last = self.corners[-1]
        x, y = last.x - ax, last.y - ay
        along, aside = ux * x + uy * y, ux * y - uy * x
        # Where the strip's left side and its right side enter the screen, and where they leave it.
        left_in = right_in = INF
        left_out = right_out = -INF
        for corner in self.corners:
            x, y = corner.x - ax, corner.y - ay
            here, off = ux * x + uy * y, ux * y - uy * x
            if (off > half) != (aside > half):
                at = here + (along - here) * (off - half) / (off - aside)
                left_in, left_out = min(left_in, at), max(left_out, at)
            if (off > -half) != (aside > -half):
                at = here + (along - here) * (off + half) / (off - aside)
                right_in, right_out = min(right_in, at), max(right_out, at)
            along, aside = here, off
        if left_out == -INF or right_out == -INF:
            return False
        if len(self.corners) == 2:  # a wall, which has no depth: it is enough that it stands between the two
            return min(left_in, right_in) > half and max(left_out, right_out) < length - half
        # Two by two: more are no longer compared as plain numbers when compiled.
        begins, ends = max(left_in, right_in), min(left_out, right_out)
        begins = max(begins, MARGIN if round_bases else ra + MARGIN)
        ends = min(ends, length - (MARGIN if round_bases else rb + MARGIN))
        return ends - begins > self.depth + MARGIN

    def _chord(
        self, x: float, y: float, ux: float, uy: float, along: float
    ) -> tuple[float, float, float, float] | None:
        """Return the ends of the screen's chord that lies `along` mil from (x, y) in the direction (ux, uy), square to it: the
        left one, then the right one. None if it has none there.
        """
        before = self.corners[-1]
        far = ux * (before.x - x) + uy * (before.y - y) - along
        ends: list[tuple[float, float]] = []
        for corner in self.corners:
            here = ux * (corner.x - x) + uy * (corner.y - y) - along
            if (here > 0.0) != (far > 0.0):
                share = far / (far - here)
                ends.append((before.x + share * (corner.x - before.x), before.y + share * (corner.y - before.y)))
            before, far = corner, here
        if len(ends) != 2:
            return None
        (px, py), (qx, qy) = ends
        if ux * (qy - py) - uy * (qx - px) > 0.0:
            return qx, qy, px, py
        return px, py, qx, qy


def _cross(ones: list[Spot], others: list[Spot], px: float, py: float, qx: float, qy: float) -> bool:
    """Return whether all lines between two groups cross a chord, from its end on the left (px, py) to that on the right.

    All figures of one group must stand on its one side, those of the other on its other side. Then a line between two of them
    passes inside an end if the angle between the two, seen from that end, is less than half a turn; the flattest angles of both
    groups decide for all.
    """
    length = math.sqrt((qx - px) * (qx - px) + (qy - py) * (qy - py))
    if length <= MARGIN:
        return False
    ux, uy = (qx - px) / length, (qy - py) / length
    first, last = _flattest(ones, px, py, ux, uy, length, -1.0)
    if first == -INF:
        return False
    there, back = _flattest(others, px, py, ux, uy, length, 1.0)
    return first + there > 0.0 and last + back > 0.0


def _flattest(
    spots: list[Spot], px: float, py: float, ux: float, uy: float, length: float, side: float
) -> tuple[float, float]:
    """Return the least cotangents at which a group's bases, grown by the margin, are seen from the two ends of a chord.

    The chord begins at (px, py) and runs `length` mil along the unit vector (ux, uy). Both are minus infinity if a base is not
    wholly on its `side`: 1 to its left, -1 to its right.
    """
    first = last = INF
    for spot in spots:
        x, y, radius = spot.x - px, spot.y - py, spot.radius + MARGIN
        high = side * (ux * y - uy * x)
        if high <= radius:
            return -INF, -INF
        along = ux * x + uy * y
        # The square round the base holds it: no place of the base is seen flatter than one of the square's corners.
        near = along - radius
        flat = near / (high + radius) if near > 0.0 else near / (high - radius)
        first = min(first, flat)
        near = length - along - radius
        flat = near / (high + radius) if near > 0.0 else near / (high - radius)
        last = min(last, flat)
    return first, last


def screens_of(outline: Outline, *, linear: bool, depth: int = 0) -> list[Screen]:
    """Return the screens of a piece that blocks every line of which more than `depth` mil lie in it: one for an area that is
    convex, or for each straight part of a wall.
    """
    if linear:
        return [Screen(ends) for a, b in edges(outline, linear=True) if (ends := _shortened(a, b))]
    corners = _drawn_in(outline) if convex(outline) else []
    return [Screen(corners, depth)] if corners else []


def convex(outline: Outline) -> bool:
    """Return whether an outline bounds an area without a bay in its border."""
    if len(outline) < 3:
        return False
    turns: list[int] = []
    for i in range(len(outline)):
        (ax, ay), (bx, by), (cx, cy) = outline[i - 2], outline[i - 1], outline[i]
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    if not (all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)):
        return False
    # A star turns always the same way too, but goes round twice: then its border crosses itself.
    return bool(shapely.is_valid(shapely.polygons(outline)))


def _drawn_in(outline: Outline) -> list[tuple[float, float]]:
    """Return the corners of a convex area drawn in by the margin; none if nothing is left of it."""
    inner = shapely.buffer(shapely.polygons(outline), -MARGIN - 0.5, join_style="mitre")
    if inner.is_empty or inner.geom_type != "Polygon":
        return []
    corners = [(float(x), float(y)) for x, y in inner.exterior.coords[:-1]]
    # In a convex area the way between two places is nowhere nearer to the border than the nearer of them.
    sides = edges(outline, linear=False)
    if any(segment_point_distance(a, b, corner) < MARGIN for corner in corners for a, b in sides):
        return []
    return corners


def _shortened(a: Point, b: Point) -> list[tuple[float, float]]:
    """Return a stretch without the margin at its ends; none if nothing is left of it."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.sqrt(dx * dx + dy * dy)
    if length <= 3 * MARGIN:
        return []
    sx, sy = dx * MARGIN / length, dy * MARGIN / length
    return [(a[0] + sx, a[1] + sy), (b[0] - sx, b[1] - sy)]
