"""A TCP line on this machine that can be cut after any byte, and on which everything can be late, or stand still."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Literal, Self, TypeAlias

Way: TypeAlias = Literal["up", "down"]
"""A direction: up to the process that the line leads to, and down from it."""
Reach: TypeAlias = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
"""Connects to the process that the line leads to."""


def at_port(port: int) -> Reach:
    """Return how a process is reached that listens at a port of this machine, over its restarts."""
    return lambda: asyncio.open_connection("127.0.0.1", port)


def at_socket(path: str) -> Reach:
    """Return how a process is reached that listens at a Unix socket, over its restarts."""
    return lambda: asyncio.open_unix_connection(path)


@dataclass(eq=False)
class Connection:
    """One connection over the line; `left` are the bytes that still pass before it is cut, by direction (None: all of them)."""

    ends: list[asyncio.StreamWriter]
    left: dict[Way, int | None] = field(default_factory=lambda: {"up": None, "down": None})

    def abort(self) -> None:
        """Cut it now, as a reset does."""
        for end in self.ends:
            end.transport.abort()


class Line:
    """A line to a process over its restarts. Use `to`.

    Args:
        reach: connects to the process.
        chance: says where connections are cut, and how late what passes is.
    """

    def __init__(self, reach: Reach, chance: random.Random) -> None:
        self.port = 0
        self.cuts = 0
        """How many connections were cut."""
        self.jitter = 0.0
        """Seconds by which each piece of what passes is late at most."""
        self._reach = reach
        self._chance = chance
        self._connections: list[Connection] = []
        self._flowing = asyncio.Event()
        self._flowing.set()

    @classmethod
    @asynccontextmanager
    async def to(cls, reach: Reach, chance: random.Random) -> AsyncIterator[Self]:
        """Take connections until the block is left."""
        line = cls(reach, chance)
        listening = await asyncio.start_server(line._accept, "127.0.0.1", 0)
        line.port = listening.sockets[0].getsockname()[1]
        try:
            yield line
        finally:
            listening.close()
            for connection in list(line._connections):
                connection.abort()

    @property
    def address(self) -> str:
        """The address of the server that the line leads to, as its players see it."""
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Cut some connections: each at once, or in the middle of one of the next messages of either end."""
        if not self._connections:
            return
        for connection in self._chance.sample(
            self._connections, self._chance.randint(1, min(4, len(self._connections)))
        ):
            if self._chance.random() < 0.3:
                self.cuts += 1
                connection.abort()
            else:
                connection.left[self._chance.choice(("up", "down"))] = self._chance.randint(1, 600)

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Let nothing pass meanwhile, in either direction; connections stay open, and new ones are taken."""
        self._flowing.clear()
        try:
            yield
        finally:
            self._flowing.set()

    def _connected(self, writer: asyncio.StreamWriter) -> Connection:
        """Return a new connection; a line that knows its protocol notes more of it."""
        return Connection([writer])

    def _passes(self, connection: Connection, way: Way, data: bytes) -> int | None:
        """Return how many bytes of a piece pass before the connection is cut; None if it is not."""
        left = connection.left[way]
        if left is None or len(data) < left:
            connection.left[way] = None if left is None else left - len(data)
            return None
        return left

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = self._connected(writer)
        self._connections.append(connection)
        try:
            there, back = await self._reach()
            connection.ends.append(back)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pass(connection, "up", reader, back))
                both.create_task(self._pass(connection, "down", there, writer))
        except* OSError:
            pass
        finally:
            connection.abort()
            self._connections.remove(connection)

    async def _pass(
        self, connection: Connection, way: Way, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(65536):
            if self.jitter:
                await asyncio.sleep(self._chance.uniform(0, self.jitter))
            await self._flowing.wait()
            left = self._passes(connection, way, data)
            # Where it is cut, what has passed is to arrive, so that the peer is left with half a message.
            writer.write(data[:left])
            await writer.drain()
            if left is not None:
                self.cuts += 1
                break
        raise ConnectionResetError
