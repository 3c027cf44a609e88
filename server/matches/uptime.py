"""Up-time: the only time for clocks and deadlines. It stands still while no server is up.

Redis counts it: every server sends a beat once a second, and the time since the last beat of any server is added if it is
short enough for a server to have been up throughout (`metadata.GAP_MS`). Between its beats a server counts on by itself, for
as long as Redis would.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol, Self

from server.matches.background import Background
from server.store.following import Sleep
from server.store.metadata import GAP_MS

BEAT_SECONDS = 1.0
"""Seconds between two beats."""


class Beaten(Protocol):
    """What up-time needs of the store."""

    async def beat(self) -> int:
        """Register that a server is up; return the up-time in ms."""
        ...


class Uptime(Background):
    """The up-time as this server knows it. It beats while open (`async with`).

    Args:
        store: an open store.
        clock: monotonic seconds.
        sleep: waits between the beats.
    """

    def __init__(
        self, store: Beaten, clock: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._beaten = 0
        self._heard = clock()
        self._said = 0

    async def __aenter__(self) -> Self:
        """Beat once, and go on beating.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        await self.beat()
        return await super().__aenter__()

    async def run(self) -> None:
        """Beat until cancelled. While Redis is away, wait for it."""
        while True:
            await self._sleep(BEAT_SECONDS)
            await self.attempt(self.beat)

    async def beat(self) -> None:
        """Beat once.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        beaten = await self._store.beat()
        # The reply is late by its way here, and never early: so no player's time runs out before Redis would say so.
        self._beaten, self._heard = beaten, self._clock()

    async def refresh(self) -> None:
        """Beat at once if the last beat is too long ago for `now` to be right: this server stood still, others perhaps did not.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        if 1000 * (self._clock() - self._heard) > GAP_MS:
            await self.beat()

    def now(self) -> int:
        """Return how long servers have been up, in ms. It never goes back, and stands still without a beat for too long."""
        since = int(1000 * (self._clock() - self._heard))
        self._said = max(self._said, self._beaten + min(since, GAP_MS))
        return self._said
