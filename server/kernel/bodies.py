"""Figures as bodies on the table, round or hulls: distances, obstacles, and units aboard vehicles."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from server.kernel.space.geometry import INF, Outline, Place, to_mil
from server.kernel.space.hulls import bears, hull_body, nearest_of
from server.kernel.space.plain import Spot
from server.kernel.space.values import Body, Pose
from server.kernel.state import Figure, State, Unit


def body(figure: Figure) -> Body:
    """Return the body of a figure that stands on the table."""
    assert figure.at is not None, "the figure stands on the table"
    if figure.hull is None:
        return Body(figure.at, figure.radius)
    return hull_body(Pose(figure.at, figure.facing), figure.hull)


def bodies(unit: Unit) -> dict[str, Body]:
    """Return the bodies of the unit's living figures on the table, by figure id."""
    return {key: body(f) for key, f in unit.figures.items() if f.at is not None and not f.fallen}


def is_vehicle(unit: Unit) -> bool:
    """Return whether the unit is a vehicle: its one figure has a hull. The first figure tells: a vehicle has no other."""
    for figure in unit.figures.values():
        return figure.hull is not None
    return False


def pose(vehicle: Unit) -> Pose:
    """Return where a vehicle stands."""
    figure = next(iter(vehicle.figures.values()))
    assert figure.at is not None, "the vehicle stands on the table"
    return Pose(figure.at, figure.facing)


def hulls(state: State, without: Iterable[str] = ()) -> tuple[Outline, ...]:
    """Return the outlines of the vehicles on the table, those of the units in `without` left out."""
    left_out = set(without)
    found: list[Outline] = []
    for unit in state.units.values():
        if is_vehicle(unit) and unit.id not in left_out and unit.on_table:
            for figure in unit.figures.values():
                if figure.hull is not None and figure.at is not None and not figure.fallen:
                    found.append(body(figure).outline)  # noqa: PERF401 - as above
    return tuple(found)


def apart(ones: Iterable[Body], others: Iterable[Body]) -> int:
    """Return the distance between two groups of bodies, nearest edges, in whole mil. Neither is empty."""
    return to_mil(nearest_of(list(ones), list(others)))


def units_apart(one: Unit, other: Unit) -> int:
    """Return the distance between the nearest living figures, bases or hulls of two units, edge to edge, in whole mil."""
    if is_vehicle(one) or is_vehicle(other):
        return apart(bodies(one).values(), bodies(other).values())
    theirs = _spots(other)
    nearest = INF
    for spot in _spots(one):
        for there in theirs:
            nearest = min(nearest, spot.gap(there))
    return round(nearest)


def _spots(unit: Unit) -> list[Spot]:
    """Return where the living figures of a unit stand on the table."""
    found: list[Spot] = []
    for figure in unit.figures.values():
        at = figure.at
        if at is not None and not figure.fallen:
            found.append(Spot(at, figure.radius))
    return found


def riders(state: State, vehicle: str) -> list[Unit]:
    """Return the units aboard `vehicle`, in roster order."""
    return [unit for unit in state.units.values() if unit.aboard == vehicle and not unit.left]


def free_seats(state: State, vehicle: str, taken: Callable[[Unit], int] | None = None) -> int:
    """Return how many seats of `vehicle` are free. `taken` returns how many a unit takes up (default: one for each figure)."""
    taken = taken or _one_each
    return state.units[vehicle].seats - sum(taken(unit) for unit in riders(state, vehicle))


def _one_each(unit: Unit) -> int:
    return unit.strength


def mount_bears(vehicle: Unit, mount: str, target: Place) -> bool:
    """Return whether a weapon of the vehicle bears on a place."""
    weapon = vehicle.mounts[mount]
    return bears(pose(vehicle), weapon.middle, weapon.spread, target)
