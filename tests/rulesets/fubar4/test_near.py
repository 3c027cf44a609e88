"""Figures near enough to step up in a close combat: those of the units in it, within three inches of an enemy in it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from client_protocol.choices import FiguresParameter
from server.kernel.facts import Rolled, UnitMoved
from server.kernel.standing import touches
from server.rulesets.fubar.contact import touching, unengaged, ways_in
from server.rulesets.fubar.fights import foes
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    Row,
    battle,
    figures,
    fubar4,
    melee,
    paths,
    piece,
    play,
    unit,
    vehicle,
)

LOCKED: Any = {"conditions": ["close_combat"]}


def charged(red: Row, *others: Row, terrain: list[Row] | None = None) -> BattleTable:
    """Let one man of blue-1 charge red-1's first figure at (10, 16) from the south."""
    state = melee(unit("blue", [(10, 10), (10, 2)]), red, *others, terrain=terrain or [])
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    return table.answers("charge", paths(_1=[(10, 15)]))


def able(table: BattleTable) -> tuple[str, ...]:
    """Return the figures that may step up."""
    (pick,) = table.choice("step-up").parameters
    assert isinstance(pick, FiguresParameter)
    return pick.figures


# --- stepping up ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_do_not_step_up_to_an_enemy_that_does_not_assault() -> None:
    # Red 2 stands 2" from blue 2, which takes no part, and red 3 stands 1.5" from the assaulter.
    red = unit("red", [(10, 16), (20, 16), (12.5, 15)])
    assert able(charged(red, unit("blue", [(20, 13)]))) == ("3",)


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_that_step_up_touch_assaulters_only() -> None:
    # Red 2 is nearer to blue 2, which takes no part, than to the assaulter.
    red = unit("red", [(10, 16), (13.5, 15)])
    table = charged(red, unit("blue", [(15.5, 15)]))
    before = touching(table.unit("red-1"), [table.unit("blue-2")])
    table.answers("step-up", figures("2"), dice=[2, 2, 2])
    assert before == {}
    assert touching(table.unit("red-1"), [table.unit("blue-2")]) == {}
    assert touching(table.unit("red-1"), [table.unit("blue-1")]) == {"1": ["blue-1"], "2": ["blue-1"]}


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_step_up_only_to_assaulters_within_three_inches() -> None:
    # Two men charge. A cliff blocks the path to the one 2.5" away; the other is 3.1" away, with nothing between.
    state = melee(
        unit("blue", [(10, 10), (17.6, 10)]),
        unit("red", [(10, 16), (17.6, 16), (13.5, 15)]),
        terrain=[piece("cliff", (11.1, 3), (11.6, 27))],
    )
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(10, 15)], _2=[(17.6, 15)]), dice=[2, 2, 2, 2])
    assert not [fact for fact in table.seen(UnitMoved) if fact.manner == "step-up"]


@pytest.mark.rule("fubar4/close.move-in")
@pytest.mark.parametrize("angle", range(0, 360, 7))
def test_a_figure_with_any_straight_path_into_contact_may_step_up(angle: int) -> None:
    # In front of the assaulter stands a mate; behind him and on one side is rock. In between there is one place to touch him
    # from, some degrees wide, whatever direction degrees are counted from.
    turn = math.radians(angle)

    def at(ahead: float, aside: float) -> tuple[float, float]:
        return (
            24 + ahead * math.cos(turn) - aside * math.sin(turn),
            24 + ahead * math.sin(turn) + aside * math.cos(turn),
        )

    def rock(key: str, left: float, bottom: float, right: float, top: float) -> Row:
        return piece("cliff", at(left, bottom), at(right, bottom), at(right, top), at(left, top), id=key)

    rocks = [rock("behind", -2, 0.6, -0.08, 3), rock("beside", -2, -3, 3, -0.6)]
    state = battle(unit("blue", [at(0, 0)]), unit("red", [at(2.6, 2.2), at(1.01, 0)]), terrain=rocks)
    ends = ways_in(fubar4().rules, state, "red-1", ["1"], ["blue-1"], 3000)
    assert set(ends) == {"1"}
    assert touches((ends["1"][-1], 500), state.units["blue-1"].places()[0])


@pytest.mark.rule("fubar4/close.move-in")
@pytest.mark.parametrize(("gap", "near"), [(3.0, ["2"]), (3.001, [])])
def test_three_inches_are_near_enough_to_step_up_and_a_thousandth_more_is_not(gap: float, near: list[str]) -> None:
    state = battle(unit("blue", [(10, 15)]), unit("red", [(10, 16), (11 + gap, 15)]))
    assert unengaged(state, "red-1", ["blue-1"], 3000) == near


