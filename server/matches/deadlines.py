"""Deadlines: every server polls for matches whose deadline has passed, and has each one settled.

Two servers may find the same match at the same moment. Settling it appends an answer with an id like any other, so the second
server meets a duplicate; no lock is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from server.matches.background import Background
from server.store.errors import MatchClosed, StoreError, StoreUnavailable, UnknownMatch
from server.store.following import Sleep

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5
"""Seconds between two polls."""
AT_ONCE = 16
"""How many matches are settled at the same time."""
STILL_DUE_MS = 5_000
"""How long a match is skipped that was settled and is due as before."""
FAILED_MS = 60_000
"""How long a match is skipped after settling it has failed."""


class DueMatches(Protocol):
    """What deadlines need of the store."""

    async def due(self, now: int, count: int = 50) -> dict[str, int]:
        """Return the matches that are due, and since when."""
        ...

    async def put_off(self, match_id: str, was: int, due: int) -> bool:
        """Move a deadline, if it is still `was`. Return whether it was."""
        ...

    async def set_due(self, match_id: str, due: int | None) -> None:
        """Set a deadline, or remove it (None)."""
        ...


class Now(Protocol):
    """What deadlines need of the up-time."""

    def now(self) -> int:
        """Return the up-time in milliseconds."""
        ...


class Deadlines(Background):
    """Polls deadlines while it is open (`async with`).

    Args:
        store: an open store.
        uptime: the clock that deadlines are counted by.
        fire: settles a match whose deadline has passed. It should append, which sets the next deadline. If it raises, or
            leaves the deadline as it is, it is called again later: after the milliseconds that it returns, if it does. Calls
            for one match never overlap.
        sleep: waits between two polls.
    """

    def __init__(
        self,
        store: DueMatches,
        uptime: Now,
        fire: Callable[[str], Awaitable[int | None]],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._uptime = uptime
        self._fire = fire
        self._sleep = sleep
        self._running: dict[str, asyncio.Task[None]] = {}

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def run(self) -> None:
        """Poll until cancelled. While Redis is away, wait for it."""
        while True:
            await self.attempt(self.look)
            await self._sleep(POLL_SECONDS)

    async def look(self) -> None:
        """Start settling the matches that are due. Return when all have been started, not when they are done.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        # Matches being settled are still due, and at the head of the list: among this many, there is a new one if any is due
        # and there is capacity for it.
        for match, was in (await self._store.due(self._uptime.now(), AT_ONCE)).items():
            if match not in self._running and len(self._running) < AT_ONCE:
                self._running[match] = asyncio.create_task(self._see_to(match, was), name=f"deadline of {match}")

    async def settle(self) -> None:
        """Wait until everything that was started is done."""
        await asyncio.gather(*self._running.values())

    async def _see_to(self, match: str, was: int) -> None:
        try:
            with contextlib.suppress(StoreUnavailable):  # the next look finds it again
                wait = await self._wait_after(match)
                if wait is None:
                    await self._store.set_due(match, None)
                else:
                    await self._store.put_off(match, was, self._uptime.now() + wait)
        except StoreError:
            log.exception("the deadline of match %s cannot be moved", match, extra={"match": match})
        finally:
            del self._running[match]

    async def _wait_after(self, match: str) -> int | None:
        """Settle a match. Return for how long to skip it if it is due as before, in ms; None: for ever."""
        try:
            wait = await self._fire(match)
        except StoreUnavailable:
            raise
        except (MatchClosed, UnknownMatch):
            return None
        except Exception:
            log.exception("match %s has passed a deadline that could not be handled", match, extra={"match": match})
            return FAILED_MS
        return wait or STILL_DUE_MS
