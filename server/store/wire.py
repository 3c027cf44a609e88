"""The wire of a connection to Redis: commands out and replies in, with no task, stream or future of its own in between.

redis-py makes the connection (addresses, TLS, authentication), and says which exception a refusal is. Its streams cost more
than all the rest of an append, so once the connection stands they are taken out of the way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import InvalidResponse, RedisError, ResponseError

Reply: TypeAlias = "bytes | int | list[Reply] | None"

_MORE = object()
"""The reader's result while the next reply is not whole."""


class Wire(asyncio.Protocol):
    """A connection that redis-py has made, and through which no command is under way.

    Args:
        connection: the connection; from now on it may only be disconnected.
        take: called with each reply, or with Redis' refusal in the place of one. What it raises ends the wire.
        flows: called when the wire takes bytes again, after a time in which it was `full`.
    """

    def __init__(
        self,
        connection: AbstractConnection,
        take: Callable[[Reply | ResponseError], None],
        flows: Callable[[], None] = lambda: None,
    ) -> None:
        self.full = False
        """Whether Redis does not read as fast as is written."""
        self._take = take
        self._flows = flows
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # redis-py has no public names for these two; every test of the store fails when it calls them otherwise.
        writer, parser = connection._writer, cast("Any", connection._parser)  # noqa: SLF001
        assert writer is not None, "the connection stands"
        self._reader = hiredis.Reader(InvalidResponse, parser.parse_error, notEnoughData=_MORE)
        self._transport = writer.transport
        self._transport.set_protocol(self)

    def write(self, data: bytes) -> None:
        """Send packed commands. On a wire that is lost they are lost too, as they would be a moment before."""
        if not self._transport.is_closing():
            self._transport.write(data)

    async def until_lost(self) -> None:
        """Wait until the connection is lost. Raises `RedisError`, `OSError`, or what a reply could not be taken for."""
        await self._lost

    def data_received(self, data: bytes) -> None:
        """Take the replies that are whole now."""
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not _MORE:
                self._take(_checked(reply))
        except Exception as error:  # noqa: BLE001 - whatever it is, later replies can no longer be told apart
            self._end(error)
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is lost."""
        self._end(exc or ConnectionError("Redis has closed the connection"))

    def pause_writing(self) -> None:
        """Note that the buffer is above its high-water mark."""
        self.full = True

    def resume_writing(self) -> None:
        """Note that the buffer is below its low-water mark."""
        self.full = False
        self._flows()

    def _end(self, error: Exception) -> None:
        if not self._lost.done():
            self._lost.set_exception(error)


def _checked(reply: object) -> Reply | ResponseError:
    """Return a reply, or Redis' refusal of one command. Raises `RedisError` if it refuses the connection: it is loading its
    file, or has too many clients.
    """
    if isinstance(reply, RedisError) and not isinstance(reply, ResponseError):
        raise reply
    return cast("Reply | ResponseError", reply)
