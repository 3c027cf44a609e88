"""Details of the turn: the order of initiative, units that ride or fight, repeated reactions, and the log of all that."""

from __future__ import annotations

import pytest

from server.kernel.facts import ActivationBegan, ConditionGained, Declared, Fact, Noted, Rolled, SideFirst, SideToAct
from server.kernel.state import State
from server.rulesets.fubar.activation import INITIATIVE
from server.rulesets.fubar.coherency import out_of_touch
from server.rulesets.fubar.game import FIGHTING, FIGHTS_GO_ON, ON_GUARD, REACTED
from tests.rulesets.fubar4.battlefield import BattleTable, battle, fubar4, paths, play, shifted, unit, vehicle

FAR = {"blue": 4.0, "red": 44.0, "green": 24.0}


def begun(*sides: str, dice: list[int], units: int = 1, **other: object) -> BattleTable:
    """Begin a new turn with these initiative dice: so many units a side, far apart."""
    rows = [
        unit(side, (6 + 20 * i, FAR[side]), figures=1, id=f"{side}-{i + 1}") for side in sides for i in range(units)
    ]
    return play(battle(*rows, turn=0, phase="turn", active="", **other), dice=dice)  # type: ignore[arg-type]


def told(table: BattleTable, fact: Fact, before: State | None = None) -> tuple[str, str] | None:
    """Return a fact's line in the log, and the rule that it links to."""
    story = fubar4().story(before or table.state, fact)
    return None if story is None else (story.text, story.rule)


def lines_of(start: State, table: BattleTable, kind: type[Fact]) -> list[tuple[str, str]]:
    """Return the log lines of all facts of a kind since `start`."""
    found, state = [], start
    for fact in table.facts:
        line = told(table, fact, state)
        if isinstance(fact, kind) and line is not None:
            found.append(line)
        state = fact.fold(state)
    return found


# --- initiative -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/setup.more-players")
def test_the_initiative_passes_in_the_order_of_scores() -> None:
    table = begun("blue", "red", "green", dice=[1, 3, 6])
    for side in ("green", "red", "blue"):
        assert table.asked == side
        table.activates(f"{side}-1", dice=[1, 6, 3, 1] if side == "blue" else [1])


@pytest.mark.rule("fubar4/turn.initiative")
@pytest.mark.rule("fubar4/close.continues")
def test_a_side_whose_units_are_all_in_close_combat_lets_the_next_side_begin() -> None:
    rows = [unit(side, (10, y), figures=1, conditions=[FIGHTING]) for side, y in (("blue", 10), ("red", 11))]
    reserve = unit("red", (40, 44), figures=1)
    state = battle(*rows, reserve, turn=1, phase="turn", active="", book={"fights": [["blue-1", "red-1"]]})
    table = play(state, dice=[2, 2, 6, 1])
    assert [fact.side for fact in table.seen(SideFirst)] == ["red"]
    assert table.targets("activate") == {"red-2": ""}


@pytest.mark.rule("fubar4/turn.initiative")
@pytest.mark.rule("fubar4/setup.more-players")
def test_a_side_without_units_does_not_roll_for_initiative() -> None:
    gone = unit("red", (10, 44), figures=1, lost=1, left="destroyed")
    rows = [unit("blue", (10, 4), figures=1), gone, unit("green", (4, 24), figures=1)]
    table = play(battle(*rows, turn=0, phase="turn", active=""), dice=[2, 5])
    assert [fact.faces for fact in table.seen(Rolled)] == [(2, 5)]
    assert [fact.value for fact in table.seen(Noted) if fact.key == INITIATIVE] == [("green", "blue", "red")]
    assert table.asked == "green"


@pytest.mark.rule("fubar4/turn.keep-until-fail")
@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_the_log_says_which_side_gains_the_initiative_and_by_which_rule() -> None:
    start = battle(*(unit(side, (6 + 20 * i, FAR[side])) for side in ("blue", "red") for i in range(2)))
    table = play(start).activates("blue-1", dice=[1]).activates("red-1", dice=[6]).answers("on-guard")
    assert lines_of(start, table, SideToAct) == [("The initiative passes to Red.", "turn.keep-until-fail")]
    table.activates("red-2", dice=[6]).answers("on-guard")
    assert lines_of(start, table, SideToAct)[1:] == [
        ("Red has no unit left to try: the initiative passes to Blue.", "turn.to-and-fro")
    ]


@pytest.mark.rule("fubar4/setup.more-players")
def test_with_three_sides_the_initiative_passes_by_the_rule_for_three_sides() -> None:
    start = battle(*(unit(side, (6 + 20 * i, FAR[side])) for side in ("blue", "red", "green") for i in range(2)))
    table = play(start).activates("blue-1", dice=[1])
    assert lines_of(start, table, SideToAct) == [("The initiative passes to Red.", "setup.more-players")]


