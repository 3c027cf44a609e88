"""Free space next to a hull, for figures that get out of it."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import PlacementParameter
from server.kernel.bodies import hulls
from server.kernel.finding.formation import Ground, close_together
from server.kernel.space.geometry import Outline, Point, between, distance, edges, to_point
from server.kernel.space.hulls import drawn_in, near, off
from server.kernel.standing import bases, in_zone, terrain_of
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules

_STEP = 250
"""Mil between the places that are tried along a hull."""
_FREE = 20
"""Mil by which figures are kept off a hull, so that rounding never puts them into it."""


def placement(
    rules: FubarRules, state: State, unit_id: str, outline: Outline, reach: int, suggested: dict[str, Point]
) -> PlacementParameter:
    """Return the parameter with which a unit is placed within `reach` mil of a hull."""
    return PlacementParameter(
        units=(unit_id,),
        zone=near(outline, reach, _radius(state, unit_id)),
        gaps=(0,),
        barred=(rules.pieces_with(state, "impassable"),),
        suggested=(suggested,),
    )


def room_beside(rules: FubarRules, state: State, unit_id: str, outline: Outline, reach: int) -> dict[str, Point]:
    """Return free places for the living figures of a unit within `reach` mil of a hull.

    The places are in rows, the nearest row first, and in each row the place farthest from the enemy first. If that leaves out
    figures, they stand close together. Figures for which there is no place are left out.
    """
    unit = state.units[unit_id]
    radius = _radius(state, unit_id)
    zone = near(outline, reach, radius)
    ground = _ground(rules, state, unit_id, outline, zone)
    threats = [at for enemy in state.enemies_of(unit.side) for at, _ in enemy.places()]
    rows = list(_rows(outline, reach, radius))
    for row in rows:
        row.sort(key=lambda at: -min((distance(at, threat) for threat in threats), default=0.0))
    wanted = iter([at for row in rows for at in row])
    places: dict[str, Point] = {}
    for key, figure in unit.living.items():
        at = next((at for at in wanted if ground.free(at, figure.radius)), None)
        if at is None:
            break
        ground.take(at, figure.radius)
        places[key] = at
    if len(places) == unit.strength:
        return places
    tries = (
        close_together(unit, start, _ground(rules, state, unit_id, outline, zone)) for start in _round(outline, radius)
    )
    return max([places, *tries], key=len)


def room_near(
    rules: FubarRules, state: State, unit_id: str, outline: Outline, reach: int
) -> tuple[int, dict[str, Point]]:
    """Return places for a unit as near to a hull as possible, and within how many mil of the hull all of them lie.

    Figures for which `room_beside` finds no place are placed farther out. Figures are left out only if the whole table is
    full.
    """
    unit = state.units[unit_id]
    places = room_beside(rules, state, unit_id, outline, reach)
    grounds = [_ground(rules, state, unit_id, outline)]
    # A figure is placed on the wreck only if there is no other free space.
    grounds.append(_ground(rules, state, unit_id, ()))
    for key, at in places.items():
        for ground in grounds:
            ground.take(at, unit.figures[key].radius)
    radius = _radius(state, unit_id)
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
    while not all(in_zone(at, unit.figures[key].radius, near(outline, reach, radius)) for key, at in places.items()):
        reach += _STEP
    return reach, places


def _ground(rules: FubarRules, state: State, unit_id: str, outline: Outline, zone: Outline = ()) -> Ground:
    """Return the ground where figures of a unit may stand: off all others, and off the hull or wreck `outline`, if given."""
    return Ground(
        (state.table.width, state.table.height),
        terrain_of(state, rules.pieces_with(state, "impassable")),
        bases(state, without=[unit_id]),
        hulls=[*hulls(state), *([outline] if outline else [])],
        zone=zone,
    )


def _nearest(ground: Ground, outline: Outline, radius: int, own: int) -> Point | None:
    """Return the free place for a base of radius `own` that is nearest to a hull, or None if there is none on the table.

    `radius` is the largest of the unit's bases. All lengths are in mil.
    """
    found = [at for start in _round(outline, radius) if (at := ground.nearest(start, own)) is not None]
    return min(found, key=lambda at: off(at, outline), default=None)


def _round(outline: Outline, radius: int) -> list[Point]:
    """Return places where a base of this radius touches a hull: at its corners and in the middle of its sides."""
    sides = edges(drawn_in(outline, -(radius + _FREE)), linear=False)
    return [to_point(place) for a, b in sides for place in (a, between(a, b, 0.5))]


def _radius(state: State, unit_id: str) -> int:
    """Return the radius of a unit's largest base, in mil."""
    return max((figure.radius for figure in state.units[unit_id].living.values()), default=0)


def _rows(outline: Outline, reach: int, radius: int) -> Iterator[list[Point]]:
    """Yield places around a hull, row by row outwards, the rows one base apart."""
    off = _FREE
    while off < reach:
        yield [at for a, b in edges(drawn_in(outline, -(radius + off)), linear=False) for at in _along(a, b)]
        off += 2 * radius


def _along(a: Point, b: Point) -> Iterator[Point]:
    """Yield points from `a` towards `b`, without `b` itself."""
    whole = distance(a, b)
    for step in range(max(1, round(whole) // _STEP)):
        share = step * _STEP / whole if whole else 0.0
        yield to_point((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
