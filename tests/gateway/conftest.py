from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from client_protocol import codec
from client_protocol.from_client import ClientMessage, EnterMatch
from client_protocol.from_server import ServerMessage, Snapshot, Welcome
from client_protocol.shapes import PROTOCOL
from server.gateway.files import Files
from server.gateway.limits import Limits
from server.gateway.server import Gateway
from server.gateway.site import Absent
from tests.gateway.fakes import FakeRooms

T = TypeVar("T")


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


class Peer:
    """A bare client: sends and receives messages, and nothing else."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, message: ClientMessage) -> None:
        await self.socket.send(codec.encode(message))

    async def receive(self) -> ServerMessage:
        data = await self.socket.recv()
        assert isinstance(data, bytes)
        return codec.decode_server(data)

    async def expect(self, kind: type[T]) -> T:
        message = await self.receive()
        assert isinstance(message, kind), message
        return message

    async def ask(self, message: ClientMessage, kind: type[T]) -> T:
        await self.send(message)
        return await self.expect(kind)

    async def enter(self, token: str = "", since: int = -1) -> Snapshot:
        await self.ask(EnterMatch(PROTOCOL, "m", token, since), Welcome)
        return await self.expect(Snapshot)

    async def rest(self) -> list[ServerMessage]:
        """All that still comes before the connection is closed."""
        got: list[ServerMessage] = []
        with suppress(ConnectionClosed):
            while True:
                got.append(await self.receive())
        return got

    async def closed(self) -> int | None:
        await self.socket.wait_closed()
        return self.socket.close_code


Connect = Callable[..., Awaitable[Peer]]


@pytest.fixture
def rooms() -> FakeRooms:
    return FakeRooms()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limits() -> Limits:
    return Limits()


@pytest.fixture
def client_files(tmp_path: Path) -> Path:
    """A built client, and a file outside it that must not be served."""
    built = tmp_path / "dist"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html><title>Fake</title>", encoding="utf-8")
    (built / "assets" / "app-0a1b2c.js").write_text("export const x = 1;\n" * 200, encoding="utf-8")
    (built / "assets" / "dot.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return built


@pytest.fixture
def proxies() -> tuple[str, ...]:
    """Networks of proxies that are believed."""
    return ()


@pytest.fixture
async def gateway(
    rooms: FakeRooms, clock: Clock, limits: Limits, client_files: Path, proxies: tuple[str, ...]
) -> AsyncIterator[Gateway]:
    async def match_file(match: str) -> bytes | Absent:
        files: dict[str, bytes | Absent] = {
            "over": b"the whole match",
            "running": Absent.NOT_OVER,
            "removed": Absent.REMOVED,
        }
        return files.get(match, Absent.UNKNOWN)

    async with Gateway(
        rooms,
        rules={"fake": b'{"edition": "fake", "rules": []' + b" " * 100 + b"}"}.get,
        forces={"fake": b'{"form": {}, "ready": []}'}.get,
        positions={"fake": b'{"edition": "fake", "units": []}'}.get,
        match_file=match_file,
        origins=("https://play.example.org",),
        show_metrics=True,
        files=Files(client_files),
        limits=limits,
        clock=clock,
        now=lambda: 1_700_000_000_000,
        proxies=[ip_network(name) for name in proxies],
    ) as running:
        yield running


@pytest.fixture
async def open_peer(gateway: Gateway) -> AsyncIterator[Connect]:
    """Opens bare connections, and closes them all at the end."""
    async with AsyncExitStack() as stack:

        async def opened(**options: Any) -> Peer:  # noqa: ANN401  # the library's own options
            address = gateway.address.replace("http://", "ws://") + "/ws"
            options = {"compression": None, "close_timeout": 0.1, "ping_interval": None} | options
            return Peer(await stack.enter_async_context(connect(address, **options)))

        yield opened
