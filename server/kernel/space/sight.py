"""Lines of sight across the terrain, and the pieces that give cover.

A figure sees another when an unblocked line runs from the centre of one base to any of five points across the width of the
other: its centre, half and full radius to both sides, square to the line of centres. Lines are drawn from either figure, so
that sight is mutual by construction. Figures never stand in the way, hulls do: they block like solid terrain for all but
themselves. The points to see of a hull are its centre and its corners drawn in by a tenth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from server.kernel.space.geometry import (
    INCH,
    Outline,
    Point,
    at_most,
    between,
    bounds,
    contains,
    crossings,
    distance,
    length_inside,
    to_point,
)
from server.kernel.space.screens import Group, Screen, screens_of
from server.kernel.space.terrain import NO_COVER, Terrain
from server.kernel.space.values import Body, SightLine

Line = tuple[Point, Point]

REACH = INCH
"""How near (mil) a base's edge must be to a border or line for it to be "at" it."""

_MOST_REMEMBERED = 20_000
"""Pairs of figures a field remembers (some 200 bytes each): a hundred battles on one map share it, and with more of them the
memory costs more than it saves."""


class Piece:
    """An opaque terrain piece, prepared for many lines: its box, its corners as plain numbers, its screens."""

    def __init__(self, terrain: Terrain) -> None:
        self.terrain = terrain
        left, bottom, right, top = bounds(terrain.outline)
        self.left, self.bottom, self.right, self.top = float(left), float(bottom), float(right), float(top)
        self.xs = [float(x) for x, _ in terrain.outline]
        self.ys = [float(y) for _, y in terrain.outline]
        self.occupied = terrain.sight == "occupied"
        self.depth = terrain.sight_depth if terrain.sight == "depth" else 0
        self.screens: list[Screen] = []
        if terrain.sight == "solid" or not terrain.linear:
            self.screens = screens_of(terrain.outline, linear=terrain.linear, depth=self.depth)

    def holds(self, at: Point) -> bool:
        """Return whether a place lies in this area."""
        x, y = at
        return self.left <= x <= self.right and self.bottom <= y <= self.top and contains(self.terrain.outline, at)

    def blocks(self, line: Line, centres: Line) -> bool:
        """Return whether this piece blocks a line between two figures with these centres."""
        (sx, sy), (ex, ey) = line
        if (
            (sx < self.left and ex < self.left)
            or (sx > self.right and ex > self.right)
            or (sy < self.bottom and ey < self.bottom)
            or (sy > self.top and ey > self.top)
        ):
            return False
        if self.terrain.linear:
            # The line's own ends do not count: a figure may stand on the wall and look either way.
            return self.terrain.sight == "solid" and any(
                0 < t < 1 for t in crossings(*line, self.terrain.outline, linear=True)
            )
        if not _enters(line, self.terrain.outline, self.xs, self.ys, self.depth):
            return False
        return not self.occupied or not (self.holds(centres[0]) or self.holds(centres[1]))

    def hides(self, ones: Group, others: Group) -> bool:
        """Return whether this piece surely blocks every line between two groups (see `screens`)."""
        for screen in self.screens:
            if screen.hides(ones, others):
                return not self.occupied or not (self._holds_any(ones) or self._holds_any(others))
        return False

    def hides_pair(self, a: Point, ra: int, b: Point, rb: int, *, round_bases: bool = True) -> bool:
        """Return whether this piece surely blocks every line between two bases, or hulls that reach so far."""
        (ax, ay), (bx, by) = a, b
        for screen in self.screens:
            if screen.hides_pair(ax, ay, ra, bx, by, rb, round_bases=round_bases):
                return not self.occupied or not (self.holds(a) or self.holds(b))
        return False

    def _holds_any(self, group: Group) -> bool:
        if group.left > self.right or group.right < self.left or group.bottom > self.top or group.top < self.bottom:
            return False
        return any(self.holds(body.at) for body in group.bodies)


