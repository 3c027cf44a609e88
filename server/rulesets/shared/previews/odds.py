"""Exact odds of six-sided dice, over every way in which they can fall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TypeVar

T = TypeVar("T")
Distribution = Mapping[T, Fraction]


@lru_cache(maxsize=64)
def highest(count: int) -> dict[int, Fraction]:
    """Return the distribution of the highest of `count` six-sided dice."""
    return {face: Fraction(face**count - (face - 1) ** count, 6**count) for face in range(1, 7)}


@lru_cache(maxsize=64)
def best_of(count: int, kept: int) -> dict[int, Fraction]:
    """Return the distribution of the sum of the `kept` highest of `count` six-sided dice."""
    if kept == 1:
        return highest(count)
    sums: Counter[int] = Counter(sum(sorted(faces)[-kept:]) for faces in product(range(1, 7), repeat=count))
    return {value: Fraction(ways, 6**count) for value, ways in sums.items()}


@lru_cache(maxsize=64)
def total(count: int) -> dict[int, Fraction]:
    """Return the distribution of the sum of `count` six-sided dice; the sum of none is 0."""
    sums: Counter[int] = Counter(sum(faces) for faces in product(range(1, 7), repeat=count))
    return {value: Fraction(ways, 6**count) for value, ways in sums.items()}


@lru_cache(maxsize=64)
def highest_total(times: int, count: int) -> dict[int, Fraction]:
    """Return the distribution of the highest of `times` sums of `count` six-sided dice."""
    if count == 1:
        return highest(times)
    once, below = total(count), Fraction(0)
    spread: dict[int, Fraction] = {}
    for value in sorted(once):
        upto = below + once[value]
        spread[value] = upto**times - below**times
        below = upto
    return spread


def at_least(need: int) -> Fraction:
    """Return the chance that one six-sided die shows `need` or more."""
    return Fraction(max(0, min(6, 7 - need)), 6)


def opposed(lead: int) -> Fraction:
    """Return the chance that one six-sided die plus `lead` equals or beats another die."""
    return sum((at_least(face - lead) for face in range(1, 7)), Fraction(0)) / 6


def passes(count: int, need: int) -> dict[int, Fraction]:
    """Return the distribution of the number of dice, of `count`, that show `need` or more."""
    return successes([at_least(need)] * count)


def passes_again(count: int, need: int, again: int) -> dict[int, Fraction]:
    """Return the distribution of the number of dice, of `count`, that show `need` or more if as many as `again` of those that do
    not are rolled once more.
    """

    def more(passed: int) -> dict[int, Fraction]:
        second = passes(min(count - passed, again), need)
        return {passed + number: weight for number, weight in second.items()}

    return over(passes(count, need), more)


def successes(chances: Iterable[Fraction]) -> dict[int, Fraction]:
    """Return the distribution of the number of successes among independent events with these chances."""
    spread = {0: Fraction(1)}
    for chance in chances:
        grown: dict[int, Fraction] = {}
        for number, weight in spread.items():
            if chance < 1:
                grown[number] = grown.get(number, Fraction(0)) + weight * (1 - chance)
            if chance > 0:
                grown[number + 1] = grown.get(number + 1, Fraction(0)) + weight * chance
        spread = grown
    return spread


def drawn(count: int, chances: Iterable[Fraction]) -> dict[int, Fraction]:
    """Return the distribution of how many of `count` targets fall to hits that are dealt at random, with these chances to
    kill. Each target is drawn once before any is drawn again; a second kill of the same target is lost.
    """
    # The chances to live of the targets that are left to draw and of those that were drawn, with the weight of the way there.
    ways: dict[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], Fraction] = {
        ((Fraction(1),) * count, ()): Fraction(1)
    }
    for chance in chances:
        grown: dict[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], Fraction] = {}
        for (undrawn, done), weight in ways.items():
            left, hit = (undrawn, done) if undrawn else (done, ())
            for lives, number in Counter(left).items():
                place = left.index(lives)
                rest = (*left[:place], *left[place + 1 :])
                way = rest, tuple(sorted((*hit, lives * (1 - chance))))
                grown[way] = grown.get(way, Fraction(0)) + weight * Fraction(number, len(left))
        ways = grown
    return over(
        ways,
        lambda way: successes([1 - lives for group in way for lives in group]),
    )


def drawn_again(count: int, chances: Iterable[Fraction]) -> dict[int, Fraction]:
    """Return the distribution of how many of `count` targets fall to hits that are dealt at random, with these chances to
    kill. Each hit may fall on any target, also on one that has fallen, on which it is lost.
    """
    fallen: dict[int, Fraction] = {0: Fraction(1)}
    for chance in chances:
        grown: dict[int, Fraction] = {}
        for number, weight in fallen.items():
            more = chance * Fraction(count - number, count)
            for result, share in ((number + 1, more), (number, 1 - more)):
                if share:
                    grown[result] = grown.get(result, Fraction(0)) + weight * share
        fallen = grown
    return fallen


def over(spread: Distribution[T], outcome: Callable[[T], Distribution[int]]) -> dict[int, Fraction]:
    """Return the distribution of a second roll whose odds depend on the first, which is distributed as `spread`."""
    result: dict[int, Fraction] = {}
    for first, weight in spread.items():
        for second, chance in outcome(first).items():
            result[second] = result.get(second, Fraction(0)) + weight * chance
    return result


def mean(spread: Distribution[int]) -> Fraction:
    """Return the expected value of a distribution."""
    return sum((value * weight for value, weight in spread.items()), Fraction(0))


def chance(spread: Distribution[T], event: Callable[[T], bool]) -> Fraction:
    """Return the probability of `event`."""
    return sum((weight for value, weight in spread.items() if event(value)), Fraction(0))
