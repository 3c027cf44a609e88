"""Buildings that are entered: their rooms, and the openings and walls along them."""

from __future__ import annotations

from server.kernel.space.geometry import Point, distance_to_outline, to_mil
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from server.rulesets.fad.game import FadRules

INDOORS = "indoors"
"""The flag of a room."""
OPENING = "opening"
"""The flag of a door or window."""
WIDE = "wide"
"""The flag of an opening that counts as two."""
_AT = 50
"""Mil from the outline of a room within which what stands there belongs to it: places are rounded."""


def rooms(rules: FadRules, state: State) -> list[Terrain]:
    """Return the rooms of all buildings on the table."""
    terrain = state.table.terrain
    known = rules.rooms.get(terrain)
    if known is not None:
        return known
    ids = set(rules.pieces_with(state, INDOORS))
    return rules.rooms.keep(terrain, [piece for piece in terrain if piece.id in ids and not piece.linear])


def room_of(found: list[Terrain], at: Point) -> Terrain | None:
    """Return the room in which a place is; None in the open (fad5/move.building-position)."""
    return next((room for room in found if room.holds(at)), None)


def openings_of(rules: FadRules, state: State, room: Terrain) -> list[Terrain]:
    """Return the openings in the walls of a room."""
    ids = set(rules.pieces_with(state, OPENING))
    return [piece for piece in state.table.terrain if piece.id in ids and _along(piece, room)]


def walls_of(state: State, room: Terrain, kind: str) -> list[Terrain]:
    """Return the walls of this kind that stand along the outline of a room, and inside it."""
    return [
        piece
        for piece in state.table.terrain
        if piece.kind == kind and all(room.holds(corner) or _on_outline(corner, room) for corner in piece.outline)
    ]


def _along(piece: Terrain, room: Terrain) -> bool:
    return all(_on_outline(corner, room) for corner in piece.outline)


def _on_outline(at: Point, room: Terrain) -> bool:
    return to_mil(distance_to_outline(at, (*room.outline, room.outline[0]), linear=True)) <= _AT
