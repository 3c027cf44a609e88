"""Simulation: whole games between random seats, through the rules alone, without a server or a store."""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec import Struct

from client_protocol.choices import Picked
from server.kernel.answers.check import Ask, check
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.desk_facts import StandingOrder
from server.kernel.dice import Roll, Taken
from server.kernel.procedure import Run, Step
from server.kernel.ruleset import Ruleset
from server.kernel.state import Result, State

TOO_LONG = 5_000
SELDOM = 8
"""A seat that gives orders gives one before about every eighth of its answers."""


def chance_of(seed: int) -> random.Random:
    """Return the source of chance of a simulated game."""
    return random.Random(seed)


class RandomDice:
    """Dice from a seeded generator: simulations are repeatable, and need no audit."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._next = 0

    def faces(self, roll: Roll) -> Taken:
        """Return the faces for `roll`."""
        first, self._next = self._next, self._next + roll.count
        return Taken(
            roll.stream, first, roll.sides, tuple(self._chance.randint(1, roll.sides) for _ in range(roll.count))
        )


class Played(Struct, frozen=True):
    """A step of a simulated game: the state before it, the seat and its answer (the first step has none), what happened, the
    state after it and the open ask. `refused` says that the sampled answer was refused, and the default played; `orders` are
    those that the seat gave before it answered (`before` is the state after them).
    """

    before: State
    step: Step
    after: State
    ask: Ask | None
    seat: str = ""
    picked: Picked | None = None
    refused: bool = False
    orders: tuple[StandingOrder, ...] = ()


class Game(Struct, frozen=True):
    """The figures of a simulated game."""

    steps: int
    facts: int
    dice: int
    turns: int
    refusals: int
    result: Result


def play(rules: Ruleset, start: State, seed: int, *, orders: bool = False) -> Iterator[Played]:
    """Play a game from `start` between random seats, step by step. With `orders` they also give standing orders."""
    chance = chance_of(seed)
    run = Run(rules, start, RandomDice(chance))
    before = start
    step = run.begin()
    yield Played(before, step, run.state, run.asked)
    steps = 0
    while run.asked is not None:
        steps += 1
        assert steps < TOO_LONG, "a game that does not end"
        seats = [seat for seat in run.asked.seats if seat not in run.state.sealed]
        seat = seats[0]
        given = _order(rules, run.state, seat, chance) if orders else ()
        run.fold(given)
        asked = run.asked.seats[seat]
        known = believed(run.state, seat)
        # The prompts of an uncontrolled seat have what its method decides as their default.
        guided = seat in run.state.desk.uncontrolled
        picked = asked.default if guided else sample(known, asked, chance)
        refused = check(known, asked, picked) is not None
        if refused:
            picked = asked.default
        before = run.state
        step = run.answer(seat, picked)
        yield Played(before, step, run.state, run.asked, seat, picked, refused, given)


def _order(rules: Ruleset, state: State, seat: str, chance: random.Random) -> tuple[StandingOrder, ...]:
    """Return a standing order for one of the seat's units, or none."""
    units = [unit.id for unit in state.units.values() if not unit.left and state.seat_of(unit.id) == seat]
    if not rules.orders or not units or chance.randrange(SELDOM):
        return ()
    return (StandingOrder(chance.choice(units), chance.choice(list(rules.orders))),)


def simulate(rules: Ruleset, start: State, seed: int) -> Game:
    """Play a game from `start` and return its figures."""
    steps = facts = dice = refusals = 0
    last: State = start
    for played in play(rules, start, seed):
        steps += 1
        facts += len(played.step.facts)
        dice += sum(len(taken.faces) for taken in played.step.rolls)
        refusals += played.refused
        last = played.after
    assert last.result is not None, "a game ends with a result"
    return Game(steps, facts, dice, last.turn.number, refusals, last.result)
