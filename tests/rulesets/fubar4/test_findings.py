"""Findings on when a unit could fire at another."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import battle, fubar4, unit

RULE = "action.on-guard"


def moments(state: State) -> list[str]:
    """Return when Blue 1 could fire at Red 1, in the finding's order."""
    found = fubar4().finding(state, "fire", "blue-1", "red-1")
    assert found.holds
    return [part.sentence.partition(":")[0] for part in found.parts]


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_finding_lists_reaction_fire_for_a_unit_on_guard_until_it_has_reacted() -> None:
    state = battle(unit("blue", (10, 10)), unit("red", (10, 17), figures=4))
    own = moments(state)
    assert "On Guard" not in own
    state = ConditionGained("blue-1", "on_guard", RULE).fold(state)
    assert moments(state) == [*own, "On Guard"]
    state = ConditionGained("blue-1", "reacted", RULE).fold(state)
    assert moments(state) == own
