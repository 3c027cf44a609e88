"""Every way in which the dice can fall, played by the rules themselves: odds are compared with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from client_protocol.choices import Picked
from server.kernel.dice import Roll, Taken
from server.kernel.facts import Fact
from server.kernel.procedure import Run
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import fubar4


class _MoreError(Exception):
    """There are fewer dice than the rules need."""

    def __init__(self, roll: Roll) -> None:
        super().__init__()
        self.roll = roll


class _Falling:
    """Dice with the given faces, and no more of them."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._faces = tuple(faces)
        self._next = 0

    def faces(self, roll: Roll) -> Taken:
        """Return the next faces."""
        first, self._next = self._next, self._next + roll.count
        if self._next > len(self._faces):
            raise _MoreError(roll)
        return Taken(roll.stream, first, roll.sides, self._faces[first : self._next])


def every_way(state: State, *plan: Picked, fallen: Sequence[int] = ()) -> Iterator[tuple[Fraction, list[Fact]]]:
    """Return every way in which the dice can fall after the answers of `plan`, each with its weight.

    After `plan` the default answers are given, until a seat may activate a unit again. `fallen` are the first dice, which are
    fixed.
    """
    waiting: list[tuple[tuple[int, ...], Fraction]] = [(tuple(fallen), Fraction(1))]
    while waiting:
        faces, weight = waiting.pop()
        try:
            facts = _played(state, plan, _Falling(faces))
        except _MoreError as more:
            count, sides = more.roll.count, more.roll.sides
            next_dice = product(range(1, sides + 1), repeat=count)
            waiting.extend(((*faces, *more_faces), weight / sides**count) for more_faces in next_dice)
        else:
            yield weight, facts


def _played(state: State, plan: Sequence[Picked], dice: _Falling) -> list[Fact]:
    run = Run(fubar4(), state, dice)
    facts = list(run.begin().facts)
    answers = iter(plan)
    ended = False
    while run.asked is not None and not ended:
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        picked = next(answers, None)
        ended = picked is None and run.asked.seats[seat].choice("activate") is not None
        if not ended:
            facts.extend(run.answer(seat, picked or run.asked.seats[seat].default).facts)
    return facts


def chance(ways: Sequence[tuple[Fraction, list[Fact]]], event: Callable[[list[Fact]], bool]) -> Fraction:
    """Return the probability of an event."""
    return sum((weight for weight, facts in ways if event(facts)), Fraction(0))


def mean(ways: Sequence[tuple[Fraction, list[Fact]]], number: Callable[[list[Fact]], int]) -> Fraction:
    """Return the expected value of a number."""
    return sum((weight * number(facts) for weight, facts in ways), Fraction(0))
