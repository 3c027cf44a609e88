"""The edition's checks on random games can fail: each is shown a game that breaks it."""

from __future__ import annotations

import pytest

from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ConditionGained,
    Fact,
    FiguresGained,
    PhaseBegan,
    UnitMoved,
)
from server.kernel.space.geometry import Point
from tests.rulesets.fubar4.battlefield import battle, unit, vehicle
from tests.rulesets.fubar4.laws import Own

START = battle(
    unit("blue", (10, 10), figures=4),
    unit("red", (10, 20), figures=4, level="green"),
    vehicle("blue", (30, 10), conditions=["immobilised"]),
)


def watched(*facts: Fact) -> None:
    laws, state = Own(START), START
    for fact in facts:
        before, state = state, fact.fold(state)
        laws.fact(before, fact, state)
    laws.state(state)


def moved(*ends: Point, manner: str = "walk", unit: str = "blue-1") -> Fact:
    return UnitMoved(unit, manner, {str(i): (end,) for i, end in enumerate(ends, 1)}, "action.walk")


def lie(unit: str, *figures: str) -> Fact:
    return FiguresGained(unit, figures, "suppressed", "fire.unsaved")


ENDED = ActivationEnded("blue-1")
REACTED = ConditionGained("red-1", "reacted", "action.on-guard")


def test_a_legal_step_passes_the_checks() -> None:
    watched(ActivationBegan("blue-1"), moved((10_000, 16_000)), lie("red-1", "1"), REACTED)
    watched(REACTED, PhaseBegan("activations"), REACTED)


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([REACTED, REACTED], "reacts twice"),
        ([lie("red-1", "1", "2")], "more than 1 suppressed"),
        ([lie("blue-2", "1")], "a vehicle is suppressed"),
        ([lie("red-1", "1"), lie("red-1", "1")], "suppressed already"),
        ([lie("blue-1", "1"), moved((10_000, 12_000))], "are suppressed and move"),
        ([moved((10_000, 17_000))], "has gone"),
        ([ActivationBegan("blue-1"), moved((10_000, 14_000)), moved((10_000, 10_000))], "has gone"),
        ([moved((10_000, 18_500), manner="run")], "within an inch of red-1"),
        ([moved((31_000, 10_000), manner="drive", unit="blue-2")], "immobilised and drives"),
        ([UnitMoved("blue-2", "turn", {}, "vehicle.stationary", {"1": 9_100})], "immobilised and turns"),
        ([ConditionGained("blue-1", "close_combat", "close.continues")], "fights nobody"),
        (
            [moved((10_000, 16_000)), ActivationBegan("blue-1"), moved((10_000, 19_000), manner="assault"), ENDED],
            "does not fight",
        ),
    ],
)
def test_a_step_that_breaks_a_rule_fails_the_checks(facts: list[Fact], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        watched(*facts)
