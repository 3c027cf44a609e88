"""Firing: dice to hit, split fire, aimed fire."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned
from server.kernel.facts import Declared, FiguresFell, Rolled, UnitLeft
from server.rulesets.fubar.dice import chance, succeeds
from server.rulesets.fubar.previews.fire import preview_fire
from tests.rulesets.fubar4.battlefield import battle, fubar4, given, lines, piece, play, unit, vehicle
from tests.rulesets.fubar4.firing import parameter, unarmed, volley, walks_and_fires

RED = unit("red", (10, 21), figures=3)


@pytest.mark.rule("fubar4/dice.six-succeeds")
def test_a_natural_six_always_succeeds() -> None:
    assert all(succeeds(6, need, bonus) for need in range(2, 9) for bonus in (-6, 0, 1))
    assert not succeeds(5, 6)
    assert succeeds(5, 6, 1)


@pytest.mark.rule("fubar4/dice.one-fails")
def test_a_natural_one_always_fails() -> None:
    assert not any(succeeds(1, need, bonus) for need in range(1, 7) for bonus in (0, 1, 6))
    assert chance(2, 3) == chance(2) == 1 - chance(6)


@pytest.mark.rule("fubar4/dice.six-succeeds")
@pytest.mark.rule("fubar4/dice.one-fails")
def test_natural_sixes_and_ones_decide_activation_fire_and_saves() -> None:
    # Seasoned with two suppressed figures: a 6 succeeds although 6 - 2 is only 4
    shaken = battle(unit("blue", (10, 10), suppressed=2), RED)
    assert play(shaken).activates("blue-1", dice=[6]).rolled("activation").outcome == "passed"
    # Elite with no enemy in sight: 1 + 1 would reach 2
    calm = battle(unit("blue", (10, 10), level="elite"), RED, terrain=[piece("building", (0, 15), (48, 17))])
    assert play(calm).activates("blue-1", dice=[1]).rolled("activation").outcome == "failed"
    # a battlesuit saves on 2+, and not on a 1
    suits = unit("red", (10, 21), figures=3, armour="battlesuit")
    table = walks_and_fires(play(battle(unit("blue", (10, 10), figures=2), suits)), dice=[5, 5, 5, 6, 1, 2, 6, 1])
    assert table.rolled("save").marks == ("fail", "pass", "pass", "fail")


@pytest.mark.rule("fubar4/fire.to-hit")
def test_three_veterans_roll_two_dice_each_with_assault_rifles() -> None:
    state = battle(unit("blue", (10, 10), figures=3, level="veteran"), RED)
    table = walks_and_fires(play(state), dice=[1, 2, 4, 4, 5, 6])
    rolled = table.rolled("to-hit")
    assert rolled.marks == ("fail", "fail", "hit", "hit", "hit", "hit")
    assert rolled.outcome == "4"
    assert [number.value for number in rolled.numbers] == [6, 4]


@pytest.mark.parametrize(("level", "need"), [("green", 6), ("seasoned", 5), ("veteran", 4), ("elite", 4)])
@pytest.mark.rule("fubar4/fire.to-hit")
def test_fire_hits_on_the_firers_expertise(level: str, need: int) -> None:
    assert volley(battle(unit("blue", (10, 10), figures=1, level=level), RED)).need.value == need


@pytest.mark.rule("fubar4/fire.to-hit")
def test_different_weapons_and_levels_roll_separately() -> None:
    blue = unit(
        "blue", (10, 10), figures=4, each={2: {"arm": "light-machine-gun"}, 4: {"leader": "yes", "level": "veteran"}}
    )
    table = walks_and_fires(play(battle(blue, RED)), dice=[1] * 4 + [1] * 3 + [1] * 2)
    rolls = [fact for fact in table.seen(Rolled) if fact.purpose == "to-hit"]
    # fubar4/activation.leader: only the leader uses his own Expertise
    assert [(len(fact.faces), fact.numbers[1].value) for fact in rolls] == [(4, 5), (3, 5), (2, 4)]


@pytest.mark.rule("fubar4/fire.split")
def test_each_figure_of_a_unit_may_fire_at_its_own_target() -> None:
    state = battle(unit("blue", (10, 10), figures=3), RED, unit("red", (20, 21), figures=1))
    table = play(state).activates("blue-1", dice=[6])
    split = given(_1="assault-rifle@red-1", _2="assault-rifle@red-2", _3="assault-rifle@red-1")
    table.answers("aimed-fire", split, dice=[1] * 4 + [1])
    fires = [(fact.action, fact.target) for fact in table.seen(Declared) if fact.target]
    assert fires == [("fire", "red-1"), ("fire", "red-2")]
    rolls = [fact for fact in table.seen(Rolled) if fact.purpose == "to-hit"]
    assert [(fact.target, len(fact.faces)) for fact in rolls] == [("red-1", 4), ("red-2", 1)]


@pytest.mark.rule("fubar4/fire.split")
def test_figures_without_a_target_hold_fire_but_at_least_one_must_fire() -> None:
    state = battle(unit("blue", (10, 10), figures=3), RED)
    table = play(state).activates("blue-1", dice=[6])
    assert table.refused("aimed-fire", Assigned({})).code
    assert table.refused("aimed-fire", given(_1="assault-rifle@blue-1")).code
    table.answers("aimed-fire", given(_2="assault-rifle@red-1"), dice=[1, 1])
    assert len(table.rolled("to-hit").faces) == 2


@pytest.mark.rule("fubar4/action.aimed-fire")
def test_aimed_fire_adds_one_to_each_die() -> None:
    table = play(battle(unit("blue", (10, 10), figures=1), RED)).activates("blue-1", dice=[6])
    table.fires("red-1", key="aimed-fire", dice=[4, 3])
    rolled = table.rolled("to-hit")
    assert rolled.marks == ("hit", "fail")
    assert lines(rolled.numbers[2]) == [("action.aimed-fire", 1)]


@pytest.mark.parametrize("weapon", ["flamethrower", "light-mortar"])
@pytest.mark.rule("fubar4/action.aimed-fire")
def test_an_option_decides_whether_mortars_and_flamethrowers_gain_from_aimed_fire(weapon: str) -> None:
    def bonus(*, aimed: bool) -> int:
        blue = unarmed("blue", (10, 13), figures=1, support=[weapon])
        return volley(battle(blue, RED, options={"aimed_area_fire": aimed}), "aimed").bonus.value

    assert (bonus(aimed=True), bonus(aimed=False)) == (1, 0)
    rifles = battle(unit("blue", (10, 13), figures=1), RED, options={"aimed_area_fire": False})
    assert volley(rifles, "aimed").bonus.value == 1


@pytest.mark.rule("fubar4/fire.unsaved")
def test_a_unit_without_living_figures_is_destroyed() -> None:
    # no more figures may be suppressed, so there is nothing to choose
    red = unit("red", (10, 21), figures=2, level="seasoned", suppressed=2)
    table = walks_and_fires(play(battle(unit("blue", (10, 10), figures=1), red, unit("red", (40, 40)))), dice=[5, 6])
    assert FiguresFell("red-1", ("1", "2"), "fire", "fire.unsaved") in table.facts
    assert UnitLeft("red-1", "destroyed", "fire.unsaved") in table.facts


def test_the_odds_of_fire_match_its_dice() -> None:
    blue = unit("blue", (10, 10), figures=1, level="veteran")
    state = battle(blue, unit("red", (10, 21), figures=4, armour="heavy", level="green"))
    told = preview_fire(fubar4().rules, state, "blue-1", "aimed", parameter(state, moment="aimed").suggested)
    assert told is not None
    odds = {chance.label: chance.value for chance in told.chances}
    # two dice, each 4 of 6 to hit and 1 of 2 to get through
    assert odds == {
        "Expected hits": "1.3",
        "Expected hits after saves": "0.7",
        "At least one gets through": "56%",
        "At least one casualty": "11%",
    }


def test_the_odds_of_destroying_a_vehicle_are_exact() -> None:
    state = battle(unarmed("blue", (10, 10), figures=1, support=["rpg"]), vehicle("red", (10, 21), armour="heavy"))
    told = preview_fire(fubar4().rules, state, "blue-1", "aimed", parameter(state, moment="aimed").suggested)
    assert told is not None
    # three dice, each with 1/2 to hit when aimed, 1/3 to get through, 1/6 to destroy
    assert told.chances[-1].label == "Destroyed"
    assert told.chances[-1].value == "8%"
