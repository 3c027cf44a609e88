"""The exhibition: a match between two programs that goes on while someone watches it on a start page, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Protocol

from client_protocol.from_client import AskExhibition, MakeMatch
from client_protocol.from_server import EditionInfo, Exhibition, MatchMade, ProgramInfo, Refused
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreError, UnknownMatch

log = logging.getLogger("underfire.exhibition")

MAKER = "Exhibition"
"""The name under which these matches are made; it sits at no seat."""


class Shown(Protocol):
    """What is asked of the room of an exhibition."""

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        ...


class Noted(Protocol):
    """What is asked of the store: it notes exhibitions, so that one is found that outlived its server."""

    async def exhibit(self, match_id: str) -> None:
        """Note an exhibition."""

    async def exhibits(self) -> list[str]:
        """Return the noted exhibitions."""
        ...

    async def forget_exhibit(self, match_id: str) -> None:
        """Drop the note of an exhibition."""


class Exhibitions:
    """The exhibition of a server. There is one at a time, and its log is removed when the next one begins, or when the next
    server begins: of several servers of one database, the others then begin another one.

    Args:
        editions: what can be played here.
        programs: the programs that can play, the strongest last.
        make: makes a match.
        room: returns the room of a match; None: there is none. Raises `StoreError`.
        remove: removes a match for good.
        noted: where exhibitions are noted.
    """

    def __init__(
        self,
        editions: Sequence[EditionInfo],
        programs: Sequence[ProgramInfo],
        make: Callable[[MakeMatch], Awaitable[MatchMade | Refused]],
        room: Callable[[str], Awaitable[Shown | None]],
        remove: Callable[[str], Awaitable[object]],
        noted: Noted,
    ) -> None:
        self._battles = [battle for edition in editions if (battle := _battle(edition)) is not None]
        self._programs = programs
        self._make = make
        self._room = room
        self._remove = remove
        self._noted = noted
        self._numbers = count()
        self._turn = asyncio.Lock()
        self._match = ""

    def shows(self, match: str) -> bool:
        """Return whether a match is the exhibition."""
        return match == self._match

    async def now(self, message: AskExhibition) -> Exhibition | Refused:
        """Return the exhibition that is played; the last one being over, another one begins."""
        if not self._battles or not self._programs:
            return Refused(message.id, "no_exhibition", "There is no exhibition here.")
        async with self._turn:
            was = self._match
            if not await self._is_played(was):
                made = await self._make(self._next())
                if isinstance(made, Refused):
                    return Refused(message.id, made.code, made.sentence)
                self._match = made.match
                await self._noted.exhibit(made.match)
                await self._forget(was)
        return Exhibition(message.id, self._match)

    async def clear(self) -> None:
        """Remove what servers before this one exhibited: it would go on, and no page would show it."""
        async with self._turn:
            try:
                left = await self._noted.exhibits()
            except StoreError as error:
                log.warning("the exhibitions of before could not be read: %s", error)
                return
            for match in left:
                if match != self._match:
                    await self._forget(match)

    def _next(self) -> MakeMatch:
        """Return the next battle: each edition's shortest in turn, the two strongest programs changing sides."""
        number = next(self._numbers)
        edition, scenario, seats = self._battles[number % len(self._battles)]
        pair = [one.id for one in self._programs[-2:]]
        turn = number // len(self._battles)
        programs = {seat: pair[(place + turn) % len(pair)] for place, seat in enumerate(seats)}
        return MakeMatch("exhibition", edition, scenario, MAKER, (), listed=False, programs=programs)

    async def _is_played(self, match: str) -> bool:
        """Return whether a match is there and goes on. Another server may have removed it."""
        try:
            room = await self._room(match) if match else None
        except (MatchClosed, LogDamaged):
            return False
        return room is not None and not room.over

    async def _forget(self, match: str) -> None:
        if not match:
            return
        try:
            with contextlib.suppress(UnknownMatch, MatchRemoved):
                await self._remove(match)
            await self._noted.forget_exhibit(match)
        except StoreError as error:
            log.warning("the exhibition %s could not be removed: %s", match, error, extra={"match": match})


def _battle(edition: EditionInfo) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the shortest battle of two sides of an edition: its id, the scenario's, and the seats."""
    duels = [one for one in edition.scenarios if len(one.seats) == 2]
    shortest = min(duels, key=lambda one: one.minutes, default=None)
    return None if shortest is None else (edition.id, shortest.id, tuple(seat for seat, _ in shortest.seats))
