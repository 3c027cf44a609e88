"""Draining: a server that is to end takes no new connections, and sends those that are open away once the proxies know."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger("underfire.gateway")

NOTICE_SECONDS = 5.0
"""Seconds from `/ready` being 503 until connections are sent away: a proxy that asks every two seconds knows by then, so that no
player is sent back here.
"""


class Draining:
    """Whether a server is being drained, and whether it may end.

    Args:
        sleep: waits.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.begun = False
        """Whether new connections are refused."""
        self.over = asyncio.Event()
        """Set when the server is to end; it says goodbye to those who are there then."""
        self._sleep = sleep
        self._waiting: asyncio.Task[None] | None = None

    def begin(self) -> float:
        """Begin, if it has not begun. Return in at most how many seconds connections are sent away."""
        if not self.begun:
            self.begun = True
            self._waiting = asyncio.create_task(self._wait(), name="draining")
        return NOTICE_SECONDS

    def stop(self) -> None:
        """Stop waiting: the server ends anyway."""
        if self._waiting is not None:
            self._waiting.cancel()

    async def _wait(self) -> None:
        await self._sleep(NOTICE_SECONDS)
        self.over.set()
