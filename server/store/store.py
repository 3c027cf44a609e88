"""The store: matches as logs in Redis. It knows nothing of rules; an entry is bytes.

The keys of one match share a hash tag, so that they stay together wherever Redis puts them:

    uf:{<id>}:log       stream; entry n has the id `n-0` and the one field `e`
    uf:{<id>}:answers   hash: answer id -> version
    uf:{<id>}:meta      hash: private fields (seat tokens' hashes, the dice's secret); names with a colon in front are
                        the store's own: `:made`, `:tombstone`
    uf:{<id>}:new-...   a log that is being restored, and its answers; they expire
    uf:{<id>}:live      channel: `<version> <payload>` for each entry as it is written; version 0 for a log that is removed,
                        version -1 for private fields that were changed
    uf:matches          sorted set: match id by the time when it was made, in ms
    uf:deadlines        sorted set: match id by its deadline, in ms of up-time
    uf:up               hash: how long servers have been up (`ms`), and Redis' own time of the last beat (`at`, ms)
    uf:notes            number: how often a summary was stored or removed; unchanged while a list that was read is current
    uf:exhibitions      set: the matches that start pages show; a server removes those of before its start
    uf:reports          list: reports for the operator, the newest first
    uf:signers          list: public halves of the keys by which files of matches are signed (hexadecimal), the current one first
    uf:reported         set: the key of each of them, `<match>:<entry>:<audience>`

Versions begin with 1, because Redis refuses the id `0-0`: the first entry, which pins the match's rules, is version 1,
and version 0 is an empty log.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Self

from server.store.connections import Connections, wall_ms
from server.store.errors import LogDamaged, MatchExists, MatchRemoved, StoreError, UnknownMatch, closed
from server.store.following import Follower, Sleep, ignore
from server.store.key_names import (
    DEADLINES,
    INDEX,
    LISTED_INDEX,
    NOTES,
    answers_key,
    append_keys,
    live_key,
    log_key,
    meta_key,
)
from server.store.metadata import Metadata
from server.store.outcomes import Appended, Conflict, Duplicate, Health, Listing, Outcome
from server.store.redis_link import Word
from server.store.replies import fields, number, verdict
from server.store.restoring import restore
from server.store.scripts import APPEND, ARCHIVE, CREATE, REMOVE, Script
from server.store.wire import Reply

__all__ = ["Appended", "Conflict", "Duplicate", "Health", "Listing", "MatchStore", "Outcome"]

CHUNK = 1000
"""Entries read at once: enough that a long match is a few round trips, little enough that Redis serves others between."""


FEW_WRITES = 2
"""How many writes may be under way in a process that is not busy."""


class MatchStore:
    """All matches of one Redis. Open it with `async with`, or `open` and `close`.

    Args:
        url: `redis://`, `rediss://` or `unix://`; for instance what `EmbeddedValkey.start` returned.
        wait_seconds: how long a call may wait for a Redis that does not answer, before `StoreUnavailable`.
        patience_seconds: how long a connection may owe a reply before it is dropped.
        check_seconds: how often followers' logs are compared with what was delivered.
        sleep: waits between these comparisons.
        now_ms: the wall clock, used only for `health`.
    """

    def __init__(
        self,
        url: str,
        *,
        wait_seconds: float = 10.0,
        patience_seconds: float = 3.0,
        check_seconds: float = 3.0,
        sleep: Sleep = asyncio.sleep,
        now_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self._redis = Connections(
            url,
            self,
            wait_seconds=wait_seconds,
            patience_seconds=patience_seconds,
            check_seconds=check_seconds,
            sleep=sleep,
            now_ms=now_ms,
        )
        self._commands = self._redis.commands
        self.watch_health = self._redis.watch_health
        self.block = self._redis.block
        self.losses = self._redis.losses
        # Calls that touch no log have a file of their own, and are offered here too.
        metadata = Metadata(self._commands)
        self.put_meta, self.claim_meta, self.get_meta = metadata.put_meta, metadata.claim_meta, metadata.get_meta
        self.matches = metadata.matches
        self.beat, self.set_due, self.put_off, self.due = (
            metadata.beat,
            metadata.set_due,
            metadata.put_off,
            metadata.due,
        )
        self.report, self.reports = metadata.report, metadata.reports
        self.exhibit, self.exhibits, self.forget_exhibit = (
            metadata.exhibit,
            metadata.exhibits,
            metadata.forget_exhibit,
        )
        self.signers, self.claim_signer = metadata.signers, metadata.claim_signer

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def busy(self) -> bool:
        """Whether more than a few writes of this process have no reply yet: then it has always something else to do."""
        return self._redis.writes_under_way > FEW_WRITES

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreUnavailable: Redis did not answer in time. The store is closed then.
        """
        await self._redis.open()

    async def close(self) -> None:
        """Close. Followers end; calls that still wait raise `StoreUnavailable`."""
        await self._redis.close()

    @property
    def health(self) -> Health:
        """Whether all connections are up, and since when."""
        return self._redis.health

    # ------------------------------------------------------------------ the log

    async def create(self, match_id: str, made_ms: int, meta: Mapping[str, bytes], first: bytes) -> None:
        """Make a match whose log has one entry, version 1.

        Args:
            match_id: letters, digits, `_` and `-`, at most 64.
            made_ms: when it is made, ms since 1970; the index is sorted by it.
            meta: the match's private fields.
            first: the entry that pins the match's rules.

        Raises:
            MatchExists: the id is taken.
            StoreUnavailable: Redis does not answer; the match may or may not have been made.
        """
        keys = (log_key(match_id), meta_key(match_id), INDEX)
        words: list[Word] = [match_id, made_ms, first, live_key(match_id), *fields(meta)]
        reply, doubtful = await self._commands.run(CREATE, keys, words)
        if reply == b"exists" and not (doubtful and await self._entry(match_id, 1) == first):
            raise MatchExists(match_id)

    async def restore(
        self,
        match_id: str,
        made_ms: int,
        meta: Mapping[str, bytes],
        entries: Sequence[bytes],
        answers: Mapping[str, int],
        *,
        over_tombstone: bool = False,
    ) -> None:
        """Make a match whose log has all these entries at once. No reader sees any of it until it is whole.

        Args:
            match_id: the match.
            made_ms: when it was made, ms since 1970.
            meta: the match's private fields. They replace those of a tombstone.
            entries: the log; the first is version 1.
            answers: the versions of the answers whose ids must be known again.
            over_tombstone: the match may be an archived one.

        Raises:
            MatchExists: the id is taken.
            MatchRemoved: the id is that of a removed match, which cannot be restored.
            ValueError: there are no entries, or an answer's version is not among them.
            StoreError: it took so long that the first parts have expired.
            StoreUnavailable: Redis does not answer; the match may or may not have been made.
        """
        await restore(self._commands, match_id, made_ms, meta, entries, answers, over_tombstone=over_tombstone)

    async def append(
        self,
        match_id: str,
        expected: int,
        answer_id: str,
        payload: bytes,
        *,
        due: int | None = None,
        written: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """Append an entry to a log whose last version is still the expected one, set the match's deadline, and publish the
        entry.

        When this returns `Appended`, the entry is on disk. After a lost connection the entry is sent again until its
        outcome is known.

        Args:
            match_id: the match.
            expected: the version of the log's last entry, as far as the caller knows; the new one gets the next.
            answer_id: unique for the answer within its match, and the same in every retry; seats choose their ids themselves,
                so put the seat in front. "" if the caller will never retry it.
            payload: the entry.
            due: the match's deadline from now on, in ms of up-time; None: it has none. It replaces the earlier one if the
                entry is appended.
            written: called, before this returns, at the moment when the store learns that it has appended the entry; it must
                not raise.

        Raises:
            UnknownMatch, MatchClosed, LogDamaged: this match cannot be written.
            StoreUnavailable: Redis does not answer; the entry may or may not have been appended.
        """
        # An entry without an answer id gets a random one, for our own retries.
        token = answer_id or "~" + base64.urlsafe_b64encode(os.urandom(9)).decode()
        version = expected + 1
        log, answers, private, live = append_keys(match_id)
        words = (expected, version, token, payload, live, match_id, b"" if due is None else due)

        def at_once(reply: Reply) -> None:
            if reply == [b"ok", version]:
                written()

        reply, doubtful = await self._commands.run(APPEND, (log, answers, private, DEADLINES), words, at_once)
        word, count = verdict(reply)
        if word == b"ok":
            return Appended(version)
        if word == b"conflict":
            return Conflict(count)
        if word == b"duplicate":
            # After a lost reply the duplicate may be our own. Another writer's entry for the same answer differs, unless all
            # its bytes are the same, and then it makes no difference.
            if doubtful and count == version and await self._entry(match_id, version) == payload:
                return Appended(version)
            return Duplicate(count)
        if word == b"damaged":
            raise LogDamaged(match_id, f"it has {count} entries, but version {version} cannot be added")
        raise await self._refusal(match_id)

    async def read(self, match_id: str, after: int = 0) -> list[tuple[int, bytes]]:
        """Return all entries after a version: their versions, without a gap, and their bytes.

        Raises:
            LogDamaged: there is a gap, or something other than an entry.
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
            if not after:
                raise LogDamaged(match_id, "it has no entries")
        return entries

    async def read_some(self, match_id: str, after: int) -> tuple[list[tuple[int, bytes]], bool]:
        """Return the next entries after a version, and whether there may be more.

        Raises:
            LogDamaged: there is a gap, or something other than an entry.
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
        """Return the version of the log's last entry; 0 if there is none.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        return number(await self._commands.command("XLEN", log_key(match_id)))

    async def check_open(self, match_id: str) -> None:
        """Check that the match has a log.

        Raises:
            UnknownMatch: there is no such match.
            MatchClosed: the match has a tombstone; `MatchRemoved` if it was removed.
            StoreUnavailable: Redis does not answer.
        """
        match await self._commands.command("HMGET", meta_key(match_id), ":made", ":tombstone"):
            case [None, _]:
                raise UnknownMatch(match_id)
            case [_, bytes(note)]:
                raise closed(match_id, note)

    def follow(self, match_id: str, after: int = 0, fields_changed: Callable[[], None] = ignore) -> Follower:
        """Follow a match: the entries after a version, first those in the log, then live ones. `fields_changed` is called when
        its private fields may have changed (see `put_meta`).

        Use it as `async with store.follow(...) as entries: async for version, payload in entries: ...`.
        """
        return self._redis.feed.follow(match_id, after, fields_changed)

    async def archive(self, match_id: str, expected: int, note: bytes) -> None:
        """Replace an ended match's log by a tombstone, after it was archived. Its private fields and its place in the index
        stay.

        Args:
            match_id: the match.
            expected: the version up to which it was archived.
            note: the note of `MatchClosed` from now on, for instance the file's name.

        Raises:
            StoreError: entries were appended since.
            UnknownMatch: there is no such match.
            StoreUnavailable: Redis does not answer; the match may or may not have its tombstone.
        """
        keys = (log_key(match_id), answers_key(match_id), meta_key(match_id), DEADLINES)
        reply, _ = await self._commands.run(ARCHIVE, keys, (expected, note, match_id))
        word, count = verdict(reply)
        if word == b"unknown":
            raise UnknownMatch(match_id)
        if word == b"conflict":
            raise StoreError(f"Match {match_id} was exported up to version {expected}, but has {count}.")

    async def remove(self, match_id: str, expected: int) -> None:
        """Permanently replace a match by a tombstone: its log or earlier tombstone, its private fields, its places in the
        indexes and its deadline are deleted, and its followers get `MatchRemoved`.

        Args:
            match_id: the match.
            expected: the version of the log's last entry, as far as the caller knows; 0 for an archived match.

        Raises:
            StoreError: entries were appended since.
            MatchRemoved: it was removed before.
            UnknownMatch: there is no such match.
            StoreUnavailable: Redis does not answer; the match may or may not have been removed.
        """
        log, private, live = log_key(match_id), meta_key(match_id), live_key(match_id)
        keys = (log, answers_key(match_id), private, DEADLINES, INDEX, NOTES, LISTED_INDEX)
        reply, doubtful = await self._commands.run(REMOVE, keys, (expected, match_id, live))
        word, count = verdict(reply)
        if word == b"unknown":
            raise UnknownMatch(match_id)
        if word == b"removed" and not doubtful:
            raise MatchRemoved(match_id)
        if word == b"conflict":
            raise StoreError(f"Match {match_id} has {count} entries, and {expected} were expected.")

    # ------------------------------------------------------------------ for the store's neighbours

    async def command(self, *words: Word) -> Reply:
        """Send an idempotent command, and wait for its reply across lost connections.

        Raises:
            StoreUnavailable: no reply in time.
            StoreError: Redis refuses the command.
        """
        return await self._commands.command(*words)

    async def run(self, script: Script, keys: tuple[bytes, ...], words: Iterable[Word]) -> tuple[Reply, bool]:
        """Run an idempotent script. See `Commands.run`."""
        return await self._commands.run(script, keys, words)

    async def _entry(self, match_id: str, version: int) -> bytes | None:
        entry_id = b"%d-0" % version
        match await self._commands.command("XRANGE", log_key(match_id), entry_id, entry_id):
            case [[_, [_, bytes(payload)]]]:
                return payload
        return None

    async def _refusal(self, match_id: str) -> StoreError:
        """Return why a match cannot be written."""
        try:
            await self.check_open(match_id)
        except StoreError as reason:
            return reason
        return UnknownMatch(match_id)
