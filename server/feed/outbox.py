"""The outbox of players' topics: what servers leave in the database for the feed to publish, since it alone has a broker."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.store.key_names import FEED_PLAYERS
from server.store.store import MatchStore

MOST = 10_000
"""The most letters that wait while no feed takes them; the oldest are dropped."""


class Letter(Struct, frozen=True):
    """What the feed is to do for a player: publish a `notice` (JSON), or let the player read their topic with the password
    `credentials` from now on, or (`forget`) no more.
    """

    kind: Literal["notice", "credentials", "forget"]
    key: str
    content: bytes = b""


class Outbox:
    """The outbox of a database.

    Args:
        store: an open store.
    """

    def __init__(self, store: MatchStore) -> None:
        self._store = store

    async def put(self, letter: Letter) -> None:
        """Leave a letter. Raises `StoreError`."""
        await self._store.command("RPUSH", FEED_PLAYERS, pack(letter))
        await self._store.command("LTRIM", FEED_PLAYERS, -MOST, -1)

    async def first(self) -> Letter | None:
        """Return the oldest letter, which stays; None if there is none. What cannot be read is dropped. Raises `StoreError`."""
        while isinstance(held := await self._store.command("LINDEX", FEED_PLAYERS, 0), bytes):
            try:
                return unpack(held, Letter)
            except CodecError:
                await self.drop()
        return None

    async def drop(self) -> None:
        """Drop the oldest letter, which was dealt with. Raises `StoreError`."""
        await self._store.command("LPOP", FEED_PLAYERS)
