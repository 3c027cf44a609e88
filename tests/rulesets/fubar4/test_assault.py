"""Assault: legal targets, the charge and reactions to it, and stepping up."""

from __future__ import annotations

import pytest

from client_protocol.choices import FiguresParameter, PathsDeclared, Picked, UnitNamed
from server.kernel.belief import believed
from server.kernel.facts import ConditionGained, Declared, Noted, Rolled, UnitMoved
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    Row,
    figures,
    fubar4,
    given,
    lines,
    melee,
    paths,
    piece,
    play,
    shifted,
    unit,
    vehicle,
)


def apart(inches: float, *others: Row, red: Row | None = None, terrain: tuple[Row, ...] = (), men: int = 3) -> State:
    """Return blue-1 in a line, and red-1 in a line so many inches in front of it, from base edge to base edge."""
    enemy = unit("red", (10, 11 + inches), figures=men) if red is None else red
    return melee(unit("blue", (10, 10), figures=men), enemy, *others, terrain=terrain)


def assaults(state: State, target: str = "red-1") -> BattleTable:
    """Let blue-1 activate and assault."""
    return play(state).activates("blue-1", dice=[5]).answers("assault", target)


# --- who may be assaulted -------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.assault")
def test_only_enemies_within_eight_inches_can_be_assaulted() -> None:
    assert play(apart(8)).activates("blue-1", dice=[5]).targets("assault") == {"red-1": "", "reserve": "action.assault"}
    far = play(apart(8.1)).activates("blue-1", dice=[5])
    assert far.targets("assault") == {"red-1": "action.assault", "reserve": "action.assault"}
    assert far.refused("assault", "red-1").sentence == 'Red 1 is 8.1" away; an Assault goes 8".'


@pytest.mark.rule("fubar4/action.assault")
def test_an_assault_is_refused_unless_a_figure_can_reach_contact() -> None:
    water = piece("deep_water", (0, 13), (48, 14))
    assert play(apart(6, terrain=(water,))).activates("blue-1", dice=[5]).targets("assault") == {
        "red-1": "action.assault",
        "reserve": "action.assault",
    }


@pytest.mark.rule("fubar4/action.assault")
def test_a_charge_may_go_around_several_corners() -> None:
    water = (
        piece("deep_water", (2, 12), (13, 12.6), id="front"),
        piece("deep_water", (2, 9), (2.6, 12), id="west"),
        piece("deep_water", (12.4, 10.5), (13, 12), id="east"),
    )
    state = melee(unit("blue", (11, 11.4), figures=1), unit("red", (14, 14.5), figures=1), terrain=water)
    table = play(state).activates("blue-1", dice=[5])
    assert table.targets("assault")["red-1"] == ""
    table.answers("assault", "red-1").defaults(dice=[1, 1])
    (way,) = table.seen(UnitMoved)[0].paths.values()
    assert len(way) >= 3


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_that_step_up_go_around_obstacles() -> None:
    # A wall stands between red's second man and the assaulter, with a way around its end.
    water = piece("deep_water", (11.9, 17.6), (12.2, 19.6))
    red = unit("red", [(10, 19), (13.5, 18.5)])
    table = assaults(melee(unit("blue", (10, 12), figures=1), red, terrain=(water,)))
    table.defaults()
    assert table.offered == ["step-up"]
    table.defaults(dice=[1, 1, 1])
    stepped = next(fact for fact in table.seen(UnitMoved) if fact.manner == "step-up")
    assert len(stepped.paths["2"]) >= 2


@pytest.mark.rule("fubar4/close.by-assault")
def test_vehicles_can_neither_assault_nor_be_assaulted() -> None:
    state = apart(7, vehicle("red", (30, 12), armour="none"), vehicle("blue", (10, 4)))
    table = play(state).activates("blue-1", dice=[5])
    assert table.targets("assault") == {"red-1": "", "red-2": "close.by-assault", "reserve": "action.assault"}
    table.answers("on-guard").activates("blue-2", dice=[5])
    assert "assault" not in [choice.key for choice in table.prompt.choices]


@pytest.mark.rule("fubar4/close.by-assault")
def test_every_move_except_an_assault_keeps_an_inch_away_from_enemies() -> None:
    table = play(apart(5)).activates("blue-1", dice=[5])
    for action in ("walk", "run", "duck-and-weave"):
        assert table.refused(action, shifted(table.state, "blue-1", 0, 4.01)).rule == "close.by-assault"
    assert table.answers("run", shifted(table.state, "blue-1", 0, 4)).seen(UnitMoved)


# --- moving in ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.move-in")
@pytest.mark.rule("fubar4/action.assault")
def test_a_charge_goes_at_most_eight_inches_and_ends_in_contact() -> None:
    table = assaults(apart(7))
    assert table.refused("charge", shifted(table.state, "blue-1", 0, 5)).rule == "action.assault"
    detour = paths(_1=[(8, 14), (10, 17)])
    assert "8.1" in table.refused("charge", detour).sentence
    assert table.refused("charge", PathsDeclared({})).rule == "action.assault"


@pytest.mark.rule("fubar4/close.move-in")
def test_the_default_charge_brings_every_figure_that_can_into_contact() -> None:
    table = assaults(apart(7)).defaults(dice=[2, 2, 2, 2, 2, 2])
    (move,) = table.seen(UnitMoved)
    assert (move.unit, move.manner, set(move.paths)) == ("blue-1", "assault", {"1", "2", "3"})
    assert [(fact.unit, len(fact.faces)) for fact in table.seen(Rolled)[1:]] == [("blue-1", 3), ("red-1", 3)]


