"""Room beside a hull: where those stand who get out of it."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import PlacementParameter
from server.kernel.bodies import hulls
from server.kernel.formation import Ground
from server.kernel.geometry import Outline, Point, distance, edges, to_point
from server.kernel.hulls import drawn_in, near
from server.kernel.standing import bases, in_zone, terrain_of
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules

_STEP = 250
"""Mil between the places that are tried along a hull."""
_FREE = 20
"""Mil by which one who is set down keeps off a hull, so that no rounding makes him stand in it."""


def placement(
    rules: FubarRules, state: State, unit_id: str, outline: Outline, reach: int, suggested: dict[str, Point]
) -> PlacementParameter:
    """The parameter with which a unit is placed within `reach` mil of a hull."""
    return PlacementParameter(
        units=(unit_id,),
        zone=near(outline, reach, _radius(state, unit_id)),
        gaps=(0,),
        barred=(rules.pieces_with(state, "impassable"),),
        suggested=(suggested,),
    )


def room_beside(rules: FubarRules, state: State, unit_id: str, outline: Outline, reach: int) -> dict[str, Point]:
    """Free places for the living figures of a unit within `reach` mil of a hull: the nearest, and of these the farthest from the
    enemy. Figures that find none are left out.
    """
    unit = state.units[unit_id]
    radius = _radius(state, unit_id)
    zone = near(outline, reach, radius)
    ground = Ground(
        (state.table.width, state.table.height),
        terrain_of(state, rules.pieces_with(state, "impassable")),
        bases(state, without=[unit_id]),
        lambda at, r: in_zone(at, r, zone),
        hulls(state),
    )
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
    return places


def _radius(state: State, unit_id: str) -> int:
    """The largest base of a unit."""
    return max((figure.radius for figure in state.units[unit_id].living.values()), default=0)


def _rows(outline: Outline, reach: int, radius: int) -> Iterator[list[Point]]:
    """Places round a hull, row by row outwards, a base apart."""
    off = _FREE
    while off < reach:
        yield [at for a, b in edges(drawn_in(outline, -(radius + off)), linear=False) for at in _along(a, b)]
        off += 2 * radius


def _along(a: Point, b: Point) -> Iterator[Point]:
    """Points from `a` on towards `b`, which is left out."""
    whole = distance(a, b)
    for step in range(max(1, round(whole) // _STEP)):
        share = step * _STEP / whole if whole else 0.0
        yield to_point((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
