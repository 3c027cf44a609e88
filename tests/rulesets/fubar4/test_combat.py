"""Close combat: the dice, the saves, the casualties, and fights that go on from turn to turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from client_protocol.choices import FiguresParameter, FiguresPicked, PathsDeclared
from server.kernel.facts import (
    ActivationBegan,
    ConditionGained,
    ConditionLost,
    FiguresFell,
    FiguresGained,
    FiguresLost,
    Rolled,
    UnitLeft,
    UnitMoved,
)
from server.kernel.space.geometry import Point
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import BattleTable, Row, figures, lines, melee, paths, piece, play, unit

FIGHT = {"fights": [["blue-1", "red-1"]]}


def line(side: str, y: float, men: int, **other: object) -> Row:
    """Return men shoulder to shoulder, 1.5" from centre to centre."""
    return unit(side, (10, y), figures=men, **other)  # type: ignore[arg-type]  # as `unit` has them


def charge(state: State, dice: Sequence[int]) -> BattleTable:
    """Let blue-1, 5" in front of red-1, charge straight into it, and roll the dice of the first round."""
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    ahead: dict[str, tuple[Point, ...]] = {
        key: ((figure.at[0], figure.at[1] + 5000),)
        for key, figure in table.unit("blue-1").living.items()
        if figure.at is not None
    }
    return table.answers("charge", PathsDeclared(ahead), dice=dice)


def meeting(*, blue: Row | None = None, red: Row | None = None) -> State:
    return melee(blue or line("blue", 10, 3), red or line("red", 16, 3))


def blows(table: BattleTable) -> list[Rolled]:
    return [fact for fact in table.seen(Rolled) if fact.purpose == "close-combat"]


# --- the dice -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.roll")
def test_each_figure_in_contact_rolls_one_die_on_its_expertise() -> None:
    # Machine guns and Aimed Fire do not count here.
    blue = line("blue", 10, 3, arm="light-machine-gun", level="veteran")
    table = charge(meeting(blue=blue), dice=[4, 3, 1, 5, 4, 2])
    own, other = blows(table)
    assert (own.unit, own.faces, own.marks, own.outcome) == ("blue-1", (4, 3, 1), ("hit", "fail", "fail"), "1")
    assert lines(own.numbers[0]) == [("close.roll", 4)]
    assert (other.unit, other.faces, other.marks) == ("red-1", (5, 4, 2), ("hit", "fail", "fail"))
    assert lines(other.numbers[0]) == [("close.roll", 5)]


@pytest.mark.rule("fubar4/close.roll")
def test_only_figures_in_contact_roll_in_close_combat() -> None:
    red = unit("red", [(10, 16), (11.5, 16), (30, 30)])
    table = charge(meeting(red=red), dice=[2, 2, 2, 2])
    assert [len(fact.faces) for fact in blows(table)] == [2, 2]


@pytest.mark.rule("fubar4/close.roll")
def test_a_leader_fights_on_his_own_expertise() -> None:
    blue = line("blue", 10, 3, each={1: {"leader": "yes", "level": "elite"}})
    table = charge(meeting(blue=blue), dice=[4, 4, 4, 2, 2, 2])
    assert [(fact.faces, fact.marks) for fact in blows(table)[:2]] == [
        ((4,), ("hit",)),
        ((4, 4), ("fail", "fail")),
    ]


@pytest.mark.rule("fubar4/dice.six-succeeds")
@pytest.mark.rule("fubar4/dice.one-fails")
@pytest.mark.rule("fubar4/close.roll")
def test_in_close_combat_a_six_always_hits_and_a_one_never() -> None:
    red = line("red", 16, 3, level="green", suppressed=3)
    table = charge(meeting(red=red), dice=[1, 1, 1, 6, 5, 1])
    assert blows(table)[1].marks == ("hit", "fail", "fail")


@pytest.mark.rule("fubar4/close.suppressed")
def test_suppressed_figures_fight_with_one_less_and_roll_separately() -> None:
    table = charge(meeting(red=line("red", 16, 3, suppressed=1)), dice=[2, 2, 2, 4, 5, 5])
    _, fit, down = blows(table)
    assert (fit.faces, fit.rule, len(fit.numbers)) == ((4, 5), "close.roll", 1)
    assert (down.faces, down.rule, down.marks) == ((5,), "close.suppressed", ("fail",))
    assert [lines(number) for number in down.numbers] == [[("close.roll", 5)], [("close.suppressed", -1)]]


@pytest.mark.rule("fubar4/close.roll")
def test_both_sides_roll_before_any_figure_falls() -> None:
    table = charge(meeting(), dice=[5, 5, 5, 5, 5, 5])
    kinds = [type(fact) for fact in table.facts if isinstance(fact, Rolled | FiguresFell)]
    assert kinds == [Rolled, Rolled, Rolled, FiguresFell, FiguresFell]
    assert {fact.unit for fact in table.seen(UnitLeft)} == {"blue-1", "red-1"}


