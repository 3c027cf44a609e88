"""Places behind the openings of buildings, from which figures fire: hints for computer opponents, and where units that deploy
in a house are suggested to stand (fad5/shoot.building-openings).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from server.kernel.files.buildings import THICKNESS
from server.kernel.space.geometry import (
    Point,
    angle_difference,
    between,
    centroid,
    direction,
    distance,
    inches,
    to_mil,
    to_point,
)
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fad.buildings import WIDE, openings_of, room_of, rooms
from server.rulesets.fad.game import FadRules

_FREE: Final = 50
"""How far bases keep from walls and from each other there, in mil."""
_FACING: Final = 9000
"""By how much an opening may be turned away from the enemies whom it faces, in hundredths of a degree."""
_ABREAST: Final = 2
"""How many figures stand in a rank behind an opening."""
_DEEP: Final = 2
"""How many ranks of figures stand behind an opening: the first fires, the others take over."""


def posts(rules: FadRules, state: State, radius: int) -> tuple[tuple[Point, ...], ...]:
    """Return the places behind each opening through which one sees, for bases of this radius (mil): the front rank first."""
    return tuple(
        tuple(_behind(room, opening, radius))
        for room in rooms(rules, state)
        for opening in openings_of(rules, state, room)
        if opening.sight != "solid"
    )


def at_openings(rules: FadRules, state: State, unit: Unit, places: Mapping[str, Point]) -> list[Point]:
    """Return the places behind the openings of a house, for a unit that would stand in it at `places`; none in the open.

    First come those from which it fires, at the openings that face its enemies most, then those at the others, and last those
    behind all of them.
    """
    room = room_of(rooms(rules, state), centroid(list(places.values())))
    if room is None:
        return []
    radius = max(unit.figures[key].radius for key in places)
    ahead = _enemies(state, unit)
    found = [
        (_turned(opening, spots, ahead), spots)
        for opening in openings_of(rules, state, room)
        if opening.sight != "solid" and (spots := list(_behind(room, opening, radius)))
    ]
    found.sort(key=lambda row: row[0])
    facing = [spots for angle, spots in found if angle <= _FACING]
    others = [spots for angle, spots in found if angle > _FACING]
    return [
        *(spot for spots in facing for spot in spots[:_ABREAST]),
        *(spot for spots in others for spot in spots[:_ABREAST]),
        *(spot for spots in (*facing, *others) for spot in spots[_ABREAST:]),
    ]


def _enemies(state: State, unit: Unit) -> Point:
    """Return the middle of the enemies of a unit, or of where they will stand."""
    standing = [at for foe in state.enemies_of(unit.side) for at, _ in foe.places()]
    zones = [corner for side in state.sides.values() if side.id != unit.side for corner in side.zone]
    return centroid(standing or zones or [(state.table.width // 2, state.table.height // 2)])


def _turned(opening: Terrain, spots: list[Point], ahead: Point) -> int:
    """Return by how much an opening faces away from a place, in hundredths of a degree."""
    middle = between(opening.outline[0], opening.outline[-1], 0.5)
    out = direction(between(spots[0], spots[1], 0.5), middle)
    return angle_difference(out, direction(middle, ahead))


def _behind(room: Terrain, opening: Terrain, radius: int) -> Iterator[Point]:
    (ax, ay), (bx, by) = opening.outline[0], opening.outline[-1]
    length = distance((ax, ay), (bx, by))
    along = ((bx - ax) / length, (by - ay) / length)
    middle = between((ax, ay), (bx, by), 0.5)
    inward = (-along[1], along[0])
    if not room.holds((middle[0] + THICKNESS * inward[0], middle[1] + THICKNESS * inward[1])):
        inward = (along[1], -along[0])
    for rank in range(_DEEP):
        back = THICKNESS + radius + _FREE + rank * (2 * radius + _FREE)
        for aside in (-radius - _FREE, radius + _FREE):
            yield to_point(
                (
                    middle[0] + aside * along[0] + back * inward[0],
                    middle[1] + aside * along[1] + back * inward[1],
                )
            )


def share(rules: FadRules, state: State, bodies: Iterable[Body]) -> float:
    """Return which share of figures that stand so could fire at enemies outside: those in a room only from its openings."""
    found = rooms(rules, state)
    figures = list(bodies)
    if not found or not figures:
        return 1.0
    table = rules.book.tables.buildings
    firing = 0
    inside: dict[str, tuple[Terrain, list[Body]]] = {}
    for body in figures:
        room = room_of(found, body.at)
        if room is None:
            firing += 1
        else:
            inside.setdefault(room.id, (room, []))[1].append(body)
    for room, those in inside.values():
        left = list(those)
        for opening in openings_of(rules, state, room):
            most = table.figures * (2 if WIDE in opening.flags else 1)
            near = [one for one in left if to_mil(opening.distance(one.at)) - one.radius <= inches(table.reach)]
            served = near[:most] if opening.sight != "solid" else []
            firing += len(served)
            left = [one for one in left if one not in served]
    return firing / len(figures)
