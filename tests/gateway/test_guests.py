"""Limits for an address, whatever connections it opens, and for all strangers together; and whose address it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from ipaddress import ip_network

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import InvalidHandshake, InvalidMessage

from client_protocol.from_client import EnterLobby, ExportText, MakeMatch, Ping, Replay
from client_protocol.from_server import Exported, Matches, MatchMade, Pong, Refused, ReplayPart, Welcome
from client_protocol.shapes import PROTOCOL
from server.gateway import guests as guests_module
from server.gateway.connection import Downloads
from server.gateway.guests import UNKNOWN, Guests
from server.gateway.limits import Limits, Rate
from server.gateway.server import QUIET_SECONDS, Gateway
from tests.gateway.conftest import Clock, Connect, Peer
from tests.gateway.fakes import BLUE, FakeRooms
from tests.support.room import eventually

HERE = [ip_network("127.0.0.0/8"), ip_network("10.0.0.0/8"), ip_network("::1")]


def forwarded(*values: str) -> Headers:
    return Headers([("X-Forwarded-For", value) for value in values])


@pytest.mark.parametrize(
    ("peer", "values", "address"),
    [
        ("192.0.2.7", (), "192.0.2.7"),
        ("192.0.2.7", ("198.51.100.1",), "192.0.2.7"),
        ("127.0.0.1", (), "127.0.0.1"),
        ("127.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("127.0.0.1", ("203.0.113.9, 198.51.100.1",), "198.51.100.1"),
        ("127.0.0.1", ("203.0.113.9", "198.51.100.1, 10.0.0.3"), "198.51.100.1"),
        ("10.0.0.3", ("10.0.0.4",), "10.0.0.4"),
        ("127.0.0.1", ("who knows",), UNKNOWN),
        ("::1", ("2001:db8::7",), "2001:db8::7"),
        ("::ffff:127.0.0.1", ("198.51.100.1",), "198.51.100.1"),
    ],
)
def test_only_a_trusted_proxy_is_believed_for_whom_it_asks(peer: str, values: tuple[str, ...], address: str) -> None:
    assert Guests(Limits(), Clock(), HERE).behind(peer, forwarded(*values)) == address


def test_addresses_of_one_ipv6_network_count_as_one() -> None:
    guests = Guests(Limits(), Clock())
    same = ("2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:0:9::", "[2001:db8::2]", "2001:db8::3%eth0")
    assert len({id(guests.guest(name)) for name in same}) == 1
    assert guests.guest("2001:db8:0:1::1") is not guests.guest("2001:db8::1")
    assert guests.guest("192.0.2.1") is guests.guest("::ffff:192.0.2.1")
    assert guests.guest("192.0.2.1") is not guests.guest("192.0.2.2")


def test_an_address_that_wants_nothing_is_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests_module, "MOST_GUESTS", 10)
    clock, limits = Clock(), Limits()
    guests = Guests(limits, clock)
    guests.guest("192.0.2.0").connections = 1
    for number in range(1, 10):
        guests.guest(f"192.0.2.{number}")
    clock.time += limits.forgotten
    guests.guest("198.51.100.1")
    assert len(guests) == 2
    assert guests.guest("192.0.2.0").connections == 1


def test_an_address_is_held_to_its_rate_and_strangers_to_theirs_together() -> None:
    clock = Clock()
    limits = Limits(address={"reads": Rate(3, 1)}, strangers={"reads": Rate(4, 1)})
    guests = Guests(limits, clock)
    one, other = guests.guest("192.0.2.1"), guests.guest("192.0.2.2")
    assert [guests.refusal(one, "reads", stranger=True)[:8] for _ in range(4)] == ["", "", "", "Too fast"]
    assert [guests.refusal(other, "reads", stranger=True)[:8] for _ in range(2)] == ["", "Too many"]
    assert guests.refusal(other, "reads", stranger=False) == "", "who holds a seat is no stranger"
    assert guests.refusal(one, "pings", stranger=True) == ""
    clock.time += 1
    assert guests.refusal(one, "reads", stranger=True) == ""


def test_an_address_may_always_download_one_file_and_not_many_at_once() -> None:
    downloads = Downloads(100, 50)
    guests = Guests(Limits(), Clock())
    one, other = guests.guest("192.0.2.1"), guests.guest("192.0.2.2")
    assert not downloads.full(one, 1000)
    downloads.add(one, 40)
    assert downloads.full(one, 20)
    assert not downloads.full(one, 10)
    assert not downloads.full(other, 60)
    downloads.add(other, 60)
    assert downloads.full(guests.guest("192.0.2.3"), 1)
    downloads.add(other, -60)
    assert (downloads.size, other.downloading) == (40, 0)


# --- through the gateway ------------------------------------------------------------------------------------------------


class TestAnAddress:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(
            per_address=3, address={"makings": Rate(2, 1), "reads": Rate(2, 1)}, strangers={"reads": Rate(3, 0)}
        )

    async def test_one_address_has_few_connections(self, open_peer: Connect, gateway: Gateway) -> None:
        peers = [await open_peer() for _ in range(3)]
        with pytest.raises((InvalidHandshake, InvalidMessage, OSError, EOFError)):
            await open_peer()
        guest = gateway._guests.guest("127.0.0.1")
        assert guest.connections == 3
        await peers[0].socket.close()
        await eventually(lambda: guest.connections == 2)
        again = await open_peer()
        await again.enter(BLUE)

    async def test_an_address_gets_no_new_limits_with_new_connections(
        self, open_peer: Connect, rooms: FakeRooms
    ) -> None:
        make = MakeMatch("1", "fake", "", "Ann", ("blue",))
        for number in range(4):
            peer = await open_peer()
            await peer.ask(EnterLobby(PROTOCOL), Welcome)
            await peer.expect(Matches)
            await peer.send(make)
            found = [message async for message in until_answered(peer)][-1]
            assert isinstance(found, MatchMade if number < 2 else Refused)
            assert isinstance(found, MatchMade) or "from your address" in found.sentence
            await peer.socket.close()
        assert len(rooms.wanted) == 2

    async def test_strangers_share_what_they_get_and_seats_have_their_own(
        self, open_peer: Connect, clock: Clock
    ) -> None:
        seat, spectator = await open_peer(), await open_peer()
        await seat.enter(BLUE)
        await spectator.enter()
        for _ in range(3):
            await spectator.ask(ExportText("t"), Exported)
            clock.time += 1
        assert "Too many players ask" in (await spectator.ask(ExportText("t"), Refused)).sentence
        assert isinstance(await seat.ask(Replay("r", "blue"), ReplayPart), ReplayPart)
        assert isinstance(await spectator.ask(Ping("p"), Pong), Pong)


async def until_answered(peer: Peer) -> AsyncIterator[object]:
    while True:
        message = await peer.receive()
        yield message
        if isinstance(message, MatchMade | Refused):
            return


class TestOneThatComesTooOften:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(address={"connections": Rate(3, 1)})

    async def test_connections_beyond_the_rate_of_an_address_are_not_answered(
        self, open_peer: Connect, clock: Clock
    ) -> None:
        for _ in range(3):
            await (await open_peer()).socket.close()
        with pytest.raises((InvalidHandshake, InvalidMessage, OSError, EOFError)):
            await open_peer()
        clock.time += 1
        await (await open_peer()).enter(BLUE)


class TestFiles:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(address={"files": Rate(2, 0), "requests": Rate(1, 0)}, downloads=10, address_downloads=10)

    async def test_downloads_have_a_rate(self, gateway: Gateway) -> None:
        path = "/matches/over.underfire"
        assert [(await fetched(gateway, path)).partition(b"\r\n")[0] for _ in range(3)] == [
            b"HTTP/1.1 200 OK",
            b"HTTP/1.1 200 OK",
            b"HTTP/1.1 429 Too Many Requests",
        ]
        assert b"200 OK" in await fetched(gateway, "/health")
        assert b"429 Too" in await fetched(gateway, "/health")
        await eventually(lambda: gateway._downloads.size == 0)

    async def test_unread_downloads_are_counted_until_their_connection_ends(
        self, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def large(_match: str) -> bytes:
            return bytes(8 * 1024 * 1024)

        monkeypatch.setattr(gateway._site, "_match_file", large)
        path = "/matches/over.underfire"
        reader, writer = await requested(gateway, path)
        await reader.readuntil(b"\r\n\r\n")
        assert gateway._downloads.size == 8 * 1024 * 1024
        assert b"503" in await fetched(gateway, path)
        writer.transport.abort()
        await eventually(lambda: gateway._downloads.size == 0)
        assert gateway._guests.guest("127.0.0.1").downloading == 0


async def requested(gateway: Gateway, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = gateway.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    return reader, writer


async def fetched(gateway: Gateway, path: str) -> bytes:
    reader, writer = await requested(gateway, path)
    found = await reader.read()
    writer.close()
    return found


class TestBehindAProxy:
    @pytest.fixture
    def proxies(self) -> tuple[str, ...]:
        return ("127.0.0.0/8",)

    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(per_address=1)

    async def test_each_address_behind_a_proxy_has_its_own_limits(self, open_peer: Connect) -> None:
        for name in ("192.0.2.1", "192.0.2.2"):
            await open_peer(additional_headers={"X-Forwarded-For": name})
        with pytest.raises(InvalidHandshake, match="429"):
            await open_peer(additional_headers={"X-Forwarded-For": "192.0.2.1"})

    async def test_of_connections_that_are_turned_away_the_log_tells_once_a_minute_for_each_address(
        self, open_peer: Connect, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        names = ("192.0.2.1", "192.0.2.2")
        for name in names:
            await open_peer(additional_headers={"X-Forwarded-For": name})
        with caplog.at_level(logging.INFO, "underfire.gateway"):
            for seconds in (0.0, QUIET_SECONDS - 1, 1.0):
                clock.time += seconds
                for name in names * 2:
                    with pytest.raises(InvalidHandshake, match="429"):
                        await open_peer(additional_headers={"X-Forwarded-For": name})
        assert caplog.messages == [f"refused a connection of {name}: it has 1" for name in names * 2]
