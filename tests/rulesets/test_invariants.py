"""The checks on random games can fail: each is shown a game that breaks it."""

from __future__ import annotations

import pytest

from server.kernel.facts import ActivationBegan, ConditionGained, Fact, FiguresFell, UnitMoved
from server.kernel.geometry import Point
from server.kernel.procedure import Step
from server.kernel.state import State
from server.opponents.simulation import Played
from tests.rulesets.invariants import Watch
from tests.support.battlefield import battle, piece, unit

START = battle(
    unit("blue", (10, 10), figures=3),
    unit("red", (10, 20), figures=3),
    terrain=[piece("cliff", (20, 8), (22, 12))],
)


def watched(*facts: Fact, forged: State | None = None) -> None:
    """Let the watch see a step with these facts; `forged` is a state that they do not make."""
    after = START
    for fact in facts:
        after = fact.fold(after)
    watch = Watch(START, lambda _state, _unit: 4_000)
    watch.step(Played(START, Step((), facts), forged or after, None))


def moved(*ends: Point, manner: str = "move", rule: str = "move.infantry") -> Fact:
    return UnitMoved("blue-1", manner, {str(i): (end,) for i, end in enumerate(ends, 1)}, rule)


def test_a_fair_step_passes() -> None:
    watched(ActivationBegan("blue-1"), moved((10_000, 12_000)), FiguresFell("red-1", ("1",), "fire", "damage.infantry"))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([ActivationBegan("blue-1"), ActivationBegan("blue-1")], "activates twice"),
        ([moved((12_000, 10_000))], "stands on another"),
        ([moved((400, 10_000))], "hangs over the edge"),
        ([moved((19_600, 10_000))], "stands in Sheer rock"),
        ([moved((10_000, 2_000))], "out of coherency"),
        ([moved((10_000, 19_000), manner="fall-back", rule="assault.fall-back")], "fell back into contact"),
        (
            [ConditionGained("blue-1", "pinned", "pin.trigger"), ConditionGained("blue-1", "under_fire", "x")],
            "has two markers",
        ),
        ([FiguresFell("red-1", ("1", "2", "3"), "fire", "damage.infantry")], "nobody left"),
    ],
)
def test_a_step_that_breaks_a_rule_is_caught(facts: list[Fact], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        watched(*facts)


def test_a_state_that_the_facts_do_not_make_is_caught() -> None:
    with pytest.raises(AssertionError, match="the facts alone make the state"):
        watched(ActivationBegan("blue-1"), forged=START)
