"""Every way in which the dice can fall, played out by the rules themselves: what odds are held against."""

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
    """The dice so far are not enough."""

    def __init__(self, roll: Roll) -> None:
        super().__init__()
        self.roll = roll


class _Falling:
    """Dice that fall as said, and no more of them."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._faces = tuple(faces)
        self._next = 0

    def faces(self, roll: Roll) -> Taken:
        """The next faces."""
        first, self._next = self._next, self._next + roll.count
        if self._next > len(self._faces):
            raise _MoreError(roll)
        return Taken(roll.stream, first, roll.sides, self._faces[first : self._next])


def every_way(state: State, *plan: Picked, fallen: Sequence[int] = ()) -> Iterator[tuple[Fraction, list[Fact]]]:
    """What follows from the answers of `plan`, and after them the clock's, until somebody may activate again: every way the dice
    can fall, with its weight. `fallen` are the first dice, of which there is no doubt.
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
    """How probable an event is."""
    return sum((weight for weight, facts in ways if event(facts)), Fraction(0))


def mean(ways: Sequence[tuple[Fraction, list[Fact]]], number: Callable[[list[Fact]], int]) -> Fraction:
    """What a number is to be expected."""
    return sum((weight * number(facts) for weight, facts in ways), Fraction(0))
