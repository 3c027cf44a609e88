"""Lines of sight across the terrain, and the pieces that give cover.

A figure sees another when an unblocked line runs from the centre of one base to any of five points across the width of the
other: its centre, half and full radius to both sides, square to the line of centres. Lines are drawn from either figure, so
that sight is mutual by construction. Figures never stand in the way, hulls do: they block like solid terrain for all but
themselves. The points to see of a hull are its centre and its corners drawn in by a tenth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import assert_never

import shapely

from server.kernel.space.geometry import (
    FULL_TURN,
    INCH,
    Outline,
    Point,
    angle_difference,
    at_most,
    between,
    bounds,
    contains,
    crossings,
    direction,
    distance,
    length_inside,
    to_point,
)
from server.kernel.space.terrain import NO_COVER, Terrain
from server.kernel.space.values import Body, SightLine

Line = tuple[Point, Point]

REACH = INCH
"""How near (mil) a base's edge must be to a border or line for it to be "at" it."""

_CELL = 3 * INCH
"""Lines are sorted by the cells of the table their ends lie in."""
_MOST_REMEMBERED = 20_000
"""Pairs of cells or of figures a field remembers (some 200 bytes each): a hundred battles on one map share it, and
with more of them the memory costs more than it saves."""


class Field:
    """The terrain of one table, prepared for many questions about sight and cover.

    Terrain does not change while a field lives: build another when it does. Answers depend on the arguments
    alone; what the field remembers (which pieces could matter to a line between two cells of the table) only
    saves time.
    """

    def __init__(self, pieces: Sequence[Terrain]) -> None:
        self._opaque = tuple(piece for piece in pieces if piece.sight != "clear")
        self._covering = tuple((piece, bounds(piece.outline)) for piece in pieces if piece.cover != NO_COVER)
        # Hulls, because any outline has a sound one, an open line or a self-crossing border too.
        self._hulls = shapely.STRtree([shapely.convex_hull(shapely.multipoints(p.outline)) for p in self._opaque])
        self._near: dict[tuple[int, int, int, int], tuple[Terrain, ...]] = {}
        self._walls = frozenset(p.id for p in self._opaque if p.sight in {"solid", "occupied"} and _convex(p))
        self._seen: dict[tuple[Point, int, Point, int], bool] = {}
        self._seen_bodies: dict[tuple[Body, Body, tuple[Outline, ...]], bool] = {}

    def sees(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> bool:
        """Return whether figures with round bases (centres `a`, `b`, radii in mil) see each other.

        `also_blocking` are outlines that block like solid terrain, such as the hulls of vehicles other than the two.
        """
        if also_blocking:
            return self._first_open(a, ra, b, rb, also_blocking) is not None
        pair = (a, ra, b, rb) if a < b else (b, rb, a, ra)
        seen = self._seen.get(pair)
        if seen is None:
            if len(self._seen) >= _MOST_REMEMBERED:
                self._seen.clear()
            # Mostly the line of centres is free, or one building stands across the whole width.
            seen = self._blocker((a, b) if a < b else (b, a), (a, b)) is None or (
                not self._walled(a, ra, b, rb) and self._first_open(a, ra, b, rb, ()) is not None
            )
            self._seen[pair] = seen
        return seen

    def line(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> SightLine:
        """Return a line along which the two figures see each other, or what blocks the line between their centres.

        Arguments as for `sees`, with which it always agrees.
        """
        line = self._first_open(a, ra, b, rb, also_blocking)
        if line is not None:
            return SightLine(clear=True, line=line)
        blocker = self._blocker((a, b) if a < b else (b, a), (a, b))
        return SightLine(clear=False, line=(a, b), blocked_by=None if blocker is None else blocker.id)

    def sees_body(self, one: Body, other: Body, also_blocking: Sequence[Outline] = ()) -> bool:
        """Return whether two figures, round or hulls, see each other.

        `also_blocking` are the outlines of hulls, which block like solid terrain; those of the two themselves may be among
        them and never do. Without hulls this is `sees`.
        """
        hulls = _between(one, other, also_blocking)
        if not hulls and not one.outline and not other.outline:
            return self.sees(one.at, one.radius, other.at, other.radius)
        pair = (one, other, hulls) if one.at < other.at else (other, one, hulls)
        seen = self._seen_bodies.get(pair)
        if seen is None:
            if len(self._seen_bodies) >= _MOST_REMEMBERED:
                self._seen_bodies.clear()
            seen = self._open(_body_lines(one, other), (one.at, other.at), hulls) is not None
            self._seen_bodies[pair] = seen
        return seen

    def line_body(self, one: Body, other: Body, also_blocking: Sequence[Outline] = ()) -> SightLine:
        """Return a line along which the two see each other, or what blocks the line between their centres.

        Arguments as for `sees_body`, with which it always agrees.
        """
        hulls = _between(one, other, also_blocking)
        line = self._open(_body_lines(one, other), (one.at, other.at), hulls)
        if line is not None:
            return SightLine(clear=True, line=line)
        centres = (one.at, other.at)
        blocker = self._blocker(centres if one.at < other.at else (other.at, one.at), centres)
        return SightLine(clear=False, line=centres, blocked_by=None if blocker is None else blocker.id)

    def cover_of(self, target: Point, rt: int, shooter: Point, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the pieces that cover a figure against a shooter's centre, as (terrain id, cover level); see `cover_of`."""
        return cover_of(target, rt, shooter, self._covering_near(target, rt + reach), reach)

    def cover_at(self, p: Point, r: int, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the covering pieces a figure stands in or at, as (terrain id, cover level); see `stands_in`."""
        near = self._covering_near(p, r + reach)
        return tuple((piece.id, piece.cover) for piece in near if stands_in(p, r, piece, reach))

    def _covering_near(self, p: Point, reach: int) -> list[Terrain]:
        """Return the covering pieces whose boxes come within `reach` mil of a place: no other can cover who stands there."""
        x, y = p
        reach += 1  # what rounding may add
        return [
            piece
            for piece, (left, bottom, right, top) in self._covering
            if left - reach <= x <= right + reach and bottom - reach <= y <= top + reach
        ]

    def _walled(self, a: Point, ra: int, b: Point, rb: int) -> bool:
        """Return whether one convex piece stands across the whole width between two figures: then it blocks every line."""
        pieces = [piece for piece in self._pieces_near(a, b) if piece.id in self._walls]
        if not pieces or a == b:
            return False
        length = distance(a, b)
        nx, ny = (a[1] - b[1]) / length, (b[0] - a[0]) / length
        left, right = (
            (
                to_point((a[0] + side * ra * nx, a[1] + side * ra * ny)),
                to_point((b[0] + side * rb * nx, b[1] + side * rb * ny)),
            )
            for side in (1.0, -1.0)
        )
        return any(
            _enters(left, piece.outline, 1)
            and _enters(right, piece.outline, 1)
            and (piece.sight == "solid" or not (contains(piece.outline, a) or contains(piece.outline, b)))
            for piece in pieces
        )

    def _first_open(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline]) -> Line | None:
        """Return the first unblocked line between two figures."""
        return self._open(_lines(a, ra, b, rb), (a, b), also_blocking)

    def _open(self, lines: Iterable[Line], centres: Line, also_blocking: Sequence[Outline]) -> Line | None:
        """Return the first unblocked one of the lines between figures with these centres."""
        blocker: Terrain | None = None
        for line in lines:
            # What blocked the last line mostly blocks the next one too.
            if blocker is not None and _blocks(blocker, line, centres):
                continue
            blocker = self._blocker(line, centres)
            if blocker is None and not any(_enters(line, outline, 0) for outline in also_blocking):
                return line
        return None

    def _blocker(self, line: Line, centres: Line) -> Terrain | None:
        """Return the first piece, in the table's order, that blocks a line between figures with these centres."""
        for piece in self._pieces_near(*line):
            if _blocks(piece, line, centres):
                return piece
        return None

    def _pieces_near(self, start: Point, end: Point) -> tuple[Terrain, ...]:
        """Return the opaque pieces, in order, that a line between the cells of these two points could meet."""
        key = (start[0] // _CELL, start[1] // _CELL, end[0] // _CELL, end[1] // _CELL)
        near = self._near.get(key)
        if near is None:
            found = self._hulls.query(_hull_of_cells(*key), predicate="intersects")
            near = tuple(self._opaque[i] for i in sorted(int(i) for i in found))
            if len(self._near) >= _MOST_REMEMBERED:
                self._near.clear()
            self._near[key] = near
        return near


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


def _convex(piece: Terrain) -> bool:
    """Return whether a piece is an area without a bay in its border."""
    if piece.linear or len(piece.outline) < 3:
        return False
    outline = piece.outline
    turns = [
        (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        for (ax, ay), (bx, by), (cx, cy) in zip(
            outline, outline[1:] + outline[:1], outline[2:] + outline[:2], strict=True
        )
    ]
    return (all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)) and abs(_winding(outline)) == 1


def _winding(outline: Outline) -> int:
    """Return how often a border goes round: a star turns always the same way too, but twice round."""
    whole = 0
    for index, corner in enumerate(outline):
        before, after = outline[index - 1], outline[(index + 1) % len(outline)]
        whole += angle_difference(direction(before, corner), direction(corner, after))
    return round(whole / FULL_TURN)


def _blocks(piece: Terrain, line: Line, centres: Line) -> bool:
    """Return whether a piece blocks a line between two figures with these centres."""
    outline = piece.outline
    match piece.sight:
        case "clear":
            return False
        case "solid" if piece.linear:
            # The line's own ends do not count: a figure may stand on the wall and look either way.
            return any(0 < t < 1 for t in crossings(*line, outline, linear=True))
        case "solid":
            return _enters(line, outline, 0)
        case "depth":
            return not piece.linear and _enters(line, outline, piece.sight_depth)
        case "occupied":
            if piece.linear or not _enters(line, outline, 0):
                return False
            return not contains(outline, centres[0]) and not contains(outline, centres[1])
        case _:
            assert_never(piece.sight)


def _enters(line: Line, outline: Outline, depth: int) -> bool:
    """Return whether more than `depth` mil of a line lie inside an outline.

    The border counts: between two houses that share a wall there is no slit to look through. Along a lone wall one still
    sees, by the lines that keep to its open side.
    """
    (sx, sy), end = line
    dx = end[0] - sx
    dy = end[1] - sy
    cuts: list[float] = []
    # On which side of the line is each corner? Where the side changes, the edge crosses the line drawn on
    # without end; from crossing to crossing in turn one is inside and outside.
    px, py = outline[-1]
    before = dx * (py - sy) - dy * (px - sx)
    for x, y in outline:
        side = dx * (y - sy) - dy * (x - sx)
        if side == 0:  # a corner or a whole edge on the line: the careful way
            return not at_most(length_inside(*line, outline, border=True), depth)
        if (side > 0) != (before > 0):
            t = ((px - sx) * (y - py) - (py - sy) * (x - px)) / (side - before)
            cuts.append(0.0 if t < 0 else min(t, 1.0))
        px, py, before = x, y, side
    if not cuts:
        return False
    cuts.sort()
    share = 0.0
    for i in range(0, len(cuts), 2):
        share += cuts[i + 1] - cuts[i]
    return not at_most(share * distance(*line), depth)


def _hull_of_cells(x1: int, y1: int, x2: int, y2: int) -> shapely.Geometry:
    """Return the ground that lines between two cells of the table can pass over."""
    margin = 1  # mil; more than enough for whatever the hull's arithmetic loses
    corners = []
    for x, y in ((x1, y1), (x2, y2)):
        left, bottom = x * _CELL - margin, y * _CELL - margin
        right, top = (x + 1) * _CELL + margin, (y + 1) * _CELL + margin
        corners += [(left, bottom), (right, bottom), (right, top), (left, top)]
    return shapely.convex_hull(shapely.multipoints(corners))
