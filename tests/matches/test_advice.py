"""Players may ask the computer what it would do: alone always, else where the match was made so. Nothing of it is logged."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.from_client import AskAdvice
from client_protocol.from_server import Advice, Refused
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.kernel.views import advised
from server.matches.log.audiences import audience_of
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from server.work.desk import RulesOf
from tests.support.room import DUEL, begun, rooms_on
from tests.support.toy_rules import ToyRules

TOLD: list[State] = []


def adviser(_rules: RulesOf, _edition: str, known: State, asked: Asked, seat: str) -> tuple[Picked, str]:
    TOLD.append(known)
    return asked.default, f"{seat} has nothing better."


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store, adviser=adviser) as opened:
        yield opened


async def test_where_the_match_was_made_so_all_players_may_ask_and_all_see_that(rooms: Rooms) -> None:
    table = await begun(rooms, replace(DUEL, advice=True))
    assert all(table.room.teller.snapshot(audience_of(one)).view.advice for one in ("red", "blue", ""))
    prompt, length = table.prompt("red"), table.room.length
    reply = await table.room.queries.advice("red", AskAdvice("1", prompt.id))
    assert reply == Advice("1", prompt.id, prompt.default.choice, prompt.default.values, "red has nothing better.")
    # It answers nothing, and no entry says that it was asked.
    assert table.room.length == length
    assert table.prompt("red").id == prompt.id


async def test_the_computer_is_given_what_the_seat_may_know(rooms: Rooms) -> None:
    table = await begun(rooms, replace(DUEL, advice=True))
    await table.give("red", table.default("red"))
    await table.room.queries.advice("blue", AskAdvice("1", table.prompt("blue").id))
    assert "red" not in {seat for seat, picked in TOLD[-1].sealed.items() if picked.values or picked.choice == "1"}


async def test_between_players_it_is_refused_otherwise(rooms: Rooms) -> None:
    table = await begun(rooms)
    assert not table.room.teller.snapshot(audience_of("red")).view.advice
    reply = await table.room.queries.advice("red", AskAdvice("1", table.prompt("red").id))
    assert isinstance(reply, Refused)
    assert reply.code == "no_advice"


async def test_of_a_question_that_is_not_open_there_is_none(rooms: Rooms) -> None:
    table = await begun(rooms, replace(DUEL, advice=True))
    reply = await table.room.queries.advice("red", AskAdvice("1", "another"))
    assert isinstance(reply, Refused)
    assert reply.code == "prompt_closed"


@pytest.mark.parametrize(
    ("programs", "lent", "advice"),
    [({}, {}, False), ({"blue": "weak"}, {}, True), ({"blue": "weak"}, {"blue": "Bo"}, False)],
)
def test_a_player_alone_may_always_ask(programs: dict[str, str], lent: dict[str, str], advice: bool) -> None:
    state = ToyRules().open("duel", {})
    assert advised(replace(state, desk=replace(state.desk, programs=programs, lent=lent))) is advice
