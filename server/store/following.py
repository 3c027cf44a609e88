"""Following matches live: one subscribed connection for each process, any number of followers.

Redis drops messages for subscribers that are not listening, and does not say so. So a message is only a hint: a follower
reads the log itself after each (re)subscription, when a message shows a gap, when more entries came than it buffers, and when
the log's length shows that the last message never arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Protocol, Self

from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.exceptions import ResponseError

from server.store.errors import LogDamaged, StoreError, StoreUnavailable
from server.store.redis_link import Standing, packed
from server.store.wire import Reply, Wire

Sleep = Callable[[float], Awaitable[None]]

BUFFER = 256
"""How many live entries are kept for a follower that is slow to take them; beyond that it reads them from the log."""

FIELDS_CHANGED = -1
"""The version in a message that tells that a match's private fields have changed."""

RETRY_SECONDS = 0.1
"""Seconds before a follower tries again to read a log after a failure."""


def ignore() -> None:
    """Need no private fields."""


class Log(Protocol):
    """What a follower needs of the store: the log itself, to read what messages did not deliver."""

    async def read_some(self, match_id: str, after: int) -> tuple[list[tuple[int, bytes]], bool]:
        """Return the next entries after a version, and whether there may be more."""
        ...

    async def length(self, match_id: str) -> int:
        """Return the version of the last entry."""
        ...

    async def check_open(self, match_id: str) -> None:
        """Raise `UnknownMatch` or `MatchClosed` if the match has no log."""
        ...


class Follower:
    """The entries of one match from a version on, in order, each once. Iterate over it; close it when done.

    The iterator survives lost connections to Redis. It ends when the follower is closed, and raises `LogDamaged`,
    `MatchClosed` or `UnknownMatch` when the log is gone.
    """

    def __init__(self, feed: LiveFeed, match_id: str, after: int, fields_changed: Callable[[], None]) -> None:
        self.match_id = match_id
        self.version = after
        """The last version that was delivered, or skipped by `advance`."""
        self._feed = feed
        self._fields_changed = fields_changed
        self._head = after
        self._buffer: list[tuple[int, bytes]] = []
        self._stale = True
        # A log that does not exist must be noticed at once, and one that has shrunk on its first reading.
        self._doubted = True
        self._closed = False
        self._awake: asyncio.Future[None] | None = None
        """What the iteration waits for; None while it does not wait."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop following. A pending wait for the next entry ends the iteration."""
        if not self._closed:
            self._closed = True
            # It holds the caller, which holds this follower.
            self._fields_changed = ignore
            self._wake()
            self._feed.leave(self)

    def advance(self, version: int) -> None:
        """Skip all entries up to this one: the caller knows them, having appended them itself."""
        self.version = max(self.version, version)
        self._head = max(self._head, version)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[int, bytes]:
        """Return the next entry: its version, and its bytes."""
        while not self._closed:
            while self._buffer:
                version, payload = self._buffer.pop(0)
                if version > self.version:
                    self.version = version
                    return version, payload
            if self._stale:
                await self._catch_up()
            else:
                self._awake = self._feed.loop.create_future()
                try:
                    await self._awake
                finally:
                    self._awake = None
        raise StopAsyncIteration

    def _wake(self) -> None:
        if self._awake is not None and not self._awake.done():
            self._awake.set_result(None)

    def offer(self, version: int, payload: bytes) -> None:
        """Take an entry from a message, if it is the next one. Version 0 means that the log is gone, version -1 that private
        fields have changed.
        """
        if version == FIELDS_CHANGED:
            self._fields_changed()
            return
        if version == 0:
            self._doubted = True
            self.refresh()
            return
        if version <= self._head:
            return
        if version == self._head + 1 and len(self._buffer) < BUFFER:
            self._buffer.append((version, payload))
            self._head = version
            self._wake()
        else:
            self.refresh()

    def subscribed(self) -> None:
        """Note that messages come from now on, and may have been missed so far."""
        self.refresh()
        self._fields_changed()

    def refresh(self) -> None:
        """Note that entries may have been missed: read the log before anything else is delivered."""
        self._stale = True
        self._wake()

    @property
    def head(self) -> int:
        """The last version that this follower knows, delivered or not."""
        return self._head

    def compare(self, head_then: int, length: int) -> None:
        """Compare with the log's length, which was asked for when `head` was `head_then`."""
        if length > self._head:
            self.refresh()
        elif length < head_then:
            self._doubted = True
            self.refresh()

    async def _catch_up(self) -> None:
        head = self._head
        self._stale = False
        try:
            if self._doubted:
                await self._feed.log.check_open(self.match_id)
                length = await self._feed.log.length(self.match_id)
                if length < head:
                    # It may have been archived or removed since it was asked for first.
                    await self._feed.log.check_open(self.match_id)
                    raise LogDamaged(self.match_id, f"entry {head} was there, now the last is {length}")
                self._doubted = False
            entries, more = await self._feed.log.read_some(self.match_id, head)
        except StoreUnavailable:
            # The store gave up after its longest wait, or is blocked; try again.
            self._stale = True
            await asyncio.sleep(RETRY_SECONDS)
            return
        for version, payload in entries:
            if version == self._head + 1:
                # Entries that were read are taken even beyond the buffer's bound: it was empty, or filled during the reading.
                self._buffer.append((version, payload))
                self._head = version
        self._stale = self._stale or more


