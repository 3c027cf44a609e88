"""Audiences other than seats, and their names on the wire and in logs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.from_client import Replay
from client_protocol.from_server import Refused
from server.kernel.belief import EVERYTHING, SPECTATORS, Seatless
from server.kernel.desk_facts import ForceBrought, Said
from server.matches.log.audiences import audience_of, speaker, text_of
from server.matches.log.entries import Aside, opening, position
from server.matches.log.fold import Fold
from server.matches.play.referee import Referee
from server.matches.projections.frames import Teller
from server.matches.projections.queries import Queries
from server.work.desk import AtOnce
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules, force


def test_every_audience_has_a_name_on_the_wire_and_seats_use_their_ids() -> None:
    assert [(text, audience_of(text)) for text in ("", "*", "red")] == [
        ("", SPECTATORS),
        ("*", EVERYTHING),
        ("red", "red"),
    ]
    assert [text_of(audience) for audience in (SPECTATORS, EVERYTHING, "red")] == ["", "*", "red"]


def test_no_text_equals_an_audience_other_than_a_seat() -> None:
    for audience in Seatless:
        texts: tuple[object, ...] = ("", "*", audience.name, audience.value)
        assert audience not in texts


def test_in_a_log_only_the_empty_seat_is_a_spectator() -> None:
    assert [speaker(seat) for seat in ("", "*", "red")] == [SPECTATORS, "*", "red"]


def odd(*names: str) -> Fold:
    """Return a match of the toy rules whose seats have these names; the first one has brought a hidden force."""
    opened = MatchInMemory(ToyRules()).referee.fold.opened
    state = MatchInMemory(ToyRules()).referee.fold.state
    sides = zip(state.sides.items(), names, strict=True)
    state = replace(state, sides={key: replace(side, seat=name) for (key, side), name in sides})
    state = ForceBrought(names[0], force("Riflemen", "gun"), hidden=True).fold(state)
    return Fold(opening(replace(opened, position=position(state)), 1, b""))


@pytest.mark.parametrize("name", ["*", ""])
def test_a_seat_whose_name_stands_for_an_audience_on_the_wire_is_only_a_seat(name: str) -> None:
    fold = odd("red", name)
    teller = Teller(ToyRules(), fold, None)
    assert {audience: teller.snapshot(audience).view.seats["red"].force for audience in fold.audiences} == {
        "red": "Riflemen",
        name: "",
        SPECTATORS: "",
    }
    assert len(fold.audiences) == 3


async def test_a_seat_named_like_the_audience_of_everything_cannot_ask_for_everything() -> None:
    referee = Referee(ToyRules(), b"", odd("red", "*"))
    queries = Queries(referee, _nothing, AtOnce(lambda _edition: ToyRules()))
    refused = await queries.replay("*", Replay("r", "*"))
    assert isinstance(refused, Refused)
    assert refused.code == "not_over"


async def _nothing(_after: int) -> list[bytes]:
    raise AssertionError("nothing is read for who may not see it")


def test_a_spectators_chat_is_logged_without_a_seat_and_heard_by_spectators() -> None:
    live = MatchInMemory(ToyRules())
    live.add(Aside((Said("", "Wat", "ah", "spectators"),), "", ":say-1"))
    fold = live.referee.fold
    assert (fold.seqs["red"], fold.seqs[SPECTATORS], fold.answers.all()) == (0, 1, {":say-1": 1})
