"""Free space for units in a zone, clear of the units on the table and of those that were given space before."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Bond
from server.kernel.answers.check import terrain_of
from server.kernel.bodies import hulls
from server.kernel.finding.formation import Ground, set_down
from server.kernel.space.geometry import FULL_TURN, Outline, Point, centroid, direction
from server.kernel.space.hulls import outline
from server.kernel.space.values import Base, Pose
from server.kernel.state import Figure, State, Unit


class Berth(Struct, frozen=True):
    """The free space of a unit: a place for each figure, and a facing for each hull."""

    places: dict[str, Point]
    facings: dict[str, int]


class FreeSpace:
    """The ground of a table that is taken, and places for units on the rest."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._hulls: list[Outline] = list(hulls(state))
        self._bases: list[Base] = [
            (figure.at, figure.radius)
            for unit in state.units.values()
            if unit.on_table
            for figure in unit.living.values()
            if figure.at is not None and figure.hull is None
        ]

    def take(
        self, unit: Unit, zone: Sequence[Point], gap: int, barred: Sequence[str], bonds: Sequence[Bond] = ()
    ) -> Berth | None:
        """Return a legal place for `unit` and mark it as taken, or return None if there is no free space.

        Args:
            unit: the unit to place. Vehicles face the middle of the table.
            zone: the polygon inside which the whole unit must stand.
            gap: the largest gap between the unit's figures, in mil; 0 for no limit.
            barred: the ids of terrain pieces on which it may not stand.
            bonds: its figures that keep nearer together, where there is space for that.
        """
        table = self._state.table
        facings = {key: self._ahead(zone) for key, figure in unit.living.items() if figure.hull is not None}
        facing = {key: replace(figure, facing=facings.get(key, figure.facing)) for key, figure in unit.figures.items()}
        ground = Ground(
            (table.width, table.height), terrain_of(self._state, tuple(barred)), self._bases, hulls=self._hulls
        )
        places = set_down(replace(unit, figures=facing), zone, ground, gap, bonds=bonds)
        if not places:
            return None
        for key, at in places.items():
            self._take(facing[key], at)
        return Berth(places, facings)

    def _take(self, figure: Figure, at: Point) -> None:
        if figure.hull is None:
            self._bases.append((at, figure.radius))
        else:
            self._hulls.append(outline(Pose(at, figure.facing), figure.hull))

    def _ahead(self, zone: Sequence[Point]) -> int:
        """Return the facing from the zone's middle to the table's, rounded to a right angle, in hundredths of a degree."""
        table = self._state.table
        return round(direction(centroid(zone), (table.width // 2, table.height // 2)) / 9000) * 9000 % FULL_TURN
