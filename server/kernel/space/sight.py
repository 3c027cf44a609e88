"""Lines of sight across the terrain, and the pieces that give cover.

A figure sees another when one of the lines between them (`server.kernel.space.lines`) is not blocked. Figures never stand in
the way, hulls do: they block like solid terrain for all but themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from server.kernel.space.geometry import (
    INCH,
    INF,
    Outline,
    Point,
    at_most,
    bounds,
    crossings,
    distance,
)
from server.kernel.space.hulls import apart
from server.kernel.space.lines import (
    body_lines,
    first_blocker,
    sees_aside,
    sees_past_all,
)
from server.kernel.space.pieces import Crowd, Line, Piece, Wall, piece_of, too_deep, wall_of
from server.kernel.space.plain import Spot
from server.kernel.space.screens import Group
from server.kernel.space.terrain import NO_COVER, Terrain
from server.kernel.space.values import Base, Body, SightLine

REACH: Final = INCH
"""How near (mil) a base's edge must be to a border or line for it to be "at" it."""

UNKNOWN: Final = 0
NO: Final = 1
YES: Final = 2


class Field:
    """The terrain of one table, prepared for many questions about sight and cover.

    Terrain does not change while a field lives: build another when it does. Answers depend on the arguments alone. With `centres`
    a round base is seen at its centre alone.
    """

    def __init__(self, pieces: Sequence[Terrain], *, centres: bool = False) -> None:
        self.centres = centres
        self._opaque = tuple(piece_of(piece) for piece in pieces if piece.sight != "clear")
        self._covering = tuple((piece, bounds(piece.outline)) for piece in pieces if piece.cover != NO_COVER)
        self._hider: Piece | None = None

    def sees(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> bool:
        """Return whether figures with round bases (centres `a`, `b`, radii in mil) see each other.

        `also_blocking` are outlines that block like solid terrain, such as the hulls of vehicles other than the two.
        """
        if also_blocking:
            return self.sees_body(Body(a, ra), Body(b, rb), also_blocking)
        return self.sees_past(self._pieces_near(a, ra, b, rb), [], [], Spot(a, ra), Spot(b, rb))

    def line(self, a: Point, ra: int, b: Point, rb: int, also_blocking: Sequence[Outline] = ()) -> SightLine:
        """Return a line along which the two figures see each other, or what blocks the line between their centres.

        Arguments as for `sees`, with which it always agrees.
        """
        return self.line_body(Body(a, ra), Body(b, rb), also_blocking)

    def sees_body(
        self, one: Body, other: Body, also_blocking: Sequence[Outline] = (), crowds: Sequence[Crowd] = ()
    ) -> bool:
        """Return whether two figures, round or hulls, see each other.

        `also_blocking` are the outlines of hulls, which block like solid terrain; those of the two themselves may be among
        them and never do. Without hulls this is `sees`. No line that counts passes through `crowds`.
        """
        near = self._pieces_near(one.at, one.radius, other.at, other.radius)
        return self.sees_body_past(near, [wall_of(hull) for hull in also_blocking], list(crowds), one, other)

    def between(self, ones: Group, others: Group, also_blocking: Sequence[Outline] = ()) -> Sightlines:
        """Return the lines of sight between two groups of figures. `also_blocking` is as for `sees_body`."""
        return Sightlines(self, ones, others, also_blocking)

    def taken_hider(self) -> Piece | None:
        """Return the piece that stands between two bases from side to side, of the last pair of which that was found; once."""
        hider, self._hider = self._hider, None
        return hider

    def pieces_between(self, ones: Group, others: Group) -> list[Piece]:
        """Return the opaque pieces, in the table's order, whose boxes meet that of two groups: no other meets a line."""
        left, right = min(ones.left, others.left) - 1.0, max(ones.right, others.right) + 1.0  # what rounding may add
        bottom, top = min(ones.bottom, others.bottom) - 1.0, max(ones.top, others.top) + 1.0
        found: list[Piece] = []
        for piece in self._opaque:
            if piece.left <= right and piece.right >= left and piece.bottom <= top and piece.top >= bottom:
                found.append(piece)  # noqa: PERF401 - a plain loop is compiled to one
        return found

    def line_body(
        self, one: Body, other: Body, also_blocking: Sequence[Outline] = (), crowds: Sequence[Crowd] = ()
    ) -> SightLine:
        """Return a line along which the two see each other, or what blocks the line between their centres.

        Arguments as for `sees_body`, with which it always agrees.
        """
        walls = _between(one, other, [wall_of(hull) for hull in also_blocking])
        centres = (one.at, other.at)
        near = self._pieces_near(one.at, one.radius, other.at, other.radius)
        line = self._open(self._lines(one, other), centres, near, walls, crowds)
        if line is not None:
            return SightLine(clear=True, line=line)
        middle = centres if one.at < other.at else (other.at, one.at)
        blocker = next((piece for piece in near if piece.blocks(middle, centres)), None) or _too_deep(near, middle)
        return SightLine(clear=False, line=centres, blocked_by=None if blocker is None else blocker.terrain.id)

    def cover_of(self, target: Point, rt: int, shooter: Point, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the pieces that cover a figure against a shooter's centre, as (terrain id, cover level); see `cover_of`."""
        near = self._covering_near(target, rt + reach)
        return cover_of(target, rt, shooter, near, reach) if near else ()

    def cover_at(self, p: Point, r: int, reach: int = REACH) -> tuple[tuple[str, str], ...]:
        """Return the covering pieces a figure stands in or at, as (terrain id, cover level); see `stands_in`."""
        near = self._covering_near(p, r + reach)
        return tuple((piece.id, piece.cover) for piece in near if stands_in(p, r, piece, reach)) if near else ()

    def cover_inside(self, p: Point) -> tuple[tuple[str, str], ...]:
        """Return the covering areas in which a place lies, as (terrain id, cover level): all that covers it from above."""
        return tuple([(piece.id, piece.cover) for piece in self._covering_near(p, 0) if piece.holds(p)])

    def covers_from(
        self, targets: Sequence[Base], shooters: Sequence[Point], reach: int = REACH
    ) -> list[tuple[tuple[str, str], ...]]:
        """Return what `cover_from` does for each of these bases."""
        return [self.cover_from(at, radius, shooters, reach) for at, radius in targets]

    def cover_from(
        self, target: Point, rt: int, shooters: Sequence[Point], reach: int = REACH
    ) -> tuple[tuple[str, str], ...]:
        """Return what `cover_of` does against the nearest of these shooters, the first of those that are equally near."""
        near = self._covering_near(target, rt + reach)
        if not near:
            return ()
        nearest, least = shooters[0], INF
        for shooter in shooters:
            far = distance(shooter, target)
            if far < least:
                nearest, least = shooter, far
        return cover_of(target, rt, nearest, near, reach)

    def _covering_near(self, p: Point, reach: int) -> list[Terrain]:
        """Return the covering pieces whose boxes come within `reach` mil of a place: no other can cover who stands there."""
        x, y = p
        reach += 1  # what rounding may add
        return [
            piece
            for piece, (left, bottom, right, top) in self._covering
            if left - reach <= x <= right + reach and bottom - reach <= y <= top + reach
        ]

    def sees_past(self, near: list[Piece], walls: list[Wall], crowds: list[Crowd], one: Spot, other: Spot) -> bool:
        """Return whether two round bases see each other past these pieces, hulls and crowds, among which are all that stand near
        their lines.

        The cheapest ways to tell come first.
        """
        if not self._sees_past_pieces(near, one, other):
            return False
        between = [wall for wall in walls if wall.near(one, other)]
        if not between and not crowds:
            return True
        return sees_past_all(near, between, crowds, one, other, centres=self.centres)

    def _sees_past_pieces(self, near: list[Piece], one: Spot, other: Spot) -> bool:
        blocker = first_blocker(near, one, other)
        if blocker is None:
            return True
        # Mostly the piece on the line of centres stands across the whole width.
        if blocker.hides_pair(one, other):
            self._hider = blocker
            return False
        return not self.centres and sees_aside(blocker, near, one, other)

    def sees_body_past(self, near: list[Piece], walls: list[Wall], crowds: list[Crowd], one: Body, other: Body) -> bool:
        """Return what `sees_past` does for two figures of any kind. Their own hulls may be among these."""
        if not one.outline and not other.outline:
            return self.sees_past(near, walls, crowds, Spot(one.at, one.radius), Spot(other.at, other.radius))
        for piece in near:
            if piece.screens and piece.hides_pair(
                Spot(one.at, one.radius), Spot(other.at, other.radius), round_bases=False
            ):
                self._hider = piece
                return False
        between = _between(one, other, walls)
        return self._open(self._lines(one, other), (one.at, other.at), near, between, crowds) is not None

    def _lines(self, one: Body, other: Body) -> Iterator[Line]:
        """Return the lines along which two figures may see each other."""
        if not self.centres:
            return body_lines(one, other)
        return body_lines(one if one.outline else Body(one.at, 0), other if other.outline else Body(other.at, 0))

    def _open(
        self,
        lines: Iterable[Line],
        centres: Line,
        near: Sequence[Piece],
        walls: Sequence[Wall],
        crowds: Sequence[Crowd],
    ) -> Line | None:
        """Return the first of the lines between figures with these centres that no piece, no hull and no crowd blocks."""
        blocker: Piece | None = None
        for line in lines:
            # What blocked the last line mostly blocks the next one too.
            if blocker is not None and blocker.blocks(line, centres):
                continue
            blocker = None
            adding = 0
            for piece in near:
                if piece.blocks(line, centres):
                    blocker = piece
                    break
                if piece.adds:
                    adding += 1
            if blocker is not None or (adding > 1 and _too_deep(near, line) is not None):
                continue
            if not any(wall.blocks(line) for wall in walls) and not any(crowd.blocks(line) for crowd in crowds):
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
    about may hide it from all; only the pairs that are left are asked, each when it is needed, and only of the pieces and hulls
    between the two groups.
    """

    def __init__(self, field: Field, ones: Group, others: Group, also_blocking: Sequence[Outline]) -> None:
        self._field = field
        self._ones = ones
        self._others = others
        self._near: list[Piece] = field.pieces_between(ones, others)
        self._walls = _walls_between(ones, others, also_blocking)
        self._round = not ones.hulls and not others.hulls
        self.hidden = _one_hides(self._near, ones, others)
        """Whether surely no figure of one group sees any of the other. False says nothing."""
        self._open = self._round and not self._walls and not self._near
        self._width = len(others.spots)
        self._known: list[int] = []
        self._blind: list[int] = []
        self._any = NO if self.hidden else UNKNOWN

    def past(self, crowds: list[Crowd]) -> Sightlines:
        """Return those of these lines that pass through no crowd."""
        hulls = [wall.outline for wall in self._walls]
        return _LinesPastCrowds(self, self._field, self._ones, self._others, hulls, crowds)

    def any(self) -> bool:
        """Return whether any figure of one group sees any figure of the other."""
        if self._any == UNKNOWN:
            self._any = YES if self._any_pair() else NO
        return self._any == YES

    def all_in(self, lines: Sightlines) -> bool:
        """Return whether all who see each other along these lines do so along other `lines` between the same groups too."""
        for one in range(len(self._ones.spots)):
            for other in range(self._width):
                if self.sees(one, other) and not lines.sees(one, other):
                    return False
        return True

    def sees(self, one: int, other: int) -> bool:
        """Return whether a figure of the first group sees one of the second group."""
        if self.hidden:
            return False
        if self._open:
            return True
        if not self._blind:
            self._blind = [UNKNOWN] * len(self._ones.spots)
            self._known = [UNKNOWN] * (len(self._ones.spots) * self._width)
        if self._blind[one] == YES:
            return False
        place = one * self._width + other
        known = self._known[place]
        if known == UNKNOWN:
            known = YES if self._asked(one, other) else NO
            self._known[place] = known
        return known == YES

    def sees_none(self, one: int) -> bool:
        """Return whether it is known that a figure of the first group sees none of the second. False says nothing."""
        return self.hidden or (len(self._blind) > 0 and self._blind[one] == YES)

    def nearest_seen(self, one: int) -> float | None:
        """Return the mil from a figure of the first group to the nearest of the second group that it sees, edge to edge; None
        if it sees none.
        """
        if self.hidden:
            return None
        gaps = self._gaps(one)
        # The nearest is asked first: mostly it is seen, and no other needs to be.
        last, last_gap = -1, -1.0
        while True:
            best, best_gap = -1, 0.0
            for other in range(self._width):
                far = gaps[other]
                if (far > last_gap or (far == last_gap and other > last)) and (best < 0 or far < best_gap):
                    best, best_gap = other, far
            if best < 0 or self.sees_none(one):
                return None
            if self.sees(one, best):
                return best_gap
            last, last_gap = best, best_gap

    def any_of(self, some: Sequence[int]) -> bool:
        """Return whether any of `some` figures of the first group sees any figure of the second group."""
        if len(some) == len(self._ones.spots):
            return self.any()
        for one in some:  # noqa: SIM110 - a plain loop is compiled to one
            if self._sees_any(one):
                return True
        return False

    def _gaps(self, one: int) -> list[float]:
        """Return the mil from a figure of the first group to each of the second, edge to edge."""
        if not self._round:
            body = self._ones.bodies[one]
            return [apart(body, other) for other in self._others.bodies]
        spot = self._ones.spots[one]
        return [spot.gap(other) for other in self._others.spots]

    def nearest_of(self, one: int, among: Sequence[int]) -> float | None:
        """Return the mil from a figure of the first group to the nearest of some figures of the second group that it sees, edge
        to edge; None if it sees none of them.
        """
        for mil, other in sorted([(self.nearness([one], other), other) for other in among]):
            if self.sees(one, other):
                return mil
        return None

    def seen_by(self, some: Sequence[int]) -> list[int]:
        """Return the figures of the second group that any of `some` figures of the first sees."""
        found: list[int] = []
        for other in range(self._width):
            for one in some:
                if self.sees(one, other):
                    found.append(other)
                    break
        return found

    def nearness(self, some: Sequence[int], other: int) -> float:
        """Return the mil from the nearest of `some` figures of the first group to one of the second group, edge to edge."""
        ones, others = self._ones, self._others
        if not self._round:
            return min([apart(ones.bodies[one], others.bodies[other]) for one in some])
        spot = others.spots[other]
        nearest = INF
        for one in some:
            nearest = min(nearest, ones.spots[one].gap(spot))
        return nearest

    def _any_pair(self) -> bool:
        for one in range(len(self._ones.spots)):  # noqa: SIM110 - a plain loop is compiled to one
            if self._sees_any(one):
                return True
        return False

    def _sees_any(self, one: int) -> bool:
        """Return whether a figure of the first group sees any of the second group."""
        for other in range(self._width):
            if self.sees(one, other):
                return True
            if self.sees_none(one):
                return False
        return False

    def _asked(self, one: int, other: int) -> bool:
        """Return whether two figures see each other. What hides one figure of a group mostly hides all of them."""
        seen = self._seen_past([], one, other)
        if not seen and self._blind[one] == UNKNOWN:
            hider = self._field.taken_hider()
            if hider is not None:
                self._blind[one] = YES if hider.hides_one(self._ones.spots[one], self._others) else NO
        return seen

    def _seen_past(self, crowds: list[Crowd], one: int, other: int) -> bool:
        """Return whether two figures see each other past these crowds too."""
        ones, others = self._ones, self._others
        if self._round:
            return self._field.sees_past(self._near, self._walls, crowds, ones.spots[one], others.spots[other])
        return self._field.sees_body_past(self._near, self._walls, crowds, ones.bodies[one], others.bodies[other])


class _LinesPastCrowds(Sightlines):
    """Those of some lines of sight that pass through no crowd. Where no crowd stands near two figures, these see each other as
    they did before.
    """

    def __init__(
        self,
        lines: Sightlines,
        field: Field,
        ones: Group,
        others: Group,
        also_blocking: Sequence[Outline],
        crowds: list[Crowd],
    ) -> None:
        super().__init__(field, ones, others, also_blocking)
        self._lines = lines
        self._crowds = crowds
        self._open = False

    def _asked(self, one: int, other: int) -> bool:
        if not self._lines.sees(one, other):
            if self._blind[one] == UNKNOWN and self._lines.sees_none(one):
                self._blind[one] = YES
            return False
        ones, others = self._ones, self._others
        crowds: list[Crowd] = []
        for crowd in self._crowds:
            if crowd.near(ones.spots[one], others.spots[other]):
                crowds.append(crowd)  # noqa: PERF401 - a plain loop is compiled to one
        if not crowds:
            return True
        if not self._round:
            return self._seen_past(crowds, one, other)
        # Without the crowds they see each other.
        return sees_past_all(
            self._near, self._walls, crowds, ones.spots[one], others.spots[other], centres=self._field.centres
        )


def _too_deep(pieces: Sequence[Piece], line: Line) -> Piece | None:
    (sx, sy), (ex, ey) = line
    return too_deep(pieces, float(sx), float(sy), float(ex), float(ey))


def _one_hides(pieces: Sequence[Piece], ones: Group, others: Group) -> bool:
    """Return whether one of the pieces surely hides two groups from each other."""
    for piece in pieces:  # noqa: SIM110 - a plain loop is compiled to one
        if piece.hides(ones, others):
            return True
    return False


@lru_cache(maxsize=32)
def field_of(pieces: tuple[Terrain, ...], *, centres: bool = False) -> Field:
    """Return the field over these pieces; matches on the same map share one and what it remembers."""
    return Field(pieces, centres=centres)


def cover_of(
    target: Point, rt: int, shooter: Point, pieces: Sequence[Terrain], reach: int = REACH
) -> tuple[tuple[str, str], ...]:
    """Return the pieces that cover a figure against a shooter's centre, as (terrain id, cover level).

    A piece covers a target (centre, base radius `rt` in mil) that stands inside it with its centre, or whose line from the
    shooter crosses the border or line of the piece within `reach` mil of the target's base.
    """
    return tuple(
        [
            (piece.id, piece.cover)
            for piece in pieces
            if piece.cover != NO_COVER and shields(piece, target, rt, shooter, reach)
        ]
    )


def shields(piece: Terrain, target: Point, rt: int, shooter: Point, reach: int = REACH) -> bool:
    """Return whether a figure stands in or behind a piece as `cover_of` has it. Whether the piece gives cover is not asked."""
    if piece.holds(target):
        return True
    met = crossings(shooter, target, piece.outline, linear=piece.linear)
    return bool(met) and at_most((1 - met[-1]) * distance(shooter, target) - rt, reach)


def stands_in(p: Point, r: int, piece: Terrain, reach: int = REACH) -> bool:
    """Return whether a base (centre `p`, radius `r`) is in an area with its centre, or at a line with its edge.

    `reach` is how near (mil) its edge must come to a linear piece. Whether the piece gives cover is not asked.
    """
    if piece.linear:
        return at_most(piece.distance(p) - r, reach)
    return piece.holds(p)


def _between(one: Body, other: Body, walls: Sequence[Wall]) -> list[Wall]:
    """Return those of the hulls that could stand between two figures, the two themselves left out."""
    spot, other_spot = Spot(one.at, one.radius), Spot(other.at, other.radius)
    own = (one.outline, other.outline)
    return [wall for wall in walls if wall.near(spot, other_spot) and wall.outline not in own]


def _walls_between(ones: Group, others: Group, hulls: Sequence[Outline]) -> list[Wall]:
    """Return those of the hulls that could stand between any two figures of two groups, or are theirs."""
    if not hulls:
        return []
    left, right = min(ones.left, others.left), max(ones.right, others.right)
    bottom, top = min(ones.bottom, others.bottom), max(ones.top, others.top)
    walls = [wall_of(hull) for hull in hulls]
    return [wall for wall in walls if wall.within(left, bottom, right, top)]
