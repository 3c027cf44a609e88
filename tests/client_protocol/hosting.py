"""A gateway over matches that obey no rules, for a client to go to, to lose and to find again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from client_protocol.client import Table
from client_protocol.client.link import Backoff
from server.gateway.files import Files
from server.gateway.server import Gateway
from server.gateway.site import Absent
from tests.gateway.fakes import FakeRooms

AT_ONCE = Backoff(draw=lambda: 0.0)


@dataclass
class Host:
    """A server that can go away and come back, at the same address."""

    rooms: FakeRooms = field(default_factory=FakeRooms)
    port: int = 0
    gateway: Gateway | None = None

    async def start(self) -> None:
        async def no_file(match: str) -> Absent:
            return Absent.UNKNOWN

        self.gateway = Gateway(
            self.rooms,
            rules=lambda _: None,
            forces=lambda _: None,
            positions=lambda _: None,
            match_file=no_file,
            port=self.port,
            files=Files(None),
        )
        await self.gateway.__aenter__()
        self.port = int(self.address.rpartition(":")[2])

    @property
    def address(self) -> str:
        assert self.gateway is not None
        return self.gateway.address

    async def stop(self) -> None:
        assert self.gateway is not None
        await self.gateway.stop()

    def cut(self) -> None:
        """Cuts every connection off, as a network does."""
        assert self.gateway is not None
        for session in self.gateway._sessions:
            session.connection.abort()


@asynccontextmanager
async def sitting(
    host: Host,
    token: str = "",
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    *,
    name: str = "",
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Table]:
    """A table that comes back without waiting."""
    table = Table(host.address, "m", token, name=name, backoff=AT_ONCE, sleep=sleep, clock=clock)
    async with table.running():
        yield table


async def eventually(true: Callable[[], bool]) -> None:
    """Lets everything else go on until something is true."""
    while not true():  # noqa: ASYNC110  # the condition belongs to other code, which has no event
        await asyncio.sleep(0)


async def until(table: Table, seq: int) -> None:
    """Hears what happens, up to a frame."""
    async for _ in table:
        if table.seq >= seq:
            return