class _Wall:
    """The outline of a hull, prepared for a few lines, which it blocks like a solid piece."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._xs = [float(x) for x, _ in outline]
        self._ys = [float(y) for _, y in outline]
        self._left, self._right, self._bottom, self._top = min(self._xs), max(self._xs), min(self._ys), max(self._ys)

    def blocks(self, line: Line) -> bool:
        """Return whether a line enters the hull."""
        (sx, sy), (ex, ey) = line
        if (sx < self._left and ex < self._left) or (sx > self._right and ex > self._right):
            return False
        if (sy < self._bottom and ey < self._bottom) or (sy > self._top and ey > self._top):
            return False
        return _enters(line, self._outline, self._xs, self._ys, 0)


class Field:
    """The terrain of one table, prepared for many questions about sight and cover.

    Terrain does not change while a field lives: build another when it does. Answers depend on the arguments
    alone; what the field remembers (who saw whom) only saves time.
    """

    def __init__(self, pieces: Sequence[Terrain]) -> None:
        self._opaque = tuple(Piece(piece) for piece in pieces if piece.sight != "clear")
        self._screening = tuple(piece for piece in self._opaque if piece.screens)
        self._covering = tuple((piece, bounds(piece.outline)) for piece in pieces if piece.cover != NO_COVER)
        self._hider: Piece | None = None
        self._seen: dict[tuple[Point, int, Point, int], bool] = {}
        self._seen_bodies: dict[tuple[Body, Body, tuple[Outline, ...]], bool] = {}

    def sees(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> bool:
        """Return whether figures with round bases (centres `a`, `b`, radii in mil) see each other.

        `also_blocking` are outlines that block like solid terrain, such as the hulls of vehicles other than the two.
        """
        if also_blocking:
            return self._open(_lines(a, ra, b, rb), (a, b), self._pieces_near(a, ra, b, rb), also_blocking) is not None
        pair = (a, ra, b, rb) if a < b else (b, rb, a, ra)
        seen = self._seen.get(pair)
        if seen is None:
            if len(self._seen) >= _MOST_REMEMBERED:
                self._seen.clear()
            seen = self._seen[pair] = self._pair(a, ra, b, rb)
        return seen

    def line(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> SightLine:
        """Return a line along which the two figures see each other, or what blocks the line between their centres.

        Arguments as for `sees`, with which it always agrees.
        """
        return self.line_body(Body(a, ra), Body(b, rb), also_blocking)

    def sees_body(self, one: Body, other: Body, also_blocking: Sequence[Outline] = ()) -> bool:
        """Return whether two figures, round or hulls, see each other.

        `also_blocking` are the outlines of hulls, which block like solid terrain; those of the two themselves may be among
        them and never do. Without hulls this is `sees`.
        """
        hulls = _between(one, other, also_blocking) if also_blocking else ()
        if not hulls and not one.outline and not other.outline:
            return self.sees(one.at, one.radius, other.at, other.radius)
        pair = (one, other, hulls) if one.at < other.at else (other, one, hulls)
        seen = self._seen_bodies.get(pair)
        if seen is None:
            if len(self._seen_bodies) >= _MOST_REMEMBERED:
                self._seen_bodies.clear()
            near = self._pieces_near(one.at, one.radius, other.at, other.radius)
            seen = self._seen_bodies[pair] = not _hidden(one, other, near) and (
                self._open(_body_lines(one, other), (one.at, other.at), near, hulls) is not None
            )
        return seen

    def between(self, ones: Group, others: Group, also_blocking: Sequence[Outline] = ()) -> Sightlines:
        """Return the lines of sight between two groups of figures. `also_blocking` is as for `sees_body`."""
        return Sightlines(self, ones, others, also_blocking)

    def taken_hider(self) -> Piece | None:
        """Return the piece that stands between two bases from side to side, of the last pair of which that was found; once."""
        hider, self._hider = self._hider, None
        return hider

    def hides(self, ones: Group, others: Group) -> bool:
        """Return whether one piece surely hides two groups from each other: of those between the groups' boxes."""
        left, right = min(ones.left, others.left), max(ones.right, others.right)
        bottom, top = min(ones.bottom, others.bottom), max(ones.top, others.top)
        for piece in self._screening:
            if piece.left > right or piece.right < left or piece.bottom > top or piece.top < bottom:
                continue
            if piece.hides(ones, others):
                return True
        return False

    def line_body(self, one: Body, other: Body, also_blocking: Sequence[Outline] = ()) -> SightLine:
        """Return a line along which the two see each other, or what blocks the line between their centres.

        Arguments as for `sees_body`, with which it always agrees.
        """
        hulls = _between(one, other, also_blocking)
        centres = (one.at, other.at)
        near = self._pieces_near(one.at, one.radius, other.at, other.radius)
        line = self._open(_body_lines(one, other), centres, near, hulls)
        if line is not None:
            return SightLine(clear=True, line=line)
        middle = centres if one.at < other.at else (other.at, one.at)
        blocker = next((piece.terrain.id for piece in near if piece.blocks(middle, centres)), None)
        return SightLine(clear=False, line=centres, blocked_by=blocker)

    def cover_of(self, target: Point, rt: int, shooter: Point, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the pieces that cover a figure against a shooter's centre, as (terrain id, cover level); see `cover_of`."""
        near = self._covering_near(target, rt + reach)
        return cover_of(target, rt, shooter, near, reach) if near else ()

    def cover_at(self, p: Point, r: int, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the covering pieces a figure stands in or at, as (terrain id, cover level); see `stands_in`."""
        near = self._covering_near(p, r + reach)
        return tuple((piece.id, piece.cover) for piece in near if stands_in(p, r, piece, reach)) if near else ()

    def _covering_near(self, p: Point, reach: int) -> list[Terrain]:
        """Return the covering pieces whose boxes come within `reach` mil of a place: no other can cover who stands there."""
        x, y = p
        reach += 1  # what rounding may add
        return [
            piece
            for piece, (left, bottom, right, top) in self._covering
            if left - reach <= x <= right + reach and bottom - reach <= y <= top + reach
        ]

    def _pair(self, a: Point, ra: int, b: Point, rb: int) -> bool:
        """Return whether two round bases see each other past the terrain: the cheapest ways to tell come first."""
        near = self._pieces_near(a, ra, b, rb)
        if not near:
            return True
        middle = (a, b) if a < b else (b, a)
        blocker: Piece | None = None
        for piece in near:
            if piece.blocks(middle, (a, b)):
                blocker = piece
                break
        if blocker is None:
            return True
        if a == b:
            return False  # there is no other line
        # Mostly the piece on the line of centres stands across the whole width.
        if blocker.hides_pair(a, ra, b, rb):
            self._hider = blocker
            return False
        return self._open(_lines(a, ra, b, rb), (a, b), near, ()) is not None

    def _open(
        self, lines: Iterable[Line], centres: Line, near: Sequence[Piece], also_blocking: Sequence[Outline]
    ) -> Line | None:
        """Return the first of the lines between figures with these centres that neither a piece nor a hull blocks."""
        walls = [_Wall(outline) for outline in also_blocking]
        blocker: Piece | None = None
        for line in lines:
            # What blocked the last line mostly blocks the next one too.
            if blocker is not None and blocker.blocks(line, centres):
                continue
            blocker = None
            for piece in near:
                if piece.blocks(line, centres):
                    blocker = piece
                    break
            if blocker is None and not any(wall.blocks(line) for wall in walls):
                return line
        return None

    def _pieces_near(self, a: Point, ra: int, b: Point, rb: int) -> list[Piece]:
        """Return the opaque pieces, in the table's order, whose boxes meet the box of two bases: no other meets a line."""
        (ax, ay), (bx, by) = a, b
        reach = max(ra, rb) + 1  # what rounding may add
        left, right = (ax, bx) if ax < bx else (bx, ax)
        bottom, top = (ay, by) if ay < by else (by, ay)
        left, right, bottom, top = left - reach, right + reach, bottom - reach, top + reach
        return [
            piece
            for piece in self._opaque
            if piece.left <= right and piece.right >= left and piece.bottom <= top and piece.top >= bottom
        ]


class Sightlines:
    """The lines of sight between two groups of figures. A figure is named by its place in its group.

    One piece that hides the one group from the other is looked for first. What hides a figure from the first that it is asked
    about may hide it from all; only the pairs that are left are asked, each when it is needed.
    """

    def __init__(self, field: Field, ones: Group, others: Group, also_blocking: Sequence[Outline]) -> None:
        self._field = field
        self._ones = ones
        self._others = others
        self._also_blocking = also_blocking
        self.hidden = field.hides(ones, others)
        """Whether surely no figure of one group sees any of the other. False says nothing."""
        self._blind: set[int] = set()
        self._tried: set[int] = set()
        self._any: bool | None = False if self.hidden else None

    def any(self) -> bool:
        """Return whether any figure of one group sees any figure of the other."""
        if self._any is None:
            self._any = self._any_pair()
        return self._any

    def sees(self, one: int, other: int) -> bool:
        """Return whether a figure of the first group sees one of the second group."""
        if self.hidden or one in self._blind:
            return False
        if self._field.sees_body(self._ones.bodies[one], self._others.bodies[other], self._also_blocking):
            return True
        # What hides one figure of a group mostly hides all of them.
        hider = self._field.taken_hider()
        if hider is not None and one not in self._tried:
            self._tried.add(one)
            if hider.hides(self._ones.alone(one), self._others):
                self._blind.add(one)
        return False

    def sees_none(self, one: int) -> bool:
        """Return whether it is known that a figure of the first group sees none of the second. False says nothing."""
        return self.hidden or one in self._blind

    def _any_pair(self) -> bool:
        others = range(len(self._others.bodies))
        for one in range(len(self._ones.bodies)):
            for other in others:
                if self.sees(one, other):
                    return True
                if one in self._blind:
                    break
        return False


@lru_cache(maxsize=32)
def field_of(pieces: tuple[Terrain, ...]) -> Field:
    """Return the field over these pieces; matches on the same map share one and what it remembers."""
    return Field(pieces)


def cover_of(
    target: Point, rt: int, shooter: Point, pieces: Sequence[Terrain], reach: int = REACH
) -> tuple[tuple[str, str], ...]:
    """Return the pieces that cover a figure against a shooter's centre, as (terrain id, cover level).

    A piece covers a target (centre, base radius `rt` in mil) that stands inside it with its centre, or whose line from the
    shooter crosses the border or line of the piece within `reach` mil of the target's base.
    """
    found: list[tuple[str, str]] = []
    whole = distance(shooter, target)
    for piece in pieces:
        if piece.cover == NO_COVER:
            continue
        covered = piece.holds(target)
        if not covered:
            met = crossings(shooter, target, piece.outline, linear=piece.linear)
            covered = bool(met) and at_most((1 - met[-1]) * whole - rt, reach)
        if covered:
            found.append((piece.id, piece.cover))
    return tuple(found)


def stands_in(p: Point, r: int, piece: Terrain, reach: int = REACH) -> bool:
    """Return whether a base (centre `p`, radius `r`) is in an area with its centre, or at a line with its edge.

    `reach` is how near (mil) its edge must come to a linear piece. Whether the piece gives cover is not asked.
    """
    if piece.linear:
        return at_most(piece.distance(p) - r, reach)
    return piece.holds(p)


def _lines(a: Point, ra: int, b: Point, rb: int) -> Iterator[Line]:
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
    for share in (1.0, -1.0, 0.5, -0.5):
        for eye, other, r in ((a, b, rb), (b, a, ra)):
            side = to_point((other[0] + share * r * nx, other[1] + share * r * ny))
            yield (eye, side) if eye < side else (side, eye)


def _hidden(one: Body, other: Body, near: Sequence[Piece]) -> bool:
    """Return whether one of the pieces surely hides two figures of any kind from each other."""
    return any(
        piece.screens and piece.hides_pair(one.at, one.radius, other.at, other.radius, round_bases=False)
        for piece in near
    )


def _body_lines(one: Body, other: Body) -> Iterator[Line]:
    """Yield the lines along which two figures of any kind may see each other, the line of centres first."""
    if not one.outline and not other.outline:
        yield from _lines(one.at, one.radius, other.at, other.radius)
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
    for share in (1.0, -1.0, 0.5, -0.5):
        yield to_point((body.at[0] + share * body.radius * nx, body.at[1] + share * body.radius * ny))


def _between(one: Body, other: Body, hulls: Sequence[Outline]) -> tuple[Outline, ...]:
    """Return those of the hulls that could stand between two figures, the two themselves left out."""
    if not hulls:
        return ()
    left, right = (
        min(one.at[0] - one.radius, other.at[0] - other.radius),
        max(one.at[0] + one.radius, other.at[0] + other.radius),
    )
    bottom, top = (
        min(one.at[1] - one.radius, other.at[1] - other.radius),
        max(one.at[1] + one.radius, other.at[1] + other.radius),
    )
    found: list[Outline] = []
    for hull in hulls:
        box = bounds(hull)
        if box[0] > right or box[2] < left or box[1] > top or box[3] < bottom:
            continue
        if hull not in (one.outline, other.outline):
            found.append(hull)
    return tuple(found)


def _enters(line: Line, outline: Outline, xs: list[float], ys: list[float], depth: int) -> bool:
    """Return whether more than `depth` mil of a line lie inside an outline, whose corners are `xs` and `ys` too.

    The border counts: between two houses that share a wall there is no slit to look through. Along a lone wall one still
    sees, by the lines that keep to its open side. Whole numbers of this size are the same as floats.
    """
    sx, sy = float(line[0][0]), float(line[0][1])
    dx, dy = line[1][0] - sx, line[1][1] - sy
    cuts: list[float] = []
    # On which side of the line is each corner? Where the side changes, the edge crosses the line drawn on
    # without end; from crossing to crossing in turn one is inside and outside.
    px, py = xs[-1], ys[-1]
    before = dx * (py - sy) - dy * (px - sx)
    for i in range(len(xs)):
        x, y = xs[i], ys[i]
        side = dx * (y - sy) - dy * (x - sx)
        if side == 0.0:  # a corner or a whole edge on the line: the careful way
            return not at_most(length_inside(*line, outline, border=True), depth)
        if (side > 0.0) != (before > 0.0):
            t = ((px - sx) * (y - py) - (py - sy) * (x - px)) / (side - before)
            cuts.append(0.0 if t < 0.0 else min(t, 1.0))
        px, py, before = x, y, side
    if not cuts:
        return False
    share = 0.0
    if len(cuts) == 2:
        share = cuts[1] - cuts[0] if cuts[1] > cuts[0] else cuts[0] - cuts[1]
    else:
        cuts.sort()
        for i in range(0, len(cuts), 2):
            share += cuts[i + 1] - cuts[i]
    return not at_most(share * distance(*line), depth)