class LiveFeed(Standing):
    """The subscribed connection of a process, and the followers that share it.

    Args:
        pool: makes connections; see `redis_link.address`.
        log: the store that followers read.
        channel: returns the name of a match's channel.
        check_seconds: how often the logs' lengths are compared with what was delivered.
        sleep: waits for that time.
        patience: seconds after which a silent connection is dropped.
        on_change: called with (up, reason) whenever the connection comes up or goes down.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        log: Log,
        channel: Callable[[str], bytes],
        on_change: Callable[[bool, str], None],
        *,
        patience: float,
        check_seconds: float,
        sleep: Sleep,
    ) -> None:
        super().__init__(pool, "redis live feed", patience, on_change)
        self.log = log
        self._channel = channel
        self._check_seconds = check_seconds
        self._sleep = sleep
        self._followers: dict[bytes, set[Follower]] = {}
        self._wire: Wire | None = None
        self._heard = 0
        self._comparing: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start connecting and comparing, until closed."""
        super().start()
        self._comparing = self.loop.create_task(self._compare(), name="redis log comparison")

    async def close(self) -> None:
        """Close for good, and end every follower."""
        if self._comparing is not None:
            self._comparing.cancel()
            await asyncio.gather(self._comparing, return_exceptions=True)
        await super().close()
        for group in list(self._followers.values()):
            for follower in list(group):
                follower.close()

    def follow(self, match_id: str, after: int, fields_changed: Callable[[], None]) -> Follower:
        """Follow a match from the entry after this version on. `fields_changed` is called when its private fields may have
        changed.
        """
        follower = Follower(self, match_id, after, fields_changed)
        channel = self._channel(match_id)
        group = self._followers.get(channel)
        if group is None:
            self._followers[channel] = {follower}
            self._ask("SUBSCRIBE", channel)
        else:
            group.add(follower)
        return follower

    def leave(self, follower: Follower) -> None:
        """Stop delivering to this follower."""
        channel = self._channel(follower.match_id)
        group = self._followers.get(channel, set())
        group.discard(follower)
        if not group and self._followers.pop(channel, None) is not None:
            self._ask("UNSUBSCRIBE", channel)

    def _ask(self, verb: str, *channels: bytes) -> None:
        if self._wire is not None and channels:
            self._wire.write(b"".join(packed((verb, channel)) for channel in channels))

    def _work(self, connection: AbstractConnection) -> list[Coroutine[None, None, None]]:
        self._wire = Wire(connection, self._take)
        # Every confirmed subscription makes its followers read the log, so nothing published in between is lost.
        self._ask("SUBSCRIBE", *self._followers)
        return [self._wire.until_lost(), self._listen_for_life(self._wire)]

    def _lose(self, reason: str) -> None:  # noqa: ARG002 - a Standing's shape
        """Stop writing. Subscribing on the next connection makes every follower read."""
        self._wire = None

    def _take(self, message: Reply | ResponseError) -> None:
        """Give a message to the followers of its channel."""
        self._heard += 1
        if isinstance(message, ResponseError):
            raise message
        if not isinstance(message, list):
            return  # the answer to PING while nothing is followed
        kind, channel, body = message[0], message[1], message[2] if len(message) > 2 else None
        group = self._followers.get(channel, ()) if isinstance(channel, bytes) else ()
        if kind == b"message" and isinstance(body, bytes):
            version, _, payload = body.partition(b" ")
            for follower in group:
                follower.offer(int(version), payload)
        elif kind == b"subscribe":
            for follower in group:
                follower.subscribed()

    async def _listen_for_life(self, wire: Wire) -> None:
        while True:
            heard = self._heard
            wire.write(packed(("PING",)))
            await asyncio.sleep(self._patience)
            if self._heard == heard:
                raise ConnectionError(f"no message for {self._patience:g} s")

    async def _compare(self) -> None:
        """Detect a lost last message, which shows no gap."""
        while True:
            await self._sleep(self._check_seconds)
            # The heads as of now: entries published while the answer is on its way must not look like a log that shrank.
            heads = [{follower: follower.head for follower in group} for group in self._followers.values()]
            await asyncio.gather(*(self._compare_one(head) for head in heads))

    async def _compare_one(self, heads: dict[Follower, int]) -> None:
        match_id = next(iter(heads)).match_id
        try:
            length = await self.log.length(match_id)
        except StoreError:
            return
        for follower, head in heads.items():
            follower.compare(head, length)
