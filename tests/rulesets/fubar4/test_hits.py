"""Unsaved hits: the figures that may take them, and the default if the owner does not choose."""

from __future__ import annotations

import pytest

from client_protocol.choices import AssignmentParameter
from server.kernel.facts import FiguresFell, FiguresGained
from tests.rulesets.fubar4.battlefield import BattleTable, battle, given, piece, play, unit
from tests.rulesets.fubar4.firing import walks_and_fires

BLUE = unit("blue", (10, 10), figures=3)
OTHERS = unit("red", (40, 40))


def hit(red: dict[str, object], times: int, **other: object) -> BattleTable:
    """Let blue-1 score this many hits on `red`, which has no armour."""
    state = battle(BLUE, red, OTHERS, **other)  # type: ignore[arg-type]  # as `battle` takes it
    return walks_and_fires(play(state), dice=[6] * times + [1] * (6 - times))


def asked(table: BattleTable) -> AssignmentParameter:
    """Return the parameter that the owner of the target is asked for."""
    (parameter,) = table.choice("take-hits").parameters
    assert isinstance(parameter, AssignmentParameter)
    return parameter


@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_owner_chooses_which_figures_fall_and_which_are_suppressed() -> None:
    table = hit(unit("red", (10, 21), figures=5), 3)
    assert table.asked == "red"
    table.answers("take-hits", given(_2="casualty", _4="suppressed", _5="casualty"))
    assert FiguresGained("red-1", ("4",), "suppressed", "fire.unsaved") in table.facts
    assert FiguresFell("red-1", ("2", "5"), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_every_unsaved_hit_must_be_given_to_a_figure() -> None:
    table = hit(unit("red", (10, 21), figures=5), 3)
    assert table.refused("take-hits", given(_2="casualty", _4="casualty")).code
    assert table.refused("take-hits", given(_1="casualty", _2="casualty", _3="casualty", _4="casualty")).code


@pytest.mark.rule("fubar4/fire.unsaved")
def test_hits_beyond_the_visible_figures_are_lost() -> None:
    house = piece("building", (11.2, 18), (30, 20))
    # only the first two of four stand clear of the house
    table = hit(unit("red", [(9, 21), (10, 21), (20, 22), (22, 22)]), 6, terrain=[house])
    assert [row.key for row in asked(table).rows] == ["2", "1"]
    assert (asked(table).least, asked(table).most) == (2, 2)


@pytest.mark.rule("fubar4/fire.not-both")
def test_no_figure_takes_two_hits_of_one_bout() -> None:
    table = hit(unit("red", (10, 21), figures=2, level="elite"), 6)
    assert (len(asked(table).rows), asked(table).most) == (2, 2)
    table.answers("take-hits", given(_1="suppressed", _2="suppressed"))
    assert table.unit("red-1").strength == 2


@pytest.mark.rule("fubar4/fire.not-both")
def test_a_figure_suppressed_before_may_become_a_casualty() -> None:
    table = hit(unit("red", (10, 21), figures=3, level="elite", suppressed=1), 1)
    table.answers("take-hits", given(_3="casualty"))
    assert FiguresFell("red-1", ("3",), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_by_default_the_farthest_are_suppressed_and_the_nearest_fall_leader_and_gunner_last() -> None:
    each = {1: {"leader": "yes"}, 2: {"role": "rpg"}}
    # the leader is nearest, then the gunner, then the others
    places = [(10, 21), (10, 22.2), (10, 23.4), (10, 24.6), (10, 25.8)]
    table = hit(unit("red", places, level="green", each=each), 3)
    assert asked(table).suggested == {"5": "suppressed", "3": "casualty", "4": "casualty"}
    table.defaults()
    assert FiguresFell("red-1", ("3", "4"), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_owner_is_not_asked_about_hits_if_there_is_no_choice() -> None:
    table = hit(unit("red", (10, 21), figures=2, level="green", suppressed=2), 2)
    assert FiguresFell("red-1", ("1", "2"), "fire", "fire.unsaved") in table.facts
