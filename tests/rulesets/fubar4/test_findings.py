"""When a unit could fire, as it is told to who asks the rules about two units."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import battle, fubar4, unit

RULE = "action.on-guard"


def moments(state: State) -> list[str]:
    """When Blue 1 could fire at Red 1, in the order in which it is told."""
    found = fubar4().finding(state, "fire", "blue-1", "red-1")
    assert found.holds
    return [part.sentence.partition(":")[0] for part in found.parts]


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_on_guard_is_told_to_fire_on_the_other_side_s_turn_until_it_has() -> None:
    state = battle(unit("blue", (10, 10)), unit("red", (10, 17), figures=4))
    own = moments(state)
    assert "On Guard" not in own
    state = ConditionGained("blue-1", "on_guard", RULE).fold(state)
    assert moments(state) == [*own, "On Guard"]
    state = ConditionGained("blue-1", "reacted", RULE).fold(state)
    assert moments(state) == own
