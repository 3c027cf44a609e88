"""Shared summaries: what servers store of matches for each other's start pages, each in a private field of its match, and an
index of the listed ones, open ones first.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from typing import Literal

from client_protocol.codec import CodecError, pack, unpack
from client_protocol.from_server import MatchSummary
from server.store.errors import MatchRemoved
from server.store.key_names import LISTED_INDEX, NOTES, meta_key
from server.store.replies import pairs, texts
from server.store.store import MatchStore
from server.store.wire import Reply

PAGE = 100
"""The number of listed matches on a page."""
MOST_ASKED = 5_000
"""The most cached summaries of matches that were asked for by id."""
BUILT = "uf:listed:built"
"""The key that says that the index holds the summaries that are older than the index."""
LISTED = "summary"
"""The private field with a listed match's summary."""
UNLISTED = "unlisted"
"""The private field with an unlisted match's summary."""
MISSED = 500
"""How many matches are read at once while the index is built."""

State = Literal["open", "running", "over"]
RANKS: dict[State, int] = {"over": 0, "running": 1, "open": 2}
"""The order of the states in the index, the highest first."""
STEP = 10**14
"""The distance between two states' scores: more than the milliseconds since 1970."""


def place(state: State, made_at: int) -> int:
    """Return the score of a match in the index: higher than those of the matches after it."""
    return RANKS[state] * STEP + made_at


class SharedSummaries:
    """The summaries stored by all servers.

    Args:
        store: holds the summaries.
    """

    def __init__(self, store: MatchStore) -> None:
        self.listed: dict[str, MatchSummary] = {}
        """The first page of the listed matches, as it was read last."""
        self.more = False
        """Whether there are more of them."""
        self._store = store
        self._built = False
        self._count: object = ""
        self._asked: dict[str, MatchSummary | None] = {}

    async def read(self) -> bool:
        """Read the list if any summary was stored since the last read; return whether there was one. Raises `StoreError`."""
        if not self._built:
            await self._build()
        count = await self._store.command("GET", NOTES)
        if count == self._count:
            return False
        found = texts(await self._store.command("ZREVRANGE", LISTED_INDEX, 0, PAGE))
        self.listed = await self._read_all(found[:PAGE])
        self.more = len(found) > PAGE
        self._count = count
        self._asked.clear()
        return True

    async def after(self, state: State, made_at: int, match: str) -> tuple[dict[str, MatchSummary], bool]:
        """Return the page after the match at this place in the index, and whether there are more. Raises `StoreError`."""
        at = place(state, made_at)
        # Matches with the same score come in the reverse order of their ids.
        held = pairs(await self._store.command("ZREVRANGEBYSCORE", LISTED_INDEX, at, at, "WITHSCORES"))
        same = [other for name, _ in held if (other := name.decode()) < match]
        reply = await self._store.command("ZREVRANGEBYSCORE", LISTED_INDEX, f"({at}", "-inf", "LIMIT", 0, PAGE + 1)
        found = [*same, *texts(reply)]
        return await self._read_all(found[:PAGE]), len(found) > PAGE

    async def begun(self, made_since: int) -> list[str]:
        """Return the listed matches that are not over, and those that were made since (ms since 1970) and are. Raises
        `StoreError`.
        """
        if not self._built:
            await self._build()
        going = texts(await self._store.command("ZRANGEBYSCORE", LISTED_INDEX, RANKS["running"] * STEP, "+inf"))
        over = texts(await self._store.command("ZRANGEBYSCORE", LISTED_INDEX, max(made_since, 0), f"({STEP}"))
        return [*over, *going]

    async def of(self, matches: Collection[str]) -> dict[str, MatchSummary]:
        """Return the summaries of those of these matches that have one, listed or not, as old as the list. Raises
        `StoreError`.
        """
        if len(self._asked) > MOST_ASKED:
            self._asked.clear()
        missing = [match for match in matches if match not in self._asked]
        summaries = await asyncio.gather(*(self._read(match, LISTED, UNLISTED) for match in missing))
        self._asked.update(zip(missing, summaries, strict=True))
        found = ((match, self._asked.get(match)) for match in matches)
        return {match: summary for match, summary in found if summary is not None}

    async def put(self, summary: MatchSummary, *, listed: bool) -> None:
        """Store a match's summary. Raises `StoreError`, `MatchRemoved` too."""
        if listed:
            # The index comes before the summary: if the match is removed in between, the removal also clears the index, or
            # the summary is refused.
            await self._index(summary)
        try:
            await self._store.put_meta(summary.match, {LISTED if listed else UNLISTED: pack(summary)})
        except MatchRemoved:
            await self.drop(summary.match)
            raise
        await self._store.command("INCR", NOTES)

    async def drop(self, match: str) -> None:
        """Take a match out of the list. Raises `StoreError`."""
        await self._store.command("ZREM", LISTED_INDEX, match)
        await self._store.command("INCR", NOTES)

    async def _index(self, summary: MatchSummary) -> None:
        await self._store.command("ZADD", LISTED_INDEX, place(summary.state, summary.made_at), summary.match)

    async def _build(self) -> None:
        """Put older summaries into the index. Two servers may do it at once, with the same result."""
        if await self._store.command("EXISTS", BUILT) != 1:
            offset = 0
            while page := await self._store.matches(offset, MISSED):
                offset += len(page)
                summaries = await self._read_all([listing.match_id for listing in page])
                await asyncio.gather(*map(self._index, summaries.values()))
            await self._store.command("SET", BUILT, 1)
        self._built = True

    async def _read_all(self, matches: Sequence[str]) -> dict[str, MatchSummary]:
        """Return the summaries of listed matches."""
        summaries = await asyncio.gather(*(self._read(match, LISTED) for match in matches))
        return {match: summary for match, summary in zip(matches, summaries, strict=True) if summary is not None}

    async def _read(self, match: str, *fields: str) -> MatchSummary | None:
        """Return the summary in the first of these fields that the match has; None if there is no such match."""
        with contextlib.suppress(ValueError):
            return _noted(await self._store.command("HMGET", meta_key(match), *fields))
        return None


def _noted(reply: Reply) -> MatchSummary | None:
    for held in reply if isinstance(reply, list) else ():
        if isinstance(held, bytes):
            # A summary that cannot be read was written by another version.
            with contextlib.suppress(CodecError):
                return unpack(held, MatchSummary)
    return None
