"""Frames: which are private, namely those of entries that some audience does not notice; and what they are made from."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator

import pytest

from client_protocol.view import View
from server.kernel.answers.check import Ask
from server.kernel.belief import SPECTATORS, Audience
from server.kernel.desk_facts import Said, StandingOrder
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Aside, Body
from server.matches.log.fold import Added
from server.matches.projections.frames import Frame, Teller
from server.rulesets.library import editions
from tests.support.playing import MatchInMemory
from tests.support.reliving import Live, eventful
from tests.support.toy_rules import ToyRules


def told(played: MatchInMemory, body: Body) -> list[Frame]:
    """Return the frames of one more entry."""
    fold = played.referee.fold
    teller = Teller(played.rules, fold, played.referee.ask)
    added = played.referee.take(fold.entry(body, 2000, bytes(16)), own=True)
    return list(teller.tell(added, played.referee.ask))


def begun() -> MatchInMemory:
    played = MatchInMemory(ToyRules())
    played.seat_all()
    played.begin()
    return played


@pytest.mark.parametrize(
    ("body", "noticing"),
    [
        (Aside((StandingOrder("red-1", "stop"),), "red", "red:order-1"), {"red"}),
        (Aside((Said("red", "", "Left, then.", "side"),), "red", "red:say-1"), {"red"}),
        (Aside((Said("", "Wat", "Who wins?", "watchers"),), "", ":say-1"), {SPECTATORS}),
    ],
    ids=["a standing order", "talk of a side", "talk of spectators"],
)
def test_what_some_audience_does_not_notice_is_private(body: Body, noticing: set[Audience]) -> None:
    frames = told(begun(), body)
    assert {frame.audience for frame in frames} == noticing
    assert all(frame.private for frame in frames)


def test_only_an_answer_that_replaces_a_sealed_one_is_private() -> None:
    played = begun()
    assert played.referee.ask is not None
    (seat, asked), *others = played.referee.ask.seats.items()
    assert others, "both are asked"
    for private in (False, True):
        frames = told(played, played.referee.answer(seat, asked.default, f"{seat}:answer-{private}", lambda: 0))
        assert [frame.private for frame in frames] == ([True] if private else [False] * 3)


@pytest.mark.parametrize("seat", ["red", "blue"])
def test_who_gave_an_answer_is_told_of_it_after_the_other_seats_and_spectators_last(seat: str) -> None:
    played = begun()
    assert played.referee.ask is not None
    default = played.referee.ask.seats[seat].default
    frames = told(played, played.referee.answer(seat, default, f"{seat}:answer-1", lambda: 0))
    assert [frame.audience for frame in frames] == [{"red": "blue", "blue": "red"}[seat], seat, SPECTATORS]


class Compared(Teller):
    """A teller that rests now and then, and is held against one that does not."""

    def __init__(self, live: Live, chance: random.Random) -> None:
        super().__init__(live.rules, live.referee.fold, live.referee.ask)
        self.awake = Teller(live.rules, live.referee.fold, live.referee.ask)
        self._chance = chance

    def tell(self, added: Added, ask: Ask | None, awaited: Collection[Audience] | None = None) -> Iterator[Frame]:
        frames = list(super().tell(added, ask, awaited))
        assert frames == list(self.awake.tell(added, ask, awaited))
        if self._chance.random() < 0.5:
            self.rest()
            assert not any(self._kept())
        kept = self._kept()
        for audience in self._chance.sample([*self._seen], 1):
            assert self.snapshot(audience) == self.awake.snapshot(audience)
        assert all(now is before for now, before in zip(self._kept(), kept, strict=True))
        return iter(frames)

    def _kept(self) -> list[View | None]:
        """Return the views that are at hand."""
        return [seen.shown.rendered for seen in self._seen.values()]


@pytest.mark.parametrize("edition", editions())
def test_what_is_rendered_again_is_as_it_was(edition: str) -> None:
    rules = editions()[edition]
    live = Live(rules, rules.info.scenarios[0].id)
    live.teller = Compared(live, random.Random(3))
    eventful(live, 3, 40)


class Expecting(Live):
    """A match whose teller mostly expects the steps that come, and some that do not."""

    def __init__(self, rules: Ruleset, scenario: str, chance: random.Random) -> None:
        super().__init__(rules, scenario)
        self._chance = chance
        self.expected = 0

    def add(self, body: Body, parent: int = 0) -> None:
        number = len(self.entries)
        payload = self.referee.fold.entry(body, 1000 + number, number.to_bytes(16, "big"), parent)
        lost = self.referee.fold.entry(body, 2000 + number, bytes(16), parent)
        for expected in self._chance.choice([(), (payload,), (lost,), (lost, payload)]):
            coming = self.referee.expect(expected)
            if coming is not None:
                self.expected += 1
                self.teller.expect(*coming, self.referee.fold.audiences)
        self.take(payload)


@pytest.mark.parametrize("edition", editions())
def test_what_is_expected_is_told_as_what_is_not(edition: str) -> None:
    rules = editions()[edition]
    plain, expecting = (
        eventful(live, 5, 40)
        for live in (
            Live(rules, rules.info.scenarios[0].id),
            Expecting(rules, rules.info.scenarios[0].id, random.Random(5)),
        )
    )
    assert isinstance(expecting, Expecting)
    assert expecting.expected > 0
    assert expecting.entries == plain.entries
    assert expecting.updates == plain.updates
