from __future__ import annotations

import asyncio
import logging

import msgpack  # type: ignore[import-untyped]
import pytest

from client_protocol.choices import UnitNamed
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from client_protocol.from_client import (
    Answer,
    AskPreview,
    CheckForce,
    CommitRandomness,
    ConvertForce,
    EnterLobby,
    EnterMatch,
    ExportSetup,
    Look,
    MakeMatch,
    MoreMatches,
    Order,
    Ping,
    Recall,
    RevealRandomness,
    Say,
    TakeSeat,
)
from client_protocol.from_server import (
    Accepted,
    Exported,
    ForceChecked,
    ForceConverted,
    Goodbye,
    History,
    Matches,
    MatchesChanged,
    MatchMade,
    MatchPage,
    Pong,
    Preview,
    Refused,
    SeatTaken,
    Sight,
    Snapshot,
    Status,
    Update,
    Welcome,
)
from client_protocol.shapes import PROTOCOL
from server.gateway.limits import Limits
from server.gateway.server import Gateway
from tests.gateway.conftest import Clock, Connect
from tests.gateway.fakes import BLUE, RED, FakeRooms

FORCE = Force(FORCE_FORMAT, "fake", "Ours", (ForceUnit("squad", "First"), ForceUnit("squad", "Second")))


def answer(number: int, prompt: str = "p0", choice: str = "wait") -> Answer:
    return Answer(f"answer-{number:04}", prompt, choice)


async def test_the_start_page_sees_matches_come(open_peer: Connect) -> None:
    watching, making = await open_peer(), await open_peer()
    for peer in (watching, making):
        assert (await peer.ask(EnterLobby(PROTOCOL), Welcome)).version == "1.2.3"
        assert (await peer.expect(Matches)).matches == ()
    await making.send(MakeMatch("1", "fake", "s", "First", ("blue",)))
    assert [info.title for info in (await watching.expect(MatchesChanged)).changed] == ["First"]
    got = [await making.receive(), await making.receive()]
    assert {type(message) for message in got} == {MatchMade, MatchesChanged}
    page = await watching.ask(MoreMatches("m", "open", 0, "n"), MatchPage)
    assert [info.title for info in page.matches] == ["First"]
    taken = await watching.ask(TakeSeat("2", "m", "red", "Ann", "come"), SeatTaken)
    assert taken.token == RED
    assert (await watching.ask(TakeSeat("3", "m", "red", "Ann", "go", FORCE), Refused)).code == "invite"
    assert (await watching.ask(CheckForce("4", FORCE), ForceChecked)).report.total == 2


async def test_an_answer_is_accepted_and_seen_by_everybody(open_peer: Connect) -> None:
    blue, red, spectator = await open_peer(), await open_peer(), await open_peer()
    assert (await blue.enter(BLUE)).seat == "blue"
    assert (await red.enter(RED)).seat == "red"
    assert (await spectator.enter()).seat == ""
    await blue.send(answer(1))
    for peer in (blue, red, spectator):
        update = await peer.expect(Update)
        assert (update.seq, update.patch) == (1, {"turn": 1})
    assert (await blue.expect(Accepted)).seq == 1