# --- casualties -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.casualties")
def test_armour_saves_in_close_combat_and_cover_does_not_help() -> None:
    woods = piece("woods", (5, 15.2), (20, 18))
    red = line("red", 16, 3, armour="heavy", conditions=["gone_to_ground"])
    state = melee(line("blue", 10, 3), red, terrain=[woods])
    table = charge(state, dice=[5, 5, 4, 2, 2, 2, 4, 3])
    assert blows(table)[0].marks == ("hit", "hit", "fail")
    save = table.rolled("close-save")
    assert (save.unit, save.faces, save.marks, save.outcome) == ("red-1", (4, 3), ("pass", "fail"), "1")
    assert lines(save.numbers[0]) == [("armour.majority-save", 4)]


@pytest.mark.rule("fubar4/close.casualties")
@pytest.mark.rule("fubar4/armour.majority-save")
def test_close_combat_saves_use_the_armour_of_most_figures() -> None:
    each = {1: {"armour": "battlesuit"}}
    table = charge(meeting(red=line("red", 16, 3, each=each)), dice=[5, 2, 2, 2, 2, 2])
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "close-save"]
    assert table.asked == "red"


@pytest.mark.rule("fubar4/close.casualties")
def test_close_combat_hits_are_casualties_and_never_suppression() -> None:
    table = charge(meeting(), dice=[5, 5, 2, 2, 2, 2]).answers("losses", figures("1", "2"))
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("1", "2"), "close_combat", "close.casualties")]
    assert table.seen(FiguresGained) == []


@pytest.mark.rule("fubar4/close.casualties")
def test_the_owner_picks_casualties_among_figures_in_contact_first() -> None:
    # 3 and 4 are not in contact, and 3" are too far for them to step up.
    red = unit("red", [(10, 16), (11.5, 16), (30, 16), (32, 16)], support=["rpg"], each={2: {"leader": "yes"}})
    table = charge(meeting(red=red), dice=[5, 2, 2, 2])
    (pick,) = table.choice("losses").parameters
    assert isinstance(pick, FiguresParameter)
    assert (pick.figures, pick.least, pick.most) == (("1", "2"), 1, 1)
    # The gunner falls before the leader.
    assert table.prompt.default.values == (FiguresPicked(("1",)),)
    table.answers("losses", figures("2"))
    assert table.seen(FiguresFell)[-1].figures == ("2",)


@pytest.mark.rule("fubar4/close.casualties")
def test_hits_beyond_the_figures_in_contact_fall_on_others_of_the_unit() -> None:
    red = unit("red", [(10, 16), (30, 16), (32, 16)])
    blue = unit("blue", [(10, 10), (11, 10)])
    table = play(melee(blue, red)).activates("blue-1", dice=[6]).answers("assault", "red-1")
    way = PathsDeclared({"1": ((9400, 15200),), "2": ((10600, 15200),)})
    table.answers("charge", way, dice=[5, 5, 2])
    (pick,) = table.choice("losses").parameters
    assert isinstance(pick, FiguresParameter)
    assert (pick.figures, pick.most) == (("2", "3"), 1)
    table.answers("losses", figures("3"))
    assert table.seen(FiguresFell)[-1].figures == ("1", "3")


@pytest.mark.rule("fubar4/close.casualties")
def test_close_combat_hits_beyond_the_units_figures_are_lost() -> None:
    # The second red unit, close by, loses no figure.
    red = unit("red", [(10, 16)])
    state = melee(line("blue", 10, 3, apart=1.0), red, unit("red", [(15, 16)]))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    way = paths(_1=[(9.13, 15.5)], _2=[(10, 15)], _3=[(10.87, 15.5)])
    table.answers("charge", way, dice=[5, 5, 5, 2])
    assert [(fact.unit, fact.figures) for fact in table.seen(FiguresFell)] == [("red-1", ("1",))]


@pytest.mark.rule("fubar4/close.casualties")
def test_both_owners_pick_close_combat_casualties_at_once() -> None:
    table = charge(meeting(), dice=[5, 2, 2, 5, 2, 2])
    assert set(table.prompts) == {"blue", "red"}
    table.answers("losses", figures("3"), seat="red").answers("losses", figures("1"), seat="blue")
    assert [(fact.unit, fact.figures) for fact in table.seen(FiguresFell)] == [("red-1", ("3",)), ("blue-1", ("1",))]


# --- going on -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.continues")
def test_units_with_enemies_left_stay_in_close_combat() -> None:
    table = charge(meeting(), dice=[2] * 6)
    assert [fact.unit for fact in table.seen(ConditionGained)] == ["blue-1", "red-1"]
    assert table.state.book["fights"] == (("blue-1", "red-1"),)


