"""Staying in touch, and the penalty for being out of touch."""

from __future__ import annotations

import pytest

from server.rulesets.fubar.coherency import out_of_touch
from tests.rulesets.fubar4.battlefield import battle, fubar4, lines, play, shifted, unit

LINE = [(10.0, 10.0), (11.5, 10.0), (13.0, 10.0), (14.5, 10.0)]


def away(*far: tuple[float, float]) -> list[tuple[float, float]]:
    """Return four figures in a line, and others elsewhere."""
    return [*LINE, *far]


@pytest.mark.rule("fubar4/unit.coherency")
def test_each_figure_out_of_touch_takes_one_off_the_activation_roll() -> None:
    table = play(battle(unit("blue", away((20.5, 10), (10, 16))), unit("red", (10, 40))))
    table.activates("blue-1", dice=[5])
    modifier = table.rolled("activation").numbers[1]
    assert lines(modifier) == [("unit.coherency", -2)]
    assert table.rolled("activation").outcome == "failed"  # 5 - 2 does not reach a seasoned unit's 4


@pytest.mark.rule("fubar4/unit.coherency")
def test_figures_linked_by_steps_of_three_inches_are_in_touch() -> None:
    state = battle(unit("blue", [(10, 10), (14, 10), (18, 10)]), unit("red", (10, 40)))
    assert out_of_touch(fubar4().rules, state, state.units["blue-1"]) == []
    state = battle(unit("blue", [(10, 10), (14, 10), (18.001, 10)]), unit("red", (10, 40)))
    assert out_of_touch(fubar4().rules, state, state.units["blue-1"]) == ["3"]


@pytest.mark.rule("fubar4/unit.coherency")
def test_with_the_mutual_option_every_figure_must_be_near_every_other() -> None:
    chain = unit("blue", [(10, 10), (14, 10), (18, 10)])
    state = battle(chain, unit("red", (10, 40)), options={"coherency": "mutual"})
    assert out_of_touch(fubar4().rules, state, state.units["blue-1"]) == ["3"]


@pytest.mark.rule("fubar4/unit.coherency")
def test_suppressed_figures_count_for_touch_and_fallen_ones_do_not() -> None:
    five = [*LINE, (20.5, 10.0)]
    lying = battle(unit("blue", five, suppressed=1), unit("red", (10, 40)))
    assert out_of_touch(fubar4().rules, lying, lying.units["blue-1"]) == ["5"]
    fallen = battle(unit("blue", five, lost=1), unit("red", (10, 40)))
    assert out_of_touch(fubar4().rules, fallen, fallen.units["blue-1"]) == []


@pytest.mark.rule("fubar4/unit.coherency")
def test_a_move_may_leave_figures_out_of_touch() -> None:
    table = play(battle(unit("blue", LINE), unit("red", (10, 40)))).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 0, 12, only=["1"]))
    assert out_of_touch(fubar4().rules, table.state, table.unit("blue-1")) == ["1"]
