"""Matches that are played before they are measured: the dice depend on the match's secret alone, so a server that is given
the same orders gets the same games, and the sender need not understand them.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field

from msgspec.structs import replace

from client_protocol import codec
from client_protocol.choices import Assigned, AssignmentParameter, PathsDeclared, Picked, UnitNamed
from client_protocol.from_client import Answer, EnterMatch
from client_protocol.shapes import PROTOCOL
from server.gateway.broadcast import Broadcast
from server.kernel.answers.check import Asked
from server.kernel.answers.sampling import sample
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.desk_facts import RandomnessCommitted, RandomnessRevealed
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Opened, opening, position
from server.matches.log.fold import Added, Fold
from server.matches.log.secrets import claim, seat_field
from server.matches.play.referee import Referee
from server.matches.projections.frames import Teller
from tests.support.playing import Listener, payload

SECRET = bytes(range(32))
MADE_AT = 1_700_000_000_000


@dataclass(frozen=True)
class Order:
    """An answer: whose, its message, and whether it moves a unit; and what each audience is told of it: the message, and how many
    bytes of a socket it takes, compressed and plain.
    """

    seat: str
    message: bytes
    moves: bool
    told: dict[Audience, bytes]
    wire: dict[Audience, int]
    plain: dict[Audience, int]
    entry_bytes: int


@dataclass
class Prepared:
    """A match as far as its first order: its log, its private fields; and the orders that follow, to its last."""

    match: str
    seats: tuple[str, ...]
    entries: list[bytes] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)

    @property
    def meta(self) -> dict[str, bytes]:
        return {"secret": SECRET, **{seat_field(seat): claim(self.token(seat), seat) for seat in self.seats}}

    def token(self, seat: str) -> str:
        return f"{self.match}-{seat}-token"

    def entering(self, seat: str) -> bytes:
        """The first message of a seat's connection, or of a spectator's ("")."""
        return codec.encode(EnterMatch(PROTOCOL, self.match, self.token(seat) if seat else ""))


class Rehearsal:
    """A match that is being played, without a store and without sockets."""

    def __init__(self, rules: Ruleset, scenario: str, match: str, seed: int, turn_limit: int = 0) -> None:
        state = rules.open(scenario, {})
        players = {side.seat: side.seat for side in state.sides.values()}
        state = replace(state, desk=replace(state.desk, players=players))
        if turn_limit:
            state = replace(state, victory={**state.victory, "turn_limit": turn_limit})
        opened = Opened(
            match=match,
            edition=rules.info.id,
            version=rules.version,
            scenario=scenario,
            title=state.title,
            position=position(state),
            commitment=hashlib.sha256(SECRET).hexdigest(),
            listed=False,
        )
        first = opening(opened, MADE_AT, bytes(16))
        self.entries = [first]
        self.referee = Referee(rules, SECRET, Fold(first))
        self.teller = Teller(rules, self.referee.fold, self.referee.ask)
        audiences = self.referee.fold.audiences
        self._outlet = Broadcast(self.teller.snapshot)
        self._compressed, self._plain = ({one: Listener(deflates=way) for one in audiences} for way in (True, False))
        for audience, listener in (*self._compressed.items(), *self._plain.items()):
            self._outlet.enter(audience, listener.connection, -1, 0)
        self._chance = random.Random(seed)
        self._begin()

    def _begin(self) -> None:
        shares = {seat: seat.encode().ljust(32) for seat in self.referee.fold.seats}
        for seat, share in shares.items():
            self._add(Aside((RandomnessCommitted(seat, hashlib.sha256(share).hexdigest()),), seat))
        for seat, share in shares.items():
            self._add(Aside((RandomnessRevealed(seat, share.hex()),), seat))
        self._add(self.referee.begin(lambda: 0))

    @property
    def over(self) -> bool:
        return self.referee.ask is None

    @property
    def deploying(self) -> bool:
        return self.referee.fold.state.turn.number == 0

    def answer(self, *, shy: bool = False) -> Order:
        """Let the seat that is asked answer at random; a shy one names no enemy if it finds something else."""
        fold, ask = self.referee.fold, self.referee.ask
        assert ask is not None, "the match is over"
        seat = next(seat for seat in ask.seats if seat not in fold.state.sealed)
        known, asked = believed(fold.state, seat), ask.seats[seat]
        picked = sample(known, asked, self._chance)
        for _ in range(8 * shy):
            if not _names_enemy(known, seat, asked, picked):
                break
            picked = sample(known, asked, self._chance)
        message = Answer(f"order-{fold.number:06d}", fold.prompt_id(seat), picked.choice, picked.values)
        added = self._add(self.referee.answer(seat, picked, f"{seat}:{message.id}", lambda: 0))
        frames = list(self.teller.tell(added, self.referee.ask))
        self._outlet.publish(frames)
        told = {frame.audience: payload(self._plain[frame.audience].frames[-1]) for frame in frames}
        wire, plain = (
            {audience: len(listeners[audience].wire.pop()) for audience in told}
            for listeners in (self._compressed, self._plain)
        )
        return Order(seat, codec.encode(message), _moves(picked), told, wire, plain, len(self.entries[-1]))

    def _add(self, body: Body) -> Added:
        number = len(self.entries)
        payload = self.referee.fold.entry(body, MADE_AT + number, number.to_bytes(16, "big"))
        self.entries.append(payload)
        return self.referee.take(payload, own=True)


def prepare(rules: Ruleset, scenario: str, match: str, seed: int, most: int = 10_000) -> Prepared:
    """A match between random seats: deployed in its log, then at most so many orders."""
    rehearsal = Rehearsal(rules, scenario, match, seed)
    while rehearsal.deploying:
        rehearsal.answer()
    prepared = Prepared(match, rehearsal.referee.fold.seats, list(rehearsal.entries))
    # The frame of the last order is followed by another that publishes the secret: it is left out.
    while len(prepared.orders) < most:
        order = rehearsal.answer()
        if rehearsal.over:
            break
        prepared.orders.append(order)
    return prepared


def long_match(rules: Ruleset, scenario: str, match: str, steps: int) -> Prepared:
    """Return a match of so many steps: it has no turn limit in practice, its seats avoid attacks nine times out of ten,
    and its seed is one with which the match is not over before.
    """
    for seed in range(20):
        rehearsal = Rehearsal(rules, scenario, match, seed, turn_limit=10_000)
        while not rehearsal.over and len(rehearsal.entries) < steps:
            rehearsal.answer(shy=len(rehearsal.entries) % 10 > 0)
        if not rehearsal.over:
            return Prepared(match, rehearsal.referee.fold.seats, rehearsal.entries)
    raise AssertionError("no match lasts so long")


def _names_enemy(known: State, seat: str, asked: Asked, picked: Picked) -> bool:
    """Whether an answer names a unit of another seat: as its unit, or in what it assigns to figures."""
    units = [value.unit for value in picked.values if isinstance(value, UnitNamed)]
    choice = asked.choice(picked.choice)
    for parameter, value in zip(choice.parameters if choice else (), picked.values, strict=True):
        if isinstance(parameter, AssignmentParameter) and isinstance(value, Assigned):
            options = {option.key: option.unit for row in parameter.rows for option in row.options}
            units += [options[given] for given in value.given.values() if options[given]]
    return any(known.seat_of(unit) != seat for unit in units)


def _moves(picked: Picked) -> bool:
    return any(isinstance(value, PathsDeclared) and value.paths for value in picked.values)


__all__ = ["SPECTATORS", "Order", "Prepared", "Rehearsal", "long_match", "prepare"]
