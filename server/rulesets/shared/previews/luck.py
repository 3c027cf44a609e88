"""How lucky a roll was: what its dice could be expected to give, held against what fell. Exact, and after the fact.

A family has a row for each purpose of its rolls that says what is counted; the arithmetic is here. Rows read the fact wherever
they can, so that an old log is judged by the numbers that it was played with.
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
"""What is counted of the rolls of one purpose: the luck of each side for which such a roll is good or bad."""


def told(rules: R, rows: Mapping[str, Row[R]], state: State, fact: Fact) -> tuple[Luck, ...]:
    """How lucky `fact` was and for whom, as it befell `state`; nothing when it is no roll, or one without a row."""
    if not isinstance(fact, Rolled) or fact.purpose not in rows:
        return ()
    return rows[fact.purpose](rules, state, fact)


def reckon(side: str, unit: str, wanted: str, spread: Mapping[int, Fraction], fell: int) -> Luck:
    """The luck of a roll that came to `fell`, the more the better; `spread` is how that is distributed."""
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
    """The square root in ten-thousandths, rounded; without floating point, so that every machine says the same."""
    return (isqrt(int(square * 4 * 10_000**2)) + 1) // 2


def successes(fact: Rolled, wanted: str, mark: str, chances: Iterable[Fraction]) -> tuple[Luck, ...]:
    """A roll whose dice each succeed or fail: how many are marked `mark`, each die having its chance of that."""
    spread = odds.successes(chances)
    return (reckon(fact.side, fact.unit, wanted, spread, fact.marks.count(mark)),)


def added(spread: Mapping[int, Fraction], more: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """How the sum of two independent numbers is distributed."""
    return odds.over(spread, lambda number: {number + other: weight for other, weight in more.items()})


def roll_off(_rules: object, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """A die each, the higher the better, for everybody who rolls (see `server.rulesets.shared.roll_off`)."""
    found = []
    for side, face, score in _scores(state, fact):
        spread = {value + score - face: weight for value, weight in odds.highest(1).items()}
        found.append(reckon(side, "", "the score", spread, score))
    return tuple(found)


def _scores(state: State, fact: Rolled) -> Iterator[tuple[str, int, int]]:
    """Each side that rolls, its die, and what that came to."""
    if not fact.numbers:
        yield from zip(state.sides, fact.faces, fact.faces, strict=True)
        return
    # The numbers are under the sides' names, in the sides' order.
    sides = iter(state.sides.values())
    for face, number in zip(fact.faces, fact.numbers, strict=True):
        yield next(side.id for side in sides if side.name == number.lines[0].reason), face, number.value
