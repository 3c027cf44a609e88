"""When the question is made that follows a step: after the step, and where that takes long before the clocks are read."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked
from server.kernel.answers.check import Asked
from server.kernel.state import State
from tests.support import toy_rules
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules


@pytest.mark.parametrize("at_once", [False, True])
def test_where_a_question_takes_long_the_up_time_is_read_when_it_is_made(
    monkeypatch: pytest.MonkeyPatch, *, at_once: bool
) -> None:
    played = MatchInMemory(ToyRules())
    played.seat_all()
    played.begin()
    done: list[str] = []

    def losses(unit: str, state: State) -> Asked:
        done.append("made")
        return asked_of(unit, state)

    def up() -> int:
        done.append("read")
        return played.up

    asked_of = toy_rules.losses
    monkeypatch.setattr(toy_rules, "losses", losses)
    referee = played.referee
    referee.at_once = at_once
    for bid in (None, Picked("1")):
        for seat in ("red", "blue"):
            assert referee.ask is not None
            picked = bid or referee.ask.seats[seat].default
            played.add(referee.answer(seat, picked, f"{seat}:{len(played.entries)}", up))
    assert done[-2:] == (["made", "read"] if at_once else ["read", "read"])
    assert referee.ask is not None
    (seat,) = referee.ask.seats
    assert referee.ask.seats[seat].title == "Choose a loss"
    assert done.count("made") == 1
