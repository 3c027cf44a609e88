"""Pinning, a module that a match switches on."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, ConditionLost
from tests.rulesets.fad5.battlefield import facing, fad5, shot, value_of
from tests.support.battlefield import play

HEAVY_FIRE = {"figures": 13, "apart": 1, "support": ["rapid-fire-saw"]}
"""The higher die + 1 + 4 + 3, at base range + 2: 10 and the die."""
TOUGH = {"figures": 13, "armour": "breach", "apart": 2.5}
ON = {"pinning": "on"}
DEAD_DICE = [6] * 5 + [1] * 5
"""The defenders' and the attackers' dice for five hits that kill no figure."""


@pytest.mark.rule("fad5/adv.pinning.threshold")
def test_a_fire_effect_above_the_pin_level_pins_if_the_match_plays_with_pinning() -> None:
    state = facing(4, blue=HEAVY_FIRE, red=TOUGH, options=ON)
    table = shot(state, [5, 1, *DEAD_DICE])
    assert table.fire_effect.value == 15
    assert table.seen(ConditionGained) == [ConditionGained("red-1", "pinned", "adv.pinning.threshold")]
    at_it = shot(state, [4, 1, *[6] * 4, *[1] * 4])
    assert at_it.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "under-fire.marking")]


@pytest.mark.rule("fad5/adv.pinning.threshold")
def test_without_pinning_heavy_fire_only_marks_under_fire() -> None:
    state = facing(4, blue=HEAVY_FIRE, red=TOUGH)
    assert state.options["pinning"] == "off"
    table = shot(state, [5, 1, *DEAD_DICE])
    assert table.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "under-fire.marking")]


@pytest.mark.rule("fad5/adv.pinning.threshold")
@pytest.mark.parametrize(("pinning", "shown"), [("on", True), ("off", False)])
def test_cards_and_previews_mention_pinning_only_if_the_match_plays_with_it(pinning: str, shown: bool) -> None:
    state = facing(4, blue=HEAVY_FIRE, options={"pinning": pinning})
    assert ("Pinned above" in {line.label for line in fad5().card(state, state.units["red-1"])}) == shown
    (told, *_) = fad5().what_if(state, "blue-1", "red-1")
    assert ("Pinned above" in dict(told.numbers)) == shown


@pytest.mark.rule("fad5/adv.pinning.no-shooting")
@pytest.mark.rule("fad5/adv.pinning.no-movement")
@pytest.mark.rule("fad5/adv.pinning.no-assault")
@pytest.mark.rule("fad5/adv.pinning.removal")
def test_a_pinned_unit_does_nothing_until_its_activation_is_over() -> None:
    table = play(facing(6, blue={"conditions": ["pinned"]}, options=ON)).activates("blue-1")
    assert table.offered == ["hold"]
    assert table.targets("fire-move") == {"red-1": "adv.pinning.no-shooting"}
    assert table.targets("assault") == {"red-1": "adv.pinning.no-assault"}
    barred = table.barred("move-out")
    assert barred is not None
    assert barred.rule == "adv.pinning.no-movement"
    table.holds()
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "pinned", "turn.marker-removal")]


@pytest.mark.rule("fad5/adv.pinning.harder-to-hit")
def test_a_pinned_unit_is_harder_to_hit() -> None:
    told = shot(facing(12, red={"conditions": ["pinned"]}, options=ON), [3, 1, 6, 1]).fire_effect
    assert value_of(told, "adv.pinning.harder-to-hit") == -1