async def test_an_answer_sent_twice_gets_its_first_result(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    await blue.send(answer(1))
    await blue.expect(Update)
    first = await blue.expect(Accepted)
    assert await blue.ask(answer(1), Accepted) == first
    again = await open_peer()
    await again.enter(BLUE)
    assert await again.ask(answer(1), Accepted) == first
    assert rooms.room.turn == 1


async def test_everything_that_a_seat_may_ask_is_answered(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    assert (await blue.ask(AskPreview("1", "p0", "fire"), Preview)).title == "blue might fire"
    assert (await blue.ask(Look("2", "u1", "u2"), Sight)).summary == "seen by blue"
    assert (await blue.ask(Recall("3", 10), History)).frames[0].seq == 1
    assert (await blue.ask(ExportSetup("4"), Exported)).filename == "setup.toml"
    assert await blue.ask(Ping("5"), Pong) == Pong("5", 1_700_000_000_000, 5000)
    await blue.ask(Order("order-01", "u1", "stop"), Accepted)
    assert rooms.room.orders == [("blue", "u1", "stop")]
    assert (await blue.ask(CheckForce("8", FORCE), ForceChecked)).report.total == 2
    assert (await blue.ask(ConvertForce("9", FORCE, "fake"), ForceConverted)).conversion.changed == ("changed",)
    await blue.send(CommitRandomness("6", "0" * 64))
    assert (await blue.expect(Update)).committed == ("blue",)
    await blue.expect(Accepted)
    assert (await blue.ask(RevealRandomness("7", "0" * 64), Refused)).code == "early"
    await blue.send(Say("say-0001", "<b>hello</b>"))
    assert (await blue.expect(Update)).story[0].text == "blue: <b>hello</b>"
    await blue.expect(Accepted)


async def test_a_connection_that_asked_before_entering_can_still_enter(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer()
    for message in (Ping("1"), answer(1), MakeMatch("1", "fake", "s", "n", ())):
        assert (await peer.ask(message, Refused)).code == "enter_first"
    assert (await peer.enter(BLUE)).seat == "blue"
    assert (rooms.room.seq, rooms.matches) == (0, [])


async def test_a_wrong_token_is_refused_and_the_connection_closed(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer()
    assert (await peer.ask(EnterMatch(PROTOCOL, "m", "guess"), Refused)).code == "wrong_token"
    assert not (await peer.expect(Goodbye)).again
    assert await peer.closed() == 4001
    assert not rooms.room.inside


async def test_another_protocol_is_told_to_reload(open_peer: Connect) -> None:
    for first in (EnterLobby(PROTOCOL + 1), EnterMatch(PROTOCOL - 1, "m", BLUE)):
        peer = await open_peer()
        assert (await peer.ask(first, Goodbye)).code == "reload"
        assert await peer.closed() == 4002


async def test_an_unknown_match_is_said_to_be_unknown(open_peer: Connect) -> None:
    peer = await open_peer()
    assert (await peer.ask(EnterMatch(PROTOCOL, "other"), Refused)).code == "no_match"
    assert (await peer.expect(Goodbye)).code == "no_match"
    assert await peer.closed() == 4004


async def test_a_match_that_the_operator_has_removed_is_said_to_be_removed(open_peer: Connect) -> None:
    peer = await open_peer()
    assert (await peer.ask(EnterMatch(PROTOCOL, "removed"), Refused)).code == "removed"
    goodbye = await peer.expect(Goodbye)
    assert (goodbye.code, goodbye.sentence, goodbye.again) == (
        "removed",
        "The operator of this server has removed this match.",
        False,
    )
    assert await peer.closed() == 4010


async def test_an_answer_at_the_moment_of_a_matchs_removal_is_refused(open_peer: Connect) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    refused = await peer.ask(Answer("answer-1", "p0", "too late"), Refused)
    assert (refused.code, refused.sentence) == ("removed", "The operator of this server has removed the match m.")


@pytest.mark.parametrize("limits", [Limits(first_message=0.05)])
async def test_a_connection_that_sends_nothing_is_closed(open_peer: Connect) -> None:
    peer = await open_peer()
    assert (await peer.expect(Goodbye)).code == "silent"
    assert await peer.closed() == 4008


@pytest.mark.parametrize(
    ("data", "id_", "code"),
    [
        (b"\xc1", "", "malformed"),
        (b"", "", "malformed"),
        ("text", "", "malformed"),
        (msgpack.packb({"type": "surprise"}), "", "unknown_type"),
        (msgpack.packb({"type": "surprise", "id": "1"}), "1", "unknown_type"),
        (msgpack.packb({"type": "ping", "id": "1", "x": 1}), "1", "invalid"),
        (msgpack.packb({"type": "answer", "id": "short", "prompt": "p0", "choice": "wait"}), "short", "invalid"),
        (msgpack.packb({"type": "ping", "id": 1}), "", "invalid"),
        (b"\x82\xa1a" + b"\x91" * 15_000 + b"\xc0\xa4type\xa4ping", "", "too_deep"),
    ],
)
async def test_one_malformed_message_is_forgiven_and_the_next_is_not(
    open_peer: Connect, rooms: FakeRooms, data: bytes | str, id_: str, code: str
) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    await peer.socket.send(data)
    refused = await peer.expect(Refused)
    assert (refused.id, refused.code) == (id_, code)
    await peer.ask(Ping("still here"), Pong)
    await peer.socket.send(data)
    assert (await peer.expect(Refused)).code == code
    assert (await peer.expect(Goodbye)).code == "malformed"
    assert await peer.closed() == 1008
    assert rooms.room.seq == 0


async def test_a_message_that_is_too_large_closes_the_connection(open_peer: Connect, rooms: FakeRooms) -> None:
    peer, other = await open_peer(), await open_peer()
    await other.enter(RED)
    await peer.enter(BLUE)
    await peer.socket.send(b"\x00" * (16 * 1024 + 1))
    assert await peer.closed() == 1009
    await other.ask(Ping("1"), Pong)
    assert rooms.room.seq == 0


async def test_a_bug_costs_an_answer_and_not_the_connection(
    open_peer: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    assert (await blue.ask(answer(1, choice="explode"), Refused)).code == "internal"
    await blue.send(answer(2))
    await blue.expect(Update)
    await blue.expect(Accepted)
    lost = await open_peer()
    assert (await lost.ask(EnterMatch(PROTOCOL, "broken", BLUE), Goodbye)).again
    assert await lost.closed() == 1011
    assert "a bug" in caplog.text


async def test_answers_are_bounded_in_rate(open_peer: Connect, clock: Clock, gateway: Gateway) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    for number in range(100):
        await blue.send(answer(number))
        await blue.expect(Update)
        await blue.expect(Accepted)
    assert (await blue.ask(answer(100), Refused)).code == "rate"
    # Pings have a bucket of their own: who is held back is still there.
    await blue.ask(Ping("1"), Pong)
    clock.time += 0.2
    await blue.send(answer(100))
    await blue.expect(Update)
    await blue.expect(Accepted)
    assert b"underfire_rate_limited_total 1.0" in gateway.metrics.text()


async def test_chat_and_previews_have_rates_of_their_own(open_peer: Connect, clock: Clock) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    for number in range(5):
        await blue.send(Say(f"say-{number:04}", "hi"))
        await blue.expect(Update)
        await blue.expect(Accepted)
    assert (await blue.ask(Say("say-0005", "hi"), Refused)).code == "rate"
    for number in range(9):
        await blue.ask(AskPreview(str(number), "p0", "wait"), Preview)
    await blue.ask(CheckForce("c", FORCE), ForceChecked)
    assert (await blue.ask(Look("x", "a", "b"), Refused)).code == "rate"
    assert (await blue.ask(CheckForce("x", FORCE), Refused)).code == "rate"
    clock.time += 0.61
    await blue.ask(Look("x", "a", "b"), Sight)
    await blue.send(Say("say-0005", "hi"))
    await blue.expect(Update)
    await blue.expect(Accepted)


async def test_a_client_that_keeps_exceeding_its_rate_is_cut_off(open_peer: Connect) -> None:
    peer = await open_peer()
    await peer.enter()
    for number in range(20):
        await peer.ask(Recall(str(number), 1), History)
    for number in range(51):
        await peer.send(Recall(str(number), 1))
    *refused, last = await peer.rest()
    assert [type(message) for message in refused] == [Refused] * 51
    assert isinstance(last, Goodbye)
    assert last.code == "rate"
    assert await peer.closed() == 1008


async def test_too_many_messages_at_once_are_refused_and_the_rest_done(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    rooms.room.gate = asyncio.Event()
    for number in range(20):
        await blue.send(answer(number))
    # One is in work, sixteen wait, three are refused; and a ping gets through meanwhile.
    assert [(await blue.expect(Refused)).code for _ in range(3)] == ["busy"] * 3
    await blue.ask(Ping("1"), Pong)
    rooms.room.gate.set()
    done = [await blue.receive() for _ in range(2 * 17)]
    assert sum(isinstance(message, Accepted) for message in done) == 17


async def test_an_answer_in_work_outlives_its_connection(open_peer: Connect, rooms: FakeRooms) -> None:
    blue, red = await open_peer(), await open_peer()
    await blue.enter(BLUE)
    await red.enter(RED)
    rooms.room.gate = asyncio.Event()
    await blue.send(answer(1))
    await blue.ask(Ping("1"), Pong)
    await blue.socket.close()
    rooms.room.gate.set()
    assert (await red.expect(Update)).seq == 1


async def test_read_only_is_told_at_once_and_to_newcomers(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await open_peer()
    await blue.enter(BLUE)
    rooms.become(Status("read_only", 5, "The database is away."))
    assert (await blue.expect(Status)).state == "read_only"
    late = await open_peer()
    await late.ask(EnterMatch(PROTOCOL, "m"), Welcome)
    assert (await late.expect(Status)).since == 5
    await late.expect(Snapshot)
    rooms.become(Status("live", 9))
    assert (await blue.expect(Status)).state == "live"


async def test_a_stopping_server_finishes_what_it_began(open_peer: Connect, rooms: FakeRooms, gateway: Gateway) -> None:
    blue, red = await open_peer(), await open_peer()
    await blue.enter(BLUE)
    await red.enter(RED)
    rooms.room.gate = asyncio.Event()
    await blue.send(answer(1))
    await blue.ask(Ping("1"), Pong)
    stopping = asyncio.create_task(gateway.stop())
    await red.ask(Ping("1"), Pong)
    assert (await red.ask(answer(2), Refused)).code == "restarting"
    rooms.room.gate.set()
    await blue.expect(Update)
    await blue.expect(Accepted)
    for peer in (blue, red):
        while not isinstance(last := await peer.receive(), Goodbye):
            pass
        assert (last.code, last.again) == ("restart", True)
        assert await peer.closed() == 1012
    await stopping
    assert not rooms.room.inside
    assert (rooms.listeners, rooms.status_callbacks) == ([], [])


async def test_no_secret_reaches_the_log(open_peer: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("underfire").setLevel(logging.DEBUG)
    peer = await open_peer()
    await peer.enter(BLUE)
    named = UnitNamed("blue-token-in-a-unit")
    await peer.ask(Answer("answer-0001", "p0", "explode", (named,)), Refused)
    guess = await open_peer()
    await guess.ask(EnterMatch(PROTOCOL, "m", "hunter2"), Refused)
    await guess.closed()
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("underfire"))
    assert "explode" not in ours
    assert "Answer failed" in ours
    for secret in (BLUE, "hunter2"):
        assert secret not in ours


@pytest.mark.parametrize("limits", [Limits(malformed=50)])
async def test_many_malformed_messages_of_a_connection_are_one_line_of_the_log(
    open_peer: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "underfire")
    peer = await open_peer()
    for _ in range(40):
        await peer.socket.send(b"\xc1 a secret")
        await peer.expect(Refused)
    (said,) = [record.getMessage() for record in caplog.records if "malformed" in record.getMessage()]
    assert "secret" not in said
