"""A hemmed-in unit drawn together, as far as the ways that it has found allow."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.paths import Around, check_path, keeps_a_figure
from server.kernel.finding.closing_up import parts, parts_of
from server.kernel.space.geometry import FULL_TURN, Point, moved
from server.kernel.space.paths import narrowest_gap
from server.kernel.space.values import Base
from server.kernel.standing import end_places, widest_after
from server.kernel.state import State

LENGTHS: Final = (99, 75, 50, 33, 20, 10, 5, 2)
"""How far those go who draw the unit together, in percent of its move."""
BEND: Final = 1500
"""The angle between two of their directions, in hundredths of a degree."""


class _Movers:
    """Figures that may be moved alike, and their straight moves, the longest first: how far (mil) each is, and what they take up
    after it.
    """

    def __init__(self, keys: Sequence[str], moves: list[tuple[int, list[Base]]]) -> None:
        self.keys = tuple(keys)
        self.moves = moves


class Together:
    """How far apart a unit ends, and how it can end closer together.

    Args:
        state: the state as the unit's seat believes it.
        parameter: what limits the unit's paths, but for how far apart it may end.
        limit: how wide the gaps may be, in mil, between which it needs not come closer.
        crew: the figures that serve a weapon, if any.
        bond: how wide the gaps between these may be, in mil.
        lengths: how far those go who draw the unit together, in percent of its move, the farthest first.
        bend: the angle between two of their directions, in hundredths of a degree.
    """

    def __init__(
        self,
        state: State,
        parameter: PathParameter,
        limit: int,
        crew: Collection[str],
        bond: int,
        lengths: Sequence[int] = LENGTHS,
        bend: int = BEND,
    ) -> None:
        self._state = state
        self._parameter = parameter
        self._unit = unit = state.units[parameter.unit]
        self._limit, self._crew, self._bond = limit, crew, bond
        self._around = Around(state, parameter)
        self._drawn: dict[frozenset[tuple[str, tuple[Point, ...]]], PathsDeclared] = {}
        self._kept_from: dict[tuple[str, tuple[Point, ...]], bool] = {}
        self._places = places = end_places(unit, PathsDeclared({}))
        legs = [(parameter.allowance * share // 100, angle) for share in lengths for angle in range(0, FULL_TURN, bend)]
        after = {key: [(moved(at, angle, far), radius) for far, angle in legs] for key, (at, radius) in places.items()}
        self._movers = [
            _Movers(keys, [(far, [after[key][i] for key in keys]) for i, (far, _) in enumerate(legs)])
            for keys in (*parts(unit, self._limit), *[[key] for key in places])
        ]

    def gap(self, way: PathsDeclared) -> int:
        """Return the widest gap (mil) that a unit that goes this way may have."""
        return max(self._limit, self.widest(way))

    def widest(self, way: PathsDeclared) -> int:
        """Return the widest gap (mil) that a way leaves in the unit."""
        return widest_after(self._unit, way, self._unit.figures)

    def closer(self, way: PathsDeclared) -> PathsDeclared:
        """Return a way that leaves no wider gap than this one, with other straight paths for a part or for single figures as
        long as that draws the unit together.
        """
        # Ways that begin differently soon come to be the same.
        paths = frozenset(way.paths.items())
        found = self._drawn.get(paths)
        if found is None:
            drawn = self._once_closer(way)
            found = self._drawn[paths] = way if drawn is way else self.closer(drawn)
        return found

    def _once_closer(self, way: PathsDeclared) -> PathsDeclared:
        """Return a way in which each part and each figure has once been drawn towards the others, as far as it may be."""
        least = self.widest(way)
        for movers in self._movers if least > self._limit else ():
            others = self._others(way, movers.keys, least)
            off = self._off(movers.keys, others)
            for move in tuple(movers.moves):
                length, ends = move
                if others is not None and off - length > least:
                    break  # the others are shorter
                # Unless one of the movers joins the others, the unit is no closer together.
                if others is not None and narrowest_gap(ends, others) >= least:
                    continue
                paths = {key: (at,) for key, (at, _) in zip(movers.keys, ends, strict=True)}
                other = PathsDeclared({**way.paths, **paths})
                widest = self.widest(other)
                if widest >= least:
                    continue
                if any(self._kept(key, path) for key, path in paths.items()):
                    movers.moves.remove(move)
                elif self._legal(other, way):
                    way, least = other, widest
                    others = self._others(way, movers.keys, least)
                    off = self._off(movers.keys, others)
        return way

    def _kept(self, key: str, path: tuple[Point, ...]) -> bool:
        """Return whether a figure may not go this way, wherever the others go."""
        known = self._kept_from.get((key, path))
        if known is None:
            known = self._kept_from[key, path] = keeps_a_figure(self._around, self._unit, key, path)
        return known

    def _off(self, movers: Collection[str], others: Sequence[Base] | None) -> int:
        """Return how far (mil) these figures stand from the nearest of the `others`; 0 without any."""
        return narrowest_gap([self._places[key] for key in movers], others) if others else 0

    def _others(self, way: PathsDeclared, movers: Collection[str], least: int) -> list[Base] | None:
        """Return the bases, at the end of a way, of all parts of the unit between which the gap is `least` mil or more, but for
        the part of the `movers`: unless one of these comes nearer to one of them, the gap remains. None if they are of several.
        """
        ends = end_places(self._unit, way)
        for part in parts_of(ends, least - 1):
            if not set(part).isdisjoint(movers):
                apart = [end for key, end in ends.items() if key not in part]
                return apart if set(movers) <= set(part) else None
        return None

    def _legal(self, way: PathsDeclared, instead: PathsDeclared) -> bool:
        """Return whether a way is legal, however far apart the unit ends, and leaves the crew of a weapon as close together as
        the way that it is taken `instead` of.
        """
        bond = max(self._bond, widest_after(self._unit, instead, self._crew))
        return (
            widest_after(self._unit, way, self._crew) <= bond
            and check_path(self._state, self._parameter, way, self._around) is None
        )
