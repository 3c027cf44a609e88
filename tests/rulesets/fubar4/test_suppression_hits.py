"""The limit of suppressed figures, and units that are never suppressed."""

from __future__ import annotations

import pytest

from server.kernel.facts import FiguresGained, Rolled
from tests.rulesets.fubar4.battlefield import battle, given, play, unit, vehicle
from tests.rulesets.fubar4.firing import unarmed
from tests.rulesets.fubar4.test_hits import asked, hit


@pytest.mark.parametrize(("level", "most"), [("green", 1), ("seasoned", 2), ("veteran", 3), ("elite", 4)])
@pytest.mark.rule("fubar4/suppress.maximum")
def test_a_units_level_limits_how_many_figures_are_suppressed(level: str, most: int) -> None:
    table = hit(unit("red", (10, 21), figures=6, level=level), 5)
    assert asked(table).limits == (("suppressed", most),)
    down = {f"_{number}": "suppressed" for number in range(1, most + 1)}
    fallen = {f"_{number}": "casualty" for number in range(most + 1, 6)}
    one_more = dict.fromkeys(list(fallen)[:1], "suppressed")
    if most < 5:
        assert table.refused("take-hits", given(**(down | fallen | one_more))).code
    table.answers("take-hits", given(**down, **fallen))
    assert table.unit("red-1").strength == 6 - (5 - most)


@pytest.mark.rule("fubar4/fire.unsaved")
@pytest.mark.rule("fubar4/suppress.maximum")
def test_three_hits_on_a_seasoned_unit_cause_at_least_one_casualty() -> None:
    table = hit(unit("red", (10, 21), figures=5), 3)
    assert table.refused("take-hits", given(_1="suppressed", _2="suppressed", _3="suppressed")).code
    table.answers("take-hits", given(_1="suppressed", _2="suppressed", _3="casualty"))


@pytest.mark.rule("fubar4/suppress.maximum")
def test_figures_suppressed_before_count_towards_the_limit() -> None:
    table = hit(unit("red", (10, 21), figures=5, suppressed=1), 2)
    assert asked(table).limits == (("suppressed", 1),)
    # and cannot be suppressed once more
    assert [o.key for row in asked(table).rows if row.key == "5" for o in row.options] == ["casualty"]


@pytest.mark.rule("fubar4/suppress.maximum")
def test_the_limit_of_suppressed_figures_follows_the_units_level_not_its_leaders() -> None:
    each = {1: {"leader": "yes", "level": "elite"}}
    table = hit(unit("red", (10, 21), figures=6, level="green", each=each), 3)
    assert asked(table).limits == (("suppressed", 1),)


@pytest.mark.rule("fubar4/suppress.maximum")
def test_a_lone_figure_may_be_suppressed() -> None:
    table = hit(unit("red", (10, 21), figures=1, level="green"), 1).answers("take-hits", given(_1="suppressed"))
    assert table.unit("red-1").figures["1"].conditions == ("suppressed",)


@pytest.mark.rule("fubar4/vehicle.never-suppressed")
def test_a_vehicle_is_never_suppressed() -> None:
    blue = unarmed("blue", (10, 10), figures=1, support=["rpg"])
    table = play(battle(blue, vehicle("red", (10, 21)), unit("red", (40, 40)))).activates("blue-1", dice=[6])
    table.fires("red-1", key="aimed-fire", dice=[5, 1, 1, 2, 3])
    assert [fact.purpose for fact in table.seen(Rolled)][-1] != "save"
    assert not table.seen(FiguresGained)
