"""The logs of leagues: chains of entries as those of matches, under keys of their own.

uf:league:{<id>}:log      stream; entry n has the id `n-0` and the one field `e`
uf:league:{<id>}:answers  hash: answer id -> version
uf:league:{<id>}:meta     hash: private fields; names with a colon in front are the store's own
uf:league:{<id>}:live     channel: `<version> <payload>` for each entry as it is written
uf:leagues                sorted set: league id by the time when it was made, in ms
uf:leagues:due            sorted set: league id by when there is something to look after, in ms since 1970
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from server.store.errors import LogDamaged, UnknownMatch
from server.store.key_names import LEAGUES, LEAGUES_DUE, check_id, league_key
from server.store.outcomes import Appended, Conflict, Duplicate, Outcome
from server.store.redis_link import Word
from server.store.replies import fields, pairs, texts, verdict
from server.store.scripts import APPEND, CREATE, LEAGUE_DUE, Script
from server.store.wire import Reply

AT_ONCE = 1000
"""How many entries of a league are read with one command."""


class Scripts(Protocol):
    """What the logs need of the store."""

    async def command(self, *words: Word) -> Reply:
        """Send a command, and return its reply."""
        ...

    async def run(self, script: Script, keys: tuple[bytes, ...], words: Iterable[Word]) -> tuple[Reply, bool]:
        """Run an idempotent script; return its reply, and whether an earlier run may have succeeded."""
        ...


class LeagueLogs:
    """The logs of all leagues of a database.

    Args:
        store: an open store.
    """

    def __init__(self, store: Scripts) -> None:
        self._store = store

    async def create(self, league: str, made_ms: int, meta: Mapping[str, bytes], first: bytes) -> None:
        """Make a league whose log has one entry, unless there is one with its id. Raises `StoreUnavailable`."""
        check_id(league)
        keys = (league_key(league, b"log"), league_key(league, b"meta"), LEAGUES)
        words: list[Word] = [league, made_ms, first, league_key(league, b"live"), *fields(meta)]
        await self._store.run(CREATE, keys, words)

    async def append(self, league: str, expected: int, answer_id: str, payload: bytes, *, due: int | None) -> Outcome:
        """Append an entry, if the log's last version is the expected one and the answer id is new.

        Args:
            league: the league.
            expected: the version of the last entry, as far as the caller knows.
            answer_id: unique for what is done, and the same in every retry.
            payload: the entry.
            due: when to look after the league next, in ms since 1970; None: not until something happens.

        Raises:
            UnknownMatch: there is no such league.
            LogDamaged: it cannot be written.
            StoreUnavailable: the entry may or may not have been appended.
        """
        version = expected + 1
        keys = (*(league_key(league, part) for part in (b"log", b"answers", b"meta")), LEAGUES_DUE)
        live = league_key(league, b"live")
        words: list[Word] = [expected, version, answer_id, payload, live, league, b"" if due is None else due]
        reply, doubtful = await self._store.run(APPEND, keys, words)
        match verdict(reply):
            case b"ok", _:
                return Appended(version)
            case b"conflict", current:
                return Conflict(current)
            case b"duplicate", earlier:
                if doubtful and earlier == version and (await self.read(league))[version - 1] == payload:
                    return Appended(version)
                return Duplicate(earlier)
            case b"damaged", current:
                raise LogDamaged(league, f"it has {current} entries, but version {version} cannot be added")
        raise UnknownMatch(league)

    async def read(self, league: str, after: int = 0) -> list[bytes]:
        """Return all entries after a version. Raises `UnknownMatch`, `LogDamaged`, `StoreUnavailable`."""
        entries: list[bytes] = []
        while True:
            some = await self._read_some(league, after + len(entries))
            entries += some
            if len(some) < AT_ONCE:
                break
        if not after and not entries:
            raise UnknownMatch(league)
        return entries

    async def _read_some(self, league: str, after: int) -> list[bytes]:
        words: tuple[Word, ...] = (league_key(league, b"log"), b"(%d-0" % after, b"+", b"COUNT", AT_ONCE)
        reply = await self._store.command("XRANGE", *words)
        entries: list[bytes] = []
        for version, item in enumerate(reply if isinstance(reply, list) else [], after + 1):
            match item:
                case [entry_id, [_, bytes(payload)]] if entry_id == b"%d-0" % version:
                    entries.append(payload)
                case _:
                    raise LogDamaged(league, f"version {version} is missing or is no entry")
        return entries

    async def known(self, league: str, answer_id: str) -> bool:
        """Return whether the log has an entry with this answer id. Raises `StoreError`."""
        return await self._store.command("HEXISTS", league_key(league, b"answers"), answer_id) == 1

    async def meta(self, league: str) -> dict[str, bytes]:
        """Return a league's private fields. Raises `StoreError`."""
        found = pairs(await self._store.command("HGETALL", league_key(league, b"meta")))
        return {name.decode(): value for name, value in found if not name.startswith(b":")}

    async def set_meta(self, league: str, changes: Mapping[str, bytes | None]) -> None:
        """Change private fields of a league that exists; None removes one. Raises `StoreError`."""
        kept = {name: value for name, value in changes.items() if value is not None}
        dropped = [name for name, value in changes.items() if value is None]
        if kept:
            await self._store.command("HSET", league_key(league, b"meta"), *fields(kept))
        if dropped:
            await self._store.command("HDEL", league_key(league, b"meta"), *dropped)

    async def all(self, count: int, after: int = 0) -> list[str]:
        """Return leagues, the newest first, so many at most, without as many of the newest as `after`. Raises `StoreError`."""
        return texts(await self._store.command("ZREVRANGE", LEAGUES, after, after + count - 1))

    async def made(self, league: str) -> bool:
        """Return whether there is a league with this id. Raises `StoreError`."""
        return await self._store.command("ZSCORE", LEAGUES, league) is not None

    async def due(self, now: int, count: int) -> list[str]:
        """Return the leagues to look after by now (ms since 1970), so many at most. Raises `StoreError`."""
        words = ("ZRANGEBYSCORE", LEAGUES_DUE, "-inf", now, "LIMIT", 0, count)
        return texts(await self._store.command(*words))

    async def set_due(self, league: str, due: int | None, seen: int) -> None:
        """Set when to look after a league next (ms since 1970; None: not until something happens), unless it has more than the
        `seen` entries by now: what has happened meanwhile is looked after first. Raises `StoreError`.
        """
        words = (league, seen, b"" if due is None else due)
        await self._store.run(LEAGUE_DUE, (league_key(league, b"log"), LEAGUES_DUE), words)

    async def put_off(self, league: str, until: int) -> None:
        """Look after a league not before `until` (ms since 1970), whatever has happened. Raises `StoreError`."""
        await self._store.command("ZADD", LEAGUES_DUE, until, league)
