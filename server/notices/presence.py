"""Presence over all servers: which seats are connected to any of them. A player who is connected needs no notice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from server.matches.background import Background
from server.store.following import Sleep
from server.store.key_names import HERE
from server.store.store import MatchStore

BEAT_SECONDS = 10.0
"""Seconds between two times that a server says who is connected to it."""
STALE_MS = 30_000
"""Milliseconds after which a seat that was not mentioned again counts as not connected."""


class Presence(Background):
    """Says which seats are connected to this server, while it is open (`async with`), and knows those of all servers.

    Args:
        store: an open store.
        connected: returns matches and seats that are connected here.
        now_ms: milliseconds since 1970.
        sleep: waits between two beats.
    """

    def __init__(
        self,
        store: MatchStore,
        connected: Callable[[], Iterable[tuple[str, str]]],
        now_ms: Callable[[], int],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._connected = connected
        self._now_ms = now_ms
        self._sleep = sleep

    async def run(self) -> None:
        """Beat until cancelled. While the database is away, wait for it."""
        while True:
            await self.attempt(self.beat)
            await self._sleep(BEAT_SECONDS)

    async def beat(self) -> None:
        """Say which seats are connected here. Raises `StoreError`."""
        now = self._now_ms()
        here = sorted(set(self._connected()))
        for at in range(0, len(here), 500):
            words = [word for match, seat in here[at : at + 500] for word in (now, f"{match}/{seat}")]
            await self._store.command("ZADD", HERE, *words)
        await self._store.command("ZREMRANGEBYSCORE", HERE, "-inf", now - 2 * STALE_MS)

    async def left(self, match: str, seat: str) -> None:
        """Note that the last connection of a seat to this server has ended; another server that has one says so again within
        seconds. Raises `StoreError`.
        """
        await self._store.command("ZREM", HERE, f"{match}/{seat}")

    async def here(self, match: str, seat: str) -> bool:
        """Return whether a server has said of late that a seat is connected to it. Raises `StoreError`."""
        reply = await self._store.command("ZSCORE", HERE, f"{match}/{seat}")
        return isinstance(reply, bytes) and float(reply) > self._now_ms() - STALE_MS
