"""How lucky a roll was: the result compared with the exact distribution of its dice, after the roll.

A family has one row for each purpose of its rolls, which says what is counted. Rows take their numbers from the fact where
they can, so that an old log is judged by the numbers with which it was played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import isqrt
from typing import TypeVar

from client_protocol.luck import Luck, Myriad
from server.kernel.facts import Fact, Rolled
from server.kernel.state import State
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import per_myriad

R = TypeVar("R")
Row = Callable[[R, State, Rolled], tuple[Luck, ...]]
"""Returns the luck of each side for which a roll of one purpose can be good or bad."""


def told(rules: R, rows: Mapping[str, Row[R]], state: State, fact: Fact) -> tuple[Luck, ...]:
    """Return how lucky `fact` was and for whom, as it happens to `state`; () if it is no roll, or its purpose has no row."""
    if not isinstance(fact, Rolled) or fact.purpose not in rows:
        return ()
    return rows[fact.purpose](rules, state, fact)


def reckon(side: str, unit: str, wanted: str, spread: Mapping[int, Fraction], fell: int) -> Luck:
    """Return the luck of a roll whose result is `fell`, where more is better and `spread` is the distribution of the result."""
    mean = odds.mean(spread)
    variance = sum(((value - mean) ** 2 * weight for value, weight in spread.items()), Fraction(0))
    return Luck(
        side=side,
        unit=unit,
        wanted=wanted,
        expected=per_myriad(mean),
        fell=per_myriad(Fraction(fell)),
        deviation=_root(variance),
        better=per_myriad(odds.chance(spread, lambda value: value > fell)),
        as_good=per_myriad(odds.chance(spread, lambda value: value == fell)),
    )


def _root(square: Fraction) -> Myriad:
    """Return the square root in ten-thousandths, rounded. It uses no floating point, so that every machine gives the same
    number.
    """
    return (isqrt(int(square * 4 * 10_000**2)) + 1) // 2


def successes(fact: Rolled, wanted: str, mark: str, chances: Iterable[Fraction]) -> tuple[Luck, ...]:
    """Return the luck of a roll in which each die succeeds or fails: the dice marked `mark`, against the chance of each die."""
    spread = odds.successes(chances)
    return (reckon(fact.side, fact.unit, wanted, spread, fact.marks.count(mark)),)


def reaching(fact: Rolled, wanted: str, mark: str) -> tuple[Luck, ...]:
    """Return the luck of a roll whose dice are marked `mark` if they reach its one number."""
    (need,) = fact.numbers
    return successes(fact, wanted, mark, [odds.at_least(need.value)] * len(fact.faces))


def added(spread: Mapping[int, Fraction], more: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Return the distribution of the sum of two independent numbers."""
    return odds.over(spread, lambda number: {number + other: weight for other, weight in more.items()})


def roll_off(_rules: object, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Return the luck of each side in a roll-off (see `server.rulesets.shared.roll_off`)."""
    found = []
    for side, face, score in _scores(state, fact):
        spread = {value + score - face: weight for value, weight in odds.highest(1).items()}
        found.append(reckon(side, "", "the score", spread, score))
    return tuple(found)


def _scores(state: State, fact: Rolled) -> Iterator[tuple[str, int, int]]:
    """Yield each side that rolls, its die, and its score."""
    if not fact.numbers:
        yield from zip(state.sides, fact.faces, fact.faces, strict=True)
        return
    # Each number carries its side's name, in the order of the sides.
    sides = iter(state.sides.values())
    for face, number in zip(fact.faces, fact.numbers, strict=True):
        yield next(side.id for side in sides if side.name == number.lines[0].reason), face, number.value
