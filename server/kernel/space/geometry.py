"""Places, distances and outlines on the table.

Lengths are whole mil (thousandths of an inch), angles whole hundredths of a degree, counted counterclockwise
from the direction of the x axis; the table's origin is its lower left corner. What is stored is whole; what
is measured is a float, and no verdict is given on a float before it was rounded (`at_most`, `to_mil`).

The browser answers the same questions while a path is dragged and must come to the same verdicts. Whatever a
path needs is therefore written plainly: sums, products, quotients and square roots in a stated order, which
every IEEE processor rounds alike. No `hypot`, no `round` (half to even here, half up there), no geometry
library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import pairwise
from typing import Final

Point = tuple[int, int]
"""A stored place: x and y in mil."""
Place = tuple[float, float]
"""A measured place, not rounded yet. Every Point is one."""
Outline = tuple[Point, ...]
"""The corners of a closed border (the last joins the first), or of an open line."""
Span = tuple[float, float]
"""A stretch of a segment as two parameters from 0 (its start) to 1 (its end)."""

INCH: Final = 1000
FULL_TURN: Final = 36000
INF: Final = math.inf
"""Compiled code reads a constant of its own at once, and `math.inf` by its name each time."""


# Numbers


def to_mil(length: float) -> int:
    """Return a measured length or coordinate in whole mil, halves upward."""
    return math.floor(length + 0.5)


def at_most(length: float, limit: int) -> bool:
    """Return whether a measured length is within a limit (both mil); rounds first, so 8.0000001" is 8"."""
    return to_mil(length) <= limit


@lru_cache(maxsize=512)
def inches(value: float | str) -> int:
    """Return inches as rulebooks and data files give them, in mil.

    Takes a number, or a text such as `4`, `4.5` or `4.5"`. Raises ValueError for a text that is no finite number. Tables of a
    book hold few different lengths, which chapters ask for again and again: they are remembered.
    """
    text = value.strip().removesuffix('"') if isinstance(value, str) else repr(value)
    try:
        exact = Decimal(text) * INCH
        return math.floor(exact + Decimal("0.5"))
    except (InvalidOperation, OverflowError, ValueError):
        raise ValueError(f"not a length in inches: {value!r}") from None


def inches_text(length: float) -> str:
    """Return a length in mil as people read it: `4"`, `4.5"`, `-0.125"`."""
    return _inches_text(to_mil(length))


@lru_cache(maxsize=4096)
def _inches_text(whole: int) -> str:
    sign = "-" if whole < 0 else ""
    number, rest = divmod(abs(whole), INCH)
    digits = f"{number}.{rest:03d}".rstrip("0").rstrip(".")
    return f'{sign}{digits}"'


def about(length: float) -> str:
    """Return a length in mil to a tenth of an inch, where people only want to know how far it is: `32.9"`."""
    return inches_text(to_mil(length / 100) * 100)


def beyond(length: float, limit: int) -> str:
    """Return a length in mil that is over `limit`, to a tenth of an inch, or exactly where a tenth would read like the limit."""
    rough = about(length)
    return inches_text(length) if rough == about(limit) else rough


# Points


def distance(a: Place, b: Place) -> float:
    """Return the mil from `a` to `b`."""
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    return math.sqrt(dx * dx + dy * dy)


def least_distance(p: Place, others: Sequence[Place]) -> float:
    """Return the mil from `p` to the nearest of these places; infinite when there are none."""
    least = INF
    for other in others:
        least = min(least, distance(p, other))
    return least


def gap(a: Place, ra: int, b: Place, rb: int) -> float:
    """Return the mil between the edges of two round bases, centres `a`, `b` and radii `ra`, `rb`; never below 0."""
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    free = math.sqrt(dx * dx + dy * dy) - ra - rb
    return free if free > 0 else 0.0


def between(a: Place, b: Place, t: float) -> Place:
    """Return the place a share `t` of the way from `a` (0) to `b` (1)."""
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))


def to_point(p: Place) -> Point:
    """Return the stored point nearest to a measured place."""
    return (to_mil(p[0]), to_mil(p[1]))


def centroid(points: Sequence[Place]) -> Point:
    """Return the mean of the points, for example the middle of a unit. Raises ValueError when there are none."""
    if not points:
        raise ValueError("no points, no centroid")
    return to_point((sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)))


# Angles


def direction(a: Place, b: Place) -> int:
    """Return the direction from `a` to `b`, 0 to 35999; 0 when they are the same place."""
    return math.floor(math.degrees(math.atan2(b[1] - a[1], b[0] - a[0])) * 100 + 0.5) % FULL_TURN


def moved(p: Place, angle: int, length: float) -> Point:
    """Return the point `length` mil from `p` in the direction `angle`."""
    turn = math.radians(angle / 100)
    return to_point((p[0] + length * math.cos(turn), p[1] + length * math.sin(turn)))


def heading(angle: int) -> Place:
    """Return the unit vector (cosine, sine) of a direction, to nine decimals: no further do all processors agree."""
    turn = angle / 100 * math.pi / 180
    return (math.floor(math.cos(turn) * 1e9 + 0.5) / 1e9, math.floor(math.sin(turn) * 1e9 + 0.5) / 1e9)


def angle_difference(one: int, other: int) -> int:
    """Return how far two directions lie apart, 0 to 18000, whichever way is shorter."""
    turn = (one - other) % FULL_TURN
    return min(turn, FULL_TURN - turn)


# Segments


def segment_point_distance(a: Place, b: Place, p: Place) -> float:
    """Return the mil from `p` to the nearest place of the segment `a`-`b`."""
    return off_segment(a[0], a[1], b[0], b[1], p[0], p[1])


def off_segment(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Return the mil from (px, py) to the nearest place of the segment from (ax, ay) to (bx, by)."""
    dx, dy = bx - ax, by - ay
    wx, wy = px - ax, py - ay
    square = dx * dx + dy * dy
    along = wx * dx + wy * dy
    if square == 0 or along <= 0:
        return math.sqrt(wx * wx + wy * wy)
    if along >= square:
        dx, dy = px - bx, py - by
        return math.sqrt(dx * dx + dy * dy)
    # The cross product is exact on whole points, the difference of projections would not be.
    return abs(dx * wy - dy * wx) / math.sqrt(square)


