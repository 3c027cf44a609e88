"""Limits that hold over all servers of a database: what costs much is counted in Redis, so that more servers do not give more
of it.

Answers and reads are counted by each server alone: they are many, and must not wait. What is counted here was let through by the
server's own buckets before (`guests`), which alone decide while Redis is away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Protocol

from server.gateway.guests import of_address, of_strangers
from server.gateway.limits import Limits
from server.store.errors import StoreError
from server.store.key_names import bucket_key
from server.store.outcomes import Health
from server.store.redis_link import Word
from server.store.replies import number
from server.store.scripts import TAKE, Script
from server.store.wire import Reply

SHARED = frozenset({"makings", "uploads", "setups", "chat", "admin"})
"""The kinds that are counted for all servers together."""
PATIENCE = 1.0
"""Seconds that a message may wait for Redis to count it; then it counts here alone."""


class Counting(Protocol):
    """What shared limits need of the store."""

    @property
    def health(self) -> Health:
        """Whether Redis can be reached."""
        ...

    async def run(self, script: Script, keys: tuple[bytes, ...], words: Iterable[Word]) -> tuple[Reply, bool]:
        """Run a script."""
        ...


class SharedLimits:
    """The buckets of addresses and of all strangers, for all servers of a database.

    Args:
        store: an open store; None: there is none, and nothing is counted here.
        limits: the bounds.
    """

    def __init__(self, store: Counting | None, limits: Limits) -> None:
        self._store = store
        self._limits = limits

    async def refusal(self, address: str, kind: str, *, stranger: bool, take: bool = True) -> str:
        """Take the tokens for a message or request of a kind, in one round trip. Return "", or in a sentence why it exceeds a
        rate.

        Args:
            address: the address that it comes from, as limits count it.
            kind: its kind; of a kind that is not shared nothing is taken.
            stranger: whether it counts for all strangers together, too.
            take: whether tokens are taken, or only asked for.
        """
        store, rate = self._store, self._limits.address.get(kind)
        if store is None or rate is None or kind not in SHARED or not store.health.up:
            return ""
        buckets = [(bucket_key(kind, address), rate)]
        common = self._limits.strangers.get(kind) if stranger else None
        if common is not None:
            buckets.append((bucket_key(kind, ""), common))
        words: list[Word] = [str(word) for _, one in buckets for word in (one.burst, one.per_second)]
        try:
            async with asyncio.timeout(PATIENCE):
                reply, _ = await store.run(TAKE, tuple(key for key, _ in buckets), [*words, int(take)])
        except (TimeoutError, StoreError):
            return ""
        match number(reply):
            case 0:
                return ""
            case 1:
                return of_address(rate)
            case _:
                return of_strangers()
