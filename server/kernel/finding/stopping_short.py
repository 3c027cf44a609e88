"""Where the figures of a unit stop that come less far than they declared.

Each goes along its own declared way, as far as its movement takes it and never past the end. What it passed through on the way
it may not stand on, and the unit keeps together. The places that can be the last free one of a way are listed, not sampled
(`free_places`), and each step leads from places that are free to others that are: so the unit always has where to stop, at worst
where it stood.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from client_protocol.choices import PathsDeclared
from server.kernel.finding.free_places import Borders, Circle, Segment, crossings
from server.kernel.finding.ground import Ground
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Point, between, distance, to_mil, to_point
from server.kernel.space.paths import largest_gap, path_length, stretch
from server.kernel.space.values import Base
from server.kernel.standing import bases, hulls, terrain_of
from server.kernel.state import State

Way = tuple[Point, ...]

_PACE = 500
"""Mil by which all figures go less far together, until they keep together; then each goes on by itself, to the mil."""
_ALONG = range(-8, 9)
"""Mil around a measured length: rounding to whole points moves the last free place."""


def stopping_short(
    state: State,
    unit: str,
    declared: Mapping[str, Way],
    reach: int,
    gap: int,
    costly: Sequence[tuple[str, int]],
    barred: Sequence[str],
    clear: int = 0,
    closer: Sequence[tuple[Collection[str], int]] = (),
) -> PathsDeclared:
    """Return how far the `declared` paths of `unit` (starts left out), each of which is legal, are gone with `reach` mil of
    movement. Figures that do not get away from where they stand are left out.

    Between the figures that hold the unit together no gap is over `gap` mil (0: not asked), or, where it was wider before the
    move, no wider than it was; and so between those of each group in `closer`, which has a gap of its own. No figure could go
    farther on its own. Pieces of `costly` cost their percentage
    (`space.costs.Costs`), nothing ends on those of `barred`, nor nearer than `clear` mil to an enemy's base.
    """
    squad = _Squad(state, unit, declared, costly, barred, clear)
    if all(squad.cost(way) <= reach for way in squad.ways.values()):
        return PathsDeclared({key: way[1:] for key, way in squad.ways.items()})
    ends = squad.gone({}, reach, ())
    groups = [*([(tuple(squad.stood), gap)] if gap else []), *closer]
    bonds = [_Bond(group, max(limit, squad.widest({}, group))) for group, limit in groups]
    if not squad.holds(ends, bonds):
        pace = reach
        while not squad.holds(ends, bonds):  # it ends at 0, where all stand as they stood
            pace = max(0, pace - _PACE)
            ends = squad.gone({}, pace, ())
        ends = squad.gone(ends, reach, bonds)
    return PathsDeclared({key: way[1:] for key, way in ends.items() if len(way) > 1})


class _Bond(Struct, frozen=True):
    """Figures between which no gap may be over `widest` mil."""

    figures: Collection[str]
    widest: int


class _Squad:
    """The figures of a unit that moves, with their declared ways (starts included) and what stands around them."""

    def __init__(
        self,
        state: State,
        unit_id: str,
        declared: Mapping[str, Way],
        costly: Sequence[tuple[str, int]],
        barred: Sequence[str],
        clear: int,
    ) -> None:
        unit = state.units[unit_id]
        self.stood = {key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None}
        self.ways: dict[str, Way] = {
            key: (self.stood[key][0], *path)
            for key, path in declared.items()
            if path and path[-1] != self.stood[key][0]
        }
        percent = dict(costly)
        self._costs = Costs([(piece, percent[piece.id]) for piece in terrain_of(state, tuple(percent))])
        self._size = (state.table.width, state.table.height)
        self._barred = terrain_of(state, barred)
        self._others: list[Base] = []
        for other in state.units.values():
            if other.id != unit.id:
                kept = 0 if other.side == unit.side else clear
                self._others += [(at, radius + kept) for at, radius in bases(state, only=[other.id])]
        self._hulls = hulls(state, without=[unit.id])

    def cost(self, way: Way) -> int:
        """Return what a way uses up, in mil."""
        return to_mil(self._costs.path(way))

    def widest(self, ends: Mapping[str, Way], group: Collection[str]) -> int:
        """Return the widest gap of the figures in `group` with those at these ends, the others where they stood."""
        standing = [base for key, base in self._standing(ends).items() if key in group]
        return largest_gap([at for at, _ in standing], [radius for _, radius in standing])

    def holds(self, ends: Mapping[str, Way], bonds: Sequence[_Bond]) -> bool:
        """Return whether the figures keep together as the bonds want with some at these ends."""
        return all(self.widest(ends, bond.figures) <= bond.widest for bond in bonds)

    def gone(self, ends: Mapping[str, Way], reach: int, bonds: Sequence[_Bond]) -> dict[str, Way]:
        """Return how far the figures get with `reach` mil from their start, which have come to `ends` so far. Each stays where
        the `bonds` hold.
        """
        far = {key: self._within(way, reach) for key, way in self.ways.items()}
        if not bonds and all(self._ground(key, far).free(way[-1], self.stood[key][1]) for key, way in far.items()):
            return far
        come = dict(ends)
        farther = True
        while farther:
            farther = False
            # One after the other, from a free place to a free place; when one has moved on, others may get farther.
            for key, way in far.items():
                found = self._farthest(key, way, come, bonds)
                if path_length(found) > path_length(come.get(key, way[:1])):
                    come[key], farther = found, True
        return come

    def _within(self, way: Way, reach: int) -> Way:
        """Return the longest part of a way from its start that uses up no more than `reach`, to the mil."""
        if self.cost(way) <= reach:
            return way
        whole = path_length(way)
        low, high = 0, to_mil(whole)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.cost(stretch(way, 0.0, middle / whole)) <= reach else (low, middle)
        return tuple(_plain(stretch(way, 0.0, low / whole)))

    def _standing(self, ends: Mapping[str, Way]) -> dict[str, Base]:
        return {key: (ends[key][-1] if key in ends else at, radius) for key, (at, radius) in self.stood.items()}

    def _ground(self, key: str, ends: Mapping[str, Way]) -> Ground:
        """Return where figure `key` may stand while its mates stand at `ends`."""
        mates = [base for mate, base in self._standing(ends).items() if mate != key]
        return Ground(self._size, self._barred, [*self._others, *mates], hulls=self._hulls)

    def _farthest(self, key: str, way: Way, ends: Mapping[str, Way], bonds: Sequence[_Bond]) -> Way:
        """Return the longest part of `way` at whose end figure `key` may stand while its mates stand at `ends`; its start
        alone if there is none.
        """
        radius = self.stood[key][1]
        ground = self._ground(key, ends)
        standing = self._standing(ends)
        rings = [
            Circle(standing[mate][0], bond.widest + radius + standing[mate][1])
            for bond in bonds
            if key in bond.figures
            for mate in bond.figures
            if mate != key and mate in standing
        ]
        borders = Borders(radius, self._size, self._barred, ground.taken, self._hulls)
        for index in range(len(way) - 1, 0, -1):
            for at in _last_first(way[index - 1], way[index], borders, rings):
                part = tuple(_plain((*way[:index], at)))
                if ground.free(at, radius) and self.holds({**ends, key: part}, bonds):
                    return part
        return way[:1]


def _last_first(a: Point, b: Point, borders: Borders, rings: Sequence[Circle]) -> list[Point]:
    """Return the whole points of a leg that could be its last free place, or the last within one of the `rings`."""
    whole = distance(a, b)
    found = set(borders.on_the_way(a, b))
    met = [0.0, whole, *(distance(a, place) for ring in rings for place in crossings(ring, Segment(a, b)))]
    found |= {to_point(between(a, b, (n + more) / whole)) for n in met for more in _ALONG if 0 < n + more < whole}
    return sorted(found, key=lambda at: (-distance(a, at), at))


def _plain(way: Sequence[Point]) -> Iterator[Point]:
    """Yield the points of a way without those that repeat the one before."""
    yield way[0]
    yield from (b for a, b in pairwise(way) if a != b)
