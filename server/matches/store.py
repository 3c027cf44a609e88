"""The store: matches as logs in Redis. It knows nothing of rules; an entry is bytes.

The keys of one match share a hash tag, so that they stay together wherever Redis puts them:

    uf:{<id>}:log       stream; entry n has the id ``n-0`` and the one field ``e``
    uf:{<id>}:answers   hash: answer id -> version
    uf:{<id>}:meta      hash: what only the server knows (seat tokens' hashes, the dice's secret); names with a colon in
                        front are the store's own: ``:made``, ``:tombstone``
    uf:{<id>}:live      channel: ``<version> <payload>`` for each entry as it is written
    uf:matches          sorted set: match id by the moment it was made, in ms

Versions begin with 1, because Redis refuses the id ``0-0``: the first entry, which pins the match's rules, is version 1,
and version 0 is a log with nothing in it.
"""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

from server.matches.commands import Commands
from server.matches.errors import (
    LogDamaged,
    MatchClosed,
    MatchExists,
    StoreError,
    StoreUnavailable,
    UnknownMatch,
)
from server.matches.link import Link, Reply, Word, address
from server.matches.live import Follower, LiveFeed, Sleep
from server.matches.scripts import APPEND, BURY, CLAIM_META, CREATE, PUT_META
from server.matches.store_keys import INDEX, answers_key, live_key, log_key, meta_key

CHUNK = 1000
"""Entries read at once: enough that a long match is a few round trips, little enough that Redis serves others between."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The entry is in the log, on disk, as this version."""

    version: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An entry with this answer id is in the log already, as this version; nothing was appended."""

    version: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """The log's last version is ``current``, not the expected one; nothing was appended."""

    current: int