def _meeting(a: Place, b: Place, p: Place, q: Place) -> Span:
    return meeting(a[0], a[1], b[0], b[1], p[0], p[1], q[0], q[1])


def meeting(ax: float, ay: float, bx: float, by: float, px: float, py: float, qx: float, qy: float) -> Span:
    """Return the stretch of the segment from (ax, ay) to (bx, by) that it shares with that from (px, py) to (qx, qy), or with a
    point (both ends the same); it ends before it starts if they are apart.
    """
    dx = bx - ax
    dy = by - ay
    ex = qx - px
    ey = qy - py
    wx = px - ax
    wy = py - ay
    across = wx * dy - wy * dx
    denominator = dx * ey - dy * ex
    if denominator == 0:
        square = dx * dx + dy * dy
        if across != 0 or square == 0:
            return (1.0, 0.0)
        first = (wx * dx + wy * dy) / square
        second = ((wx + ex) * dx + (wy + ey) * dy) / square
        low, high = (first, second) if first < second else (second, first)
        # A zero has no sign, here and below: whole numbers have none either.
        return (low + 0.0 if low > 0 else 0.0, high + 0.0 if high < 1 else 1.0)
    along = wx * ey - wy * ex
    if denominator < 0:
        denominator = -denominator
        along = -along
        across = -across
    if 0 <= across <= denominator and 0 <= along <= denominator:
        t = along / denominator + 0.0
        return (t, t)
    return (1.0, 0.0)


def segments_meet(a: Place, b: Place, p: Place, q: Place) -> bool:
    """Return whether the segments `a`-`b` and `p`-`q` have a place in common; touching counts."""
    start, end = _meeting(a, b, p, q)
    return start <= end


