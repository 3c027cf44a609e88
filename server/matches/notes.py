"""What servers note of matches for each other's start pages: each match in a private field of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection

from client_protocol.codec import CodecError, pack, unpack
from client_protocol.messages import MatchInfo
from server.matches.link import Reply
from server.matches.store import MatchStore
from server.matches.store_keys import NOTES, meta_key

MOST_LISTED = 100
"""How many of the newest matches are looked at."""
MOST_ASKED = 5_000
"""How many notes are remembered of matches that somebody asked for by name."""
LISTED = "summary"
"""The private field in which a listed match is noted."""
UNLISTED = "unlisted"
"""The one in which a match is noted that the list does not show."""


class Notes:
    """The notes of all servers.

    Args:
        store: where they are.
    """

    def __init__(self, store: MatchStore) -> None:
        self.listed: dict[str, MatchInfo] = {}
        """The listed matches among the newest, as they were read last."""
        self._store = store
        self._count: object = ""
        self._asked: dict[str, MatchInfo | None] = {}

    async def read(self) -> bool:
        """Read the list, if anything has been noted since it was read last; whether that is so. Raises `StoreError`."""
        count = await self._store.command("GET", NOTES)
        if count == self._count:
            return False
        found = [listing.match_id for listing in await self._store.matches(0, MOST_LISTED)]
        infos = await asyncio.gather(*(self._read(match, LISTED) for match in found))
        self.listed = {match: info for match, info in zip(found, infos, strict=True) if info is not None}
        self._count = count
        self._asked.clear()
        return True

    async def of(self, matches: Collection[str]) -> dict[str, MatchInfo]:
        """The notes of those of these matches that have one, listed or not, as old as the list. Raises `StoreError`."""
        if len(self._asked) > MOST_ASKED:
            self._asked.clear()
        missing = [match for match in matches if match not in self._asked]
        infos = await asyncio.gather(*(self._read(match, LISTED, UNLISTED) for match in missing))
        self._asked.update(zip(missing, infos, strict=True))
        found = ((match, self._asked.get(match)) for match in matches)
        return {match: info for match, info in found if info is not None}

    async def put(self, info: MatchInfo, *, listed: bool) -> None:
        """Note how a match stands. Raises `StoreError`."""
        await self._store.put_meta(info.match, {LISTED if listed else UNLISTED: pack(info)})
        await self._store.command("INCR", NOTES)

    async def _read(self, match: str, *fields: str) -> MatchInfo | None:
        """What is noted of a match in the first of these fields that it has; None where there is no such match."""
        with contextlib.suppress(ValueError):
            return _noted(await self._store.command("HMGET", meta_key(match), *fields))
        return None


def _noted(reply: Reply) -> MatchInfo | None:
    for held in reply if isinstance(reply, list) else ():
        if isinstance(held, bytes):
            # A note that cannot be read is another version's.
            with contextlib.suppress(CodecError):
                return unpack(held, MatchInfo)
    return None