Outcome: TypeAlias = Appended | Duplicate | Conflict


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the store can be written and followed right now, since when (ms since 1970), and if not, why."""

    up: bool
    since_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A match in the index: its id and the moment it was made (ms since 1970)."""

    match_id: str
    made_ms: int


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class MatchStore:
    """All matches of one Redis. Open it with ``async with``, or ``open`` and ``close``.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``; for instance what ``EmbeddedValkey.start`` returned.
        wait_seconds: how long a call may wait for a Redis that does not answer, before ``StoreUnavailable``.
        patience_seconds: how soon a connection is given up that owes a reply and gives none.
        check_seconds: how often followers' logs are compared with what was delivered.
        sleep: waits between these comparisons.
        now_ms: the wall clock, for ``health`` alone.
    """

    def __init__(
        self,
        url: str,
        *,
        wait_seconds: float = 10.0,
        patience_seconds: float = 3.0,
        check_seconds: float = 3.0,
        sleep: Sleep = asyncio.sleep,
        now_ms: Callable[[], int] = _wall_ms,
    ) -> None:
        self._wait_seconds = wait_seconds
        self._now_ms = now_ms
        self._watchers: list[Callable[[Health], None]] = []
        pool = address(url)
        self._writes = Link(pool, "redis writes", patience_seconds, self._note)
        self._reads = Link(pool, "redis reads", patience_seconds, self._note)
        self._commands = Commands(self._writes, self._reads, wait_seconds)
        self._feed = LiveFeed(
            pool,
            self,
            live_key,
            self._note,
            patience=patience_seconds,
            check_seconds=check_seconds,
            sleep=sleep,
        )
        self._health = Health(up=False, since_ms=now_ms(), reason=self._writes.reason)
        self._up = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreUnavailable: Redis did not answer in time. The store is closed then.
        """
        self._writes.start()
        self._reads.start()
        self._feed.start()
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._up.wait()
        except TimeoutError:
            reason = self._health.reason
            await self.close()
            raise StoreUnavailable(f"Redis does not answer: {reason}") from None

    async def close(self) -> None:
        """Hang up. Followers end; calls that still wait raise ``StoreUnavailable``."""
        await self._feed.close()
        await self._writes.close()
        await self._reads.close()

    # ------------------------------------------------------------------ health

    @property
    def health(self) -> Health:
        """Whether all of the store's connections are up, and since when it is so."""
        return self._health

    def watch_health(self, watcher: Callable[[Health], None]) -> Callable[[], None]:
        """Call this at every change of ``health``. Returns the function that ends it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def _note(self, _up: bool, _reason: str) -> None:
        down = [part.reason for part in (self._writes, self._reads, self._feed) if not part.up]
        up, reason = not down, down[0] if down else ""
        before = self._health
        if (up, reason) == (before.up, before.reason):
            return
        since = self._now_ms() if up != before.up else before.since_ms
        self._health = Health(up=up, since_ms=since, reason=reason)
        if up:
            self._up.set()
        else:
            self._up.clear()
        for watcher in list(self._watchers):
            watcher(self._health)

    async def losses(self) -> str:
        """What a crash of this Redis could lose although it was acknowledged, as a sentence for the log; else empty.

        Our own Valkey is never started so. Where Redis does not show its settings, nothing is said.
        """
        try:
            reply = await self._commands.command("CONFIG", "GET", "append*")
        except StoreUnavailable:
            raise
        except StoreError:
            return ""
        words = [word for word in reply if isinstance(word, bytes)] if isinstance(reply, list) else []
        settings = dict(zip(words[::2], words[1::2], strict=True))
        if settings.get(b"appendonly") == b"no":
            return "Redis keeps no append-only file: if it stops, matches are lost. Set appendonly yes."
        if settings.get(b"appendfsync") not in (b"always", None):
            return "If Redis' machine stops, the last second can be lost. Set appendfsync always."
        return ""

    # ------------------------------------------------------------------ the log

    async def create(self, match_id: str, made_ms: int, meta: Mapping[str, bytes], first: bytes) -> None:
        """Make a match whose log has one entry, version 1.

        Args:
            match_id: letters, digits, ``_`` and ``-``, at most 64.
            made_ms: the moment it is made, ms since 1970; the index is sorted by it.
            meta: what only the server knows.
            first: the entry that pins the match's rules.

        Raises:
            MatchExists: the id is taken.
            StoreUnavailable: Redis does not answer; the match may or may not have been made.
        """
        keys = (log_key(match_id), meta_key(match_id), INDEX)
        words: list[Word] = [match_id, made_ms, first, live_key(match_id), *_fields(meta)]
        reply, doubtful = await self._commands.run(CREATE, keys, words)
        if reply == b"exists" and not (doubtful and await self._entry(match_id, 1) == first):
            raise MatchExists(match_id)

    async def append(self, match_id: str, expected: int, answer_id: str, payload: bytes) -> Outcome:
        """Add an entry to a log that still ends where the caller thinks it does, and tell its followers.

        When this returns ``Appended``, the entry is on disk. A lost connection is not the caller's concern: the entry is
        sent again until it is known what became of it.

        Args:
            match_id: the match.
            expected: the version of the log's last entry, as far as the caller knows; the new one gets the next.
            answer_id: what makes the caused answer unique within its match, the same in every retry; seats choose their
                ids themselves, so put the seat in front. Empty if nobody will ever repeat it.
            payload: the entry.

        Raises:
            UnknownMatch, MatchClosed, LogDamaged: this match cannot be written.
            StoreUnavailable: Redis does not answer; the entry may or may not have been appended.
        """
        # Whoever gave none gets one that nobody else has, for our own retries.
        token = answer_id or "~" + base64.urlsafe_b64encode(os.urandom(9)).decode()
        version = expected + 1
        keys = (log_key(match_id), answers_key(match_id), meta_key(match_id))
        reply, doubtful = await self._commands.run(
            APPEND, keys, (expected, version, token, payload, live_key(match_id))
        )
        word, number = _pair(reply)
        if word == b"ok":
            return Appended(version)
        if word == b"conflict":
            return Conflict(number)
        if word == b"duplicate":
            # After a lost reply the duplicate may be our own. Another writer's entry for the same answer is not, unless it
            # is the same to the byte, and then it makes no difference.
            if doubtful and number == version and await self._entry(match_id, version) == payload:
                return Appended(version)
            return Duplicate(number)
        if word == b"damaged":
            raise LogDamaged(match_id, f"it has {number} entries, but version {version} cannot be added")
        raise await self._refusal(match_id)

    async def read(self, match_id: str, after: int = 0) -> list[tuple[int, bytes]]:
        """All entries after a version: their versions, without a gap, and what was appended.

        Raises:
            LogDamaged: there is a gap, or something that is no entry.
            UnknownMatch, MatchClosed: there is no such log.
            StoreUnavailable: Redis does not answer.
        """
        entries, more = await self.read_some(match_id, after)
        while more:
            chunk, more = await self.read_some(match_id, entries[-1][0])
            entries += chunk
        if not entries:
            await self.check_open(match_id)
            length = await self.length(match_id)
            if length < after:
                raise LogDamaged(match_id, f"entry {after} was there, now the last is {length}")
        return entries

    async def read_some(self, match_id: str, after: int) -> tuple[list[tuple[int, bytes]], bool]:
        """The next entries after a version, and whether there may be more.

        Raises:
            LogDamaged: there is a gap, or something that is no entry.
            StoreUnavailable: Redis does not answer.
        """
        reply = await self._commands.command("XRANGE", log_key(match_id), b"(%d-0" % after, b"+", b"COUNT", CHUNK)
        entries: list[tuple[int, bytes]] = []
        for version, item in enumerate(reply if isinstance(reply, list) else [], after + 1):
            match item:
                case [entry_id, [_, bytes(payload)]] if entry_id == b"%d-0" % version:
                    entries.append((version, payload))
                case _:
                    raise LogDamaged(match_id, f"version {version} is missing or is no entry")
        return entries, len(entries) == CHUNK

    async def length(self, match_id: str) -> int:
        """The version of the log's last entry; 0 if there is none.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        return _number(await self._commands.command("XLEN", log_key(match_id)))

    async def check_open(self, match_id: str) -> None:
        """Return if the match has a log.

        Raises:
            UnknownMatch: it was never made.
            MatchClosed: a tombstone stands there.
            StoreUnavailable: Redis does not answer.
        """
        match await self._commands.command("HMGET", meta_key(match_id), ":made", ":tombstone"):
            case [None, _]:
                raise UnknownMatch(match_id)
            case [_, bytes(note)]:
                raise MatchClosed(match_id, note)

    def follow(self, match_id: str, after: int = 0) -> Follower:
        """Follow a match: its entries after a version, first those that are there, then live.

        Use it as ``async with store.follow(...) as entries: async for version, payload in entries: ...``.
        """
        return self._feed.follow(match_id, after)

    async def bury(self, match_id: str, expected: int, note: bytes) -> None:
        """Replace a finished match's log by a tombstone, after it was exported. Its meta and its place in the index stay.

        Args:
            match_id: the match.
            expected: the version up to which it was exported.
            note: what ``MatchClosed`` shall say from now on, for instance the file's name.

        Raises:
            StoreError: the log has gone on since.
            UnknownMatch: it was never made.
            StoreUnavailable: Redis does not answer; the match may or may not have been buried.
        """
        keys = (log_key(match_id), answers_key(match_id), meta_key(match_id))
        reply, _ = await self._commands.run(BURY, keys, (expected, note))
        word, number = _pair(reply)
        if word == b"unknown":
            raise UnknownMatch(match_id)
        if word == b"conflict":
            raise StoreError(f"Match {match_id} was exported up to version {expected}, but has {number}.")

    # ------------------------------------------------------------------ beside the log

    async def put_meta(self, match_id: str, fields: Mapping[str, bytes]) -> None:
        """Set private fields of a match.

        Raises:
            UnknownMatch: it was never made.
            StoreUnavailable: Redis does not answer; the fields may or may not have been set.
        """
        reply, _ = await self._commands.run(PUT_META, (meta_key(match_id),), _fields(fields))
        if reply != b"ok":
            raise UnknownMatch(match_id)

    async def claim_meta(self, match_id: str, field: str, value: bytes) -> bytes:
        """Set a private field if nobody has yet: of two who take the same seat at once, one gets it.

        Returns:
            What the field holds now: ``value`` if the claim succeeded, now or earlier.

        Raises:
            UnknownMatch: it was never made.
            StoreUnavailable: Redis does not answer; ask again.
        """
        reply, _ = await self._commands.run(CLAIM_META, (meta_key(match_id),), _fields({field: value}))
        match reply:
            case [b"ok", bytes(stands)]:
                return stands
        raise UnknownMatch(match_id)

    async def get_meta(self, match_id: str) -> dict[str, bytes]:
        """All private fields of a match.

        Raises:
            UnknownMatch: it was never made.
            StoreUnavailable: Redis does not answer.
        """
        reply = await self._commands.command("HGETALL", meta_key(match_id))
        words = [word for word in reply if isinstance(word, bytes)] if isinstance(reply, list) else []
        if not words:
            raise UnknownMatch(match_id)
        pairs = zip(words[::2], words[1::2], strict=True)
        return {name.decode(): value for name, value in pairs if not name.startswith(b":")}

    async def matches(self, offset: int = 0, count: int = 50) -> list[Listing]:
        """Some of the matches there are, the newest first.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        reply = await self._commands.command("ZREVRANGE", INDEX, offset, offset + count - 1, "WITHSCORES")
        words = [word for word in reply if isinstance(word, bytes)] if isinstance(reply, list) else []
        return [Listing(name.decode(), int(made)) for name, made in zip(words[::2], words[1::2], strict=True)]

    # ------------------------------------------------------------------ for the store's neighbours

    async def command(self, *words: Word) -> Reply:
        """Send any command that may safely be sent twice, and wait for its reply across lost connections.

        Raises:
            StoreUnavailable: no reply in time.
            StoreError: Redis refuses the command.
        """
        return await self._commands.command(*words)

    async def _entry(self, match_id: str, version: int) -> bytes | None:
        entry_id = b"%d-0" % version
        match await self._commands.command("XRANGE", log_key(match_id), entry_id, entry_id):
            case [[_, [_, bytes(payload)]]]:
                return payload
        return None

    async def _refusal(self, match_id: str) -> StoreError:
        """Why a match cannot be written."""
        try:
            await self.check_open(match_id)
        except StoreError as reason:
            return reason
        return UnknownMatch(match_id)


def _fields(fields: Mapping[str, bytes]) -> list[Word]:
    for name in fields:
        if name.startswith(":"):
            raise ValueError(f"{name!r} cannot be a field: names that begin with a colon are the store's own")
    return [word for name, value in fields.items() for word in (name, value)]


def _pair(reply: Reply) -> tuple[bytes, int]:
    match reply:
        case [bytes(word), int(number)]:
            return word, number
    raise StoreError(f"A script gave an answer that it does not have: {reply!r}")


def _number(reply: Reply) -> int:
    if not isinstance(reply, int):
        raise StoreError(f"Redis gave {reply!r} where a number was due")
    return reply
