"""Hulls: vehicles that stand on the table as rectangles to scale, and distances from and between them.

A hull's outline is four whole points, counterclockwise, and all verdicts are given on these points. What decides here is
written as in `geometry`: the browser's `hulls.ts` does the same sums in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from server.kernel.space.geometry import (
    INF,
    Outline,
    Place,
    Point,
    angle_difference,
    bounds,
    contains,
    direction,
    distance,
    heading,
    segment_point_distance,
    segments_meet,
    to_mil,
    to_point,
)
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body, Hull, Pose

SLACK: Final = 10
"""Mil by which a hull is drawn in on each side before it is asked what it runs into: corners are rounded to whole mil, and
two vehicles side by side, or one along a wall, must not be found to overlap for that.
"""

_ARC: Final = 1500
"""A rounded corner is approximated by a point every so many hundredths of a degree."""


def hull_body(pose: Pose, hull: Hull) -> Body:
    """Return the body of a hull that stands so."""
    reach = math.ceil(math.sqrt(hull.length * hull.length + hull.width * hull.width) / 2) + 1
    return Body(pose.at, reach, outline(pose, hull))


# --- outlines -------------------------------------------------------------------------------------------------------


def outline(pose: Pose, hull: Hull) -> Outline:
    """Return the four corners of a hull, counterclockwise from its right rear one, in whole mil."""
    return _block(pose.at, heading(pose.facing), -hull.length / 2, hull.length / 2, hull.width / 2)


def ahead(a: Point, way: Place, length: float, hull: Hull) -> Outline:
    """Return the ground a hull drives over from centre `a` for `length` mil along the unit vector `way`.

    What lies behind `a` is left out: there the hull stands because it turned on the spot, and turning is free. Otherwise a
    vehicle parked along a wall could never drive away from it.
    """
    return _block(a, way, 0.0, length + hull.length / 2, hull.width / 2)


def _block(at: Place, way: Place, rear: float, front: float, half: float) -> Outline:
    """Return the rectangle from `rear` to `front` along `way` from `at`, `half` to either side."""
    x, y = at
    ux, uy = way
    return (
        (to_mil(x + ux * rear + uy * half), to_mil(y + uy * rear - ux * half)),
        (to_mil(x + ux * front + uy * half), to_mil(y + uy * front - ux * half)),
        (to_mil(x + ux * front - uy * half), to_mil(y + uy * front + ux * half)),
        (to_mil(x + ux * rear - uy * half), to_mil(y + uy * rear + ux * half)),
    )


def smaller(hull: Hull) -> Hull:
    """Return the hull drawn in by the slack on each side."""
    return Hull(max(1, hull.length - 2 * SLACK), max(1, hull.width - 2 * SLACK))


def drawn_in(rectangle: Outline, by: int) -> Outline:
    """Return a rectangle of any direction with each of its sides `by` mil farther in."""
    corners: list[Point] = []
    for index, corner in enumerate(rectangle):
        x, y = float(corner[0]), float(corner[1])
        for neighbour in (rectangle[index - 1], rectangle[(index + 1) % len(rectangle)]):
            side = distance(corner, neighbour)
            share = by / side if side > 2 * by else 0.5
            x += share * (neighbour[0] - corner[0])
            y += share * (neighbour[1] - corner[1])
        corners.append(to_point((x, y)))
    return tuple(corners)


def near(outline: Outline, reach: int, radius: int) -> Outline:
    """Return a closed polygon round a hull: a base of `radius` that is wholly inside it stands within `reach` of the hull,
    edge to edge (all mil). The corners are rounded, by points on the inner side, so it never allows too much.
    """
    berth = reach + 2 * radius - 2  # for the rounding of these points, and of the check whether a base is inside
    ring: list[Point] = []
    for before, corner, after in zip(outline[-1:] + outline[:-1], outline, outline[1:] + outline[:1], strict=True):
        first = direction(before, corner) - 9000
        turn = (direction(corner, after) - direction(before, corner)) % 36000
        steps = -(-turn // _ARC) or 1
        for step in range(steps + 1):
            ux, uy = heading(first + turn * step // steps)
            place = to_point((corner[0] + ux * berth, corner[1] + uy * berth))
            if ring[-1:] != [place]:
                ring.append(place)
    return tuple(ring)


# --- distances ------------------------------------------------------------------------------------------------------


def off(p: Place, outline: Outline) -> float:
    """Return the mil from `p` to a hull; 0 within it."""
    nearest = INF
    outside = False
    a = outline[-1]
    for b in outline:
        if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) < 0:
            outside = True
        far = segment_point_distance(a, b, p)
        nearest = min(nearest, far)
        a = b
    return nearest if outside else 0.0


def base_to_outline(at: Place, radius: int, outline: Outline) -> float:
    """Return the mil from the edge of a round base to a hull; 0 when they touch or overlap."""
    free = off(at, outline) - radius
    return free if free > 0 else 0.0


def outline_to_outline(one: Outline, other: Outline) -> float:
    """Return the mil between two hulls; 0 when they touch or overlap."""
    if runs_into(one, other, linear=False):
        return 0.0
    nearest = INF
    for corner in one:
        nearest = min(nearest, off(corner, other))
    for corner in other:
        nearest = min(nearest, off(corner, one))
    return nearest


def apart(one: Body, other: Body) -> float:
    """Return the mil between the nearest edges of two bodies, round or hulls; never below 0."""
    if not one.outline and not other.outline:
        free = distance(one.at, other.at) - one.radius - other.radius
        return free if free > 0 else 0.0
    if not one.outline:
        return base_to_outline(one.at, one.radius, other.outline)
    if not other.outline:
        return base_to_outline(other.at, other.radius, one.outline)
    return outline_to_outline(one.outline, other.outline)


def nearest_of(ones: Sequence[Body], others: Sequence[Body]) -> float:
    """Return the mil between the nearest edges of two groups of bodies; infinite when one is empty."""
    nearest = INF
    for one in ones:
        for other in others:
            free = apart(one, other)
            nearest = min(nearest, free)
    return nearest


def bears(pose: Pose, middle: int, spread: int, target: Place) -> bool:
    """Return whether a hull's weapon whose arc is `spread` to either side of `middle` (from the facing; hundredths of a
    degree, 18000 is all round) bears on a place, seen from the hull's centre.
    """
    if spread >= 18000 or target == pose.at:
        return True
    return angle_difference(pose.facing + middle, direction(pose.at, target)) <= spread


# --- what is in the way ---------------------------------------------------------------------------------------------


def runs_into(one: Outline, outline: Outline, *, linear: bool) -> bool:
    """Return whether a hull meets an area or an open line; touching counts (see `SLACK`)."""
    left, bottom, right, top = bounds(one)
    box = bounds(outline)
    if right < box[0] or left > box[2] or top < box[1] or bottom > box[3]:
        return False
    p = outline[0] if linear else outline[-1]
    for q in outline[1:] if linear else outline:
        # Most edges of a long outline are far off, which their boxes tell.
        beside = (p[0] < left and q[0] < left) or (p[0] > right and q[0] > right)
        beyond = (p[1] < bottom and q[1] < bottom) or (p[1] > top and q[1] > top)
        if not beside and not beyond and _crosses(one, p, q):
            return True
        p = q
    return off(outline[0], one) == 0 or (not linear and contains(outline, one[0]))


def _crosses(one: Outline, p: Point, q: Point) -> bool:
    """Return whether a segment meets a side of a hull."""
    a = one[-1]
    for b in one:
        if segments_meet(a, b, p, q):
            return True
        a = b
    return False


def enters(one: Outline, piece: Terrain) -> bool:
    """Return whether a hull meets a terrain piece; touching counts (see `SLACK`)."""
    return runs_into(one, piece.outline, linear=piece.linear)


def inside_table(one: Outline, table_size: tuple[int, int]) -> bool:
    """Return whether a hull is wholly on a table of this width and height."""
    width, height = table_size
    left, bottom, right, top = bounds(one)
    return left >= 0 and bottom >= 0 and right <= width and top <= height


def overlaps_hull(at: Point, radius: int, outlines: Sequence[Outline]) -> bool:
    """Return whether a round base lies over any of these hulls by more than touching."""
    reach = radius - 2 * SLACK
    for one in outlines:  # noqa: SIM110 - a plain loop is compiled to one
        if not _far(at, radius, one) and to_mil(off(at, one)) < reach:
            return True
    return False


def hull_overlaps(outline: Outline, bases: Sequence[tuple[Point, int]], hulls: Sequence[Outline]) -> bool:
    """Return whether a hull lies over any of these bases or other hulls by more than touching."""
    if any(overlaps_hull(at, radius, (outline,)) for at, radius in bases):
        return True
    inner = drawn_in(outline, 2 * SLACK + 1)
    return any(runs_into(inner, other, linear=False) for other in hulls)


def _far(at: Point, radius: int, one: Outline) -> bool:
    """Return whether a base is surely apart from a hull, by the distance to one corner and the hull's longest reach from it."""
    corner = one[0]
    reach = radius + abs(one[2][0] - corner[0]) + abs(one[2][1] - corner[1])
    return abs(at[0] - corner[0]) > reach or abs(at[1] - corner[1]) > reach
