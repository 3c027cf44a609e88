"""Finding keys by a pattern, a part of the database at a time, so that no other user waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from server.store.redis_link import Word
from server.store.wire import Reply

AT_ONCE = 1000
"""How many keys are looked at at once."""


class Commands(Protocol):
    """What scanning needs of the store."""

    async def command(self, *words: Word) -> Reply:
        """Send a command, and return its reply."""
        ...


async def scanned(store: Commands, pattern: bytes) -> AsyncIterator[bytes]:
    """Give every key that fits a pattern of Redis, once; one that is made meanwhile may be missing. Raises `StoreError`."""
    cursor, seen = b"0", set[bytes]()
    while True:
        match await store.command("SCAN", cursor, "MATCH", pattern, "COUNT", AT_ONCE):
            case [bytes(cursor), [*keys]]:
                for key in keys:
                    if isinstance(key, bytes) and key not in seen:
                        seen.add(key)
                        yield key
        if cursor == b"0":
            return
