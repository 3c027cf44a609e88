"""The client's websocket to a server: messages out and in, and requests that wait for their replies."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from websockets.asyncio.client import ClientConnection, connect

from client_protocol import codec
from client_protocol.from_client import ClientMessage
from client_protocol.from_server import Refused, ServerMessage

T = TypeVar("T")

LARGEST_OUTWARD = 8 * 1024 * 1024
"""The most bytes of a message from a server."""


class EndedError(Exception):
    """The connection has ended for good. `code` is the server's, `sentence` says why."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class RefusedError(Exception):
    """An answer was refused, and the prompt was not answered otherwise: `refused` has the sentence and the code."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(f"{refused.sentence} ({refused.code})")
        self.refused = refused


def websocket_address(address: str) -> str:
    """Return the websocket address of a server's address.

    Args:
        address: `http://host:port`, or `ws://host:port/ws` already.
    """
    scheme, _, rest = address.partition("://")
    if scheme in {"ws", "wss"}:
        return address
    return f"{'wss' if scheme == 'https' else 'ws'}://{rest.partition('/')[0]}/ws"


class Link:
    """An open websocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, message: ClientMessage) -> None:
        """Send a message.

        Raises:
            websockets.exceptions.ConnectionClosed: the link is gone.
        """
        await self._socket.send(codec.encode(message))

    async def receive(self) -> ServerMessage:
        """Return the next message.

        Raises:
            websockets.exceptions.ConnectionClosed: the link is gone.
            client_protocol.codec.CodecError: the server speaks another protocol.
        """
        return codec.decode_server(await self._socket.recv(decode=False))


@asynccontextmanager
async def open_link(address: str) -> AsyncIterator[Link]:
    """Connect to a server.

    A silent link is dropped within ten seconds.

    Raises:
        OSError: there is no server at this address.
        websockets.exceptions.InvalidHandshake: another kind of server answers there.
    """
    async with connect(
        websocket_address(address),
        max_size=LARGEST_OUTWARD,
        ping_interval=4,
        ping_timeout=5,
        close_timeout=2,
        user_agent_header=None,
    ) as socket:
        yield Link(socket)


@dataclass(frozen=True)
class Backoff:
    """Delays before reconnecting, in seconds: random up to a ceiling that doubles (full jitter).

    So the clients of a server that restarts do not all come back at once.
    """

    least: float = 0.25
    most: float = 10.0
    draw: Callable[[], float] = random.random

    def delay(self, attempt: int) -> float:
        """Return the delay before the attempt with this number, counted from 0."""
        return self.draw() * min(self.most, self.least * 2.0 ** min(attempt, 16))


def new_id() -> str:
    """Return a new message id, random enough to be unique."""
    return uuid.uuid4().hex


class Requests:
    """Messages without a reply, by their ids. They outlive a link, and are sent again."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[ClientMessage, asyncio.Future[ServerMessage]]] = {}

    def add(self, message_id: str, message: ClientMessage) -> asyncio.Future[ServerMessage]:
        """Add a message, and return the future of its reply."""
        future: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
        self._open[message_id] = (message, future)
        return future

    def forget(self, message_id: str) -> None:
        """Drop a message whose reply is no longer needed."""
        self._open.pop(message_id, None)

    def open(self) -> list[ClientMessage]:
        """Return the messages without a reply, oldest first."""
        return [message for message, _ in self._open.values()]

    def reply(self, message: ServerMessage) -> bool:
        """Resolve the future of a reply's request. Return False if the message is not a reply.

        A stopping server refuses without handling the message: that refusal is dropped, and the message is sent again to the
        restarted server.
        """
        message_id = getattr(message, "id", "")
        if message_id not in self._open:
            return False
        if not (isinstance(message, Refused) and message.code == "restarting"):
            _, future = self._open.pop(message_id)
            if not future.done():
                future.set_result(message)
        return True

    def fail(self, error: Exception) -> None:
        """Fail all requests, since no reply will come."""
        for _, future in self._open.values():
            if not future.done():
                future.set_exception(error)
        self._open.clear()


def too_large(message_id: str, message: ClientMessage) -> Refused | None:
    """Return the refusal of a message that is larger than a server accepts; None if it is not.

    A server closes the connection over such a message instead of replying to it.
    """
    size = len(codec.encode(message))
    if size <= codec.LARGEST_INWARD:
        return None
    sentence = (
        f"A message may have at most {codec.LARGEST_INWARD} bytes; this one has {size}. Send it in smaller parts."
    )
    return Refused(message_id, codec.TooLarge.code, sentence)


def expected(reply: ServerMessage, kind: type[T]) -> T | Refused:
    """Return a reply as the type that its request expects, or a refusal.

    Raises:
        EndedError: it is of another type: the server speaks another protocol.
    """
    if isinstance(reply, kind | Refused):
        return reply
    raise EndedError("protocol", f"The server replied with a {type(reply).__name__}, which does not fit.")
