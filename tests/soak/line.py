"""A TCP line to a server that can be cut anywhere: after any byte, in either direction."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.support.servers import ServerProcess


@dataclass(eq=False)
class Connection:
    """One connection over the line; `left` are the bytes that still pass before it is cut, by direction (None: all of them)."""

    ends: list[asyncio.StreamWriter]
    left: dict[str, int | None] = field(default_factory=lambda: {"up": None, "down": None})

    def abort(self) -> None:
        """Cut it now, as a reset does."""
        for end in self.ends:
            end.transport.abort()


class Line:
    """A line to a server over its restarts.

    Args:
        server: the server.
        chance: says where connections are cut.
    """

    def __init__(self, server: ServerProcess, chance: random.Random) -> None:
        self.address = ""
        self.cuts = 0
        """How many connections were cut."""
        self._server = server
        self._chance = chance
        self._connections: list[Connection] = []

    @classmethod
    @asynccontextmanager
    async def to(cls, server: ServerProcess, chance: random.Random) -> AsyncIterator[Line]:
        """A line that takes connections until the block is left."""
        line = cls(server, chance)
        listening = await asyncio.start_server(line._accept, "127.0.0.1", 0)
        line.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield line
        finally:
            listening.close()
            for connection in list(line._connections):
                connection.abort()

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

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection([writer])
        self._connections.append(connection)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._server.port)
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
        self, connection: Connection, way: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(65536):
            left = connection.left[way]
            if left is not None and len(data) >= left:
                # What has passed is to arrive, so that the peer is left with half a message.
                writer.write(data[:left])
                await writer.drain()
                self.cuts += 1
                break
            if left is not None:
                connection.left[way] = left - len(data)
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError
