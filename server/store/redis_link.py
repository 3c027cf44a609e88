"""One connection to Redis that gathers commands, notices its own death at once, and comes back by itself.

redis-py's client would do, but it takes a connection, a pipeline object and a round trip for every caller. Here whatever
many matches want within one turn of the event loop goes out in one write, and one fsync of Redis serves them all. Its
connection class does the rest: addresses, TLS, authentication, RESP.
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

Word: TypeAlias = bytes | str | int
Reply: TypeAlias = "bytes | int | list[Reply] | None"

log = logging.getLogger(__name__)

FIRST_DELAY = 0.02
"""Seconds before the second attempt to connect; doubled each time, with jitter."""
LAST_DELAY = 0.5
"""The longest pause between two attempts, in seconds: a player should not see how long Redis really needs to restart."""

_NUMBER = re.compile(r"\[Errno -?\d+\] ")
_CONNECTING = re.compile(r"Error \S+ connecting to (\S+?)\. (.*)", re.DOTALL)
"""As redis-py says that it could not connect."""


class LinkLost(Exception):  # noqa: N818 - a condition
    """The connection died after the command was sent: nobody knows whether it was carried out."""


class LinkDown(Exception):  # noqa: N818 - a condition
    """The deadline passed, or the link was closed, before the command was sent: it was certainly not carried out."""


def address(url: str) -> ConnectionPool:
    """The way to a Redis, from its URL (``redis://``, ``rediss://`` or ``unix://``).

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
    """Connect, and make sure that Redis answers; while it loads its file it says so instead, and that is an error.

    Raises:
        RedisError, OSError, TimeoutError: not this time.
    """
    async with asyncio.timeout(patience):
        await connection.connect()  # type: ignore[no-untyped-call] # redis-py has left it out
        await connection.send_command("PING", check_health=False)
        await connection.read_response(timeout=math.inf)


class Standing(ABC):
    """A connection that is there, or is being made, until it is closed.

    Args:
        pool: where to; see ``address``.
        name: what it is for, for logs.
        patience: seconds after which a Redis that owes a reply and gives none is given up.
        on_change: called with (up, reason) whenever it comes up, goes down, or stays down for another reason.
    """

    def __init__(
        self, pool: ConnectionPool, name: str, patience: float, on_change: Callable[[bool, str], None]
    ) -> None:
        self.up = False
        self.reason = "not connected yet"
        """Why it is down, in words; empty while it is up."""
        self._pool = pool
        self._name = name
        self._patience = patience
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to connect, and go on until closed."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name=self._name)

    async def close(self) -> None:
        """Hang up for good."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._change(up=False, reason="closed")

    @abstractmethod
    def _work(self, connection: AbstractConnection) -> list[Coroutine[None, None, None]]:
        """What runs on a new connection. When the first of these ends, the connection is given up."""

    @abstractmethod
    def _lose(self, reason: str) -> None:
        """The connection is gone."""

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
                # With jitter: many servers that lost the same Redis should not come back in step.
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
    """What an error says, without the operating system's number."""
    said = _NUMBER.sub("", str(error)).rstrip(".") or "it gives no sign of life"
    return _CONNECTING.sub(r"no connection to \1: \2", said)


async def _first_to_end(parts: list[asyncio.Task[None]]) -> str:
    """Wait until one part of a connection's work ends, end the others, and say why in words."""
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


class _Call:
    """A command on its way: packed, and the future that waits for its reply."""

    __slots__ = ("deadline", "future", "packed")

    def __init__(self, packed: bytes, future: asyncio.Future[Reply], deadline: float) -> None:
        self.packed = packed
        self.future = future
        self.deadline = deadline


class Link(Standing):
    """A connection to Redis for commands.

    Args:
        pool: where to; see ``address``.
        name: what it is for, for logs.
        patience: how often, in seconds, a silent connection is tried. One that owes a reply and gives none for so long
            is given up.
        on_change: called with (up, reason) whenever the link comes up, goes down, or stays down for another reason.
    """

    def __init__(
        self, pool: ConnectionPool, name: str, patience: float, on_change: Callable[[bool, str], None]
    ) -> None:
        super().__init__(pool, name, patience, on_change)
        self._queue: list[_Call] = []
        self._in_flight: deque[_Call] = deque()
        self._replies = 0
        self._wake = asyncio.Event()
        self._closed = False

    async def close(self) -> None:
        """Hang up for good. Commands that still wait end with ``LinkLost`` or ``LinkDown``."""
        self._closed = True
        await super().close()
        self._lose("closed")
        self._expire(math.inf)

    def call(self, *words: Word, deadline: float) -> asyncio.Future[Reply]:
        """Send a command.

        Args:
            words: the command and its arguments.
            deadline: the loop's time (seconds) after which it must no longer be sent.

        Returns:
            A future of the reply. It raises redis-py's ``ResponseError`` if Redis refuses, ``LinkLost`` if nobody knows
            what became of the command, ``LinkDown`` if it was never sent.
        """
        loop = asyncio.get_running_loop()
        packed = hiredis.pack_command(words)  # type: ignore[arg-type] # it says a tuple of one, and takes any
        call = _Call(packed, loop.create_future(), deadline)
        if self._closed:
            call.future.set_exception(LinkDown("closed"))
            return call.future
        self._queue.append(call)
        if self.up:
            self._wake.set()
        else:
            loop.call_at(deadline, self._expire, deadline)
        return call.future

    def _work(self, connection: AbstractConnection) -> list[Coroutine[None, None, None]]:
        self._wake.set()
        return [self._read(connection), self._write(connection), self._beat()]

    async def _write(self, connection: AbstractConnection) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            # Whatever one turn of the event loop has brought. Holding it back until the last batch is answered would make
            # larger batches, and was measured: nothing is gained, for Redis gathers what it finds, too.
            batch, self._queue = [call for call in self._queue if not call.future.done()], []
            if not batch:
                continue
            self._in_flight.extend(batch)
            await connection.send_packed_command([call.packed for call in batch], check_health=False)

    async def _read(self, connection: AbstractConnection) -> None:
        in_flight = self._in_flight
        while True:
            outcome: Reply = None
            refusal: ResponseError | None = None
            try:
                outcome = cast("Reply", await connection.read_response(timeout=math.inf))
            except ResponseError as error:
                refusal = error
            call = in_flight.popleft()
            self._replies += 1
            if not call.future.done():
                if refusal is None:
                    call.future.set_result(outcome)
                else:
                    call.future.set_exception(refusal)

    async def _beat(self) -> None:
        """Give up a connection that owes replies and gives none; make a silent one owe a reply."""
        while True:
            seen = self._replies
            if not self._in_flight:
                self.call("PING", deadline=math.inf).add_done_callback(_forget)
            await asyncio.sleep(self._patience)
            if self._in_flight and self._replies == seen:
                raise ConnectionError(f"no reply for {self._patience:g} s")

    def _lose(self, reason: str) -> None:
        """The connection is gone: tell those whose command was out, and let the others wait for the next one."""
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
        """End those that wait in vain. Once the link is up again nobody does, and this finds nothing late."""
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
    """Nobody waits for a heartbeat's reply; looking at its error keeps asyncio from complaining."""
    if not future.cancelled():
        future.exception()
