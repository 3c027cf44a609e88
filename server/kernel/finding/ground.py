"""Ground on which bases may stand: whether a place is free, and which free place is nearest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from server.kernel.finding.free_places import Borders
from server.kernel.space.geometry import Outline, Point, bounds, distance, to_mil
from server.kernel.space.hulls import drawn_in, enters, hull_overlaps, inside_table, outline, smaller
from server.kernel.space.obstacles import comes_near
from server.kernel.space.paths import on_table, overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Hull, Pose
from server.kernel.standing import in_zone

_ANGLES: Final = 16
_RINGS: Final = 48
_BRINK: Final = 5
"""Mil by which what lies on a zone's edge may be off through rounding."""
_NEAR: Final = 4
"""A base first looks for a place within so many times its radius."""


class Ground:
    """Where a base may stand: on the table, off `barred` terrain, off all bases, in none of `hulls`, `clear` mil away from the
    bases and hulls that are `avoided`, wholly inside the polygon `zone` when there is one, and where `allowed` says so.

    With a zone, what does not reach into it is left out.
    """

    def __init__(
        self,
        size: tuple[int, int],
        barred: Sequence[Terrain],
        taken: Sequence[Base],
        allowed: Callable[[Point, int], bool] | None = None,
        hulls: Sequence[Outline] = (),
        zone: Sequence[Point] = (),
        avoided: tuple[Sequence[Base], Sequence[Outline]] = ((), ()),
        clear: int = 0,
    ) -> None:
        self.size = size
        self.barred = barred
        self.taken = list(taken)
        self.hulls = list(hulls)
        self.zone = tuple(zone)
        self._allowed = allowed
        self._avoided = avoided
        self._clear = clear
        self._box = bounds(self.zone) if zone else (0, 0, *size)
        if zone:
            # A base in the zone meets only what reaches into the zone.
            self.barred = [piece for piece in barred if comes_near(self._box, piece.outline, _BRINK)]
            self.hulls = [hull for hull in hulls if comes_near(self._box, hull, _BRINK)]
            self.taken = [(at, other) for at, other in taken if comes_near(self._box, (at,), other + _BRINK)]
        self._given = len(self.taken)
        self._borders: dict[int, Borders] = {}

    def free(self, at: Point, radius: int) -> bool:
        """Return whether a base of this radius may stand at `at`."""
        return (
            on_table(at, radius, self.size)
            and not overlaps(at, radius, self.taken, self.hulls)
            and not any(_on(at, radius, piece) for piece in self.barred)
            and (not self.zone or in_zone(at, radius, self.zone))
            and not (self._clear and overlaps(at, radius + self._clear, *self._avoided))
            and (self._allowed is None or self._allowed(at, radius))
        )

    def free_for_hull(self, pose: Pose, hull: Hull, berth: int = 0) -> bool:
        """Return whether a hull may stand so, `berth` mil away from all others. `allowed`, which is about bases, is not
        asked.
        """
        inner = outline(pose, smaller(hull))
        return (
            inside_table(inner, self.size)
            and not any(enters(inner, piece) for piece in self.barred)
            and not hull_overlaps(drawn_in(outline(pose, hull), -berth), self.taken, self.hulls)
        )

    def nearest(self, wanted: Point, radius: int, reach: int | None = None) -> Point | None:
        """Return the free place nearest to `wanted`, up to `reach` mil away (None: anywhere on the table), or None if there
        is none.

        The borders of what `allowed` forbids are unknown here, so with it places are sampled as well, and one may be missed.
        """
        if self.free(wanted, radius):
            return wanted
        every = self._borders_for(radius)
        left, bottom, right, top = self._box
        far = max(distance(wanted, corner) for corner in ((left, bottom), (right, bottom), (right, top), (left, top)))
        most = far + 1 if reach is None else min(reach, far + 1)
        # Only borders near by decide what is nearest: usually the first few are enough.
        before, within = -1.0, min(_NEAR * radius, most)
        while True:
            places = every.candidates(wanted, within, self.taken[self._given :], before)
            if self._allowed is not None:
                sampled = self._inside(_rings(wanted, max(radius // 2, 50), within))
                places = sorted([*places, *sampled], key=lambda at: distance(at, wanted))
            for at in places:
                # What is nearer has been asked already.
                if before < distance(wanted, at) <= within and self.free(at, radius):
                    return at
            if within >= most:
                return None
            before, within = within, min(2 * within, most)

    def _inside(self, places: Iterable[Point]) -> list[Point]:
        """Return those of the places that lie in the box round the zone, or on the table where there is none."""
        left, bottom, right, top = self._box
        return [(x, y) for x, y in places if left <= x <= right and bottom <= y <= top]

    def farthest(self, start: Point, end: Point, radius: int) -> Point | None:
        """Return the last free place on the straight way from `start` to `end`, or None if there is none. The borders of what
        `allowed` forbids are unknown here: with it, one may be missed.
        """
        every = self._borders_past(radius, self.taken)
        return next((at for at in every.on_the_way(start, end) if self.free(at, radius)), None)

    def _borders_for(self, radius: int) -> Borders:
        """Return the borders of the ground as it was at first for the centre of a base of this radius."""
        known = self._borders.get(radius)
        if known is None:
            known = self._borders[radius] = self._borders_past(radius, self.taken[: self._given])
        return known

    def _borders_past(self, radius: int, taken: Sequence[Base]) -> Borders:
        """Return the borders of the ground where only these bases are taken."""
        borders = Borders(radius, self.size, self.barred, taken, self.hulls, self.zone)
        if self._clear:
            borders.keep_off(*self._avoided, self._clear)
        return borders

    def take(self, at: Point, radius: int) -> None:
        """Add a base at `at`."""
        self.taken.append((at, radius))

    def leave(self, at: Point, radius: int) -> None:
        """Take a base away again. Raises `ValueError` where none stands so."""
        index = self.taken.index((at, radius))
        del self.taken[index]
        if index < self._given:
            self._given -= 1
            self._borders = {}

    def as_at_first(self) -> Ground:
        """Return the ground without the bases that were added. Both share what they find out about its borders."""
        at_first, avoided = self.taken[: self._given], self._avoided
        other = Ground(self.size, self.barred, at_first, self._allowed, self.hulls, self.zone, avoided, self._clear)
        other._borders = self._borders
        return other


def _on(at: Point, radius: int, piece: Terrain) -> bool:
    """Return whether a base of this radius at `at` would reach over a piece."""
    left, bottom, right, top = bounds(piece.outline)
    # Usually the piece is far off, as its box tells.
    near = left - radius <= at[0] <= right + radius and bottom - radius <= at[1] <= top + radius
    return near and to_mil(piece.distance(at)) < radius


def _rings(centre: Point, step: int, within: float) -> Iterator[Point]:
    """Yield places all round `centre`, `step` mil apart, as far as `within` mil or a little farther."""
    yield centre
    for ring in range(1, min(_RINGS, math.ceil(within / step)) + 1):
        spokes = _ANGLES if ring < 8 else 2 * _ANGLES
        for spoke in range(spokes):
            angle = 2 * math.pi * spoke / spokes
            yield (round(centre[0] + ring * step * math.cos(angle)), round(centre[1] + ring * step * math.sin(angle)))
