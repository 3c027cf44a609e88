"""One connection to Redis that batches commands, detects its own death at once, and reconnects.

redis-py's client would do, but it takes a connection, a pipeline object and a round trip for every caller. Here, while one
command is under way, those of all matches within one turn of the event loop go out in one write, and one fsync of Redis serves
them all. redis-py makes the connections: addresses, TLS, authentication.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TypeAlias, cast

import hiredis
from redis.asyncio.connection import AbstractConnection, ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from server.store.wire import Reply, Wire

Word: TypeAlias = bytes | str | int

log = logging.getLogger(__name__)

FIRST_DELAY = 0.02
"""Seconds before the second attempt to connect; doubled each time, with jitter."""
LAST_DELAY = 0.5
"""The longest pause between two attempts, in seconds: little more than Redis itself needs to restart."""

_NUMBER = re.compile(r"\[Errno -?\d+\] ")
_CONNECTING = re.compile(r"Error \S+ connecting to (\S+?)\. (.*)", re.DOTALL)
"""redis-py's message when it could not connect."""


class LinkLost(Exception):  # noqa: N818 - a condition
    """The connection was lost after the command was sent: its outcome is unknown."""


class LinkDown(Exception):  # noqa: N818 - a condition
    """The deadline passed, or the link was closed, before the command was sent: it was certainly not carried out."""


def address(url: str) -> ConnectionPool:
    """Return a connection pool for a Redis, from its URL (`redis://`, `rediss://` or `unix://`).

    Raises:
        ValueError: the URL is of another kind.
    """
    return ConnectionPool.from_url(
        url,
        protocol=2,
        socket_timeout=None,
        socket_connect_timeout=None,
        retry=Retry(NoBackoff(), 0),
        driver_info=None,
    )


async def _greet(connection: AbstractConnection, patience: float) -> None:
    """Connect, and make sure that Redis answers; while it loads its file, it answers with an error.

    Raises:
        RedisError, OSError, TimeoutError: the attempt failed.
    """
    async with asyncio.timeout(patience):
        await connection.connect()  # type: ignore[no-untyped-call] # redis-py has left it out
        await connection.send_command("PING", check_health=False)
        await connection.read_response(timeout=math.inf)


class Standing(ABC):
    """A connection that is kept up until it is closed.

    Args:
        pool: makes connections; see `address`.
        name: its purpose, for logs.
        patience: seconds after which a connection that owes a reply is dropped.
        on_change: called with (up, reason) whenever it comes up, goes down, or stays down for another reason.
    """

    def __init__(
        self, pool: ConnectionPool, name: str, patience: float, on_change: Callable[[bool, str], None]
    ) -> None:
        self.up = False
        self.reason = "not connected yet"
        """Why it is down, in words; "" while it is up."""
        self._pool = pool
        self._name = name
        self._patience = patience
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None
        # Asking for the running loop is a system call, and each command would ask twice.
        self.loop = asyncio.get_running_loop()
        """The event loop in which the connection lives."""

    def start(self) -> None:
        """Start connecting, and keep the connection up until closed."""
        self._task = self.loop.create_task(self._run(), name=self._name)

    async def close(self) -> None:
        """Close for good."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._change(up=False, reason="closed")

    @abstractmethod
    def _work(self, connection: AbstractConnection) -> list[Coroutine[None, None, None]]:
        """Return the tasks for a new connection. When the first of them ends, the connection is dropped."""

    @abstractmethod
    def _lose(self, reason: str) -> None:
        """Handle the loss of the connection."""

    async def _run(self) -> None:
        delay = FIRST_DELAY
        while True:
            connection = cast("AbstractConnection", self._pool.make_connection())  # type: ignore[no-untyped-call]
            try:
                await _greet(connection, self._patience)
                delay = FIRST_DELAY
                parts = [asyncio.create_task(part) for part in self._work(connection)]
                self._change(up=True, reason="")
                reason = await _first_to_end(parts)
            except (RedisError, OSError) as error:
                self._change(up=False, reason=_words(error))
                # With jitter: many servers that lost the same Redis should not reconnect in step.
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(2 * delay, LAST_DELAY)
            else:
                self._change(up=False, reason=reason)
                self._lose(reason)
            finally:
                with contextlib.suppress(RedisError, OSError):
                    await connection.disconnect(nowait=True)

    def _change(self, *, up: bool, reason: str) -> None:
        if (up, reason) == (self.up, self.reason):
            return
        self.up, self.reason = up, reason
        self._on_change(up, reason)


def _words(error: Exception) -> str:
    """Return the message of an error, without the operating system's number."""
    said = _NUMBER.sub("", str(error)).rstrip(".") or "it gives no sign of life"
    return _CONNECTING.sub(r"no connection to \1: \2", said)


async def _first_to_end(parts: list[asyncio.Task[None]]) -> str:
    """Wait until one part of a connection's work ends, end the others, and return why, in words."""
    try:
        await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for part in parts:
            part.cancel()
        ends = await asyncio.gather(*parts, return_exceptions=True)
    reasons = [end for end in ends if isinstance(end, Exception)]
    for reason in reasons:
        if not isinstance(reason, RedisError | OSError):
            log.error("a connection to Redis ended by a mistake", exc_info=reason)
    return _words(reasons[0]) if reasons else "closed"


