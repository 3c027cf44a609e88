"""Playback: the replay and luck report of a match, from a timeline that is folded once and shared."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from client_protocol.from_client import Replay
from client_protocol.from_server import Refused, ReplayPart
from client_protocol.luck import LuckRow
from server.kernel.ruleset import Ruleset
from server.matches.log.timeline import Timeline
from server.matches.projections.luck import luck_rows
from server.matches.projections.replay import part_of
from server.work.slicing import Sliced, in_slices

T = TypeVar("T")


class Slices(Protocol):
    """Runs work that pauses now and then."""

    async def __call__(self, sliced: Sliced[T]) -> T:
        """Run it and return its result."""


class Playback:
    """The past of one match.

    Args:
        rules: the edition.
        read: returns the log's entries after a number (0: all). Raises `StoreError`.
        length: how many entries the match has taken in by now.
        slices: runs work that pauses now and then.
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
        self._timeline: Timeline | None = None
        self._rows: tuple[LuckRow, ...] | None = None
        self._winding = asyncio.Lock()

    def forget(self) -> None:
        """Drop the timeline when the last viewer has left; it is read again on the next request."""
        self._timeline = self._rows = None

    async def part(self, message: Replay) -> ReplayPart | Refused:
        """Return the frames that were asked for. Raises `StoreError`."""
        return await self._slices(part_of(await self._wound(), self._rules, message))

    async def luck_report(self) -> tuple[LuckRow, ...]:
        """Return the luck of each roll of the match, which is over. Raises `StoreError`."""
        if self._rows is None:
            self._rows = await self._slices(luck_rows(await self._wound(), self._rules))
        return self._rows

    async def _wound(self) -> Timeline:
        """Return the timeline up to the last entry that the match has taken in."""
        async with self._winding:
            timeline, length = self._timeline, self._length()
            if timeline is None:
                first, *payloads = await self._read(0)
                timeline = Timeline(first)
            else:
                payloads = await self._read(timeline.last) if timeline.last < length else []
            # Entries that the match has not taken in yet are not shown before it shows them.
            await self._slices(timeline.add(payloads[: length - timeline.last]))
            self._timeline = timeline
            return timeline
