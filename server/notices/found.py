"""Matches as notices need them: from the rooms of this server, which load a match when it is asked for."""

from __future__ import annotations

from server.matches.rooms import Rooms
from server.notices.noticing import Match
from server.store.errors import LogDamaged, MatchRemoved


async def found(rooms: Rooms, match: str) -> Match | None:
    """Return a match; None if it is over, removed or damaged, or there is none. Raises `StoreUnavailable`."""
    try:
        room = await rooms.get(match)
    except (MatchRemoved, LogDamaged):
        return None
    if room is None or room.over:
        return None
    return Match(room.summary(), room.rules.info.name, room.waits(), room.webhook)
