"""The store: matches as logs in Redis. It knows nothing of rules; an entry is bytes.

The keys of one match share a hash tag, so that they stay together wherever Redis puts them:

    uf:{<id>}:log       stream; entry n has the id ``n-0`` and the one field ``e``
    uf:{<id>}:answers   hash: answer id -> version
    uf:{<id>}:meta      hash: what only the server knows (seat tokens' hashes, the dice's secret); names with a colon in
                        front are the store's own: ``:made``, ``:tombstone``
    uf:{<id>}:new-...   a log that is being restored, and its answers; they vanish by themselves
    uf:{<id>}:live      channel: ``<version> <payload>`` for each entry as it is written
    uf:matches          sorted set: match id by the moment it was made, in ms
    uf:deadlines        sorted set: match id by the up-time (ms) at which it wants to be looked at
    uf:up               hash: how long servers have been up (``ms``), and Redis' own time of the last beat (``at``, ms)
    uf:notes            number: how often a summary was noted or taken away; who has read them since has the list as it is
    uf:reports          list: reports for the operator, the newest first
    uf:signers          list: public halves of the keys by which files of matches are signed (hexadecimal), the current one first
    uf:reported         set: what each of them is about and by whom, ``<match>:<entry>:<audience>``

Versions begin with 1, because Redis refuses the id ``0-0``: the first entry, which pins the match's rules, is version 1,
and version 0 is a log with nothing in it.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from server.store.connections import Connections, wall_ms
from server.store.errors import LogDamaged, MatchExists, MatchRemoved, StoreError, UnknownMatch, closed
from server.store.following import Follower, Sleep
from server.store.key_names import DEADLINES, INDEX, LISTED_INDEX, NOTES, answers_key, live_key, log_key, meta_key
from server.store.metadata import Beside
from server.store.outcomes import Appended, Conflict, Duplicate, Health, Listing, Outcome
from server.store.redis_link import Reply, Word
from server.store.replies import fields, number, verdict
from server.store.restoring import restore
from server.store.scripts import APPEND, BURY, CREATE, REMOVE

__all__ = ["Appended", "Conflict", "Duplicate", "Health", "Listing", "MatchStore", "Outcome"]

CHUNK = 1000
"""Entries read at once: enough that a long match is a few round trips, little enough that Redis serves others between."""


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
        # What touches no log has a file of its own, and is called here all the same.
        beside = Beside(self._commands)
        self.put_meta, self.claim_meta, self.get_meta = beside.put_meta, beside.claim_meta, beside.get_meta
        self.matches = beside.matches
        self.beat, self.set_due, self.put_off, self.due = beside.beat, beside.set_due, beside.put_off, beside.due
        self.report, self.reports = beside.report, beside.reports
        self.signers, self.claim_signer = beside.signers, beside.claim_signer

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
        await self._redis.open()

    async def close(self) -> None:
        """Hang up. Followers end; calls that still wait raise ``StoreUnavailable``."""
        await self._redis.close()

    @property
    def health(self) -> Health:
        """Whether all of the store's connections are up, and since when it is so."""
        return self._redis.health

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
        """Make a match whose log has all these entries at once. Until it is whole nobody sees anything of it.

        Args:
            match_id: the match.
            made_ms: the moment it was made, ms since 1970.
            meta: what only the server knows. Of what stood on a tombstone nothing is left.
            entries: the log; the first is version 1.
            answers: the versions of the answers whose ids must be known again.
            over_tombstone: the match may be one that was buried.

        Raises:
            MatchExists: the id is taken.
            MatchRemoved: it is that of a match that was removed, over whose tombstone nothing is restored.
            ValueError: there are no entries, or an answer's version is none of theirs.
            StoreError: it took so long that Redis has forgotten the beginning.
            StoreUnavailable: Redis does not answer; the match may or may not have been made.
        """
        await restore(self._commands, match_id, made_ms, meta, entries, answers, over_tombstone=over_tombstone)

    async def append(
        self, match_id: str, expected: int, answer_id: str, payload: bytes, *, due: int | None = None
    ) -> Outcome:
        """Add an entry to a log that still ends where the caller thinks it does, set its deadline, tell its followers.

        When this returns ``Appended``, the entry is on disk. A lost connection is not the caller's concern: the entry is
        sent again until it is known what became of it.

        Args:
            match_id: the match.
            expected: the version of the log's last entry, as far as the caller knows; the new one gets the next.
            answer_id: what makes the caused answer unique within its match, the same in every retry; seats choose their
                ids themselves, so put the seat in front. Empty if nobody will ever repeat it.
            payload: the entry.
            due: ms of up-time at which the match wants to be looked at if nothing is appended before; None: never. What
                was set earlier is forgotten, if the entry is appended.

        Raises:
            UnknownMatch, MatchClosed, LogDamaged: this match cannot be written.
            StoreUnavailable: Redis does not answer; the entry may or may not have been appended.
        """
        # Whoever gave none gets one that nobody else has, for our own retries.
        token = answer_id or "~" + base64.urlsafe_b64encode(os.urandom(9)).decode()
        version = expected + 1
        keys = (log_key(match_id), answers_key(match_id), meta_key(match_id), DEADLINES)
        words = (expected, version, token, payload, live_key(match_id), match_id, b"" if due is None else due)
        reply, doubtful = await self._commands.run(APPEND, keys, words)
        word, count = verdict(reply)
        if word == b"ok":
            return Appended(version)
        if word == b"conflict":
            return Conflict(count)
        if word == b"duplicate":
            # After a lost reply the duplicate may be our own. Another writer's entry for the same answer is not, unless it
            # is the same to the byte, and then it makes no difference.
            if doubtful and count == version and await self._entry(match_id, version) == payload:
                return Appended(version)
            return Duplicate(count)
        if word == b"damaged":
            raise LogDamaged(match_id, f"it has {count} entries, but version {version} cannot be added")
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
            if not after:
                raise LogDamaged(match_id, "it has no entries")
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
        return number(await self._commands.command("XLEN", log_key(match_id)))

    async def check_open(self, match_id: str) -> None:
        """Return if the match has a log.

        Raises:
            UnknownMatch: it was never made.
            MatchClosed: a tombstone stands there; `MatchRemoved` where the match was removed.
            StoreUnavailable: Redis does not answer.
        """
        match await self._commands.command("HMGET", meta_key(match_id), ":made", ":tombstone"):
            case [None, _]:
                raise UnknownMatch(match_id)
            case [_, bytes(note)]:
                raise closed(match_id, note)

    def follow(self, match_id: str, after: int = 0) -> Follower:
        """Follow a match: its entries after a version, first those that are there, then live.

        Use it as ``async with store.follow(...) as entries: async for version, payload in entries: ...``.
        """
        return self._redis.feed.follow(match_id, after)

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
        keys = (log_key(match_id), answers_key(match_id), meta_key(match_id), DEADLINES)
        reply, _ = await self._commands.run(BURY, keys, (expected, note, match_id))
        word, count = verdict(reply)
        if word == b"unknown":
            raise UnknownMatch(match_id)
        if word == b"conflict":
            raise StoreError(f"Match {match_id} was exported up to version {expected}, but has {count}.")

    async def remove(self, match_id: str, expected: int) -> None:
        """Replace a match by a tombstone for good: its log or what stood on an earlier tombstone, its meta, its places in the
        indexes and its deadline go, and those who follow it get `MatchRemoved`.

        Args:
            match_id: the match.
            expected: the version of the log's last entry, as far as the caller knows; 0 for a match that was buried.

        Raises:
            StoreError: the log has gone on since.
            MatchRemoved: it was removed before.
            UnknownMatch: it was never made.
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
