"""The store's data apart from the logs: private fields, the index, deadlines, up-time, reports, signers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.store.errors import REMOVED, MatchRemoved, UnknownMatch
from server.store.key_names import (
    DEADLINES,
    EXHIBITIONS,
    INDEX,
    REPORTED,
    REPORTS,
    SIGNERS,
    UP,
    check_id,
    live_key,
    meta_key,
)
from server.store.outcomes import Listing
from server.store.replies import fields, number, pairs, texts
from server.store.retrying import Commands
from server.store.scripts import BEAT, CLAIM_META, CLAIM_SIGNER, PUT_META, PUT_OFF, REPORT

GAP_MS = 3000
"""How long after the last beat a server still counts as up, in ms. They beat each second, so a beat or two may be late."""

MOST_REPORTS = 1000
"""The most reports that are kept; the oldest are dropped."""


class Metadata:
    """The store's calls that touch no log. `MatchStore` offers them as its own."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    # ------------------------------------------------------------------ private fields

    async def put_meta(self, match_id: str, named: Mapping[str, bytes], *, told: bool = False) -> None:
        """Set private fields of a match. `told` tells those who follow it to read its fields again.

        Raises:
            UnknownMatch: there is no such match.
            MatchRemoved: it was removed.
            StoreUnavailable: Redis does not answer; the fields may or may not have been set.
        """
        keys = (meta_key(match_id), live_key(match_id)) if told else (meta_key(match_id),)
        reply, _ = await self._commands.run(PUT_META, keys, fields(named))
        if reply == REMOVED:
            raise MatchRemoved(match_id)
        if reply != b"ok":
            raise UnknownMatch(match_id)

    async def claim_meta(self, match_id: str, field: str, value: bytes) -> bytes:
        """Set a private field if it is unset: of two players who take the same seat at once, one gets it.

        Returns:
            The field's value now: `value` if the claim succeeded, now or earlier.

        Raises:
            UnknownMatch: there is no such match.
            MatchRemoved: it was removed.
            StoreUnavailable: Redis does not answer; ask again.
        """
        reply, _ = await self._commands.run(CLAIM_META, (meta_key(match_id),), fields({field: value}))
        match reply:
            case [b"ok", bytes(stands)]:
                return stands
            case [b"removed", _]:
                raise MatchRemoved(match_id)
        raise UnknownMatch(match_id)

    async def get_meta(self, match_id: str) -> dict[str, bytes]:
        """Return all private fields of a match.

        Raises:
            UnknownMatch: there is no such match.
            MatchRemoved: it was removed.
            StoreUnavailable: Redis does not answer.
        """
        found = pairs(await self._commands.command("HGETALL", meta_key(match_id)))
        if not found:
            raise UnknownMatch(match_id)
        if (b":tombstone", REMOVED) in found:
            raise MatchRemoved(match_id)
        return {name.decode(): value for name, value in found if not name.startswith(b":")}

    # ------------------------------------------------------------------ the index

    async def matches(self, offset: int = 0, count: int = 50) -> list[Listing]:
        """Return some of the matches, the newest first.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        reply = await self._commands.command("ZREVRANGE", INDEX, offset, offset + count - 1, "WITHSCORES")
        return [Listing(name.decode(), int(made)) for name, made in pairs(reply)]

    # ------------------------------------------------------------------ up-time and deadlines

    async def beat(self) -> int:
        """Register that a server is up.

        Returns:
            How long servers have been up since the database was created, in ms. The time since the last beat counts if it is
            at most `GAP_MS`; otherwise no server was up meanwhile.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        reply, _ = await self._commands.run(BEAT, (UP,), (GAP_MS,))
        # A beat is a write, once a second: nothing else shows so soon that Redis can write again.
        self._commands.written()
        return number(reply)

    async def set_due(self, match_id: str, due: int | None) -> None:
        """Set a match's deadline independently of `append`; None: it has none.

        Args:
            match_id: the match.
            due: the deadline in ms of up-time, as `beat` counts it.

        Raises:
            StoreUnavailable: Redis does not answer; the deadline may or may not have been set.
        """
        check_id(match_id)
        if due is None:
            await self._commands.command("ZREM", DEADLINES, match_id)
        else:
            await self._commands.command("ZADD", DEADLINES, due, match_id)

    async def put_off(self, match_id: str, was: int, due: int) -> bool:
        """Move a match's deadline, unless it has been changed meanwhile.

        Returns:
            Whether this call moved it. After a lost reply that is False although it did.

        Raises:
            StoreUnavailable: Redis does not answer; the deadline may or may not have been moved.
        """
        reply, _ = await self._commands.run(PUT_OFF, (DEADLINES,), (match_id, was, due))
        return number(reply) == 1

    async def due(self, now: int, count: int = 50) -> dict[str, int]:
        """Return the matches whose deadlines have passed, and when they were due, the oldest first.

        Args:
            now: ms of up-time.
            count: how many at most.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        words = ("ZRANGEBYSCORE", DEADLINES, "-inf", now, "WITHSCORES", "LIMIT", 0, count)
        return {name.decode(): int(at) for name, at in pairs(await self._commands.command(*words))}

    # ------------------------------------------------------------------ reports

    async def report(self, entry: bytes, about: str) -> bool:
        """Store a report for the operator, unless the same audience has reported the same line before.

        Args:
            entry: a `ReportNote` as JSON.
            about: what is reported, and by whom: `<match>:<entry>:<audience>`.

        Returns:
            Whether it is new. After a lost reply that is False although it is.

        Raises:
            StoreUnavailable: Redis does not answer; the report may or may not have been kept.
        """
        reply, _ = await self._commands.run(REPORT, (REPORTS, REPORTED), (entry, about, MOST_REPORTS))
        return number(reply) == 1

    async def reports(self) -> list[bytes]:
        """Return the last reports, the newest first.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        reply = await self._commands.command("LRANGE", REPORTS, 0, -1)
        return [entry for entry in reply if isinstance(entry, bytes)] if isinstance(reply, list) else []

    # ------------------------------------------------------------------ exhibitions

    async def exhibit(self, match_id: str) -> None:
        """Note that a match is an exhibition, so that a later server can remove it.

        Raises:
            StoreUnavailable: Redis does not answer; the match may or may not have been noted.
        """
        check_id(match_id)
        await self._commands.command("SADD", EXHIBITIONS, match_id)

    async def exhibits(self) -> list[str]:
        """Return the noted exhibitions.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        return sorted(texts(await self._commands.command("SMEMBERS", EXHIBITIONS)))

    async def forget_exhibit(self, match_id: str) -> None:
        """Drop the note of an exhibition, once it is removed.

        Raises:
            StoreUnavailable: Redis does not answer; the note may or may not have been dropped.
        """
        await self._commands.command("SREM", EXHIBITIONS, match_id)

    # ------------------------------------------------------------------ signers

    async def signers(self) -> list[str]:
        """Return the public halves (hexadecimal) of the keys with which servers of this database sign, the current one first.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        return texts(await self._commands.command("LRANGE", SIGNERS, 0, -1))

    async def claim_signer(self, public: str, older: Sequence[str]) -> list[str]:
        """Register the key of a server, if none is registered, or if it replaces the registered one.

        Args:
            public: the public half in hexadecimal.
            older: the public halves that it replaced, the newest first.

        Returns:
            What `signers` returns from now on. If the first one is not `public`, the servers of this database sign with
            another key.

        Raises:
            StoreUnavailable: Redis does not answer; the key may or may not have been registered.
        """
        reply, _ = await self._commands.run(CLAIM_SIGNER, (SIGNERS,), (public, *older))
        return texts(reply)
