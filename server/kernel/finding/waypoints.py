"""The points at which a shortest way may turn: round corners, in narrow passages, at the border of ground that costs more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

from server.kernel.space.geometry import Outline, Place, Point, distance, edges, segment_point_distance, to_point
from server.kernel.space.obstacles import Obstacle
from server.kernel.space.plain import Spot
from server.kernel.space.terrain import Terrain

NARROW: Final = 0.08
"""Passages narrower than this share of the clearance on both sides get points of their own: rounded corners overlap there."""
STEP: Final = 500
"""Mil between the points at the border of ground that costs more: where a way bends to cross less of it."""

Circle = tuple[Place, float]
"""A centre and a radius, in mil."""
Line = tuple[Place, Place]
"""A segment by its ends."""


def corners_of(around: Sequence[Obstacle]) -> list[Circle]:
    """Return the corners of the obstacles, each once, with the clearance that a way keeps from it."""
    return sorted({(corner, float(o.needed)) for o in around for corner in o.outline if o.needed})


def outside_of(fineness: int) -> float:
    """Return how much farther from a corner than its clearance the points of its ring lie."""
    return 1 / math.cos(math.pi / fineness)


def rings(corners: Sequence[Circle], fineness: int) -> list[list[Point]]:
    """Return for each corner the points just outside its clearance, counterclockwise."""
    outside = outside_of(fineness)
    turns = [2 * math.pi * i / fineness for i in range(fineness)]
    headings = [(math.cos(turn) * outside, math.sin(turn) * outside) for turn in turns]
    return [
        [to_point((x + ux * (needed + 1), y + uy * (needed + 1))) for ux, uy in headings] for (x, y), needed in corners
    ]


def passages(
    corners: Sequence[Circle],
    around: Sequence[Obstacle],
    start: Point,
    reach: int,
    radius: int,
    size: tuple[int, int],
) -> list[Point]:
    """Return the middles of narrow passages within `reach` of `start`: between two corners, a corner and a side, a corner and
    the table's edge.
    """
    found: list[Point] = []
    near = [(at, needed) for at, needed in corners if distance(start, at) <= reach + needed]
    sides = [
        (a, b, float(obstacle.needed))
        for obstacle in around
        if obstacle.needed and len(obstacle.outline) > 1
        for a, b in edges(obstacle.outline, linear=obstacle.linear)
        if segment_point_distance(a, b, start) <= reach + obstacle.needed
    ]
    width, height = size
    for index, (at, needed) in enumerate(near):
        for other, kept in near[index + 1 :]:
            if _close(at, needed, other, other, kept):
                found += _passage(at, needed, other, kept)
        for a, b, kept in sides:
            if _close(at, needed, a, b, kept) and at not in (a, b):
                found += _passage(at, needed, foot(a, b, at), kept)
        x, y = at
        for edge in ((0, y), (width, y), (x, 0), (x, height)):
            found += _passage(at, needed, edge, radius)
    return found


def _close(at: Place, needed: float, a: Place, b: Place, kept: float) -> bool:
    """Return whether there may be a narrow passage between a place and the segment `a`-`b`, by the box round it: mostly not."""
    wide = (1 + NARROW) * (needed + kept) + 1
    x, y = at
    return (
        min(a[0], b[0]) - wide <= x <= max(a[0], b[0]) + wide and min(a[1], b[1]) - wide <= y <= max(a[1], b[1]) + wide
    )


def _passage(at: Place, needed: float, other: Place, kept: float) -> list[Point]:
    """Return points in the middle between two places with their clearances, and along the way through; none if there is no
    passage, or if it is wide.
    """
    apart = distance(at, other)
    free = apart - needed - kept
    if not -1 <= free <= NARROW * (needed + kept) or apart == 0:
        return []
    ux, uy = (other[0] - at[0]) / apart, (other[1] - at[1]) / apart
    middle = needed + free / 2
    length = min(needed, kept)
    return [
        to_point((at[0] + ux * middle - uy * along, at[1] + uy * middle + ux * along))
        for along in (0, 0.3 * length, -0.3 * length, 0.6 * length, -0.6 * length)
    ]


def borders(pieces: Sequence[Terrain], start: Point, reach: int) -> list[Point]:
    """Return points along the borders of these pieces within `reach` of `start`, their corners among them."""
    found: list[Point] = []
    for piece in pieces:
        for a, b in edges(piece.outline, linear=piece.linear):
            if segment_point_distance(a, b, start) > reach:
                continue
            steps = 1 if piece.linear else max(1, math.ceil(distance(a, b) / STEP))
            found += [
                to_point((a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps)) for i in range(steps + 1)
            ]
    return found


# --- where curves meet ----------------------------------------------------------------------------------------------


def foot(a: Place, b: Place, p: Place) -> Place:
    """Return the place of the segment `a`-`b` that is nearest to `p`."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    if square == 0:
        return a
    t = max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square))
    return (a[0] + t * dx, a[1] + t * dy)


