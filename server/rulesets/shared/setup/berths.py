"""Free space for units in a zone, clear of the units on the table and of those that were given space before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from client_protocol.choices import Bond
from server.kernel.answers.check import terrain_of
from server.kernel.bodies import hulls
from server.kernel.finding.bonds import all_hold
from server.kernel.finding.formation import ahead, set_down
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import Outline, Point, distance, to_mil
from server.kernel.space.hulls import outline
from server.kernel.space.values import Base, Hull, Pose
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed


class Berth(Fixed, frozen=True):
    """The free space of a unit: a place for each figure, and a facing for each hull."""

    places: dict[str, Point]
    facings: dict[str, int]


Spots = Callable[[State, Unit, Mapping[str, Point]], Sequence[Point]]
"""Returns the spots at which figures of a unit would better stand than at these places, the best first."""
_SEEDS: Final = 6
"""From how many of them a unit is set down."""


_Shape = tuple[tuple[tuple[int, Hull | None, int], ...], tuple[Point, ...], int, tuple[str, ...]]
"""All that says where a unit without bonds is set down: its figures, its zone, its largest gap, its barred pieces."""


class FreeSpace:
    """The ground of a table that is taken, and places for units on the rest."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._found: dict[_Shape, list[Point]] = {}
        """Where units of each shape are set down, until more ground is taken: most squads of a side are alike."""
        self._hulls: list[Outline] = list(hulls(state))
        self._bases: list[Base] = [
            (figure.at, figure.radius)
            for unit in state.units.values()
            if unit.on_table
            for figure in unit.living.values()
            if figure.at is not None and figure.hull is None
        ]

    def find(
        self,
        unit: Unit,
        zone: Sequence[Point],
        gap: int,
        barred: Sequence[str],
        bonds: Sequence[Bond] = (),
        spots: Spots | None = None,
    ) -> Berth | None:
        """Return a legal place for `unit`, or None if there is no free space.

        Args:
            unit: the unit to place. Vehicles face the middle of the table.
            zone: the polygon inside which the whole unit must stand.
            gap: the largest gap between the unit's figures, in mil; 0 for no limit.
            barred: the ids of terrain pieces on which it may not stand.
            bonds: its figures that keep nearer together, where there is space for that.
            spots: where it would better stand, in place of where there is space.
        """
        table = self._state.table
        facing_ahead = ahead(zone, (table.width, table.height))
        facings = {key: facing_ahead for key, figure in unit.living.items() if figure.hull is not None}
        facing = {key: replace(unit.figures[key], facing=ahead_of) for key, ahead_of in facings.items()}
        ground = Ground(
            (table.width, table.height), terrain_of(self._state, tuple(barred)), self._bases, hulls=self._hulls
        )
        places = self._set_down(replace(unit, figures={**unit.figures, **facing}), zone, ground, gap, barred, bonds)
        if not places:
            return None
        if spots is not None and not facings:
            inside = Ground(ground.size, ground.barred, self._bases, hulls=self._hulls, zone=zone)
            wanted = spots(self._state, unit, places)
            if wanted:
                places = _at_spots(unit, [*wanted, *places.values()], inside, gap, bonds) or places
        return Berth(places, facings)

    def _set_down(
        self,
        unit: Unit,
        zone: Sequence[Point],
        ground: Ground,
        gap: int,
        barred: Sequence[str],
        bonds: Sequence[Bond],
    ) -> dict[str, Point]:
        if bonds:
            return set_down(unit, zone, ground, gap, bonds=bonds)
        figures = tuple((figure.radius, figure.hull, figure.facing) for figure in unit.living.values())
        shape = (figures, tuple(zone), gap, tuple(barred))
        if shape not in self._found:
            self._found[shape] = list(set_down(unit, zone, ground, gap).values())
        return dict(zip(unit.living, self._found[shape], strict=False))

    def take(self, unit: Unit, berth: Berth) -> None:
        """Mark the place of `unit` as taken."""
        self._found.clear()
        for key, at in berth.places.items():
            figure = unit.figures[key]
            if figure.hull is None:
                self._bases.append((at, figure.radius))
            else:
                self._hulls.append(outline(Pose(at, berth.facings[key]), figure.hull))


def _at_spots(
    unit: Unit, spots: Sequence[Point], inside: Ground, gap: int, bonds: Sequence[Bond]
) -> dict[str, Point] | None:
    """Return the best free spots at which a unit stands together, for its figures in turn; None if none are found."""
    radii = [figure.radius for figure in unit.living.values()]
    free = [spot for spot in spots if inside.free(spot, max(radii))]
    found: list[tuple[int, list[Point]]] = []
    for seed in free[:_SEEDS]:
        chosen = [seed]
        while len(chosen) < len(radii):
            following = next((spot for spot in free if _joins(spot, chosen, max(radii), gap)), None)
            if following is None:
                break
            chosen.append(following)
        else:
            found.append((sum(free.index(spot) for spot in chosen), chosen))
    for _, chosen in sorted(found):
        places = dict(zip(unit.living, sorted(chosen, key=free.index), strict=True))
        if all_hold(unit, bonds, places):
            return places
    return None


def _joins(spot: Point, chosen: Sequence[Point], radius: int, gap: int) -> bool:
    """Return whether a base at a spot is off all that are chosen, and at most `gap` mil from one (0: wherever it is)."""
    apart = [distance(spot, other) - 2 * radius for other in chosen]
    return min(apart) >= 0 and (not gap or to_mil(min(apart)) <= gap)
