"""Matches in which everything happens that can happen, heard while they are played and replayed afterwards."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from client_protocol.clocks import ClockTerms
from client_protocol.codec import pack, unpack
from client_protocol.from_client import Replay
from client_protocol.from_server import ReplayFrame, ReplayPart, Update
from server.kernel.answers.sampling import sample
from server.kernel.belief import Audience, believed
from server.kernel.clocks import begun
from server.kernel.desk_facts import ClockSet, DeskFact, OfferAccepted, OfferClosed, Offered, Said
from server.kernel.ruleset import Ruleset
from server.matches.log.audiences import text_of
from server.matches.log.entries import Aside, Body, Rewound, TakenBack
from server.matches.play.taking_back import way_back
from server.matches.projections.frames import Teller
from server.matches.projections.replay import replay_part
from server.rulesets.library import editions
from tests.support.playing import MatchInMemory, merged
from tests.support.toy_rules import ToyRules

MOST_STEPS = 90
"""The number of answers after which a battle is long enough."""


class Live(MatchInMemory):
    """A match with a listener in every audience."""

    def __init__(self, rules: Ruleset, scenario: str) -> None:
        super().__init__(rules, scenario)
        fold = self.referee.fold
        self.teller = Teller(rules, fold, self.referee.ask)
        self.views = {audience: [plain(self.teller.snapshot(audience).view)] for audience in fold.audiences}
        self.updates: dict[Audience, list[Update]] = {audience: [] for audience in fold.audiences}

    def add(self, body: Body, parent: int = 0) -> None:
        number = len(self.entries)
        self.take(self.referee.fold.entry(body, 1000 + number, number.to_bytes(16, "big"), parent))

    def take(self, payload: bytes) -> None:
        added = self.referee.take(payload, own=True)
        self.entries.append(payload)
        for frame in self.teller.tell(added, self.referee.ask):
            self.updates[frame.audience].append(frame.update)
            was = self.views[frame.audience][-1]
            self.views[frame.audience].append(bare(merged(was, unpack(pack(frame.update.patch), dict))))

    def replay(self, view: Audience, after: int = -1) -> ReplayPart:
        part = replay_part(self.rules, self.entries, Replay("r", text_of(view), after))
        assert isinstance(part, ReplayPart), part
        return part


def plain(view: object) -> dict[str, Any]:
    """Return a view as a client holds it."""
    return bare(unpack(pack(view), dict))


def bare(view: object) -> dict[str, Any]:
    """Return a view without its nulls, which a merge patch removes."""
    assert isinstance(view, dict)
    return {key: bare(value) if isinstance(value, dict) else value for key, value in view.items() if value is not None}


def told_again(live: Live, view: Audience) -> tuple[list[dict[str, Any]], list[ReplayFrame]]:
    """Return every view of a replay, from before the first frame on, and its frames, fetched part by part."""
    views: list[dict[str, Any]] = []
    frames: list[ReplayFrame] = []
    more, after = True, -1
    while more:
        part = live.replay(view, after)
        if part.start is not None:
            views.append(plain(part.start.view))
        for frame in part.frames:
            views.append(bare(merged(views[-1], unpack(pack(frame.patch), dict))))
        frames.extend(part.frames)
        more, after = part.more, len(frames)
    return views, frames


def eventful(live: Live, seed: int, most: int = MOST_STEPS) -> Live:
    """Play a match between random seats in which everything happens that can happen on the desk."""
    chance = random.Random(seed)
    live.seat_all()
    terms = ClockTerms("live", 600, 5, 30)
    live.add(Aside((ClockSet(begun(terms, live.referee.fold.seats, live.up)),)))
    live.begin()
    for count in range(most):
        ask, fold = live.referee.ask, live.referee.fold
        if ask is None:
            break
        seat = next(seat for seat in ask.seats if seat not in fold.state.sealed)
        for fact in beside(chance, seat, fold.offered):
            live.add(Aside((fact,), fact.seat if isinstance(fact, Said) else ""))
        own = [unit.id for unit in fold.state.units.values() if fold.state.seat_of(unit.id) == seat]
        if live.rules.orders and own and chance.random() < 0.2:
            live.order(chance.choice(own), chance.choice(list(live.rules.orders)))
        way = way_back(fold, ask, seat)
        if way is not None and chance.random() < 0.2:
            take_back(live, seat, way.to.number)
        elif count % 40 == 30:
            live.add(Rewound("Once more."))
            live.begin()
        else:
            live.answer(seat, sample(believed(fold.state, seat), ask.seats[seat], chance))
    return live


def take_back(live: Live, seat: str, to: int) -> None:
    """Let the seat ask for a take-back, to which another one agrees."""
    fold = live.referee.fold
    offer, other = f"o{fold.offered}", next(other for other in fold.seats if other != seat)
    live.add(Aside((Offered(offer, seat, "take_back", to=to),), seat))
    live.add(Aside((OfferAccepted(offer, other),), other))
    live.add(TakenBack(seat, f"~offer:{offer}", (other,)), to)


def beside(chance: random.Random, seat: str, offered: int) -> Iterator[DeskFact]:
    """Do something on the desk."""
    channel = chance.choice(["table", "side", "spectators", "", "", ""])
    if channel:
        yield Said("" if channel == "spectators" else seat, "Wat", f"on {channel}", channel)  # type: ignore[arg-type]
    if chance.random() < 0.1:
        yield Offered(f"d{offered}", seat, "draw")
        yield OfferClosed(f"d{offered}", seat)


GAMES: list[tuple[Ruleset, str]] = [
    (ToyRules(rounds=8), "duel"),
    (ToyRules(rounds=8), "three-way"),
    *((rules, rules.info.scenarios[-1].id) for rules in editions().values()),
]
"""Rules and scenarios in which much happens."""
