"""Deadlines: every server looks for matches whose time has come, and hands each to whoever knows what is due.

Two servers may find the same match at the same moment. What is done then is an answer with an id like any other, so the
second meets a duplicate; nothing is locked.
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
"""The pause between two looks."""
AT_ONCE = 16
"""How many matches are being seen to at any time."""
STILL_DUE_MS = 5_000
"""How long a match is left alone that was seen to and is due as before."""
FAILED_MS = 60_000
"""How long a match is left alone after seeing to it has failed."""


class DueMatches(Protocol):
    """What deadlines need of the store."""

    async def due(self, now: int, count: int = 50) -> dict[str, int]:
        """The matches that are due, and since when."""
        ...

    async def put_off(self, match_id: str, was: int, due: int) -> bool:
        """Move a deadline that still stands where it was seen."""
        ...

    async def set_due(self, match_id: str, due: int | None) -> None:
        """Set a deadline, or forget it."""
        ...


class Now(Protocol):
    """What deadlines need of the up-time."""

    def now(self) -> int:
        """Ms of up-time."""
        ...


class Deadlines(Background):
    """Looks after deadlines while it is open (``async with``).

    Args:
        store: an open store.
        uptime: what the deadlines are counted in.
        fire: sees to a match whose deadline has come. It should append, which sets the next deadline. One that raises, or
            leaves the deadline as it is, is called again later. It is called for one match once at a time.
        sleep: waits between two looks.
    """

    def __init__(
        self,
        store: DueMatches,
        uptime: Now,
        fire: Callable[[str], Awaitable[None]],
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
        """Look for ever. While Redis is away, wait for it."""
        while True:
            with contextlib.suppress(StoreUnavailable):
                await self.look()
            await self._sleep(POLL_SECONDS)

    async def look(self) -> None:
        """See to what is due. It returns when everything is on its way, not when it is done.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        # Those being seen to are still due, and at the head: of so many, one is new if there is one and room for it.
        for match, was in (await self._store.due(self._uptime.now(), AT_ONCE)).items():
            if match not in self._running and len(self._running) < AT_ONCE:
                self._running[match] = asyncio.create_task(self._see_to(match, was), name=f"deadline of {match}")

    async def settle(self) -> None:
        """Wait until what is on its way is done."""
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
            log.exception("the deadline of match %s cannot be moved", match)
        finally:
            del self._running[match]

    async def _wait_after(self, match: str) -> int | None:
        """See to a match. How long it is left alone if it is due as before, in ms; None: for ever."""
        try:
            await self._fire(match)
        except StoreUnavailable:
            raise
        except (MatchClosed, UnknownMatch):
            return None
        except Exception:
            log.exception("match %s was due, and could not be seen to", match)
            return FAILED_MS
        return STILL_DUE_MS
