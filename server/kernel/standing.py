"""Places of figures: bases and hulls on the table, ends of moves, contact, zones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from client_protocol.choices import PathsDeclared
from server.kernel.space.driving import end_pose
from server.kernel.space.geometry import (
    INF,
    Outline,
    Point,
    contains,
    edges,
    gap,
    segment_point_distance,
    segments_meet,
    to_mil,
)
from server.kernel.space.hulls import base_to_outline, hull_body, outline, outline_to_outline
from server.kernel.space.paths import largest_gap
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Body, Neighbour, Obstacles, Pose
from server.kernel.state import State, Unit

TOUCH: Final = 20
"""The greatest distance, in mil, at which bases count as touching: places are whole mil, so contact at an odd angle is never
exactly 0.
"""


def terrain_of(state: State, pieces: Sequence[str]) -> list[Terrain]:
    """Return the terrain pieces of these ids."""
    wanted = set(pieces)
    return [piece for piece in state.table.terrain if piece.id in wanted]


def bases(state: State, *, without: Sequence[str] = (), only: Sequence[str] | None = None) -> list[Base]:
    """Return the round bases on the table, those of the units in `without` left out, or those of the units in `only`."""
    found: list[Base] = []
    for unit in units(state, without, only):
        if not has_hull(unit):
            found.extend(_places(unit))
    return found


def hulls(state: State, *, without: Sequence[str] = (), only: Sequence[str] | None = None) -> list[Outline]:
    """Return the outlines of the vehicles on the table, those of the units in `without` left out, or those of the units in
    `only`.
    """
    found: list[Outline] = []
    for unit in units(state, without, only):
        if has_hull(unit):
            found.extend(outlines(unit))
    return found


def obstacles(
    state: State,
    unit_id: str,
    barred: Sequence[Terrain],
    avoid: Collection[str],
    clear: int = 0,
    *,
    over: bool = False,
    receding: tuple[str, ...] = (),
    jump: bool = False,
) -> Obstacles:
    """Return what the paths of a unit may run into: `barred` terrain, and all other units on the table, of which it keeps `clear`
    mil away from those in `avoid`, and comes no nearer to those that are `receding`. With `over` only their ends may, with `jump`
    not even the table's edge before.
    """
    avoided: list[Neighbour] = []
    others: list[Neighbour] = []
    for unit in state.units.values():
        if not unit.left and unit.id != unit_id:
            group = avoided if unit.id in avoid else others
            if has_hull(unit):
                group.append(Neighbour(unit.id, (), tuple(outlines(unit))))
            elif places := _places(unit):
                group.append(Neighbour(unit.id, tuple(places)))
    size = (state.table.width, state.table.height)
    return Obstacles(size, tuple(barred), tuple(avoided), tuple(others), clear, over, receding, jump)


def _places(unit: Unit) -> list[Base]:
    """Return what `Unit.places` does."""
    found: list[Base] = []
    for figure in unit.figures.values():
        at = figure.at
        if at is not None and not figure.fallen:
            found.append((at, figure.radius))
    return found


def units(state: State, without: Sequence[str], only: Sequence[str] | None) -> Iterator[Unit]:
    """Yield the units in the game, in roster order, those in `without` left out, or those in `only`."""
    for unit in state.units.values():
        if not unit.left and unit.id not in without and (only is None or unit.id in only):
            yield unit


def enemies(state: State, side: str) -> list[Unit]:
    """Return the units of every other side that stand on the table, in roster order."""
    found: list[Unit] = []
    for unit in state.units.values():
        if unit.side != side and stands(unit):
            found.append(unit)  # noqa: PERF401 - a plain loop is compiled to one
    return found


def stands(unit: Unit) -> bool:
    """Return what `Unit.on_table` does."""
    if unit.left:
        return False
    for figure in unit.figures.values():  # noqa: SIM110 - as above
        if figure.at is not None and not figure.fallen:
            return True
    return False


def has_hull(unit: Unit) -> bool:
    """Return whether the unit is a vehicle. Its first figure tells: a vehicle has no other."""
    for figure in unit.figures.values():
        return figure.hull is not None
    return False


def outlines(vehicle: Unit) -> list[Outline]:
    """Return the outline of a vehicle, in a list; none when it is not on the table."""
    return [
        outline(Pose(figure.at, figure.facing), figure.hull)
        for figure in vehicle.figures.values()
        if figure.hull is not None and figure.at is not None and not figure.fallen
    ]


def end_places(unit: Unit, value: PathsDeclared) -> dict[str, Base]:
    """Return where each living figure of `unit` stands after `value`: figure id -> (centre, radius)."""
    ends: dict[str, Base] = {}
    for key, figure in unit.figures.items():
        if figure.at is None or figure.fallen:
            continue
        path = value.paths.get(key)
        ends[key] = (path[-1] if path else figure.at, figure.radius)
    return ends


def widest_after(unit: Unit, way: PathsDeclared, figures: Collection[str]) -> int:
    """Return the widest gap, in mil, between these figures of a unit after a way."""
    ends = [end for key, end in end_places(unit, way).items() if key in figures]
    return largest_gap([at for at, _ in ends], [radius for _, radius in ends])


def end_bodies(unit: Unit, value: PathsDeclared) -> dict[str, Body]:
    """Return what each living figure of `unit` takes up after `value`, by figure id."""
    after: dict[str, Body] = {}
    for key, (at, radius) in end_places(unit, value).items():
        figure = unit.figures[key]
        if figure.hull is None or figure.at is None:
            after[key] = Body(at, radius)
        else:
            pose = end_pose(Pose(figure.at, figure.facing), (figure.at, *value.paths.get(key, ())), value.facing)
            after[key] = hull_body(pose, figure.hull)
    return after


def touches(one: Base, other: Base) -> bool:
    """Return whether two bases are in contact: no more than 0.02" apart, what two people at a table would call touching."""
    return to_mil(gap(one[0], one[1], other[0], other[1])) <= TOUCH


def nearest(one: Body, others: Sequence[Base], sides: Sequence[Outline]) -> int:
    """Return the mil from a body to the nearest of these bases and hulls, edge to edge. There is at least one."""
    far = INF
    for at, radius in others:
        free = base_to_outline(at, radius, one.outline) if one.outline else gap(one.at, one.radius, at, radius)
        far = min(far, free)
    for side in sides:
        hull = one.outline
        free = outline_to_outline(hull, side) if hull else base_to_outline(one.at, one.radius, side)
        far = min(far, free)
    return to_mil(far)


def in_zone(at: Point, radius: int, zone: Sequence[Point]) -> bool:
    """Return whether a base stands wholly inside the polygon `zone`."""
    outline = tuple(zone)
    if not contains(outline, at):
        return False
    a = outline[-1]
    for b in outline:
        if to_mil(segment_point_distance(a, b, at)) < radius:
            return False
        a = b
    return True


def hull_in_zone(hull: Outline, zone: Outline) -> bool:
    """Return whether a hull stands wholly inside the polygon `zone`."""
    sides = edges(hull, linear=False)
    return all(contains(zone, corner) for corner in hull) and not any(
        segments_meet(a, b, p, q) for p, q in edges(zone, linear=False) for a, b in sides
    )
