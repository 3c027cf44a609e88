"""What was played in a match, for those who look back: replays and the luck ledger. Its log is folded once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from client_protocol.from_client import Replay
from client_protocol.from_server import Refused, ReplayPart
from client_protocol.luck import LuckRow
from server.kernel.ruleset import Ruleset
from server.matches.log.timeline import Reel
from server.matches.projections.luck import reckoned
from server.matches.projections.replay import part_of
from server.work.slicing import Sliced, in_slices

T = TypeVar("T")


class Slices(Protocol):
    """Does work that pauses now and then."""

    async def __call__(self, sliced: Sliced[T]) -> T:
        """Do it."""


class Playback:
    """The past of one match.

    Args:
        rules: the edition.
        read: gives the log's entries after one (0: all of them). Raises `StoreError`.
        length: how many entries the match has taken in by now.
        slices: does work that pauses now and then.
    """

    def __init__(
        self,
        rules: Ruleset,
        read: Callable[[int], Awaitable[list[bytes]]],
        length: Callable[[], int],
        slices: Slices | None = None,
    ) -> None:
        self._rules = rules
        self._read = read
        self._length = length
        self._slices = slices or in_slices
        self._reel: Reel | None = None
        self._rows: tuple[LuckRow, ...] | None = None
        self._winding = asyncio.Lock()

    def forget(self) -> None:
        """Nobody is there any more: the log is read again when somebody comes."""
        self._reel = self._rows = None

    async def part(self, message: Replay) -> ReplayPart | Refused:
        """The frames that are asked for. Raises `StoreError`."""
        return await self._slices(part_of(await self._wound(), self._rules, message))

    async def ledger(self) -> tuple[LuckRow, ...]:
        """The luck of each roll of the match, which is over. Raises `StoreError`."""
        if self._rows is None:
            self._rows = await self._slices(reckoned(await self._wound(), self._rules))
        return self._rows

    async def _wound(self) -> Reel:
        """The log, up to what the match has taken in."""
        async with self._winding:
            reel, length = self._reel, self._length()
            if reel is None:
                first, *payloads = await self._read(0)
                reel = Reel(first)
            else:
                payloads = await self._read(reel.last) if reel.last < length else []
            # Entries that the match has not taken in yet are not told before it tells them.
            await self._slices(reel.add(payloads[: length - reel.last]))
            self._reel = reel
            return reel
