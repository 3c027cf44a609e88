"""The trail of a match: what is folded again is what was there."""

from __future__ import annotations

import random
from typing import NamedTuple

import msgspec
import pytest

from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.dice import RecordedDice
from server.kernel.procedure import Happened, rebuild
from server.kernel.state import State
from server.matches.log.entries import Aside, Rewound, Stepped, TakenBack, decode
from server.matches.log.trail import KEPT, STRETCH
from server.rulesets.library import editions
from tests.support.playing import MatchInMemory


class Then(NamedTuple):
    """What a fold said when it stood there."""

    state: State
    boundary: State
    since: list[Happened]


def since_of(entries: list[bytes]) -> list[Happened]:
    """Return what has happened since the last boundary, as the whole log says."""
    after: dict[int, list[Happened]] = {}
    asides: list[tuple[int, Happened]] = []
    since: list[Happened] = []
    begun = False
    for number, payload in enumerate(entries, 1):
        envelope = decode(number, payload)
        body = envelope.body
        if isinstance(body, Stepped):
            facts, rolls = body.boundary or (0, 0)
            if body.boundary is None:
                since = [*since, Happened(body.rolls, body.facts, body.seat, body.picked)]
            else:
                since = [Happened(body.rolls[rolls:], body.facts[facts:])]
            begun = True
        elif isinstance(body, Aside) and begun:
            asides.append((number, Happened((), body.facts, aside=True)))
            since = [*since, asides[-1][1]]
        elif isinstance(body, TakenBack):
            since = [*after[envelope.parent], *(aside for at, aside in asides if at > envelope.parent)]
        elif isinstance(body, Rewound):
            since, begun = [], False
        after[number] = since
    return since


def stands(in_memory: MatchInMemory) -> Then:
    fold = in_memory.referee.fold
    since = since_of(in_memory.entries)
    assert fold.since == since
    return Then(fold.state, fold.boundary, since)


def written(state: State) -> bytes:
    """Return a state in letters: two in which the units or figures are in another order are not the same."""
    return msgspec.json.encode(state)


def check(in_memory: MatchInMemory, line: dict[int, Then], number: int) -> None:
    """Compare all that the fold makes again, from the mark `number` on, with what it was."""
    fold = in_memory.referee.fold
    steps = list(fold.steps_after(number))
    later = [mark for mark in fold.marks if mark.number > number]
    assert len(steps) == len(later)
    for mark, (before, step) in zip(later, steps, strict=True):
        assert step.seat == mark.seat
        was = line[mark.number - 1].state
        assert before == was
        assert written(before) == written(was)
    then = line[number]
    boundary, since = fold.at(next(mark for mark in fold.marks if mark.number == number))
    assert (boundary, since) == (then.boundary, then.since)
    assert written(boundary) == written(then.boundary)
    assert rebuild(in_memory.referee.rules, fold.boundary, fold.since, RecordedDice(())).asked == in_memory.referee.ask


@pytest.mark.parametrize("edition", editions())
def test_steps_and_their_states_are_made_again_as_they_were(edition: str) -> None:
    """After asides, take-backs and a rewind, all that a match can go back to is as it was."""
    rules = editions()[edition]
    in_memory = MatchInMemory(rules, rules.info.scenarios[0].id)
    in_memory.seat_all()
    in_memory.begin()
    chance = random.Random(7)
    line: dict[int, Then] = {}

    def note() -> None:
        line[in_memory.referee.fold.number] = stands(in_memory)

    note()
    checked = longest = count = 0
    while (ask := in_memory.referee.ask) is not None and count < 110:
        fold = in_memory.referee.fold
        count += 1
        if count % 5 == 4 and count > 30:
            # As in a match that was loaded: what is there is compressed, and more comes.
            fold.keep_small()
        if count % 7 == 3:
            unit = chance.choice(list(fold.state.units))
            in_memory.order(unit, f"order {count}")
        elif count % 11 == 10:
            longest = max(longest, len(fold.marks))
            check(in_memory, line, chance.choice([mark.number for mark in list(fold.marks)[1:]]))
            checked += 1
        elif count % 47 == 46:
            in_memory.add(TakenBack(fold.seats[0]), chance.choice(list(fold.marks)[2:-1]).number)
        elif count == 70:
            in_memory.add(Rewound("the rules changed"))
            note()
            in_memory.begin()
        else:
            seat = next(seat for seat in ask.seats if seat not in fold.state.sealed)
            in_memory.answer(seat, sample(believed(fold.state, seat), ask.seats[seat], chance))
        note()
    assert checked > 5
    assert longest == KEPT > STRETCH
