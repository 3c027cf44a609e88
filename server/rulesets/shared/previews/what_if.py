"""What-if: the faults of ground on which a unit is imagined to stand."""

from __future__ import annotations

from collections.abc import Iterable

from server.kernel.bodies import bodies
from server.kernel.space.geometry import to_mil
from server.kernel.space.hulls import SLACK, drawn_in, enters
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body
from server.kernel.standing import terrain_of
from server.kernel.state import State, Unit


def barred_ground(state: State, unit: Unit, pieces: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each of the terrain `pieces` (ids) in which a figure or hull of `unit` stands."""
    there = bodies(unit).values()
    return tuple(
        f"{unit.name} cannot stand in {piece.name}."
        for piece in terrain_of(state, tuple(pieces))
        if any(_inside(body, piece) for body in there)
    )


def _inside(body: Body, piece: Terrain) -> bool:
    if body.outline:
        # Its corners are rounded, as they are where a vehicle is placed.
        return enters(drawn_in(body.outline, SLACK), piece)
    return to_mil(piece.distance(body.at)) < body.radius
