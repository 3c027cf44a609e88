"""A program plays on in the place of a player, and the player takes the seat back: by consent, in the log, seen by all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Answer, CommitRandomness, MakeMatch, MakeOffer, Order, Respond, RevealRandomness
from client_protocol.from_server import Accepted, ProgramInfo, Refused, Update
from client_protocol.view import SeatView
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.matches.log import match_file
from server.matches.log.audiences import audience_of
from server.matches.machines import Machines
from server.matches.play.abandonment import Abandonment
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.store.store import MatchStore
from server.work.desk import RulesOf
from tests.support.playing import digest_of, share_of
from tests.support.room import THREE_WAY, Hands, Table, begun, entries_of, eventually, rooms_on
from tests.support.toy_rules import ToyRules

PROGRAMS = (ProgramInfo("weak", "Weak", "It is weak."),)
NAME = "Weak (computer)"


class Process:
    """Runs jobs at once."""

    async def do(self, _seconds: float, job: Callable[..., Picked], *args: object) -> Picked:
        return job(lambda _name: ToyRules(), *args)


def default(_rules: RulesOf, _edition: str, _program: str, _state: State, asked: Asked, *_more: str) -> Picked:
    return asked.default


def machines() -> Machines:
    return Machines(PROGRAMS, default, Process(), lambda _seconds: asyncio.sleep(0))  # type: ignore[arg-type]


HANDS = Hands()


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    policy = Abandonment("claim", 60)
    async with rooms_on(store, ToyRules(rounds=6), hands=HANDS, abandonment=policy, machines=machines()) as opened:
        yield opened


def seat(table: Table, key: str, audience: str = "") -> SeatView:
    return table.room.teller.snapshot(audience_of(audience)).view.seats[key]


async def offered(table: Table, by: str, program: str = "weak", hand: str = "") -> Accepted | Refused:
    return await table.room.settle_on_desk(by, MakeOffer(f"offer-{by}-{program}", "hand_over", None, hand, program))


async def agreed(table: Table, *seats: str) -> None:
    (key,) = table.room.teller.snapshot(audience_of("")).view.offers
    for by in seats:
        assert isinstance(await table.room.settle_on_desk(by, Respond(f"agree-{by}-{key}", key, True)), Accepted)


def waiting(table: Table) -> list[str]:
    return [key for key in table.asked if not table.prompt(key).answered]


def refused(reply: Accepted | Refused, code: str) -> None:
    assert isinstance(reply, Refused), reply
    assert reply.code == code


async def test_a_program_plays_on_for_a_player_when_the_others_agree_and_the_player_takes_it_back(
    rooms: Rooms, store: MatchStore
) -> None:
    table = await begun(rooms)
    await table.deploy()
    assert isinstance(await offered(table, "red"), Accepted)
    assert seat(table, "red").program == ""
    await agreed(table, "blue")
    assert seat(table, "red") == seat(table, "red", "blue")
    assert (seat(table, "red").program, seat(table, "red").name, seat(table, "red").lent) == ("weak", NAME, "Ada")
    # It plays as soon as it is asked, and the player cannot answer for it.
    await eventually(lambda: "red" not in waiting(table))
    refused(await table.room.answer("red", Answer("answer-01", "1", "hold")), "handed_over")
    refused(await table.room.order("red", Order("order-01", "red-1", "stop")), "handed_over")
    await table.give("blue", table.default("blue"))
    await eventually(lambda: "blue" in waiting(table) and "red" not in waiting(table))
    # The player asks for the seat; the other one agrees, and the program is asked no more.
    assert isinstance(await offered(table, "red", ""), Accepted)
    await agreed(table, "blue")
    assert (seat(table, "red").program, seat(table, "red").name, seat(table, "red").lent) == ("", "Ada", "")
    await table.play_out()
    await eventually(lambda: table.room.published)
    report = verify(match_file.export(await entries_of(store, table.room.match)), lambda _edition: ToyRules(rounds=6))
    assert (report.replayed, report.differences) == (report.steps, ())


async def test_all_read_who_plays(rooms: Rooms) -> None:
    table = await begun(rooms)
    await offered(table, "red")
    await agreed(table, "blue")
    lines = [
        story.text
        for update in table.listeners[""].messages
        if isinstance(update, Update)
        for story in update.story or ()
    ]
    assert "Ada asks to leave the seat to Weak (computer)." in lines
    assert "Weak (computer) plays Red from here on, in the place of Ada." in lines


async def test_alone_against_a_program_a_player_may_leave_at_once(rooms: Rooms) -> None:
    alone = MakeMatch("make-2", "toy", "duel", "Ada", ("red",), programs={"blue": "weak"})
    made = await rooms.make(alone)
    assert not isinstance(made, Refused)
    room = await rooms.get(made.match)
    assert room is not None
    table = Table(room)
    await room.commit("red", CommitRandomness("c", digest_of(share_of("red"))))
    await eventually(lambda: "blue" in room.teller.snapshot(audience_of("")).committed)
    await room.reveal("red", RevealRandomness("r", share_of("red").hex()))
    await eventually(lambda: bool(table.asked))
    assert isinstance(await offered(table, "red"), Accepted)
    await eventually(lambda: table.room.over)


async def test_a_seat_is_not_handed_over_while_a_player_has_not_agreed(rooms: Rooms) -> None:
    table = await begun(rooms, THREE_WAY)
    await offered(table, "red")
    await agreed(table, "blue")
    assert seat(table, "red").program == ""
    refused(await offered(table, "green"), "offer_open")
    await agreed(table, "green")
    assert seat(table, "red").program == "weak"


async def test_another_players_seat_is_handed_over_only_when_the_game_could_be_claimed(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    decides = next(one for one in ("red", "blue") if one in table.asked)
    other = {"red": "blue", "blue": "red"}[decides]
    refused(await offered(table, other, "weak", decides), "too_early")
    HANDS.move(61)
    assert isinstance(await offered(table, other, "weak", decides), Accepted)
    await eventually(lambda: seat(table, decides).program == "weak")


async def test_what_cannot_be_handed_over_is_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    refused(await offered(table, "red", "marshal"), "no_program")
    refused(await offered(table, "red", "uncontrolled"), "no_program")
    refused(await offered(table, "red", ""), "not_handed")
    refused(await offered(table, "red", "weak", "pink"), "not_handed")
    await offered(table, "red")
    await agreed(table, "blue")
    for message in (
        MakeOffer("offer-pause", "clock", ClockTerms("live", bank=60)),
        MakeOffer("offer-again", "hand_over", None, "", "weak"),
    ):
        refused(await table.room.settle_on_desk("red", message), "handed_over")
