"""Withdrawal of units that have lost more than half of their figures and fail to activate."""

from __future__ import annotations

import pytest

from server.kernel.bodies import hulls
from server.kernel.facts import FiguresFell, UnitLeft, UnitMoved
from server.kernel.space.hulls import base_to_outline
from server.rulesets.fubar.game import ON_GUARD
from tests.rulesets.fubar4.battlefield import battle, piece, play, unit, vehicle

RULE = "fubar4/activation.failed-withdraw"


@pytest.mark.rule(RULE)
def test_a_unit_that_lost_more_than_half_withdraws_six_inches_from_the_nearest_enemy() -> None:
    state = battle(unit("blue", (10, 20), figures=7, lost=4), unit("red", (11.5, 30), figures=1))
    table = play(state).activates("blue-1", dice=[1])
    assert [at for at, _ in table.unit("blue-1").places()] == [(10_000, 14_000), (11_500, 14_000), (13_000, 14_000)]
    assert ON_GUARD not in table.unit("blue-1").conditions
    assert [(fact.manner, fact.rule) for fact in table.seen(UnitMoved)] == [("withdraw", "activation.failed-withdraw")]


@pytest.mark.rule(RULE)
def test_a_unit_that_lost_exactly_half_or_has_suppressed_figures_does_not_withdraw() -> None:
    state = battle(unit("blue", (10, 20), figures=8, lost=4, suppressed=3), unit("red", (10, 40)))
    table = play(state).activates("blue-1", dice=[1])
    assert table.unit("blue-1").conditions == (ON_GUARD,)


@pytest.mark.rule(RULE)
def test_a_unit_that_activates_does_not_withdraw() -> None:
    state = battle(unit("blue", (10, 20), figures=7, lost=4), unit("red", (10, 40)))
    assert "walk" in play(state).activates("blue-1", dice=[6]).offered


@pytest.mark.rule(RULE)
def test_a_unit_that_sees_no_enemy_withdraws_towards_its_deployment_point() -> None:
    wall = piece("building", (2, 24), (46, 30))
    set_up = unit("blue", (10, 20), figures=3, lost=2, set_up="40000 20000")
    table = play(battle(set_up, unit("red", (10, 40)), terrain=[wall])).activates("blue-1", dice=[1])
    assert [at for at, _ in table.unit("blue-1").places()] == [(16_000, 20_000)]


@pytest.mark.rule(RULE)
def test_a_unit_that_withdraws_to_the_edge_leaves_and_is_lost() -> None:
    state = battle(unit("blue", (10, 4), figures=3, lost=2), unit("red", (10, 30)), unit("red", (30, 30)))
    table = play(state).activates("blue-1", dice=[1])
    assert [fact.cause for fact in table.seen(FiguresFell)] == ["left_table"]
    assert [fact.reason for fact in table.seen(UnitLeft)] == ["left_table"]
    assert table.state.result is not None
    assert table.state.result.winner == "red"


@pytest.mark.rule(RULE)
def test_suppressed_figures_stand_up_and_withdraw_with_their_unit() -> None:
    state = battle(unit("blue", (10, 20), figures=7, lost=4, suppressed=2), unit("red", (11.5, 30), figures=1))
    table = play(state).activates("blue-1", dice=[1])
    assert {at[1] for at, _ in table.unit("blue-1").places()} == {14_000}


@pytest.mark.rule("fubar4/close.by-assault")
def test_a_withdrawing_unit_keeps_an_inch_from_enemy_vehicles() -> None:
    tank = vehicle("red", (11.6, 14), facing=0)
    state = battle(unit("blue", (10, 20), figures=3, lost=2), unit("red", (10, 23), figures=1), tank)
    table = play(state).activates("blue-1", dice=[1])
    ((at, radius),) = table.unit("blue-1").places()
    (hull,) = hulls(table.state)
    assert at[1] < 20_000
    assert round(base_to_outline(at, radius, hull)) == 1000