# --- units that fight or ride ---------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.continues")
def test_the_close_combat_marker_and_phase_have_different_names() -> None:
    words = fubar4().words
    assert words[FIGHTING].label == "In close combat"
    assert words[FIGHTS_GO_ON].label == "Close combat"
    state = battle(unit("blue", (10, 10)), unit("red", (10, 30)))
    gained = ConditionGained("blue-1", FIGHTING, "close.continues")
    assert told(play(state), gained, state) == ("Blue 1 is in close combat.", "close.continues")


def riding(*others: object, **other: object) -> State:
    """Return a state with blue-2 aboard the truck blue-1, and blue-3 on foot unless `others` say otherwise."""
    squad = unit("blue", None, figures=3, aboard="blue-1")
    rows = others or (unit("blue", (30, 10), figures=1),)
    truck = vehicle("blue", (10, 10), seats=8, armour="none", activated=1)
    return battle(truck, squad, *rows, unit("red", (10, 30)), **other)  # type: ignore[arg-type]


@pytest.mark.rule("fubar4/vehicle.transport")
@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_by_default_units_on_foot_try_before_passengers() -> None:
    table = play(riding())
    assert table.offered == ["activate"]
    table.defaults(dice=[6])
    assert table.rolled("activation").unit == "blue-3"


@pytest.mark.rule("fubar4/vehicle.transport")
def test_by_default_passengers_stay_aboard_without_a_try_if_only_they_are_left() -> None:
    state = riding(unit("blue", (30, 10), figures=1, activated=1))
    table = play(state)
    assert table.offered == ["activate", "stay-aboard"]
    table.defaults()
    assert table.seen(Rolled) == []
    assert [(fact.unit, fact.action) for fact in table.seen(Declared)] == [("blue-2", "stay-aboard")]
    assert lines_of(state, table, Declared) == [("Blue 2 stays aboard.", "vehicle.transport")]


@pytest.mark.rule("fubar4/vehicle.transport")
def test_passengers_that_fail_to_activate_stay_aboard_and_are_not_on_guard() -> None:
    table = play(riding()).activates("blue-2", dice=[1])
    assert table.unit("blue-2").aboard == "blue-1"
    assert lines_of(riding(), table, ActivationBegan) == []
    assert ON_GUARD not in table.unit("blue-2").conditions
    assert table.asked == "red"


# --- reacting again -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_may_react_again_after_the_next_initiative_roll() -> None:
    guard = unit("red", (16, 17), figures=1, arm="pistol", conditions=[ON_GUARD])
    table = play(battle(unit("blue", (10, 10), figures=1), guard)).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 11, 0)).fires("blue-1", dice=[1])
    assert REACTED in table.unit("red-1").conditions
    # Red fails and is On Guard again; the turn ends, and blue has the initiative.
    table.activates("red-1", dice=[1, 6, 1])
    assert table.unit("red-1").conditions == (ON_GUARD,)
    table.activates("blue-1", dice=[6]).answers("run", shifted(table.state, "blue-1", -11, 0))
    assert (table.asked, table.prompt.title) == ("red", "Red 1 may react to Blue 1")


@pytest.mark.rule("fubar4/action.on-guard")
def test_going_on_guard_again_in_the_same_turn_gives_no_second_reaction() -> None:
    rows = [unit("blue", (10, y), figures=1) for y in (10, 12, 8)]
    guard = unit("red", (16, 17), figures=1, arm="pistol", conditions=[ON_GUARD])
    table = play(battle(*rows, guard)).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 11, 0)).fires("blue-1", dice=[1])
    table.activates("blue-2", dice=[1]).activates("red-1", dice=[1])
    assert set(table.unit("red-1").conditions) == {ON_GUARD, REACTED}
    table.activates("blue-3", dice=[6])
    table.answers("run", shifted(table.state, "blue-3", 11, 0), dice=[1, 6])
    assert len([fact for fact in table.seen(Declared) if fact.action == "react"]) == 1


# --- in touch -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/unit.coherency")
def test_of_two_equal_groups_the_one_with_the_first_figures_is_in_touch() -> None:
    state = battle(unit("blue", [(10, 10), (11.5, 10), (30, 10), (31.5, 10)]), unit("red", (10, 40)))
    assert out_of_touch(fubar4().rules, state, state.units["blue-1"]) == ["3", "4"]


@pytest.mark.rule("fubar4/action.table")
def test_the_log_of_a_run_of_no_distance_mentions_no_move() -> None:
    start = battle(unit("blue", (10, 10)), unit("red", (10, 46)))
    table = play(start).activates("blue-1", dice=[6]).answers("run", paths())
    assert lines_of(start, table, Declared) == [("Blue 1 runs.", "action.run")]
