"""Sanctions: the bans and mutes of all servers of a database. Each has a key of its own in Redis, which expires with it; every
server reads them again when their number of changes has grown, and asks its own memory for each message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, Self, TypeAlias

import msgspec
from msgspec import Struct

from server.matches.background import Background
from server.matches.log.names import moment
from server.moderation.subjects import Subject, key
from server.store.following import Sleep
from server.store.key_names import SANCTION_CHANGES, SANCTIONS, sanction_key
from server.store.replies import number, texts
from server.store.scripts import SANCTION
from server.store.store import MatchStore

log = logging.getLogger("underfire.moderation")

POLL_SECONDS = 1.0
"""Seconds between two looks whether another server's operator has changed something."""

Kind: TypeAlias = Literal["ban", "mute"]


class Sanction(Struct, frozen=True, forbid_unknown_fields=True):
    """A ban or a mute: whom it is about, and its times in ms since 1970; `until` is 0 if it has no end."""

    kind: Kind
    subject: Subject
    since: int
    until: int = 0

    @property
    def until_when(self) -> str:
        """When it ends, as the last words of a sentence about it; "" if it has no end."""
        return f" until {moment(self.until)}" if self.until else ""


class Standing(Protocol):
    """The sanctions that a connection is held to."""

    def of(self, kind: Kind, subjects: Iterable[Subject]) -> Sanction | None:
        """Return the sanction of a kind that holds now for one of the subjects, if there is one."""
        ...


class NoSanctions:
    """No sanctions: for a gateway without a database."""

    def of(self, kind: Kind, subjects: Iterable[Subject]) -> Sanction | None:  # noqa: ARG002 - a protocol's shape
        """Return None."""
        return None


class Sanctions(Background):
    """The sanctions of a database, as this server knows them. They are followed while it is open (`async with`).

    Args:
        store: an open store.
        now_ms: milliseconds since 1970.
        sleep: waits between two looks.
    """

    def __init__(self, store: MatchStore, now_ms: Callable[[], int], sleep: Sleep = asyncio.sleep) -> None:
        self._store = store
        self._now_ms = now_ms
        self._sleep = sleep
        self._known: dict[str, Sanction] = {}
        self._changes: object = ""
        self._watchers: list[Callable[[], None]] = []

    async def __aenter__(self) -> Self:
        """Read all sanctions, and go on following them.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        await self.look()
        return await super().__aenter__()

    async def run(self) -> None:
        """Follow until cancelled. While Redis is away, what is known holds."""
        while True:
            await self._sleep(POLL_SECONDS)
            await self.attempt(self.look)

    async def look(self) -> None:
        """Read the sanctions again if there were changes.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        changes = await self._store.command("GET", SANCTION_CHANGES)
        if changes == self._changes:
            return
        named = texts(await self._store.command("ZRANGEBYSCORE", SANCTIONS, self._now_ms(), "+inf"))
        kept = await self._store.command("MGET", *map(sanction_key, named)) if named else []
        pairs = zip(named, kept if isinstance(kept, list) else [], strict=False)
        self._known = {name: found for name, value in pairs if (found := _read(name, value)) is not None}
        self._changes = changes
        for watcher in list(self._watchers):
            watcher()

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` after every change. Return the function that stops this."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def of(self, kind: Kind, subjects: Iterable[Subject]) -> Sanction | None:
        """Return the sanction of a kind that holds now for one of the subjects, if there is one."""
        if not self._known:
            return None
        for subject in subjects:
            found = self._known.get(_name(kind, subject))
            if found is not None and self._holds(found):
                return found
        return None

    @property
    def standing(self) -> tuple[Sanction, ...]:
        """All that hold now, the newest first."""
        return tuple(sorted(filter(self._holds, self._known.values()), key=lambda one: one.since, reverse=True))

    async def impose(self, kind: Kind, subject: Subject, span_ms: int = 0) -> Sanction:
        """Impose a sanction for so many milliseconds (0: without an end), in the place of one that there is already.

        Raises:
            StoreUnavailable: Redis does not answer; the sanction may or may not have been imposed.
        """
        now = self._now_ms()
        made = Sanction(kind, subject, now, now + span_ms if span_ms else 0)
        await self._put(_name(kind, subject), msgspec.json.encode(made), span_ms, made.until)
        return made

    async def lift(self, kind: Kind, subject: Subject) -> bool:
        """Lift a sanction. Return whether there was one.

        Raises:
            StoreUnavailable: Redis does not answer; the sanction may or may not have been lifted.
        """
        return await self._put(_name(kind, subject), b"", 0, 0)

    async def _put(self, name: str, value: bytes, span_ms: int, until: int) -> bool:
        keys = (sanction_key(name), SANCTIONS, SANCTION_CHANGES)
        reply, _ = await self._store.run(SANCTION, keys, (name, value, span_ms, until or "+inf"))
        await self.look()
        return number(reply) == 1

    def _holds(self, sanction: Sanction) -> bool:
        return not sanction.until or sanction.until > self._now_ms()


def _name(kind: Kind, subject: Subject) -> str:
    return f"{kind}:{key(subject)}"


def _read(name: str, value: object) -> Sanction | None:
    """Return a sanction from its value in Redis; None if it has expired meanwhile, or was written by another version."""
    if not isinstance(value, bytes):
        return None
    try:
        return msgspec.json.decode(value, type=Sanction)
    except msgspec.DecodeError:
        log.warning("A sanction that was written by another version of the server does not hold here: %s", name)
        return None