@pytest.mark.rule("fubar4/close.move-in")
def test_the_owner_may_step_up_figures_within_three_inches_of_an_assaulter() -> None:
    # Red 1 is charged by one man, who is 2.9" from red 2 and 3.1" from red 3.
    red = unit("red", [(10, 16), (13.9, 15), (5.9, 15), (30, 30)])
    table = play(melee(unit("blue", [(10, 10), (10, 2)]), red)).activates("blue-1", dice=[5])
    table.answers("assault", "red-1").answers("charge", paths(_1=[(10, 15)]))
    (pick,) = table.choice("step-up").parameters
    assert isinstance(pick, FiguresParameter)
    assert (table.asked, pick.figures, pick.least, pick.most) == ("red", ("2",), 0, 1)


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_that_step_up_come_into_contact_and_fight() -> None:
    red = unit("red", [(10, 16), (13, 15), (6, 15)])
    state = melee(unit("blue", [(10, 10), (10, 2)]), red)
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(10, 15)]))
    table.answers("step-up", figures("2"), dice=[2, 2, 2])
    stepped = table.seen(UnitMoved)[-1]
    assert (stepped.unit, stepped.manner, stepped.paths) == ("red-1", "step-up", {"2": ((11010, 15000),)})
    assert [(fact.unit, len(fact.faces)) for fact in table.seen(Rolled)[1:]] == [("blue-1", 1), ("red-1", 2)]


@pytest.mark.rule("fubar4/close.move-in")
def test_suppressed_and_distant_figures_do_not_step_up() -> None:
    # 3 is suppressed; 2 stands 3.1" from the assaulter.
    red = unit("red", [(10, 16), (14.1, 15), (7, 15)], suppressed=1)
    state = melee(unit("blue", [(10, 10), (10, 2)]), red)
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(10, 15)]), dice=[2, 2])
    assert not [fact for fact in table.seen(UnitMoved) if fact.manner == "step-up"]


# --- fire at the charge ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.assault")
@pytest.mark.rule("fubar4/action.on-guard")
def test_units_on_guard_fire_at_an_assault_and_can_stop_it() -> None:
    state = melee(
        unit("blue", (10, 10), figures=1),
        unit("red", (10, 18), figures=1, level="elite", conditions=["on_guard"]),
    )
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1").defaults()
    assert (table.asked, table.prompt.rule) == ("red", "action.on-guard")
    table.fires("blue-1", dice=[4, 2]).answers("take-hits", given(_1="suppressed"))
    # It is suppressed where it was fired at, and does not arrive.
    assert [fact.action for fact in table.seen(Declared)][-1] == "falls-short"
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "close-combat"]


@pytest.mark.rule("fubar4/close.suppressed")
@pytest.mark.rule("fubar4/action.on-guard")
def test_a_figure_suppressed_at_the_end_of_its_charge_fights_at_a_penalty() -> None:
    state = melee(
        unit("blue", (10, 10), figures=1),
        unit("red", (10, 18), figures=1, level="elite", conditions=["on_guard"]),
    )
    table = play(state).activates("blue-1", dice=[5]).answers("assault", "red-1").defaults().answers("wait")
    table.fires("blue-1", dice=[4, 2]).answers("take-hits", given(_1="suppressed"), dice=[5, 3])
    blow = next(fact for fact in table.seen(Rolled) if fact.purpose == "close-combat")
    assert (blow.unit, blow.rule, blow.marks) == ("blue-1", "close.suppressed", ("fail",))


# --- several units --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.continues")
def test_a_unit_that_assaults_into_a_fight_fights_its_first_round_at_once() -> None:
    state = melee(
        unit("blue", [(10, 20)], figures=1),
        unit("red", [(10, 21), (12, 21)], figures=2),
        unit("blue", [(12, 14)], figures=1),
        book={"fights": [["blue-1", "red-1"]]},
    )
    table = play(state).activates("blue-2", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(12, 20)]), dice=[2, 2])
    # Only figures that touch the new unit strike: blue 1 and its enemy have already had their round.
    blows = [fact for fact in table.seen(Rolled) if fact.purpose == "close-combat"]
    assert [(fact.unit, fact.target, len(fact.faces)) for fact in blows] == [
        ("blue-2", "red-1", 1),
        ("red-1", "blue-2", 1),
    ]
    assert table.seen(Noted)[-1].value == (("blue-1", "red-1"), ("red-1", "blue-2"))
    assert table.seen(ConditionGained)[-1].unit == "blue-2"


# --- the preview ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.roll")
def test_the_preview_of_an_assault_counts_the_figures_that_will_be_in_contact() -> None:
    table = play(apart(7)).activates("blue-1", dice=[5])
    told = fubar4().preview(believed(table.state, "blue"), table.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert told is not None
    assert [lines(number) for _, number in told.numbers] == [[("close.roll", 5)], [("close.roll", 5)]]
    # Three dice on each side that hit on 5+.
    assert {chance.label: chance.value for chance in told.chances} == {
        "Expected losses of Red 1": "1.0",
        "Red 1 loses at least one figure": "70%",
        "Red 1 is wiped out": "4%",
        "Expected losses of Blue 1": "1.0",
        "Blue 1 loses at least one figure": "70%",
    }
