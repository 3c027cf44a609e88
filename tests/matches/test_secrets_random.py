"""Games between random seats, with private acts at random moments: audiences that must not notice them are told the same, to
the byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client_protocol.clocks import ClockTerms
from client_protocol.codec import pack
from client_protocol.from_client import Replay
from client_protocol.from_server import Update
from server.kernel.answers.sampling import sample
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.clocks import begun
from server.kernel.desk_facts import (
    ClockSet,
    DeskFact,
    OfferAccepted,
    OfferClosed,
    Offered,
    Said,
    StandingOrder,
)
from server.kernel.ruleset import Ruleset
from server.matches.log import fold as log_module
from server.matches.log.audiences import text_of
from server.matches.log.entries import Aside, Body, TakenBack
from server.matches.play.taking_back import way_back
from server.matches.projections.frames import Teller
from server.matches.projections.notation import notation
from server.matches.projections.replay import replay_part
from server.matches.projections.story import remembered
from server.matches.projections.summary import match_summary
from server.matches.setup.forks import fork
from server.rulesets.library import editions
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules
from tests.support.worlds import counted, gone_on

CLOCK = ClockTerms("live", 600, 5, 30)
STEP = 1000
"""Milliseconds between two public acts; private ones happen in between."""
Private = Mapping[int, str]
"""The private act before each step: a word of `PRIVATE`."""


class Heard(MatchInMemory):
    """A match with a listener in every audience, by a clock that the test sets."""

    def __init__(self, rules: Ruleset, scenario: str) -> None:
        super().__init__(rules, scenario)
        self.moment = 0
        self.heard: dict[Audience, list[Update]] = {audience: [] for audience in self.referee.fold.audiences}
        self.teller = Teller(rules, self.referee.fold, self.referee.ask)

    @property
    def up(self) -> int:
        return self.moment

    @property
    def first(self) -> str:
        """The seat that has secrets: the first one, whose sealed answers wait for all others."""
        return self.referee.fold.seats[0]

    def add(self, body: Body, parent: int = 0) -> None:
        payload = self.referee.fold.entry(body, self.moment, len(self.entries).to_bytes(16, "big"), parent)
        added = self.referee.take(payload, own=True)
        self.entries.append(payload)
        for frame in self.teller.tell(added, self.referee.ask):
            self.heard[frame.audience].append(frame.update)

    def told(self, audience: Audience) -> list[bytes]:
        """Return all that an audience is told, and can request."""
        fold, rules, entries = self.referee.fold, self.rules, self.entries
        again = self.again()
        hashes: dict[bytes, int] = {}
        found: list[object] = [counted(update, hashes) for update in self.heard[audience]]
        found += [counted(self.teller.snapshot(audience), hashes), match_summary(fold, self.referee.ask, 0, rules)]
        # Including what a newly started server shows.
        restarted = Teller(rules, again.fold, again.ask).snapshot(audience)
        found += [counted(restarted, hashes), match_summary(again.fold, again.ask, 0, rules)]
        found += [replay_part(rules, entries, Replay("r", text_of(audience), after)) for after in (-1, 7, 1000)]
        found += [remembered(rules, entries, audience, 1000, 200), notation(rules, entries, audience)]
        found += [
            gone_on(fork(entries, audience, frame, orders=bool(rules.orders)))
            for frame in range(0, fold.seqs[audience] + 1, 3)
        ]
        return [pack(one) for one in found]


def game(rules: Ruleset, scenario: str, seed: int, private: Private, steps: int) -> Heard:
    """Play a game between seats that answer at random, make offers and take back; private acts change nothing of it."""
    match = Heard(rules, scenario)
    match.seat_all()
    match.add(Aside((ClockSet(begun(CLOCK, match.referee.fold.seats, 0)),)))
    match.begin()
    for step in range(steps):
        if match.referee.ask is None:
            break
        # The answers must not depend on what a seat does in private.
        chance = random.Random(f"{seed}/{step}")
        match.moment = step * STEP + STEP // 2
        if step in private:
            PRIVATE[private[step]](match, random.Random(step))
        match.moment = (step + 1) * STEP
        public(match, chance)
    return match


def public(match: Heard, chance: random.Random) -> None:
    """Do something that every audience notices."""
    fold, ask = match.referee.fold, match.referee.ask
    assert ask is not None, "the game goes on"
    seat = next(seat for seat in ask.seats if seat not in fold.state.sealed)
    way = way_back(fold, ask, seat)
    what = chance.random()
    if what < 0.1:
        match.add(Aside((Said(seat, "", "Well", "table"),), seat))
    elif what < 0.15:
        name = str(fold.offered + 1)
        match.add(Aside((Offered(name, seat, "draw"),), seat))
        match.add(Aside((OfferClosed(name, seat),), seat))
    elif what < 0.3 and way is not None:
        take_back(match, seat, way.to.number)
    else:
        match.answer(seat, sample(believed(fold.state, seat), ask.seats[seat], chance))


def take_back(match: Heard, seat: str, to: int) -> None:
    """Let the seat take back with the consent of all others."""
    fold = match.referee.fold
    name = str(fold.offered + 1)
    match.add(Aside((Offered(name, seat, "take_back", to=to),), seat))
    for other in fold.seats:
        if other != seat:
            match.add(Aside((OfferAccepted(name, other),), other))
    way = way_back(fold, match.referee.ask, seat)
    assert way is not None, "nothing has happened since"
    match.add(TakenBack(seat, f"~offer:{name}", tuple(other for other in fold.seats if other != seat)), to)


# --- what is private -------------------------------------------------------------------------------------------------


def put_on_desk(match: Heard, seat: str, fact: DeskFact) -> None:
    match.add(Aside((fact,), seat))


def change_sealed(match: Heard, chance: random.Random) -> None:
    """Let the first seat, whose sealed answer waits, give another one, and then the same one again."""
    ask, seat = match.referee.ask, match.first
    was = match.referee.fold.state.sealed.get(seat)
    if ask is None or was is None:
        return
    match.answer(seat, sample(believed(match.referee.fold.state, seat), ask.seats[seat], chance))
    match.answer(seat, was)


def give_order(match: Heard, chance: random.Random) -> None:
    """Give a standing order that changes nothing of what happens."""
    if match.rules.orders:
        order = chance.choice(["ask", "press", ""])
        put_on_desk(match, match.first, StandingOrder(f"{match.first}-1", order))


PRIVATE: dict[str, Callable[[Heard, random.Random], None]] = {
    "spectators": lambda match, _chance: put_on_desk(match, "", Said("", "Wat", "Look at that", "spectators")),
    "side": lambda match, _chance: put_on_desk(match, match.first, Said(match.first, "", "Note to self", "side")),
    "change": change_sealed,
    "order": give_order,
}
SEATS = ("side", "change", "order")
SPECTATORS_ONLY = ("spectators",)
REAL = [(rules, rules.info.scenarios[-1].id) for rules in editions().values()]


def strewn(words: tuple[str, ...], steps: int) -> st.SearchStrategy[Private]:
    return st.dictionaries(st.integers(0, steps - 1), st.sampled_from(words), min_size=1)


def same(rules: Ruleset, scenario: str, seed: int, private: Private, steps: int) -> bool:
    """Check that all audiences that must not notice are told the same with and without it."""
    without, with_it = (game(rules, scenario, seed, strewn, steps) for strewn in ({}, private))
    knowing: Audience = SPECTATORS if set(private.values()) <= set(SPECTATORS_ONLY) else without.first
    return all(without.told(other) == with_it.told(other) for other in without.heard if other != knowing)


@given(st.integers(0, 1000), strewn(SEATS, 30))
@settings(max_examples=8, deadline=None, derandomize=True)
@pytest.mark.parametrize("scenario", ["duel", "three-way"])
def test_private_acts_of_a_seat_change_no_other_audiences_frames(scenario: str, seed: int, private: Private) -> None:
    assert same(ToyRules(rounds=8), scenario, seed, private, 30)


@given(st.integers(0, 1000), strewn(SPECTATORS_ONLY, 30))
@settings(max_examples=8, deadline=None, derandomize=True)
@pytest.mark.parametrize("scenario", ["duel", "three-way"])
def test_chat_among_spectators_changes_no_players_frames(scenario: str, seed: int, private: Private) -> None:
    assert same(ToyRules(rounds=8), scenario, seed, private, 30)


@pytest.mark.parametrize(("rules", "scenario"), REAL, ids=editions())
@pytest.mark.parametrize("words", [SEATS[:3], SPECTATORS_ONLY], ids=["a seat", "spectators"])
def test_private_acts_in_battle_change_no_other_audiences_frames(
    rules: Ruleset, scenario: str, words: tuple[str, ...]
) -> None:
    private = {step: words[step % len(words)] for step in range(0, 25, 2)}
    for seed in (1, 2):
        assert same(rules, scenario, seed, private, 25)


# --- these tests can fail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", PRIVATE)
def test_the_random_tests_of_secrets_can_fail(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Every audience gets a frame of everything."""
    monkeypatch.setattr(log_module.Fold, "_noticing", lambda self, _body, _sealing: self.audiences)
    assert not same(ToyRules(rounds=8), "duel", 3, dict.fromkeys(range(30), word), 30)
