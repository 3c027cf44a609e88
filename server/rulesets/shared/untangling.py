"""Free space for units that were stopped on top of others when their move led past friends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from server.kernel.bodies import hulls, is_vehicle, pose
from server.kernel.facts import UnitMoved
from server.kernel.finding.ground import Ground
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import FULL_TURN, Point, heading, to_point
from server.kernel.space.paths import overlaps
from server.kernel.space.values import Pose
from server.kernel.standing import bases, terrain_of
from server.kernel.state import Figure, State, Unit

MANNER = "make-room"
_STEP = 100
"""Mil by which a hull is moved back at a time."""
_FAR = 12_000
_BACK = (18_000,)
_AROUND = tuple(range(0, FULL_TURN, 2250))


def untangle(
    game: Game[Any], unit_id: str, rule: str, barred: Sequence[str], gives_way: Callable[[Figure], bool]
) -> Steps[None]:
    """Move figures of `unit_id` that stand on others to the nearest free places; a vehicle goes back the way it came.

    Args:
        game: the game as it is after the move that was stopped.
        unit_id: the unit that moved.
        rule: the rule of that move.
        barred: the ids of the terrain pieces on which no figure stands.
        gives_way: whether a figure gives way to the others of its unit, since it was stopped and they arrived.
    """
    unit = game.unit(unit_id)
    if not unit.on_table:
        return
    ground = _ground(game.state, unit, barred)
    if is_vehicle(unit):
        back = _backed_up(ground, unit)
        if back is not None:
            figure = next(iter(unit.figures))
            yield UnitMoved(unit_id, MANNER, {figure: (back,)}, rule, {figure: pose(unit).facing})
        return
    ends = _apart(ground, unit, gives_way)
    if ends:
        yield UnitMoved(unit_id, MANNER, {key: (at,) for key, at in ends.items()}, rule)


def _ground(state: State, unit: Unit, barred: Sequence[str]) -> Ground:
    """Return the ground on which `unit` can stand, clear of all other units."""
    return Ground(
        (state.table.width, state.table.height),
        terrain_of(state, barred),
        bases(state, without=[unit.id]),
        hulls=hulls(state, [unit.id]),
    )


def _apart(ground: Ground, unit: Unit, gives_way: Callable[[Figure], bool]) -> dict[str, Point]:
    figures = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    ends: dict[str, Point] = {}
    for key in sorted(figures, key=lambda key: gives_way(figures[key])):
        figure = figures[key]
        assert figure.at is not None, "it stands on the table"
        at = figure.at
        if overlaps(at, figure.radius, ground.taken, ground.hulls):
            at = ground.nearest(at, figure.radius) or at
        ground.take(at, figure.radius)
        if at != figure.at:
            ends[key] = at
    return ends


def _backed_up(ground: Ground, vehicle: Unit) -> Point | None:
    """Return the nearest free place behind a vehicle that stands on others, or else around it.

    None if the vehicle stands on no other unit, or if there is no such place.
    """
    hull = next(iter(vehicle.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    stands = pose(vehicle)
    if ground.free_for_hull(stands, hull):
        return None
    # Straight back first. A vehicle that was turning between others may have no free space there.
    for angles in (_BACK, _AROUND):
        for far in range(_STEP, _FAR, _STEP):
            for angle in angles:
                ux, uy = heading(stands.facing + angle)
                at = to_point((stands.at[0] + ux * far, stands.at[1] + uy * far))
                if ground.free_for_hull(Pose(at, stands.facing), hull):
                    return at
    return None
