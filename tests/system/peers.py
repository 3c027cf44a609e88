"""Bare connections to a real server, for messages that the client library would never send."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from websockets.asyncio.client import connect

from client_protocol.client.link import websocket_address
from client_protocol.from_client import ClientMessage, EnterMatch
from client_protocol.from_server import ServerMessage, Snapshot, Status, Update, Welcome
from client_protocol.shapes import PROTOCOL
from tests.gateway.conftest import Peer
from tests.support.servers import ServerProcess

T = TypeVar("T", bound=ServerMessage)


@asynccontextmanager
async def peer_at(server: ServerProcess, sock: socket.socket | None = None, address: str = "") -> AsyncIterator[Peer]:
    """Open a connection on which nothing has been sent yet; over the given socket, or for another address, if given."""
    async with connect(
        websocket_address(server.address),
        compression=None,
        close_timeout=0.1,
        ping_interval=None,
        sock=sock,
        additional_headers={"X-Forwarded-For": address} if address else None,
    ) as opened:
        yield Peer(opened)


async def sit(peer: Peer, match: str, token: str = "") -> Snapshot:
    """Sit down, and read the table."""
    await peer.ask(EnterMatch(PROTOCOL, match, token), Welcome)
    return await peer.expect(Snapshot)


async def ask(peer: Peer, message: ClientMessage, kind: type[T]) -> T:
    """Send a request, and find its reply among the messages to everyone."""
    await peer.send(message)
    while isinstance(reply := await peer.receive(), Update | Status):
        pass
    assert isinstance(reply, kind), reply
    return reply
