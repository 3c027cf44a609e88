"""How a match is decided."""

from __future__ import annotations

import pytest

from server.kernel.facts import ObjectiveHeld
from server.rulesets.fubar.victory import held_by
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, play, unit

RULE = "fubar4/setup.victory"
HILL: Row = {"id": "hill", "name": "The hill", "at": (10, 24), "radius": 3}
FORD: Row = {"id": "ford", "name": "The ford", "at": (30, 24), "radius": 3}


def last_turn(*units: Row, objectives: list[Row], limit: int = 4) -> BattleTable:
    """Return a table in its last turn, in which every unit fails to activate."""
    state = battle(*units, objectives=objectives, options={"turn_limit": limit}, turn=limit)
    table = play(state)
    while table.prompts and "activate" in table.offered:
        table.defaults(dice=[1])
    return table


@pytest.mark.rule(RULE)
def test_the_side_with_more_objectives_wins_after_the_last_turn() -> None:
    table = last_turn(unit("blue", (10, 21), figures=2), unit("red", (30, 34), figures=4), objectives=[HILL, FORD])
    assert [(fact.objective, fact.side) for fact in table.seen(ObjectiveHeld)] == [("hill", "blue")]
    assert table.state.result is not None
    assert table.state.result.winner == "blue"
    assert "1 objective" in table.state.result.reason


@pytest.mark.rule(RULE)
def test_an_enemy_within_the_radius_keeps_a_side_from_holding_an_objective() -> None:
    both = last_turn(unit("blue", (10, 21), figures=4), unit("red", (10, 27), figures=1), objectives=[HILL])
    assert both.seen(ObjectiveHeld) == []


@pytest.mark.rule(RULE)
def test_with_equal_objectives_the_larger_share_of_figures_wins() -> None:
    table = last_turn(
        unit("blue", (10, 10), figures=4, lost=1), unit("red", (10, 40), figures=4, lost=2), objectives=[HILL]
    )
    assert table.state.result is not None
    assert table.state.result.winner == "blue"
    even = last_turn(unit("blue", (10, 10)), unit("red", (10, 40)), objectives=[HILL])
    assert even.state.result is not None
    assert even.state.result.winner == ""


@pytest.mark.rule(RULE)
def test_suppressed_figures_do_not_hold_objectives() -> None:
    state = battle(unit("blue", (10, 24), figures=1, suppressed=1), unit("red", (40, 40)), objectives=[HILL])
    assert held_by(state, state.objectives["hill"]) == ""
    state = battle(unit("blue", (10, 24), figures=1), unit("red", (40, 40)), objectives=[HILL])
    assert held_by(state, state.objectives["hill"]) == "blue"


@pytest.mark.rule(RULE)
def test_objectives_do_not_decide_a_match_before_the_last_turn() -> None:
    state = battle(unit("blue", (10, 21)), unit("red", (10, 44)), objectives=[HILL], turn=1)
    table = play(state).activates("blue-1", dice=[1]).activates("red-1", dice=[1, 6, 1])
    assert table.state.result is None
    assert table.state.turn.number == 2
