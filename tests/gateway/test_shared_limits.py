"""What costs much is limited for all servers of a database together: two servers do not give twice as much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from ipaddress import ip_network
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from client_protocol.from_client import EnterLobby, MakeMatch, Say, Upload
from client_protocol.from_server import (
    Accepted,
    Goodbye,
    Matches,
    MatchesChanged,
    MatchMade,
    Refused,
    ServerMessage,
    Welcome,
)
from client_protocol.shapes import PROTOCOL
from server.gateway.files import Files
from server.gateway.limits import Limits, Rate
from server.gateway.server import Gateway
from server.gateway.shared_limits import SHARED, SharedLimits
from server.gateway.site import Absent
from server.moderation.commands import HEADER, PATH, Bans, header_of
from server.moderation.operator import Operator
from server.moderation.sanctions import Sanctions
from server.store.connections import wall_ms
from server.store.key_names import bucket_key
from server.store.store import MatchStore
from tests.gateway.conftest import Clock, Peer
from tests.gateway.fakes import RED, FakeRooms
from tests.gateway.test_site import get
from tests.support.room import eventually, never, rooms_on
from tests.support.valkey import Wire, store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]

SLOW = 0.001
"""Tokens a second that a bucket of a test gets: none while it runs."""
TOKEN = "0123456789abcdef" * 2


class Cluster:
    """Servers of one database, and connections to them from any address."""

    def __init__(self, stack: AsyncExitStack, gateways: list[Gateway], rooms: list[FakeRooms]) -> None:
        self.gateways = gateways
        self.rooms = rooms
        self._stack = stack

    async def peer(self, server: int, address: str) -> Peer:
        return await peer_of(self._stack, self.gateways[server], address)

    async def visitor(self, server: int, address: str) -> Peer:
        peer = await self.peer(server, address)
        await peer.ask(EnterLobby(PROTOCOL), Welcome)
        await peer.expect(Matches)
        return peer


async def peer_of(stack: AsyncExitStack, gateway: Gateway, address: str) -> Peer:
    connecting = connect(
        gateway.address.replace("http://", "ws://") + "/ws",
        compression=None,
        close_timeout=0.1,
        ping_interval=None,
        additional_headers={"X-Forwarded-For": address},
    )
    return Peer(await stack.enter_async_context(connecting))


@pytest.fixture
def limits() -> Limits:
    return Limits(
        makings=Rate(50, SLOW),
        address={
            "makings": Rate(3, SLOW),
            "chat": Rate(2, SLOW),
            "uploads": Rate(2, SLOW),
            "answers": Rate(100, 100),
            "admin": Rate(3, SLOW),
        },
        strangers={"makings": Rate(5, SLOW)},
        strikes=Rate(3, SLOW),
    )


@pytest.fixture
async def stores(valkey_url: str) -> AsyncIterator[list[MatchStore]]:
    async with MatchStore(valkey_url) as first, MatchStore(valkey_url) as second:
        yield [first, second]


@pytest.fixture
async def cluster(stores: list[MatchStore], limits: Limits, client_files: Path) -> AsyncIterator[Cluster]:
    async def match_file(_match: str) -> Absent:
        return Absent.UNKNOWN

    async with AsyncExitStack() as stack:
        gateways, rooms = [], []
        for one in stores:
            played = await stack.enter_async_context(rooms_on(one))
            sanctions = await stack.enter_async_context(Sanctions(one, wall_ms, never))
            rooms.append(FakeRooms())
            gateway = Gateway(
                rooms[-1],
                rules=lambda _edition: None,
                forces=lambda _edition: None,
                positions=lambda _edition: None,
                match_file=match_file,
                files=Files(client_files),
                limits=limits,
                clock=Clock(),
                proxies=[ip_network("127.0.0.0/8")],
                operator=Operator(one, played, sanctions),
                admin_token=TOKEN,
                counting=one,
            )
            gateways.append(await stack.enter_async_context(gateway))
        yield Cluster(stack, gateways, rooms)


async def reply_to(peer: Peer, message: MakeMatch | Say | Upload) -> ServerMessage:
    """Send a message, and return the reply to it."""
    await peer.send(message)
    while isinstance(reply := await peer.receive(), MatchesChanged):
        pass
    return reply


async def make(peer: Peer, number: int) -> str:
    """Make a match. Return "", or the sentence of the refusal."""
    reply = await reply_to(peer, MakeMatch(f"make-{number:04}", "fake", "", "Ann", ("blue",)))
    assert isinstance(reply, MatchMade | Refused), reply
    return reply.sentence if isinstance(reply, Refused) else ""


async def test_an_address_has_one_limit_at_all_servers(cluster: Cluster) -> None:
    here, there = await cluster.visitor(0, "192.0.2.1"), await cluster.visitor(1, "192.0.2.1")
    said = [await make((here, there)[number % 2], number) for number in range(5)]
    assert said[:3] == ["", "", ""]
    assert all("from your address the server accepts 3 messages at once" in sentence for sentence in said[3:])
    assert sum(len(rooms.wanted) for rooms in cluster.rooms) == 3


async def test_all_strangers_have_one_limit_at_all_servers(cluster: Cluster) -> None:
    said = [await make(await cluster.visitor(number % 2, f"192.0.2.{number}"), number) for number in range(6)]
    assert said[:5] == [""] * 5
    assert "Too many players ask for this" in said[5]


async def test_who_holds_a_seat_is_limited_by_the_address_alone(cluster: Cluster) -> None:
    for number in range(5):
        await make(await cluster.visitor(number % 2, f"192.0.2.{number}"), number)
    seated = await cluster.peer(0, "198.51.100.1")
    await seated.enter(RED)
    assert await make(seated, 9) == ""


async def test_chat_and_uploads_count_at_all_servers(cluster: Cluster) -> None:
    found: dict[str, list[bool]] = {"chat": [], "uploads": []}
    for number in range(3):
        peer = await cluster.peer(number % 2, "192.0.2.1")
        await peer.enter(RED)
        await peer.send(Say(f"said-{number:04}", "hello"))
        while not isinstance(reply := await peer.receive(), Accepted | Refused):
            pass
        found["chat"].append(isinstance(reply, Accepted))
        reply = await reply_to(peer, Upload(f"part-{number:04}", "upload-1", 0, 1, b"x"))
        found["uploads"].append(isinstance(reply, Accepted))
    assert found == {"chat": [True, True, False], "uploads": [True, True, False]}


async def test_wrong_operators_tokens_count_at_all_servers(cluster: Cluster) -> None:
    async def ask(server: int, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}", HEADER: header_of(Bans()), "X-Forwarded-For": "192.0.2.1"}
        return (await get(cluster.gateways[server], PATH, "POST", **headers)).status

    assert [await ask(number % 2, "wrong") for number in range(4)] == [401, 401, 401, 429]
    assert [await ask(server, TOKEN) for server in (0, 1)] == [429, 429]


async def test_one_who_does_not_heed_refusals_is_cut_off(cluster: Cluster) -> None:
    here, there = await cluster.visitor(0, "192.0.2.1"), await cluster.visitor(1, "192.0.2.1")
    for number in range(3):
        await make(here, number)
    for number in range(4):
        await there.send(MakeMatch(f"more-{number:04}", "fake", "", "Ann", ("blue",)))
    goodbye = (await there.rest())[-1]
    assert isinstance(goodbye, Goodbye)
    assert goodbye.code == "rate"


async def test_other_kinds_cost_no_round_trip(store: MatchStore) -> None:
    class Counted:
        health = store.health

        async def run(self, *_: object) -> tuple[int, bool]:
            raise AssertionError("nothing is asked")

    limits = Limits()
    shared = SharedLimits(Counted(), limits)
    for kind in set(limits.address) - SHARED:
        assert await shared.refusal("192.0.2.1", kind, stranger=True) == ""


async def test_a_bucket_is_refilled_with_time_and_then_leaves_no_key(store: MatchStore) -> None:
    fast = SharedLimits(store, Limits(address={"chat": Rate(1, 1e6)}, strangers={}))
    for _ in range(3):
        assert await fast.refusal("192.0.2.1", "chat", stranger=True) == ""
        # Redis counts milliseconds: one has passed when the key of the full bucket has gone.
        while await store.command("EXISTS", bucket_key("chat", "192.0.2.1")):
            pass
    slow = SharedLimits(store, Limits(address={"chat": Rate(2, 0.5)}, strangers={}))
    await slow.refusal("192.0.2.2", "chat", stranger=True)
    left = await store.command("PTTL", bucket_key("chat", "192.0.2.2"))
    assert isinstance(left, int)
    # One token of two is missing, and comes in two seconds.
    assert 1000 < left <= 2000


async def test_asking_takes_nothing(store: MatchStore) -> None:
    shared = SharedLimits(store, Limits(address={"admin": Rate(1, SLOW)}, strangers={}))
    asked = [await shared.refusal("192.0.2.1", "admin", stranger=False, take=False) for _ in range(3)]
    assert asked == ["", "", ""]
    assert await shared.refusal("192.0.2.1", "admin", stranger=False) == ""
    assert await shared.refusal("192.0.2.1", "admin", stranger=False, take=False) != ""


async def test_while_redis_is_away_each_server_counts_alone(
    valkey_url: str, tmp_path: Path, limits: Limits, client_files: Path
) -> None:
    async def match_file(_match: str) -> Absent:
        return Absent.UNKNOWN

    async with AsyncExitStack() as stack:
        wire = await stack.enter_async_context(Wire(valkey_url, tmp_path))
        store = await stack.enter_async_context(MatchStore(wire.url))
        gateway = Gateway(
            FakeRooms(),
            rules=lambda _edition: None,
            forces=lambda _edition: None,
            positions=lambda _edition: None,
            match_file=match_file,
            files=Files(client_files),
            limits=limits,
            clock=Clock(),
            proxies=[ip_network("127.0.0.0/8")],
            counting=store,
        )
        await stack.enter_async_context(gateway)
        peer = await peer_of(stack, gateway, "192.0.2.1")
        await peer.ask(EnterLobby(PROTOCOL), Welcome)
        await peer.expect(Matches)
        assert await make(peer, 0) == ""
        # Redis does not answer what was sent to it, and then it is gone.
        wire.silent = True
        async with asyncio.timeout(10):
            assert await make(peer, 1) == ""
        await wire.cut()
        await eventually(lambda: not store.health.up)
        assert await make(peer, 2) == ""
        assert "from your address" in await make(peer, 3)
