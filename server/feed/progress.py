"""The feed's progress, kept in the database: up to which entry each match is published, and which process publishes."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.feed.broker import Sleep
from server.store.key_names import FEED, FEED_LEASE
from server.store.replies import number, pairs
from server.store.scripts import LEASE
from server.store.store import MatchStore

LEASE_MS = 10_000
"""Milliseconds for which a process may publish without asking again."""
RENEW_SECONDS = 2.5
"""Seconds between two times that it asks."""


class LeaseLost(Exception):  # noqa: N818 - a condition
    """Another process publishes now, or the database did not confirm in time that this one may."""


class Lease:
    """The right to publish: of all feeds of a database one has it, and another takes it over when that one is gone.

    Args:
        store: an open store.
        owner: this process, by a name that no other one has.
        sleep: waits.
        clock: seconds that only go forward.
    """

    def __init__(
        self, store: MatchStore, owner: str, sleep: Sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._owner = owner
        self._sleep = sleep
        self._clock = clock

    async def take(self) -> None:
        """Wait until this process has it.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        while not await self._ask(LEASE_MS):
            await self._sleep(RENEW_SECONDS)

    async def hold(self) -> None:
        """Renew it until cancelled.

        Raises:
            LeaseLost, StoreUnavailable: this process must publish no longer.
        """
        while True:
            await self._sleep(RENEW_SECONDS)
            asked = self._clock()
            if not await self._ask(LEASE_MS) or self._clock() - asked > LEASE_MS / 1000:
                raise LeaseLost("another feed publishes the matches of this database now")

    async def give_up(self) -> None:
        """Let another process have it at once."""
        await self._ask(0)

    async def _ask(self, ms: int) -> bool:
        reply, _ = await self._store.run(LEASE, (FEED_LEASE,), (self._owner, ms))
        return number(reply) == 1


class Progress:
    """Up to which entry the steps of each match are published. It is stored a little later: what was published meanwhile is
    published again after a crash.

    Args:
        store: an open store.
    """

    def __init__(self, store: MatchStore) -> None:
        self._store = store
        self._unstored: dict[str, int] = {}
        self._dropped: set[str] = set()

    async def read(self) -> dict[str, int]:
        """Return the stored progress. Raises `StoreUnavailable`."""
        found = pairs(await self._store.command("HGETALL", FEED))
        return {match.decode(): int(entry) for match, entry in found}

    def note(self, match: str, entry: int) -> None:
        """Note that the steps of a match are published up to an entry."""
        self._unstored[match] = entry

    def drop(self, match: str) -> None:
        """Forget a match of which nothing more is published."""
        self._unstored.pop(match, None)
        self._dropped.add(match)

    async def store(self) -> None:
        """Store what was noted. Raises `StoreUnavailable`."""
        unstored, dropped = self._unstored, self._dropped
        self._unstored, self._dropped = {}, set()
        try:
            if unstored:
                words = [word for match, entry in unstored.items() for word in (match, entry)]
                await self._store.command("HSET", FEED, *words)
            if dropped:
                await self._store.command("HDEL", FEED, *dropped)
        except BaseException:
            self._unstored = {**unstored, **self._unstored}
            self._dropped |= dropped
            raise
