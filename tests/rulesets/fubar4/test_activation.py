"""Activation tries, and the effect of a failure."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, ConditionLost, FiguresLost
from server.rulesets.fubar.game import DUCKING, ON_GUARD
from tests.rulesets.fubar4.battlefield import battle, lines, piece, play, shifted, unit, vehicle

WALL = piece("building", (4, 24), (44, 30))
"""Stands between south and north and blocks sight of the enemy."""


@pytest.mark.rule("fubar4/activation.roll")
@pytest.mark.rule("fubar4/unit.training-table")
@pytest.mark.parametrize(
    ("level", "face", "outcome"),
    [
        ("green", 4, "failed"),
        ("green", 5, "passed"),
        ("seasoned", 3, "failed"),
        ("seasoned", 4, "passed"),
        ("veteran", 2, "failed"),
        ("veteran", 3, "passed"),
        ("elite", 2, "passed"),
    ],
)
def test_each_level_activates_on_its_number(level: str, face: int, outcome: str) -> None:
    table = play(battle(unit("blue", (10, 10), level=level), unit("red", (10, 30)))).activates("blue-1", dice=[face])
    assert table.rolled("activation").outcome == outcome


@pytest.mark.rule("fubar4/activation.roll")
@pytest.mark.rule("fubar4/suppress.penalty")
@pytest.mark.rule("fubar4/dice.six-succeeds")
def test_two_suppressed_figures_make_an_activation_roll_of_five_fail_but_not_a_six() -> None:
    state = battle(unit("blue", (10, 10), suppressed=2), unit("red", (10, 30)))
    failed = play(state).activates("blue-1", dice=[5])
    assert lines(failed.rolled("activation").numbers[1]) == [("suppress.penalty", -2)]
    assert failed.rolled("activation").outcome == "failed"
    assert play(state).activates("blue-1", dice=[6]).rolled("activation").outcome == "passed"


@pytest.mark.rule("fubar4/activation.no-visible-enemy")
def test_a_unit_that_sees_no_enemy_adds_one_to_its_activation_roll() -> None:
    hidden = battle(unit("blue", (10, 10)), unit("red", (10, 40)), terrain=[WALL])
    table = play(hidden).activates("blue-1", dice=[3])
    assert lines(table.rolled("activation").numbers[1]) == [("activation.no-visible-enemy", 1)]
    assert table.rolled("activation").outcome == "passed"
    seen = battle(unit("blue", (10, 10)), unit("red", (10, 40)))
    assert play(seen).activates("blue-1", dice=[3]).rolled("activation").outcome == "failed"


@pytest.mark.rule("fubar4/dice.one-fails")
def test_an_elite_unit_that_sees_no_enemy_still_fails_on_a_one() -> None:
    state = battle(unit("blue", (10, 10), level="elite"), unit("red", (10, 40)), terrain=[WALL])
    assert play(state).activates("blue-1", dice=[1]).rolled("activation").outcome == "failed"


@pytest.mark.rule("fubar4/activation.leader")
def test_a_unit_activates_on_a_better_leaders_number() -> None:
    led = unit("blue", (10, 10), level="green", each={1: {"leader": "yes", "level": "veteran"}})
    table = play(battle(led, unit("red", (10, 30)))).activates("blue-1", dice=[3])
    assert lines(table.rolled("activation").numbers[0]) == [("activation.leader", 3)]
    assert table.rolled("activation").outcome == "passed"


@pytest.mark.rule("fubar4/activation.leader")
@pytest.mark.parametrize(
    "leader",
    [
        {"leader": "yes", "level": "veteran", "conditions": ["suppressed"]},
        {"leader": "yes", "level": "veteran", "fallen": True},
        {"leader": "yes", "level": "veteran", "at": (30, 3)},
    ],
    ids=["suppressed", "fallen", "out of touch"],
)
def test_a_leader_who_is_suppressed_or_out_of_touch_does_not_help_activation(leader: dict[str, object]) -> None:
    led = unit("blue", (10, 10), level="green", each={1: leader})
    table = play(battle(led, unit("red", (10, 30)))).activates("blue-1", dice=[4])
    assert lines(table.rolled("activation").numbers[0]) == [("unit.training-table", 5)]


@pytest.mark.rule("fubar4/activation.leader")
def test_a_worse_leader_does_not_change_the_activation_number() -> None:
    led = unit("blue", (10, 10), level="veteran", each={1: {"leader": "yes", "level": "green"}})
    table = play(battle(led, unit("red", (10, 30)))).activates("blue-1", dice=[3])
    assert table.rolled("activation").outcome == "passed"


@pytest.mark.rule("fubar4/activation.failed-on-guard")
def test_units_and_vehicles_that_fail_to_activate_go_on_guard() -> None:
    state = battle(unit("blue", (10, 10)), vehicle("blue", (20, 10)), unit("red", (10, 30)), unit("red", (20, 30)))
    table = play(state).activates("blue-1", dice=[2])
    assert table.unit("blue-1").conditions == (ON_GUARD,)
    table.activates("red-1", dice=[2]).activates("blue-2", dice=[2])
    assert table.unit("blue-2").conditions == (ON_GUARD,)


@pytest.mark.rule("fubar4/suppress.recover")
@pytest.mark.parametrize("face", [2, 6])
def test_suppressed_figures_stand_up_after_the_activation_roll_passed_or_failed(face: int) -> None:
    table = play(battle(unit("blue", (10, 10), suppressed=2), unit("red", (10, 30)))).activates("blue-1", dice=[face])
    assert [fact.figures for fact in table.seen(FiguresLost)] == [("5", "6")]
    assert all(not figure.conditions for figure in table.unit("blue-1").figures.values())


@pytest.mark.rule("fubar4/suppress.recover")
def test_figures_that_stand_up_take_part_in_the_action() -> None:
    table = play(battle(unit("blue", (10, 10), suppressed=2), unit("red", (10, 40)))).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 0, 10))
    assert {at[1] for at, _ in table.unit("blue-1").places()} == {20_000}


@pytest.mark.rule("fubar4/action.table")
def test_the_effects_of_an_action_last_until_the_next_activation_try() -> None:
    state = battle(unit("blue", (10, 10), conditions=[DUCKING, ON_GUARD]), unit("red", (10, 30)))
    table = play(state).activates("blue-1", dice=[6])
    assert [(fact.condition, fact.rule) for fact in table.seen(ConditionLost)] == [
        (ON_GUARD, "action.table"),
        (DUCKING, "action.table"),
    ]
    table.answers("on-guard")
    assert [fact.condition for fact in table.seen(ConditionGained)] == [ON_GUARD]


@pytest.mark.rule("fubar4/action.table")
def test_on_guard_is_the_default_action() -> None:
    table = play(battle(unit("blue", (10, 10)), unit("red", (10, 30)))).activates("blue-1", dice=[6])
    assert table.offered == ["walk", "run", "duck-and-weave", "on-guard", "gone-to-ground", "aimed-fire"]
    table.defaults()
    assert table.unit("blue-1").conditions == (ON_GUARD,)