# Outlines


def rectangle(left: int, bottom: int, right: int, top: int) -> Outline:
    """Return the outline of an upright rectangle, all in mil."""
    return ((left, bottom), (right, bottom), (right, top), (left, top))


def bounds(outline: Outline) -> tuple[int, int, int, int]:
    """Return the smallest upright box round an outline: left, bottom, right, top (mil)."""
    left, bottom = right, top = outline[0]
    for x, y in outline:
        if x < left:
            left = x
        elif x > right:
            right = x
        if y < bottom:
            bottom = y
        elif y > top:
            top = y
    return (left, bottom, right, top)


def area(outline: Outline) -> float:
    """Return the area of a closed outline in square mil."""
    doubled = 0
    px, py = outline[-1]
    for qx, qy in outline:
        doubled += px * qy - qx * py
        px, py = qx, qy
    return abs(doubled) / 2


def contains(outline: Outline, p: Place) -> bool:
    """Return whether `p` lies in the closed outline, by the even-odd rule; its border counts as inside."""
    x, y = p
    left, bottom, right, top = bounds(outline)
    if x < left or x > right or y < bottom or y > top:
        return False
    inside = False
    x1, y1 = outline[-1]
    for x2, y2 in outline:
        if (y1 > y) != (y2 > y):
            side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)
            if side == 0:
                return True
            if (side > 0) == (y2 > y1):
                inside = not inside
        elif y in (y1, y2) and min(x1, x2) <= x <= max(x1, x2) and (x2 - x1) * (y - y1) == (x - x1) * (y2 - y1):
            return True
        x1, y1 = x2, y2
    return inside


def crossings(a: Place, b: Place, outline: Outline, *, linear: bool) -> list[float]:
    """Return where the segment `a`-`b` meets the border of an outline, or an open line: parameters 0 to 1, in order.

    A place where two edges join is listed for each of them; a stretch along an edge is listed by its two ends.
    """
    left, bottom, right, top = bounds(outline)
    if (a[0] < left and b[0] < left) or (a[0] > right and b[0] > right):
        return []
    if (a[1] < bottom and b[1] < bottom) or (a[1] > top and b[1] > top):
        return []
    found: list[float] = []
    p = outline[0] if linear else outline[-1]
    for q in outline[1:] if linear else outline:
        first, last = _meeting(a, b, p, q)
        if first <= last:
            found.append(first)
            if first < last:
                found.append(last)
        p = q
    found.sort()
    return found


def edges(outline: Outline, *, linear: bool) -> list[tuple[Point, Point]]:
    """Return the edges of a closed outline, the closing one first, or those of an open line."""
    open_line = list(pairwise(outline))
    return open_line if linear else [(outline[-1], outline[0]), *open_line]


def distance_to_outline(p: Place, outline: Outline, *, linear: bool) -> float:
    """Return the mil from `p` to an outline: to the line when `linear`, else to the area (0 inside)."""
    if not linear and contains(outline, p):
        return 0.0
    nearest = INF
    q = outline[0] if linear else outline[-1]
    for r in outline[1:] if linear else outline:
        far = segment_point_distance(q, r, p)
        nearest = min(nearest, far)
        q = r
    return nearest


def segment_distance_to_outline(a: Place, b: Place, outline: Outline, *, linear: bool) -> float:
    """Return the mil between the segment `a`-`b` and an outline; 0 when it meets the line or enters the area."""
    if not linear and contains(outline, a):
        return 0.0
    nearest = segment_point_distance(a, b, outline[0])
    p = outline[0] if linear else outline[-1]
    for q in outline[1:] if linear else outline:
        if segments_meet(a, b, p, q):
            return 0.0
        # The distance of `p` is that of the `q` before.
        nearest = min(nearest, segment_point_distance(p, q, a))
        nearest = min(nearest, segment_point_distance(p, q, b))
        nearest = min(nearest, segment_point_distance(a, b, q))
        p = q
    return nearest
