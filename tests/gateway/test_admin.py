"""Where a server takes its operator's commands: only with the token, never without, and what bans and mutes mean for sessions."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from client_protocol.from_client import Answer, EnterLobby, EnterMatch, Say
from client_protocol.from_server import Goodbye, Matches, Refused, Snapshot, Welcome
from client_protocol.shapes import PROTOCOL
from server.gateway.admin import KIND
from server.gateway.files import Files
from server.gateway.limits import Limits, Rate
from server.gateway.server import Gateway
from server.gateway.site import Absent
from server.moderation.commands import (
    HEADER,
    PATH,
    Bans,
    Close,
    Command,
    Drain,
    Failed,
    Inspect,
    header_of,
    reply_in,
)
from server.moderation.operator import Operator
from server.moderation.sanctions import Sanctions
from server.moderation.subjects import AddressSubject, PlayerSubject, SeatSubject, Subject
from server.store.connections import wall_ms
from server.store.store import MatchStore
from tests.gateway.conftest import Clock, Connect
from tests.gateway.fakes import BLUE, RED, FakeRooms
from tests.gateway.test_site import Got, get
from tests.support.player_keys import ADA
from tests.support.room import eventually, never, rooms_on
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]

TOKEN = "0123456789abcdef" * 2
HERE = AddressSubject("127.0.0.1")


@dataclass
class Commanded:
    """A gateway that takes commands."""

    gateway: Gateway
    sanctions: Sanctions
    slept: list[float] = field(default_factory=list)

    async def ask(self, command: Command | None, token: str = TOKEN, method: str = "POST", **headers: str) -> Got:
        named = {"Authorization": f"Bearer {token}"} if token else {}
        given = {} if command is None else {HEADER: header_of(command)}
        return await get(self.gateway, PATH, method, **named, **given, **headers)


@pytest.fixture
def limits() -> Limits:
    limits = Limits()
    return with_rates(limits, Rate(3, 0.1))


def with_rates(limits: Limits, wrong: Rate) -> Limits:
    return Limits(address={**limits.address, KIND: wrong}, strangers={**limits.strangers, KIND: Rate(100, 1)})


@pytest.fixture
async def commanded(
    rooms: FakeRooms, clock: Clock, limits: Limits, client_files: Path, store: MatchStore, proxies: tuple[str, ...]
) -> AsyncIterator[Commanded]:
    async def match_file(_match: str) -> Absent:
        return Absent.UNKNOWN

    async with (
        rooms_on(store) as matches,
        Sanctions(store, wall_ms, never) as sanctions,
        Gateway(
            rooms,
            rules=lambda _edition: None,
            forces=lambda _edition: None,
            positions=lambda _edition: None,
            match_file=match_file,
            files=Files(client_files),
            limits=limits,
            clock=clock,
            sanctions=sanctions,
            operator=Operator(store, matches, sanctions),
            admin_token=TOKEN,
            proxies=[ip_network(name) for name in proxies],
        ) as gateway,
    ):
        yield Commanded(gateway, sanctions)


@pytest.fixture
def gateway(commanded: Commanded) -> Gateway:
    """The gateway that `open_peer` connects to."""
    return commanded.gateway


# --- the token -------------------------------------------------------------------------------------------------------


async def test_commands_are_taken_with_the_token_alone(commanded: Commanded) -> None:
    right = await commanded.ask(Bans())
    assert (right.status, right.headers["cache-control"]) == (200, "no-store")
    assert json.loads(right.body) == {"type": "sanctioned", "sanctions": []}
    for token in ("", TOKEN[:-1] + "0", TOKEN + "x"):
        wrong = await commanded.ask(Bans(), token)
        assert wrong.status == 401
        assert wrong.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["Basic", "", "Bearer" * 2])
async def test_the_token_is_taken_as_a_bearers_alone(commanded: Commanded, scheme: str) -> None:
    got = await get(commanded.gateway, PATH, "POST", Authorization=f"{scheme} {TOKEN}")
    assert got.status == 401


async def test_wrong_tokens_are_limited_and_then_even_the_right_one_waits(commanded: Commanded, clock: Clock) -> None:
    statuses = [(await commanded.ask(Bans(), "wrong")).status for _ in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    assert (await commanded.ask(Bans())).status == 429
    clock.time += 10
    assert (await commanded.ask(Bans())).status == 200
    # Right ones are not counted.
    assert [(await commanded.ask(Bans())).status for _ in range(9)] == [200] * 9


async def test_the_token_is_never_logged(commanded: Commanded, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await commanded.ask(Bans(), "a-wrong-token-that-is-long-enough-too")
        await commanded.ask(Bans())
        await commanded.ask(Close("nowhere", "So."))
    assert "a wrong operator's token came from 127.0.0.1" in caplog.text
    assert TOKEN not in caplog.text
    assert "a-wrong-token" not in caplog.text


async def test_without_a_token_there_is_nothing_at_the_address(
    rooms: FakeRooms, client_files: Path, limits: Limits
) -> None:
    async def match_file(_match: str) -> Absent:
        return Absent.UNKNOWN

    nothing: Callable[[str], None] = lambda _edition: None  # noqa: E731
    async with Gateway(
        rooms, rules=nothing, forces=nothing, positions=nothing, match_file=match_file, files=Files(client_files)
    ) as off:
        for method in ("GET", "POST", "HEAD"):
            got = await get(off, PATH, method, Authorization=f"Bearer {TOKEN}")
            assert (got.status, got.body) == (404, b"There is nothing here.\n")


async def test_what_is_no_command_is_refused_in_words(commanded: Commanded) -> None:
    for got in (await commanded.ask(None), await commanded.ask(None, **{HEADER: "{"})):
        assert got.status == 400
        assert isinstance(reply_in(got.body), Failed)
    assert (await commanded.ask(Bans(), method="GET")).status == 405
    unknown = await commanded.ask(Close("nowhere", "So."))
    assert unknown.status == 409
    assert reply_in(unknown.body) == Failed("There is no match nowhere.")


# --- bans and mutes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", [HERE, SeatSubject("m", "red")])
async def test_a_ban_closes_what_is_open_and_refuses_what_comes(
    commanded: Commanded, open_peer: Connect, subject: Subject
) -> None:
    peer = await open_peer()
    await peer.enter(RED)
    await commanded.sanctions.impose("ban", subject, 3_600_000)
    goodbye = (await peer.rest())[-1]
    assert isinstance(goodbye, Goodbye)
    assert (goodbye.code, goodbye.again) == ("banned", False)
    where = "" if subject == HERE else " at this seat"
    assert goodbye.sentence.startswith(f"The operator of this server does not let you play{where} until 20")
    assert await peer.closed() == 4012
    late = await open_peer()
    if subject != HERE:
        await late.send(EnterMatch(PROTOCOL, "m", RED))
    assert isinstance((await late.rest())[-1], Goodbye)
    assert await late.closed() == 4012
    await commanded.sanctions.lift("ban", subject)
    again = await open_peer()
    await again.enter(RED)


async def test_a_banned_player_is_sent_away_from_seats_that_are_tied_and_when_a_key_is_shown(
    commanded: Commanded, open_peer: Connect, rooms: FakeRooms
) -> None:
    await commanded.sanctions.impose("ban", PlayerSubject(ADA.key))
    rooms.room.keys = {"red": ADA.key}
    red = await open_peer()
    await red.send(EnterMatch(PROTOCOL, "m", RED))
    goodbye = (await red.rest())[-1]
    assert isinstance(goodbye, Goodbye)
    assert goodbye.sentence == "The operator of this server does not let you play."
    # Without the key nothing says who it is, until a seat is tied to it.
    blue = await open_peer()
    await blue.enter(BLUE)
    await blue.send(ADA.tie("m", "blue", "Ada"))
    assert isinstance((await blue.rest())[-1], Goodbye)
    assert await blue.closed() == 4012


async def test_a_banned_seat_leaves_the_other_seat_and_spectators_alone(
    commanded: Commanded, open_peer: Connect, rooms: FakeRooms
) -> None:
    blue, watching = await open_peer(), await open_peer()
    await blue.enter(BLUE)
    await watching.enter()
    await commanded.sanctions.impose("ban", SeatSubject("m", "red"))
    await blue.send(Answer("answer-1", "p0", "wait"))
    await watching.send(Say("said-001", "hello", "spectators"))
    await eventually(lambda: (rooms.room.turn, len(rooms.room.said)) == (1, 1))
    assert [one.seat for one in commanded.gateway.present("m")] == ["blue", ""]


async def test_a_message_that_comes_with_the_ban_does_not_count(
    commanded: Commanded, open_peer: Connect, rooms: FakeRooms
) -> None:
    red = await open_peer()
    await red.enter(RED)
    rooms.room.gate = asyncio.Event()
    for number in range(3):
        await red.send(Answer(f"answer-{number}", "p0", "wait"))
    await eventually(lambda: rooms.room.gate is not None and bool(commanded.gateway._shared.working))
    await commanded.sanctions.impose("ban", SeatSubject("m", "red"))
    assert await red.closed() == 4012
    rooms.room.gate.set()
    await eventually(lambda: not commanded.gateway._shared.working)
    # The first one was on its way already.
    assert rooms.room.turn == 1


@pytest.mark.parametrize("subject", [HERE, SeatSubject("m", "red")])
async def test_a_mute_takes_the_chat_away_and_nothing_else(
    commanded: Commanded, open_peer: Connect, rooms: FakeRooms, subject: Subject
) -> None:
    red = await open_peer()
    await red.enter(RED)
    await commanded.sanctions.impose("mute", subject, 3_600_000)
    refused = await red.ask(Say("said-001", "hello"), Refused)
    assert refused.code == "muted"
    assert refused.sentence.startswith("The operator of this server has taken the chat away from you until 20")
    assert rooms.room.said == []
    await red.send(Answer("answer-1", "p0", "wait"))
    await eventually(lambda: rooms.room.turn == 1)
    await commanded.sanctions.lift("mute", subject)
    await red.send(Say("said-002", "hello again"))
    await eventually(lambda: len(rooms.room.said) == 1)


async def test_an_inspected_match_shows_who_is_connected_here(commanded: Commanded, open_peer: Connect) -> None:
    red, watching, elsewhere = await open_peer(), await open_peer(), await open_peer()
    await red.enter(RED)
    await watching.ask(EnterMatch(PROTOCOL, "m", "", name="Wim"), Welcome)
    await watching.expect(Snapshot)
    await elsewhere.ask(EnterLobby(PROTOCOL), Welcome)
    await elsewhere.expect(Matches)
    found = commanded.gateway.present("m")
    assert [(one.seat, one.name, one.address) for one in found] == [("red", "", "127.0.0.1"), ("", "Wim", "127.0.0.1")]
    assert (await commanded.ask(Inspect("m"))).status == 409  # there is no such match in the database


@pytest.mark.parametrize("proxies", [("127.0.0.0/8",)])
async def test_the_address_of_a_proxy_cannot_be_banned(commanded: Commanded) -> None:
    assert commanded.gateway.known_address("127.0.0.9") == ""
    assert commanded.gateway.known_address("2001:db8::7") == "2001:db8::/64"
    assert commanded.gateway.known_address("nowhere") == ""


# --- draining --------------------------------------------------------------------------------------------------------


async def test_a_draining_server_takes_no_connections_and_lets_those_that_are_open_play_on_until_it_ends(
    commanded: Commanded, open_peer: Connect, rooms: FakeRooms
) -> None:
    gateway = commanded.gateway
    slept = asyncio.Event()

    async def wait(_seconds: float) -> None:
        await slept.wait()

    gateway.draining._sleep = wait
    red = await open_peer()
    await red.enter(RED)
    assert (await get(gateway, "/ready")).status == 200
    assert (await commanded.ask(Drain())).status == 200
    assert (await get(gateway, "/ready")).status == 503
    assert (await get(gateway, "/health")).status == 200
    with pytest.raises(InvalidStatus, match="503"):
        await open_peer()
    await red.send(Answer("answer-1", "p0", "wait"))
    await eventually(lambda: rooms.room.turn == 1)
    assert not gateway.draining.over.is_set()
    slept.set()
    await asyncio.wait_for(gateway.draining.over.wait(), 10)
    stopping = asyncio.create_task(gateway.stop())
    goodbye = (await red.rest())[-1]
    await stopping
    assert isinstance(goodbye, Goodbye)
    assert (goodbye.code, goodbye.again) == ("restart", True)
