"""Free space round a hull: where those stand who get out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from client_protocol.choices import Bond, Landing, PlacementParameter
from server.kernel.answers.landing import walkable
from server.kernel.finding.bonds import all_hold, bonded_first, loosened
from server.kernel.finding.formation import close_together, grown, next_to_each_other
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import Outline, Point, between, distance, edges, least_distance, to_point
from server.kernel.space.hulls import drawn_in, near, off
from server.kernel.space.paths import largest_gap
from server.kernel.standing import bases, hulls, in_zone, terrain_of
from server.kernel.state import State, Unit

_STEP = 250
"""Mil between the places that are tried along a hull."""
_STARTS = 48
"""The most places at which a group is tried to begin."""
_FREE = 20
"""Mil by which one who is set down keeps off a hull, so that no rounding makes him stand in it."""


class SpaceRound:
    """Free space for one unit round a hull or a wreck.

    Args:
        state: the state as the unit's seat believes it.
        unit: the unit's id.
        outline: the hull's outline.
        barred: the ids of the terrain pieces on which no figure stands.
        gap: the largest gap between the unit's figures, in mil, by the rule `gap_rule`; 0 if there is no limit.
        landing: how the figures walk from the hull to their places, where they do.
        clear: how far the figures keep off the units in `avoid`, in mil, by the rule `clear_rule`.
        bonds: the figures of the unit that keep nearer together than `gap`, where there is space for that.
    """

    def __init__(
        self,
        state: State,
        unit: str,
        outline: Outline,
        barred: Sequence[str],
        *,
        gap: int = 0,
        gap_rule: str = "",
        landing: Landing | None = None,
        avoid: Sequence[str] = (),
        clear: int = 0,
        clear_rule: str = "",
        bonds: Sequence[Bond] = (),
    ) -> None:
        self._state = state
        self._unit = state.units[unit]
        self._outline = outline
        self._barred = tuple(barred)
        self._gap, self._gap_rule, self._landing = gap, gap_rule, landing
        self._walked = None if landing is None else walkable(state, unit, landing, self._barred)
        self._avoid, self._clear, self._clear_rule = tuple(avoid), clear, clear_rule
        self._kept_off = bases(state, only=self._avoid), hulls(state, only=self._avoid)
        self._bonds = tuple(bonds)
        self._radius = max((figure.radius for figure in self._unit.living.values()), default=0)

    def placement(self, reach: int, suggested: dict[str, Point]) -> PlacementParameter:
        """Return the parameter with which the unit is placed within `reach` mil of the hull."""
        return PlacementParameter(
            units=(self._unit.id,),
            zone=near(self._outline, reach, self._radius),
            gaps=(self._gap,),
            barred=(self._barred,),
            suggested=(suggested,),
            gap_rule=self._gap_rule,
            landing=self._landing,
            avoid=self._avoid,
            clear=self._clear,
            clear_rule=self._clear_rule,
            bonds=loosened(self._unit, self._bonds, suggested),
        )

    def within(self, reach: int) -> dict[str, Point]:
        """Return free places for the unit's living figures within `reach` mil of the hull: in rows, the nearest first, and of
        these the farthest from the enemy; where that leaves figures out, close together. Figures that find none are left out.
        With a limit to the gaps those that are placed keep to it.
        """
        state, unit, outline, radius = self._state, self._unit, self._outline, self._radius
        zone = near(outline, reach, radius)
        ground = self._ground(outline, zone)
        threats = [at for enemy in state.enemies_of(unit.side) for at, _ in enemy.places()]
        rows = (
            sorted(row, key=lambda at: -least_distance(at, threats))
            for row in _rows(outline, reach, radius, radius if self._gap else 2 * radius)
        )
        if self._gap:
            return self._as_a_group(rows, zone)
        wanted = (at for row in rows for at in row)
        places: dict[str, Point] = {}
        for key, figure in unit.living.items():
            at = next((at for at in wanted if ground.free(at, figure.radius)), None)
            if at is None:
                break
            ground.take(at, figure.radius)
            places[key] = at
        if len(places) == unit.strength:
            return places
        tries = (close_together(unit, start, ground.as_at_first()) for start in _round(outline, radius))
        return self._most(chain([places], tries))

    def _as_a_group(self, rows: Iterable[Sequence[Point]], zone: Outline) -> dict[str, Point]:
        """Return places among those of `rows`, in their order, that keep to the limit of gaps; else close together; the most
        that are found, and as the bonds want it if all find places so.
        """
        unit = self._unit
        free = _FreeRows(rows, self._ground(self._outline, zone), self._radius)
        places = self._grouped(unit, free, zone)
        if not all_hold(unit, self._bonds, places):
            closer = self._grouped(bonded_first(unit, self._bonds), free, zone)
            if len(closer) == unit.strength and all_hold(unit, self._bonds, closer):
                return {key: closer[key] for key in unit.living}
        return places

    def _grouped(self, unit: Unit, free: _FreeRows, zone: Outline) -> dict[str, Point]:
        """Return places for the unit's figures in the order of its roster, among those of the free rows or close together."""
        # Mostly the group fits in where it begins first, in the first rows: the others need not be asked then.
        first = next((at for row in free for at in row), None)
        best = {} if first is None else self._grown(unit, first, free)
        if len(best) == unit.strength:
            return best
        starts = [at for row in free for at in row][:: self._stride(list(free))][1:]
        ground = self._ground(self._outline, zone)
        close = (next_to_each_other(unit, start, ground.as_at_first()) for start in _round(self._outline, self._radius))
        return self._most(
            chain([best], (self._grown(unit, start, free) for start in starts), (self._together(one) for one in close))
        )

    def _most(self, tries: Iterable[dict[str, Point]]) -> dict[str, Point]:
        """Return the first of the tries that has places for the whole unit, else the first that has the most. The others are not
        made.
        """
        best: dict[str, Point] = {}
        for places in tries:
            if len(places) > len(best):
                best = places
            if len(best) == self._unit.strength:
                break
        return best

    @staticmethod
    def _stride(rows: Sequence[Sequence[Point]]) -> int:
        """Return how many places to go on from one start to the next, so that no more than `_STARTS` are tried."""
        return -(-sum(map(len, rows)) // _STARTS) or 1

    def _grown(self, unit: Unit, start: Point, rows: Iterable[Sequence[Point]]) -> dict[str, Point]:
        """Return places for a group that begins at `start`; see `grown`. Where the bonded figures come first, they keep to their
        own limit.
        """
        figures = unit.living
        limits = [self._gap] * len(figures)
        for bond in self._bonds:
            led = sum(1 for key, of in zip(figures, bond.figures, strict=False) if key == of)
            if led == len(bond.figures):
                limits[:led] = [min(bond.gap, self._gap)] * led
        places = grown(start, rows, [figure.radius for figure in figures.values()], limits)
        return dict(zip(figures, places, strict=False))

    def _together(self, places: Iterable[tuple[str, Point]]) -> dict[str, Point]:
        """Return those of the places, from the first on, that keep to the limit of gaps; the others are not asked for."""
        kept: dict[str, Point] = {}
        for key, at in places:
            tried = {**kept, key: at}
            if largest_gap(list(tried.values()), [self._unit.figures[one].radius for one in tried]) > self._gap:
                break
            kept = tried
        return kept

    def nearest(self, reach: int) -> tuple[int, dict[str, Point]]:
        """Return places as `within` finds them, and the nearest farther out for those who find none there, however far; before
        them, within how many mil of the hull all of these are. Figures are left out only when there is no free space on the
        whole table.
        """
        unit, outline, radius = self._unit, self._outline, self._radius
        places = self.within(reach)
        # A figure is set down on a wreck only where there is no free space elsewhere.
        grounds = [self._ground(outline), self._ground(())]
        for key, at in places.items():
            for ground in grounds:
                ground.take(at, unit.figures[key].radius)
        for key, figure in unit.living.items():
            if key in places:
                continue
            found = [_nearest(ground, outline, radius, figure.radius) for ground in grounds]
            free = next((place for place in found if place is not None), None)
            if free is None:
                break
            places[key] = free
            for ground in grounds:
                ground.take(free, figure.radius)
        while not all(
            in_zone(at, unit.figures[key].radius, near(outline, reach, radius)) for key, at in places.items()
        ):
            reach += _STEP
        return reach, places

    def _ground(self, outline: Outline, zone: Outline = ()) -> Ground:
        """Return where the unit finds space off all others, and off the hull or wreck with this outline (none: empty)."""
        state = self._state
        return Ground(
            (state.table.width, state.table.height),
            terrain_of(state, self._barred),
            bases(state, without=[self._unit.id]),
            self._walked,
            hulls=[*hulls(state), *([outline] if outline else [])],
            zone=zone,
            avoided=self._kept_off,
            clear=self._clear,
        )


class _FreeRows:
    """The free places of each row, asked when they are needed and then remembered."""

    def __init__(self, rows: Iterable[Sequence[Point]], ground: Ground, radius: int) -> None:
        self._rows = iter(rows)
        self._ground, self._radius = ground, radius
        self._found: list[list[Point]] = []

    def __iter__(self) -> Iterator[list[Point]]:
        yield from self._found
        for row in self._rows:
            self._found.append([at for at in row if self._ground.free(at, self._radius)])
            yield self._found[-1]


def _nearest(ground: Ground, outline: Outline, radius: int, own: int) -> Point | None:
    """Return the free place for a base of radius `own` that is nearest to a hull; None when there is none on the table.

    `radius` is the largest of its unit's.
    """
    found = [at for start in _round(outline, radius) if (at := ground.nearest(start, own)) is not None]
    return min(found, key=lambda at: off(at, outline), default=None)


def _round(outline: Outline, radius: int) -> list[Point]:
    """Return where a base touches a hull: at its corners, and in the middle of its sides."""
    sides = edges(drawn_in(outline, -(radius + _FREE)), linear=False)
    return [to_point(place) for a, b in sides for place in (a, between(a, b, 0.5))]


def _rows(outline: Outline, reach: int, radius: int, step: int) -> Iterator[list[Point]]:
    """Yield places round a hull, row by row outwards, `step` mil apart."""
    off = _FREE
    while off < reach:
        yield [at for a, b in edges(drawn_in(outline, -(radius + off)), linear=False) for at in _along(a, b)]
        off += step


def _along(a: Point, b: Point) -> Iterator[Point]:
    """Yield points from `a` on towards `b`, which is left out."""
    whole = distance(a, b)
    for step in range(max(1, round(whole) // _STEP)):
        share = step * _STEP / whole if whole else 0.0
        yield to_point((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
