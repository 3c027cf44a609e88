"""The lines between two figures along which they may see each other, and what blocks these.

A figure sees another when an unblocked line runs from the centre of one base to any of five points across the width of the
other: its centre, half and full radius to both sides, square to the line of centres. Lines are drawn from either figure, so
that sight is mutual by construction. The points to see of a hull are its centre and its corners drawn in by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from server.kernel.space.geometry import Point, between, distance, to_point
from server.kernel.space.pieces import Crowd, Line, Piece, Wall, too_deep
from server.kernel.space.plain import Spot
from server.kernel.space.values import Body

_SHARES = (1.0, -1.0, 0.5, -0.5)
"""The points of a base that are looked at, as shares of its radius to either side of the line of centres."""


def round_lines(a: Point, ra: int, b: Point, rb: int) -> Iterator[Line]:
    """Yield the lines along which two figures may see each other, the line of centres first.

    Each line begins at the smaller of its ends: the arithmetic is the same in both directions.
    """
    yield (a, b) if a < b else (b, a)
    length = distance(a, b)
    if length == 0:
        return
    # A unit vector square to the line of centres. Exchanging the figures turns its sign, not the set of
    # lines.
    nx = (a[1] - b[1]) / length
    ny = (b[0] - a[0]) / length
    for share in _SHARES:
        for eye, other, r in ((a, b, rb), (b, a, ra)):
            side = to_point((other[0] + share * r * nx, other[1] + share * r * ny))
            yield (eye, side) if eye < side else (side, eye)


def body_lines(one: Body, other: Body) -> Iterator[Line]:
    """Yield the lines along which two figures of any kind may see each other, the line of centres first."""
    if not one.outline and not other.outline:
        yield from round_lines(one.at, one.radius, other.at, other.radius)
        return
    yield (one.at, other.at) if one.at < other.at else (other.at, one.at)
    for looker, seen in ((one, other), (other, one)):
        for mark in _marks(looker.at, seen):
            yield (looker.at, mark) if looker.at < mark else (mark, looker.at)


def _marks(eye: Point, body: Body) -> Iterator[Point]:
    """Yield the points of a figure, apart from its centre, that a looker may see."""
    if body.outline:
        for corner in body.outline:
            yield to_point(between(corner, body.at, 0.1))
        return
    length = distance(eye, body.at)
    if length == 0:
        return
    nx, ny = (eye[1] - body.at[1]) / length, (body.at[0] - eye[0]) / length
    for share in _SHARES:
        yield to_point((body.at[0] + share * body.radius * nx, body.at[1] + share * body.radius * ny))


def first_blocker(pieces: list[Piece], one: Spot, other: Spot) -> Piece | None:
    """Return the first of the pieces that blocks the line between the centres of two figures; None if it is open."""
    return _blocker(pieces, one.x, one.y, other.x, other.y, one, other)


def sees_aside(blocker: Piece, near: list[Piece], one: Spot, other: Spot) -> bool:
    """Return whether two round bases see each other past these pieces along any of their lines but that of the centres, which
    `blocker` blocks.
    """
    ax, ay, bx, by = one.x, one.y, other.x, other.y
    dx, dy = bx - ax, by - ay
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return False
    nx, ny = (ay - by) / length, (bx - ax) / length
    # What blocked the last line mostly blocks the next one too.
    first = [blocker]
    for share in _SHARES:
        out = share * other.radius
        x, y = float(math.floor(bx + out * nx + 0.5)), float(math.floor(by + out * ny + 0.5))
        if _blocker(first, ax, ay, x, y, one, other) is None:
            found = _blocker(near, ax, ay, x, y, one, other)
            if found is None:
                return True
            first[0] = found
        out = share * one.radius
        x, y = float(math.floor(ax + out * nx + 0.5)), float(math.floor(ay + out * ny + 0.5))
        if _blocker(first, bx, by, x, y, one, other) is None:
            found = _blocker(near, bx, by, x, y, one, other)
            if found is None:
                return True
            first[0] = found
    return False


def sees_past_all(
    near: list[Piece], walls: list[Wall], crowds: list[Crowd], one: Spot, other: Spot, *, centres: bool = False
) -> bool:
    """Return whether two round bases see each other past these pieces, hulls and crowds, along any of their lines, or with
    `centres` along that of their centres.
    """
    ax, ay, bx, by = one.x, one.y, other.x, other.y
    if _open_past_all(near, walls, crowds, ax, ay, bx, by, one, other):
        return True
    if centres:
        return False
    dx, dy = bx - ax, by - ay
    length = math.sqrt(dx * dx + dy * dy)
    if length == 0.0:
        return False
    nx, ny = (ay - by) / length, (bx - ax) / length
    for share in _SHARES:
        out = share * other.radius
        x, y = float(math.floor(bx + out * nx + 0.5)), float(math.floor(by + out * ny + 0.5))
        if _open_past_all(near, walls, crowds, ax, ay, x, y, one, other):
            return True
        out = share * one.radius
        x, y = float(math.floor(ax + out * nx + 0.5)), float(math.floor(ay + out * ny + 0.5))
        if _open_past_all(near, walls, crowds, bx, by, x, y, one, other):
            return True
    return False


def _open_past_all(
    near: list[Piece],
    walls: list[Wall],
    crowds: list[Crowd],
    ax: float,
    ay: float,
    bx: float,
    by: float,
    one: Spot,
    other: Spot,
) -> bool:
    """Return whether no crowd, no hull and no piece blocks the line from (ax, ay) to (bx, by) between two figures."""
    if bx < ax or (bx == ax and by < ay):  # the arithmetic is the same in both directions
        ax, ay, bx, by = bx, by, ax, ay
    for crowd in crowds:
        if crowd.stops(ax, ay, bx, by):
            return False
    for wall in walls:
        if wall.stops(ax, ay, bx, by):
            return False
    return _blocker(near, ax, ay, bx, by, one, other) is None


def _blocker(pieces: list[Piece], ax: float, ay: float, bx: float, by: float, one: Spot, other: Spot) -> Piece | None:
    """Return the first of the pieces that blocks the line from (ax, ay) to (bx, by) between two figures; None if it is open."""
    if bx < ax or (bx == ax and by < ay):  # the arithmetic is the same in both directions
        ax, ay, bx, by = bx, by, ax, ay
    adding = 0
    for piece in pieces:
        if piece.stops(ax, ay, bx, by, one, other):
            return piece
        if piece.adds:
            adding += 1
    return too_deep(pieces, ax, ay, bx, by) if adding > 1 else None
