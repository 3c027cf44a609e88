"""A database, its players and matches, and an endpoint that notices are sent to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_network
from pathlib import Path

import pytest

from server.matches.rooms import Rooms
from server.notices.asking import Asking
from server.notices.desk import PlayersDesk
from server.notices.found import found
from server.notices.noticing import Noticing
from server.notices.outbound import Outbound
from server.notices.presence import Presence
from server.notices.pushing import Pushing, push_key
from server.notices.queue import Queue
from server.notices.ways import Ways
from server.players.registry import Registry
from server.store.store import MatchStore
from tests.support.endpoint import Endpoint, endpoint
from tests.support.room import Hands, never, rooms_on
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[Endpoint]:
    """The endpoint."""
    async with endpoint(tmp_path) as one:
        yield one


@pytest.fixture
async def outbound(there: Endpoint) -> AsyncIterator[Outbound]:
    """Requests that may go to the endpoint."""
    async with Outbound(LOOPBACK, str(there.certificate)) as opened:
        yield opened


@dataclass
class Server:
    """A server's part that tells players; several may share a database."""

    rooms: Rooms
    registry: Registry
    queue: Queue
    presence: Presence
    noticing: Noticing
    asking: Asking
    desk: PlayersDesk
    ways: Ways
    hands: Hands

    async def pass_(self, seconds: float) -> None:
        """Let time pass, and tell who is to be told by then."""
        await self.asking.settle()
        self.hands.move(seconds)
        await self.presence.beat()
        await self.noticing.look()


async def server_on(store: MatchStore, outbound: Outbound, rooms: Rooms, hands: Hands) -> Server:
    """Return a server's part on a database."""
    registry, queue = Registry(store, lambda: hands.now), Queue(store)
    presence = Presence(store, rooms.connected, lambda: hands.now, never)
    contact = "mailto:operator@example.org"
    ways = Ways(outbound, Pushing(outbound, await push_key(store), contact))
    asking = Asking(queue, registry, presence, lambda: hands.now, 40_000, never)
    address = "https://play.example.org"
    matches = partial(found, rooms)
    noticing = Noticing(queue, registry, presence, matches, ways, address, lambda: hands.now, never)
    rooms.asked, rooms.left = asking.asked, asking.left
    desk = PlayersDesk(registry, store, rooms.get, queue, ways)
    return Server(rooms, registry, queue, presence, noticing, asking, desk, ways, hands)


@pytest.fixture
async def server(store: MatchStore, outbound: Outbound) -> AsyncIterator[Server]:
    """One server."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, hands=hands) as rooms:
        one = await server_on(store, outbound, rooms, hands)
        async with one.asking:
            yield one
