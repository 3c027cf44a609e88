"""The luck of played rolls, and every way in which their dice could have fallen to compare it with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from statistics import fmean, pstdev

import pytest

from client_protocol.luck import Luck
from server.kernel.facts import Fact, Rolled
from server.kernel.ruleset import Ruleset
from server.kernel.state import State


def lucks(rules: Ruleset, state: State, facts: Iterable[Fact]) -> Iterator[tuple[Fact, tuple[Luck, ...]]]:
    """Return each of `facts`, the first of which happens to `state`, with its luck."""
    for fact in facts:
        yield fact, rules.luck(state, fact)
        state = fact.fold(state)


def luck_of(rules: Ruleset, state: State, facts: Iterable[Fact], purpose: str, unit: str = "") -> Luck:
    """Return the luck of the last roll for this purpose, of `unit` if one is given. It must be one side's only."""
    rolls = [
        luck
        for fact, luck in lucks(rules, state, facts)
        if isinstance(fact, Rolled) and fact.purpose == purpose and unit in {"", fact.unit}
    ]
    (found,) = rolls[-1]
    return found


def figures_of(luck: Luck) -> tuple[int, int, int, int, int]:
    """Return the expected result, the actual one, the deviation, and the chances of more and of exactly that."""
    return luck.expected, luck.fell, luck.deviation, luck.better, luck.as_good


def holds_every_way(count: int, played: Callable[[Sequence[int]], Luck]) -> None:
    """Check that the figures of a luck follow from every way in which `count` dice can fall."""
    found = [played(faces) for faces in product(range(1, 7), repeat=count)]
    fallen = [luck.fell for luck in found]
    assert len({(luck.expected, luck.deviation, luck.wanted) for luck in found}) == 1
    assert found[0].expected == pytest.approx(fmean(fallen), abs=1)
    assert found[0].deviation == pytest.approx(pstdev(fallen), abs=1)
    for luck in found:
        better, as_good = sum(fell > luck.fell for fell in fallen), fallen.count(luck.fell)
        assert luck.better == pytest.approx(10_000 * better / len(fallen), abs=1)
        assert luck.as_good == pytest.approx(10_000 * as_good / len(fallen), abs=1)
