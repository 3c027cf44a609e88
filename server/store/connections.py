"""The store's three connections to Redis, opened, closed and watched together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from server.store.errors import StoreError, StoreUnavailable
from server.store.following import LiveFeed, Log, Sleep
from server.store.key_names import live_key
from server.store.outcomes import Health
from server.store.redis_link import Link, address
from server.store.retrying import Commands


def wall_ms() -> int:
    """Return the wall clock, in ms since 1970."""
    return time.time_ns() // 1_000_000


LOST = (
    "The server has lost the folder in which it keeps its matches. You can look at the table, but no answer is accepted until "
    "the server's operator has put it back."
)
FULL = (
    "The server's database cannot write. You can look at the table, but no answer is accepted until the operator has made "
    "room for it."
)


class Connections:
    """One connection for writing, one for reading, one for following.

    Args:
        url: `redis://`, `rediss://` or `unix://`.
        log: where followers read entries whose messages were lost.
        wait_seconds: how long a call may wait for a Redis that does not answer.
        patience_seconds: how long a connection may owe a reply before it is dropped.
        check_seconds: how often followers' logs are compared with what was delivered.
        sleep: waits between these comparisons.
        now_ms: the wall clock, used for `health` alone.
    """

    def __init__(
        self,
        url: str,
        log: Log,
        *,
        wait_seconds: float,
        patience_seconds: float,
        check_seconds: float,
        sleep: Sleep,
        now_ms: Callable[[], int],
    ) -> None:
        self._wait_seconds = wait_seconds
        self._now_ms = now_ms
        self._watchers: list[Callable[[Health], None]] = []
        pool = address(url)
        self._writes = Link(pool, "redis writes", patience_seconds, self._note)
        self._reads = Link(pool, "redis reads", patience_seconds, self._note)
        self.commands = Commands(self._writes, self._reads, wait_seconds, self._judge)
        self.feed = LiveFeed(
            pool,
            log,
            live_key,
            self._note,
            patience=patience_seconds,
            check_seconds=check_seconds,
            sleep=sleep,
        )
        self.health = Health(up=False, since_ms=now_ms(), reason=self._writes.reason)
        """Whether all connections are up, and since when."""
        self._up = asyncio.Event()

    async def open(self) -> None:
        """Connect.

        Raises:
            StoreUnavailable: Redis did not answer in time. All connections are closed then.
        """
        self._writes.start()
        self._reads.start()
        self.feed.start()
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._up.wait()
        except TimeoutError:
            reason = self.health.reason
            await self.close()
            raise StoreUnavailable(f"Redis does not answer: {reason}") from None

    async def close(self) -> None:
        """Close. Followers end; calls that still wait raise `StoreUnavailable`."""
        await self.feed.close()
        await self._writes.close()
        await self._reads.close()

    @property
    def writes_under_way(self) -> int:
        """How many writes have no reply yet."""
        return self._writes.under_way

    def watch_health(self, watcher: Callable[[Health], None]) -> Callable[[], None]:
        """Call `watcher` at every change of `health`. Return the function that stops this."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def block(self, reason: str) -> None:
        """Stop sending commands, for this reason; "" resumes.

        It is for a server whose connection may now lead to another database than the one it has written to.
        """
        self.commands.blocked = reason
        self._judge()

    def _note(self, _up: bool, _reason: str) -> None:
        self._judge()

    def _judge(self) -> None:
        """Update `health`, and call its watchers if it has changed."""
        blocked, refused = self.commands.blocked, self.commands.refused
        down = [part.reason for part in (self._writes, self._reads, self.feed) if not part.up]
        if refused:
            down.insert(0, f"it cannot write: {refused}")
        if blocked:
            down.insert(0, blocked)
        up, reason, notice = not down, down[0] if down else "", LOST if blocked else FULL if refused else ""
        before = self.health
        if (up, reason, notice) == (before.up, before.reason, before.notice):
            return
        since = self._now_ms() if up != before.up else before.since_ms
        self.health = Health(up=up, since_ms=since, reason=reason, notice=notice)
        if up:
            self._up.set()
        else:
            self._up.clear()
        for watcher in list(self._watchers):
            watcher(self.health)

    async def losses(self) -> str:
        """Return what a crash of this Redis could lose although it was acknowledged, as a sentence for the log; otherwise "".

        The embedded Valkey is never configured so. If Redis does not show its settings, the result is "".
        """
        try:
            reply = await self.commands.command("CONFIG", "GET", "append*")
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