def packed(words: tuple[Word, ...]) -> bytes:
    """Return a command as RESP."""
    return hiredis.pack_command(words)  # type: ignore[arg-type, no-any-return] # it says a tuple of one, and takes any


class _Call:
    """A command on its way: packed, the future that waits for its reply, and what is called at once with the reply."""

    __slots__ = ("at_once", "deadline", "future", "packed")

    def __init__(
        self, packed: bytes, future: asyncio.Future[Reply], deadline: float, at_once: Callable[[Reply], None] | None
    ) -> None:
        self.packed = packed
        self.future = future
        self.deadline = deadline
        self.at_once = at_once


class Link(Standing):
    """A connection to Redis for commands.

    Args:
        pool: makes connections; see `address`.
        name: its purpose, for logs.
        patience: seconds after which a silent connection is tested, and after which one that owes a reply is dropped.
        on_change: called with (up, reason) whenever the link comes up, goes down, or stays down for another reason.
    """

    def __init__(
        self, pool: ConnectionPool, name: str, patience: float, on_change: Callable[[bool, str], None]
    ) -> None:
        super().__init__(pool, name, patience, on_change)
        self._queue: list[_Call] = []
        self._in_flight: deque[_Call] = deque()
        self._replies = 0
        self._wire: Wire | None = None
        self._closed = False

    @property
    def under_way(self) -> int:
        """How many commands have no reply yet."""
        return len(self._queue) + len(self._in_flight)

    async def close(self) -> None:
        """Close for good. Commands that still wait end with `LinkLost` or `LinkDown`."""
        self._closed = True
        await super().close()
        self._lose("closed")
        self._expire(math.inf)

    def call(
        self, *words: Word, deadline: float, at_once: Callable[[Reply], None] | None = None
    ) -> asyncio.Future[Reply]:
        """Send a command.

        Args:
            words: the command and its arguments.
            deadline: the loop's time (seconds) after which it must no longer be sent.
            at_once: called with the reply as soon as it is there, before those who await the future; it must not raise.

        Returns:
            A future of the reply. It raises redis-py's `ResponseError` if Redis refuses, `LinkLost` if the command's
            outcome is unknown, `LinkDown` if it was never sent.
        """
        loop = self.loop
        call = _Call(packed(words), loop.create_future(), deadline, at_once)
        if self._closed:
            call.future.set_exception(LinkDown("closed"))
            return call.future
        self._queue.append(call)
        if self.up:
            if not self._in_flight:
                self._send()
            elif len(self._queue) == 1:
                # While others are under way, the commands of one turn of the event loop go out together. Holding them back
                # until the last batch is answered would make larger batches; measured, it gains nothing, since Redis batches
                # what it reads, too.
                loop.call_soon(self._send)
        else:
            loop.call_at(deadline, self._expire, deadline)
        return call.future

    def _work(self, connection: AbstractConnection) -> list[Coroutine[None, None, None]]:
        self._wire = Wire(connection, self._take, self._send)
        self._send()
        return [self._wire.until_lost(), self._beat()]

    def _send(self) -> None:
        """Send the commands that wait, unless Redis does not read them now."""
        if self._wire is None or self._wire.full:
            return
        batch, self._queue = [call for call in self._queue if not call.future.done()], []
        if batch:
            self._in_flight.extend(batch)
            self._wire.write(batch[0].packed if len(batch) == 1 else b"".join([call.packed for call in batch]))

    def _take(self, reply: Reply | ResponseError) -> None:
        """Give a reply to the oldest command that has none."""
        call = self._in_flight.popleft()
        future = call.future
        self._replies += 1
        if future.done():
            return
        if isinstance(reply, ResponseError):
            future.set_exception(reply)
        else:
            if call.at_once is not None:
                call.at_once(reply)
            future.set_result(reply)

    async def _beat(self) -> None:
        """Drop a connection that owes replies; make a silent one owe a reply."""
        while True:
            seen = self._replies
            if not self._in_flight:
                self.call("PING", deadline=math.inf).add_done_callback(_forget)
            await asyncio.sleep(self._patience)
            if self._in_flight and self._replies == seen:
                raise ConnectionError(f"no reply for {self._patience:g} s")

    def _lose(self, reason: str) -> None:
        """Handle the loss of the connection: fail the commands that were sent, and let the others wait for the next one."""
        self._wire = None
        lost = list(self._in_flight)
        self._in_flight.clear()
        for call in lost:
            if not call.future.done():
                call.future.set_exception(LinkLost(reason))
        loop = asyncio.get_running_loop()
        for call in self._queue:
            if call.deadline < math.inf:
                loop.call_at(call.deadline, self._expire, call.deadline)

    def _expire(self, now: float) -> None:
        """Fail the calls whose deadline has passed. Once the link is up again none is waiting, and this finds nothing."""
        if self.up:
            return
        waiting: list[_Call] = []
        for call in self._queue:
            if call.deadline > now:
                waiting.append(call)
            elif not call.future.done():
                call.future.set_exception(LinkDown("not connected"))
        self._queue = waiting


def _forget(future: asyncio.Future[Reply]) -> None:
    """Ignore a heartbeat's reply; reading its error keeps asyncio from logging it."""
    if not future.cancelled():
        future.exception()