@pytest.mark.rule("fubar4/close.move-in")
def test_a_figure_that_touches_any_enemy_does_not_step_up() -> None:
    # Red 2 touches blue 2 and is near blue 1.
    state = battle(unit("blue", [(10, 15)]), unit("blue", [(13, 14)]), unit("red", [(10, 16), (13, 15)]))
    assert unengaged(state, "red-1", ["blue-1"], 3000) == []


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_near_the_given_units_are_listed_nearest_first() -> None:
    red = unit("red", [(13.5, 15), (10, 17), (24, 15)])
    state = battle(unit("blue", [(10, 15)]), unit("blue", [(24, 17)]), red)
    assert unengaged(state, "red-1", ["blue-1"], 3000) == ["2", "1"]
    assert unengaged(state, "red-1", ["blue-2"], 3000) == ["3"]


@pytest.mark.rule("fubar4/close.move-in")
def test_a_figure_that_can_only_reach_another_enemy_is_not_asked_to_step_up() -> None:
    # A cliff stands between red 2 and the assaulter; the path to blue 2, which takes no part, is open.
    red = unit("red", [(10, 16), (13.5, 15)])
    cliff = piece("cliff", (11.1, 3), (11.6, 27))
    state = melee(unit("blue", [(10, 10), (10, 2)]), red, unit("blue", [(15.5, 15)]), terrain=[cliff])
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(10, 15)]), dice=[2, 2])
    assert not [fact for fact in table.seen(UnitMoved) if fact.manner == "step-up"]


# --- fights that go on ----------------------------------------------------------------------------------------------


def next_turn(*units: Row, dice: list[int], fights: list[list[str]]) -> BattleTable:
    """Return a turn that begins with these fights; a unit of each side far away waits for its activation."""
    far = (unit("blue", (40, 2), figures=1, id="blue-far"), unit("red", (40, 46), figures=1, id="red-far"))
    return play(melee(*units, *far, turn=2, phase="turn", book={"fights": fights}), dice=dice)


def brought(table: BattleTable) -> dict[str, set[str]]:
    """Return the enemies to which each unit has been brought up."""
    return {fact.unit: set(fact.paths) for fact in table.seen(UnitMoved)}


@pytest.mark.rule("fubar4/close.continues")
def test_figures_are_not_brought_up_to_an_enemy_outside_the_fight() -> None:
    # Red 2 stands 2" from blue 2, which is in no fight.
    table = next_turn(
        unit("blue", [(10, 10)], **LOCKED),
        unit("red", [(10, 11), (20, 10)], **LOCKED),
        unit("blue", [(20, 7)]),
        dice=[2, 2, 6, 1],
        fights=[["blue-1", "red-1"]],
    )
    assert brought(table) == {}
    assert [len(fact.faces) for fact in table.seen(Rolled)[:2]] == [1, 1]


@pytest.mark.rule("fubar4/close.continues")
def test_each_unit_is_brought_up_only_to_the_enemies_that_it_fights() -> None:
    # Blue 1 fights only red 1, though its second man stands near red 2, which fights blue 2.
    pairs = [["blue-1", "red-1"], ["red-1", "blue-2"], ["blue-2", "red-2"]]
    assert foes([("blue-1", "red-1"), ("red-1", "blue-2"), ("blue-2", "red-2")], "blue-1") == ["red-1"]
    table = next_turn(
        unit("blue", [(10, 10), (16, 8)], **LOCKED),
        unit("red", [(10, 11), (12, 11)], **LOCKED),
        unit("blue", [(12, 10), (16, 12)], **LOCKED),
        unit("red", [(16, 11)], **LOCKED),
        dice=[2] * 6 + [6, 1],
        fights=pairs,
    )
    assert "blue-1" not in brought(table)


@pytest.mark.rule("fubar4/close.continues")
@pytest.mark.parametrize(("gap", "fights"), [(3.0, (("blue-1", "red-1"),)), (3.001, ())])
def test_a_fight_goes_on_while_enemies_are_within_three_inches(gap: float, fights: tuple[tuple[str, str], ...]) -> None:
    # Red's man in contact falls; his mate stands this far from blue.
    state = melee(
        unit("blue", [(10, 10)], figures=1, level="elite"),
        unit("red", [(10, 16), (11 + gap, 15)], conditions=[]),
    )
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    blows = [6, 2]
    if fights:
        table.answers("charge", paths(_1=[(10, 15)])).answers("step-up", figures(), dice=blows)
    else:
        table.answers("charge", paths(_1=[(10, 15)]), dice=blows)
    assert table.unit("red-1").strength == 1
    assert table.state.book.get("fights", ()) == fights


@pytest.mark.rule("fubar4/close.by-assault")
def test_vehicles_and_fallen_figures_do_not_count_as_touched() -> None:
    state = battle(
        unit("blue", [(10, 10)]),
        vehicle("red", (10, 12.6)),
        unit("red", [(11, 10), (9, 10)], lost=1),
        vehicle("blue", (30, 30)),
    )
    one = state.units["blue-1"]
    assert touching(one, state.enemies_of("blue")) == {"1": ["red-2"]}
    assert touching(state.units["red-1"], [one]) == {}
