"""Unsaved hits: who may take them, and what is played when the owner does not say."""

from __future__ import annotations

import pytest

from client_protocol.choices import AssignmentParameter
from server.kernel.facts import FiguresFell, FiguresGained
from tests.rulesets.fubar4.battlefield import BattleTable, battle, given, piece, play, unit
from tests.rulesets.fubar4.firing import walks_and_fires

BLUE = unit("blue", (10, 10), figures=3)
OTHERS = unit("red", (40, 40))


def hit(red: dict[str, object], times: int, **other: object) -> BattleTable:
    """Blue 1 scores so many hits on `red`, which has no armour."""
    state = battle(BLUE, red, OTHERS, **other)  # type: ignore[arg-type]  # as `battle` takes it
    return walks_and_fires(play(state), dice=[6] * times + [1] * (6 - times))


def asked(table: BattleTable) -> AssignmentParameter:
    """What the owner of the unit that was hit is asked."""
    (parameter,) = table.choice("take-hits").parameters
    assert isinstance(parameter, AssignmentParameter)
    return parameter


@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_owner_chooses_who_falls_and_who_is_suppressed() -> None:
    table = hit(unit("red", (10, 21), figures=5), 3)
    assert table.asked == "red"
    table.answers("take-hits", given(_2="casualty", _4="suppressed", _5="casualty"))
    assert FiguresGained("red-1", ("4",), "suppressed", "fire.unsaved") in table.facts
    assert FiguresFell("red-1", ("2", "5"), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_every_hit_must_be_taken() -> None:
    table = hit(unit("red", (10, 21), figures=5), 3)
    assert table.refused("take-hits", given(_2="casualty", _4="casualty")).code
    assert table.refused("take-hits", given(_1="casualty", _2="casualty", _3="casualty", _4="casualty")).code


@pytest.mark.rule("fubar4/fire.unsaved")
def test_hits_beyond_the_figures_that_are_seen_are_lost() -> None:
    house = piece("building", (11.2, 18), (30, 20))
    # of four only the first two stand clear of the house
    table = hit(unit("red", [(9, 21), (10, 21), (20, 22), (22, 22)]), 6, terrain=[house])
    assert [row.key for row in asked(table).rows] == ["2", "1"]
    assert (asked(table).least, asked(table).most) == (2, 2)


@pytest.mark.rule("fubar4/fire.not-both")
def test_nobody_is_hit_twice_by_one_bout() -> None:
    table = hit(unit("red", (10, 21), figures=2, level="elite"), 6)
    assert (len(asked(table).rows), asked(table).most) == (2, 2)
    table.answers("take-hits", given(_1="suppressed", _2="suppressed"))
    assert table.unit("red-1").strength == 2


@pytest.mark.rule("fubar4/fire.not-both")
def test_who_was_suppressed_before_may_fall_now() -> None:
    table = hit(unit("red", (10, 21), figures=3, level="elite", suppressed=1), 1)
    table.answers("take-hits", given(_3="casualty"))
    assert FiguresFell("red-1", ("3",), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_clock_suppresses_the_farthest_and_loses_the_nearest_leader_and_gunner_last() -> None:
    each = {1: {"leader": "yes"}, 2: {"role": "rpg"}}
    # the leader is nearest, then the gunner, the others stand farther and farther off
    places = [(10, 21), (10, 22.2), (10, 23.4), (10, 24.6), (10, 25.8)]
    table = hit(unit("red", places, level="green", each=each), 3)
    assert asked(table).suggested == {"5": "suppressed", "3": "casualty", "4": "casualty"}
    table.defaults()
    assert FiguresFell("red-1", ("3", "4"), "fire", "fire.unsaved") in table.facts


@pytest.mark.rule("fubar4/fire.unsaved")
def test_nothing_is_asked_when_there_is_nothing_to_choose() -> None:
    table = hit(unit("red", (10, 21), figures=2, level="green", suppressed=2), 2)
    assert FiguresFell("red-1", ("1", "2"), "fire", "fire.unsaved") in table.facts
