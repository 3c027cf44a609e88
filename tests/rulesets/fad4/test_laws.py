"""The edition's checks on random games can fail: each is shown a game that breaks it."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, Fact, UnitMoved
from server.kernel.geometry import Point
from tests.rulesets.fad4.laws import Own
from tests.support.battlefield import battle, unit

START = battle(unit("blue", (10, 10), figures=3), unit("red", (10, 20), figures=3))


def watched(*facts: Fact) -> None:
    laws, state = Own(START), START
    for fact in facts:
        before, state = state, fact.fold(state)
        laws.fact(before, fact, state)
    laws.state(state)


def moved(*ends: Point, manner: str = "move", rule: str = "move.infantry") -> Fact:
    return UnitMoved("blue-1", manner, {str(i): (end,) for i, end in enumerate(ends, 1)}, rule)


def test_a_fair_step_passes() -> None:
    watched(moved((10_000, 12_000)))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([moved((10_000, 2_000))], "out of coherency"),
        ([moved((10_000, 19_000), manner="fall-back", rule="assault.fall-back")], "fell back into contact"),
        (
            [ConditionGained("blue-1", "pinned", "pin.trigger"), ConditionGained("blue-1", "under_fire", "x")],
            "has two markers",
        ),
    ],
)
def test_a_step_that_breaks_a_rule_is_caught(facts: list[Fact], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        watched(*facts)