@pytest.mark.rule("fubar4/close.continues")
def test_a_fight_ends_when_one_side_has_no_figures_left() -> None:
    table = charge(meeting(), dice=[5, 5, 5, 2, 2, 2])
    assert table.unit("red-1").left == "destroyed"
    assert table.unit("blue-1").conditions == ()
    assert not table.state.book.get("fights")


def next_turn(*units: Row, dice: Sequence[int], book: dict[str, object] | None = None) -> BattleTable:
    """Return a turn that begins with these fights; a unit of each side far away waits for its activation."""
    far = (unit("blue", (40, 2), figures=1, id="blue-far"), unit("red", (40, 46), figures=1, id="red-far"))
    return play(melee(*units, *far, turn=2, phase="turn", book=FIGHT if book is None else book), dice=dice)


LOCKED: Any = {"conditions": ["close_combat"]}


@pytest.mark.rule("fubar4/close.continues")
def test_a_fight_goes_on_before_initiative_and_is_its_units_activation() -> None:
    table = next_turn(
        line("blue", 10, 2, **LOCKED),
        line("red", 11, 2, **LOCKED),
        dice=[2, 2, 2, 2, 6, 1],
    )
    order = [fact.purpose for fact in table.seen(Rolled)]
    assert order == ["close-combat", "close-combat", "initiative"]
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1", "red-1"]
    # Neither unit may be activated this turn.
    assert table.targets("activate") == {"blue-far": ""}


@pytest.mark.rule("fubar4/close.continues")
def test_winners_of_a_fight_cannot_activate_again_that_turn() -> None:
    table = next_turn(
        line("blue", 10, 2, **LOCKED),
        line("red", 11, 2, **LOCKED),
        dice=[5, 5, 2, 2, 6, 1],
    )
    assert table.unit("red-1").left == "destroyed"
    assert ("blue-1", "close_combat") in [(fact.unit, fact.condition) for fact in table.seen(ConditionLost)]
    assert table.targets("activate") == {"blue-far": ""}


@pytest.mark.rule("fubar4/close.continues")
def test_before_a_round_both_sides_bring_up_figures_within_three_inches_of_an_enemy() -> None:
    table = next_turn(
        unit("blue", [(10, 10), (10, 7.1), (20, 2)], **LOCKED),
        unit("red", [(10, 11), (13.2, 10)], **LOCKED),
        dice=[2, 2, 2, 2, 6, 1],
    )
    brought = {fact.unit: set(fact.paths) for fact in table.seen(UnitMoved)}
    assert brought == {"blue-1": {"2"}, "red-1": {"2"}}
    assert [len(fact.faces) for fact in table.seen(Rolled)[:2]] == [2, 2]


@pytest.mark.rule("fubar4/close.continues")
@pytest.mark.rule("fubar4/suppress.recover")
def test_suppressed_figures_stand_up_after_a_round_of_close_combat() -> None:
    table = next_turn(
        line("blue", 10, 1, **LOCKED),
        line("red", 11, 1, suppressed=1, **LOCKED),
        dice=[2, 5, 6, 1],
    )
    assert blows(table)[1].marks == ("fail",)
    assert table.seen(FiguresLost) == [FiguresLost("red-1", ("1",), "suppressed", "suppress.recover")]


@pytest.mark.rule("fubar4/close.continues")
def test_units_that_no_longer_reach_each_other_stop_fighting_and_may_activate() -> None:
    table = next_turn(line("blue", 10, 1, **LOCKED), line("red", 14.1, 1, **LOCKED), dice=[6, 1])
    assert blows(table) == []
    assert table.targets("activate") == {"blue-1": "", "blue-far": ""}
    assert table.unit("red-1").conditions == ()


@pytest.mark.rule("fubar4/close.continues")
def test_three_units_in_one_melee_fight_one_round() -> None:
    table = next_turn(
        unit("blue", [(10, 10)], **LOCKED),
        unit("red", [(10, 11), (12, 11)], **LOCKED),
        unit("blue", [(12, 10)], **LOCKED),
        dice=[2, 5, 2, 2, 6, 1],
        book={"fights": [["blue-1", "red-1"], ["red-1", "blue-2"]]},
    )
    told = [(fact.unit, fact.target, fact.outcome) for fact in blows(table)]
    assert told == [
        ("blue-1", "red-1", "0"),
        ("red-1", "blue-1", "1"),
        ("red-1", "blue-2", "0"),
        ("blue-2", "red-1", "0"),
    ]
    assert table.unit("blue-1").left == "destroyed"
    assert table.state.book["fights"] == (("red-1", "blue-2"),)