def meetings(circles: Sequence[Circle], lines: Sequence[Line], others: Sequence[Circle]) -> list[Point]:
    """Return the points in which one of `circles` meets another one of them, one of `lines`, or one of `others`."""
    found: list[Point] = []
    rounds = [Spot(at, radius) for at, radius in circles]
    far = [Spot(at, radius) for at, radius in others]
    straights = [_Straight(line) for line in lines]
    for index, one in enumerate(rounds):
        for other in range(index + 1, len(rounds)):
            if one.reaches(rounds[other]):
                found += circles_meet(circles[index], circles[other])
        for other, distant in enumerate(far):
            if one.reaches(distant):
                found += circles_meet(circles[index], others[other])
        found += _with_lines(circles[index], one, lines, straights)
    return list(dict.fromkeys(found))


def crossings(circles: Sequence[Circle], lines: Sequence[Line]) -> list[Point]:
    """Return the points in which one of `circles` meets one of `lines`."""
    found: list[Point] = []
    straights = [_Straight(line) for line in lines]
    for circle in circles:
        found += _with_lines(circle, Spot(circle[0], circle[1]), lines, straights)
    return list(dict.fromkeys(found))


def _with_lines(circle: Circle, one: Spot, lines: Sequence[Line], straights: Sequence[_Straight]) -> list[Point]:
    """Return the points in which a circle, `one` as plain numbers, meets one of `lines`, whose boxes are `straights`."""
    found: list[Point] = []
    for index, straight in enumerate(straights):
        if straight.reaches(one):
            a, b = lines[index]
            found += circle_meets_line(circle, a, b)
    return found


@final
class _Straight:
    """The box round a line as plain numbers."""

    def __init__(self, line: Line) -> None:
        (ax, ay), (bx, by) = line
        self.west, self.east = (float(ax), float(bx)) if ax < bx else (float(bx), float(ax))
        self.south, self.north = (float(ay), float(by)) if ay < by else (float(by), float(ay))

    def reaches(self, one: Spot) -> bool:
        """Return whether a circle comes into the box."""
        reach = one.radius + 2
        across = self.west - reach <= one.x <= self.east + reach
        return across and self.south - reach <= one.y <= self.north + reach


def circles_meet(one: Circle, other: Circle) -> list[Point]:
    """Return the points, two at most, in which two circles meet."""
    (ax, ay), ra = one
    (bx, by), rb = other
    apart = distance((ax, ay), (bx, by))
    if apart == 0 or apart > ra + rb or apart < abs(ra - rb):
        return []
    along = (apart * apart + ra * ra - rb * rb) / (2 * apart)
    aside = math.sqrt(max(0.0, ra * ra - along * along))
    ux, uy = (bx - ax) / apart, (by - ay) / apart
    return [to_point((ax + ux * along - uy * s, ay + uy * along + ux * s)) for s in (aside, -aside)]


def circle_meets_line(circle: Circle, a: Place, b: Place) -> list[Point]:
    """Return the points, two at most, in which a circle meets the segment from `a` to `b`."""
    (cx, cy), radius = circle
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0:
        return []
    ux, uy = dx / length, dy / length
    along = (cx - a[0]) * ux + (cy - a[1]) * uy
    aside = (cx - a[0]) * uy - (cy - a[1]) * ux
    square = radius * radius - aside * aside
    if square < 0:
        return []
    half = math.sqrt(square)
    return [to_point((a[0] + ux * t, a[1] + uy * t)) for t in (along - half, along + half) if -1 <= t <= length + 1]


def offset_sides(outline: Outline, by: float, *, linear: bool) -> list[Line]:
    """Return the sides of an outline, each shifted by `by` mil to its right and to its left."""
    found: list[Line] = []
    for a, b in edges(outline, linear=linear):
        length = distance(a, b)
        if length:
            nx, ny = (b[1] - a[1]) / length * by, (a[0] - b[0]) / length * by
            found.append(((a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny)))
            found.append(((a[0] - nx, a[1] - ny), (b[0] - nx, b[1] - ny)))
    return found
