"""Pinned: its cause, and what it forbids."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, ConditionLost, Declared, Rolled, UnitMoved
from server.rulesets.fad.modules.pinning import PinLevel
from tests.support.battlefield import BattleTable, facing, fad4, lines, play, unit

HEAVY_FIRE = {"figures": 12, "apart": 1, "support": ["rapid-fire-saw"], "quality": "regular"}
"""With Open Fire: the higher die + 2 + 1 + 4 + 3 = 10 and the die."""


def under(die: int, *, conditions: list[str], quality: str = "regular") -> BattleTable:
    """Return red-1 after a shot with 10 points and the die, which kills no figure."""
    state = facing(
        12, blue=HEAVY_FIRE, red={"figures": 10, "quality": quality, "conditions": conditions, "armour": "breach"}
    )
    penalty = bool(conditions) + 0
    hits = (10 + die - penalty + (quality == "rabble")) // 3
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=[die, 1, *[1] * hits])


@pytest.mark.rule("fad4/pin.trigger")
def test_a_fire_effect_pins_only_above_the_targets_pin_level() -> None:
    at_it, above = under(4, conditions=[]), under(5, conditions=[])
    assert (at_it.fire_effect.value, above.fire_effect.value) == (14, 15)
    assert at_it.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "underfire.marker")]
    assert above.seen(ConditionGained) == [ConditionGained("red-1", "pinned", "pin.trigger")]


@pytest.mark.rule("fad4/pin.trigger")
def test_the_pinned_marker_replaces_under_fire() -> None:
    table = under(6, conditions=["under_fire"])
    assert table.fire_effect.value == 15, "the final, modified effect is what counts"
    assert table.seen(ConditionLost) == [ConditionLost("red-1", "under_fire", "pin.trigger")]
    assert table.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad4/pin.trigger")
@pytest.mark.rule("fad4/pin.duration")
@pytest.mark.parametrize("die", [1, 6])
def test_a_further_shot_does_not_change_a_pinned_marker(die: int) -> None:
    table = under(die, conditions=["pinned"])
    assert table.seen(ConditionGained) == []
    assert table.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad4/pin.trigger")
def test_a_single_figure_can_be_pinned() -> None:
    lone = unit("red", (6, 44))
    state = facing(12, blue=HEAVY_FIRE, red={"figures": 1, "armour": "breach"}, others=[lone])
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 1, 1, 1, 1, 1, 1])
    assert table.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad4/pin.table")
@pytest.mark.parametrize(("quality", "level"), [("rabble", 10), ("conscript", 12), ("regular", 14), ("elite", 16)])
def test_the_pin_level_is_that_of_the_targets_quality(quality: str, level: int) -> None:
    state = facing(12, red={"quality": quality})
    assert lines(fad4().rules.advisers.answer(state, PinLevel("red-1"))) == [("pin.table", level)]


@pytest.mark.rule("fad4/pin.table")
@pytest.mark.parametrize(
    ("quality", "die", "pinned"), [("conscript", 2, False), ("conscript", 3, True), ("elite", 6, False)]
)
def test_better_quality_has_a_higher_pin_level(quality: str, die: int, pinned: bool) -> None:
    table = under(die, conditions=[], quality=quality)
    assert table.unit("red-1").conditions == (("pinned",) if pinned else ("under_fire",))


# --- what it bars ---------------------------------------------------------------------------------------------------


@pytest.fixture
def pinned() -> BattleTable:
    """A table on which blue-1 is Pinned 8 inches from red-1 and about to act."""
    return play(facing(8, blue={"conditions": ["pinned"]})).activates("blue-1")


def rule_against(table: BattleTable, choice: str) -> str:
    why = table.barred(choice)
    assert why is not None, f"{choice} is allowed"
    return why.rule


@pytest.mark.rule("fad4/pin.no-shooting")
def test_a_pinned_unit_cannot_shoot(pinned: BattleTable) -> None:
    assert rule_against(pinned, "open-fire") == rule_against(pinned, "fire-move") == "pin.no-shooting"


@pytest.mark.rule("fad4/pin.no-shooting")
def test_a_pinned_unit_has_no_free_shot() -> None:
    table = play(facing(8, red={"conditions": ["pinned"]})).activates("blue-1").answers("assault", "red-1")
    assert table.asked == "blue", "the charge comes at once"
    assert table.offered == ["charge"]


@pytest.mark.rule("fad4/pin.no-moving")
def test_a_pinned_unit_can_neither_move_nor_rush(pinned: BattleTable) -> None:
    assert rule_against(pinned, "move-fire") == rule_against(pinned, "move-out") == "pin.no-moving"
    assert pinned.offered == ["hold"], "all that is left"


@pytest.mark.rule("fad4/pin.no-moving")
def test_a_pinned_unit_stays_even_if_it_is_broken() -> None:
    shaken = {"conditions": ["pinned"], "resolve": "reluctant", "lost": 1}
    table = play(facing(8, blue=shaken)).activates("blue-1", dice=[3, 1, 1])
    assert table.asked == "red", "nothing is asked: it neither moves nor shoots"
    assert table.seen(UnitMoved) == []
    assert table.seen(Declared) == [Declared("blue-1", "refuses", "morale.overrides")]


@pytest.mark.rule("fad4/pin.no-moving")
def test_a_pinned_unit_falls_back_after_a_lost_assault() -> None:
    table = play(facing(8, red={"conditions": ["pinned"]})).activates("blue-1").answers("assault", "red-1")
    # Charging +1, 6 and 5 against 5: 7 to 5; no figure is killed.
    table.defaults(dice=[6, 1, 5, 1, *[1] * 12]).defaults()
    retreat = table.seen(UnitMoved)[-1]
    assert (retreat.unit, retreat.manner) == ("red-1", "fall-back")
    assert table.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad4/pin.no-assault")
def test_a_pinned_unit_cannot_start_an_assault(pinned: BattleTable) -> None:
    assert rule_against(pinned, "assault") == "pin.no-assault"


@pytest.mark.rule("fad4/pin.no-assault")
def test_a_pinned_unit_fights_without_penalty_when_assaulted() -> None:
    table = play(facing(8, red={"conditions": ["pinned"]})).activates("blue-1").answers("assault", "red-1")
    table.defaults(dice=[4, 1, 6, 4, *[1] * 12])
    assert [roll.outcome for roll in table.seen(Rolled) if roll.purpose == "assault"] == ["5", "6"]
    assert [roll.unit for roll in table.seen(Rolled) if roll.purpose == "kills"] == ["blue-1", "red-1"]


@pytest.mark.rule("fad4/pin.harder-target")
def test_fire_at_a_pinned_unit_subtracts_one() -> None:
    assert ("pin.harder-target", -1) in lines(under(1, conditions=["pinned"]).fire_effect)


@pytest.mark.rule("fad4/pin.duration")
def test_a_pinned_marker_is_removed_after_the_units_next_activation() -> None:
    table = (
        play(facing(8, blue={"conditions": ["pinned"]}))
        .activates("blue-1")
        .holds()
        .activates("red-1")
        .holds(dice=[6, 1])
    )
    assert table.unit("blue-1").conditions == ()
    assert "open-fire" in table.activates("blue-1").offered
