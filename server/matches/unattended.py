"""Matches that only programs play while no connection is there: they go on, as many at a time as the operator lets."""

from __future__ import annotations

from typing import Protocol

WAITS_MS = 60_000
"""For how long a match is put off that finds no place, in milliseconds of up-time."""


class Played(Protocol):
    """What is asked of a room."""

    @property
    def unattended(self) -> bool:
        """Whether only programs play it, and no connection is there."""
        ...


class Unattended:
    """The places of a server for such matches.

    Args:
        most: how many matches go on at a time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._matches: set[str] = set()

    def admits(self, match: str, room: Played) -> bool:
        """Return whether programs may play a match now: someone is there, or the match has a place, or gets a free one."""
        if not room.unattended:
            self._matches.discard(match)
            return True
        if match not in self._matches and len(self._matches) < self._most:
            self._matches.add(match)
        return match in self._matches

    def holds(self, match: str) -> bool:
        """Return whether a match has a place."""
        return match in self._matches

    def forget(self, match: str) -> None:
        """Free the place of a match, if it has one."""
        self._matches.discard(match)
