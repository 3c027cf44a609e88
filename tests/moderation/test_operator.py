"""The operator's commands, carried out on real matches, and what is logged of them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import msgspec
import pytest

from client_protocol.from_server import MatchMade
from server.matches.rooms import Rooms
from server.moderation.commands import (
    Bans,
    Close,
    Command,
    Done,
    Drain,
    Failed,
    Impose,
    Inspect,
    Inspected,
    Lift,
    List,
    Listed,
    Present,
    Sanctioned,
    command_in,
    header_of,
)
from server.moderation.operator import Operator
from server.moderation.sanctions import Sanctions
from server.moderation.subjects import AddressSubject, SeatSubject
from server.store.connections import wall_ms
from server.store.store import MatchStore
from tests.support.room import eventually, made, never, rooms_on

NOW = wall_ms()
PLAYER = AddressSubject("192.0.2.7")


class Here:
    """A server on which a player of red is connected, behind the proxy 10.0.0.1."""

    def __init__(self) -> None:
        self.drained = False

    def present(self, match: str) -> tuple[Present, ...]:
        return (Present("red", match, "192.0.2.7"),)

    def known_address(self, address: str) -> str:
        return "" if address in {"10.0.0.1", "home"} else address

    def drain(self) -> float:
        self.drained = True
        return 5.0


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store) as opened:
        yield opened


@pytest.fixture
async def sanctions(store: MatchStore) -> AsyncIterator[Sanctions]:
    async with Sanctions(store, lambda: NOW, never) as opened:
        yield opened


@pytest.fixture
def operator(store: MatchStore, rooms: Rooms, sanctions: Sanctions) -> Operator:
    return Operator(store, rooms, sanctions)


@pytest.fixture
async def match(rooms: Rooms) -> MatchMade:
    return await made(rooms)


@pytest.mark.parametrize(
    "command",
    [
        List(7),
        Inspect("m-1"),
        Close("m_1", "Ärger, 🙂 and \n \x1b lines"),
        Impose("mute", SeatSubject("m1", "roter Zug"), 60),
        Lift("ban", AddressSubject("2001:db8::/64")),
        Bans(),
        Drain(),
    ],
)
def test_a_command_travels_in_a_header(command: Command) -> None:
    header = header_of(command)
    assert header.isascii()
    assert header.isprintable()
    assert command_in(header) == command


@pytest.mark.parametrize(
    "header", ["", "{}", '{"type":"list","most":0}', '{"type":"close","match":"a b","why":"x"}', '{"type":"stop"}']
)
def test_what_is_no_command_is_refused(header: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        command_in(header)


async def test_matches_are_listed_and_told_more_of(operator: Operator, rooms: Rooms, match: MatchMade) -> None:
    await rooms._list.flush()
    listed = await operator.carry_out(List(), Here(), "here")
    assert isinstance(listed, Listed)
    assert [one.match for one in listed.matches] == [match.match]
    inspected = await operator.carry_out(Inspect(match.match), Here(), "here")
    assert isinstance(inspected, Inspected)
    assert inspected.row.match == match.match
    assert inspected.present == (Present("red", match.match, "192.0.2.7"),)


async def test_a_match_is_closed_and_the_log_says_by_whom(
    operator: Operator, rooms: Rooms, match: MatchMade, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        done = await operator.carry_out(Close(match.match, "  They\nasked. "), Here(), "127.0.0.1")
    assert done == Done(f"The match {match.match} is over. Its players read: They asked.")
    room = await rooms.get(match.match)
    assert room is not None
    assert room.over
    (record,) = [record for record in caplog.records if record.name == "underfire.operator"]
    assert record.levelno == logging.WARNING
    assert f"127.0.0.1: The match {match.match} is over" in record.getMessage()
    assert (record.__dict__["match"], record.__dict__["command"]) == (match.match, "close")


async def test_what_cannot_be_done_is_said_and_logged(
    operator: Operator, match: MatchMade, caplog: pytest.LogCaptureFixture
) -> None:
    for command, said in (
        (Close("nowhere", "So."), "no match nowhere"),
        (Close(match.match, "\u200b"), "Say why"),
        (Inspect("nowhere"), "no match nowhere"),
        (Impose("ban", SeatSubject(match.match, "green")), "The seats of the match"),
        (Impose("ban", SeatSubject("nowhere", "red")), "no match nowhere"),
        (Impose("ban", AddressSubject("10.0.0.1")), "no address of a player"),
        (Impose("ban", AddressSubject("home")), "no address of a player"),
        (Lift("mute", PLAYER), "was not muted"),
    ):
        reply = await operator.carry_out(command, Here(), "here")
        assert isinstance(reply, Failed), reply
        assert said.lower() in reply.sentence.lower(), reply.sentence
        assert reply.sentence in caplog.text


async def test_bans_and_mutes_are_imposed_listed_and_lifted(
    operator: Operator, sanctions: Sanctions, match: MatchMade
) -> None:
    seat = SeatSubject(match.match, "red")
    banned = await operator.carry_out(Impose("ban", PLAYER, 90 * 60), Here(), "here")
    muted = await operator.carry_out(Impose("mute", seat), Here(), "here")
    assert isinstance(banned, Done)
    assert "is banned for 1 hour 30 minutes" in banned.sentence
    assert isinstance(muted, Done)
    assert "until you lift that with unmute" in muted.sentence
    found = await operator.carry_out(Bans(), Here(), "here")
    assert isinstance(found, Sanctioned)
    assert {(one.kind, one.subject, one.until) for one in found.sanctions} == {
        ("ban", PLAYER, NOW + 90 * 60 * 1000),
        ("mute", seat, 0),
    }
    for kind, subject in (("ban", PLAYER), ("mute", seat)):
        assert isinstance(await operator.carry_out(Lift(kind, subject), Here(), "here"), Done)  # type: ignore[arg-type]
    assert sanctions.standing == ()


async def test_draining_concerns_the_server_that_was_asked(operator: Operator) -> None:
    here = Here()
    reply = await operator.carry_out(Drain(), here, "here")
    assert here.drained
    assert isinstance(reply, Done)
    assert "in 5 seconds" in reply.sentence


async def test_without_the_database_a_command_fails_in_words(operator: Operator, store: MatchStore) -> None:
    store.block("the database is another one")
    await eventually(lambda: not store.health.up)
    reply = await operator.carry_out(Impose("ban", PLAYER), Here(), "here")
    assert isinstance(reply, Failed)
    assert "cannot reach its database" in reply.sentence
    store.block("")
