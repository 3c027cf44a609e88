"""The edition's checks on random games can fail: each is shown a game that breaks it."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, Declared, Fact, Rolled, UnitMoved
from server.kernel.space.geometry import Point
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


def fought(blue: int, red: int) -> list[Fact]:
    """Return the scores of an assault of blue on red."""
    return [
        Rolled("assault", "assault.victor-roll", (1,), outcome=str(score), unit=unit_id, target=target)
        for unit_id, target, score in (("blue-1", "red-1", blue), ("red-1", "blue-1", red))
    ]


def back(*ends: Point) -> Fact:
    return moved(*ends, manner="fall-back", rule="assault.fall-back")


def test_a_legal_retreat_passes_the_checks() -> None:
    watched(*fought(1, 2), back((10_000, 4_000)))
    watched(*fought(2, 2), back((12_000, 7_900)))


def test_a_legal_step_passes_the_checks() -> None:
    watched(moved((10_000, 12_000)))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([moved((10_000, 2_000))], "out of coherency"),
        ([*fought(1, 2), back((10_000, 19_000))], "fell back into contact"),
        ([*fought(1, 2), back((10_000, 3_999))], "fell back 6001 mil, of 6000"),
        ([*fought(2, 2), back((10_000, 6_900))], "fell back 3100 mil, of 3000"),
        ([*fought(1, 2), back((14_000, 9_000))], "off straight away"),
        ([*fought(1, 2), back((10_000, 10_100))], "off straight away"),
        ([Declared("blue-1", "out-of-coherency", "coherency.broken")], "holds together"),
        (
            [ConditionGained("blue-1", "pinned", "pin.trigger"), ConditionGained("blue-1", "under_fire", "x")],
            "has two markers",
        ),
    ],
)
def test_a_step_that_breaks_a_rule_fails_the_checks(facts: list[Fact], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        watched(*facts)
