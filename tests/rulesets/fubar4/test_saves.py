"""Saves: by armour, by hulls, by the majority."""

from __future__ import annotations

import pytest

from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fubar.saves import Save, majority
from tests.rulesets.fubar4.battlefield import battle, fubar4, lines, play, unit, vehicle
from tests.rulesets.fubar4.firing import bout, walks_and_fires

ONE = unit("blue", (10, 10), figures=1)


def save(state: State) -> int:
    """Return the number that red-1's save against blue-1's fire must show."""
    found = bout(state)
    return fubar4().rules.advisers.answer(state, Save("blue-1", "red-1", found.firing)).value


@pytest.mark.parametrize(
    ("armour", "need"), [("none", 0), ("light", 6), ("medium", 5), ("heavy", 4), ("power", 3), ("battlesuit", 2)]
)
@pytest.mark.rule("fubar4/armour.table")
def test_personal_armour_saves_on_the_printed_numbers(armour: str, need: int) -> None:
    assert save(battle(ONE, unit("red", (10, 21), armour=armour))) == need


@pytest.mark.rule("fubar4/fire.armour-save")
def test_each_hit_has_a_save_die_of_its_own() -> None:
    state = battle(unit("blue", (10, 10), figures=2), unit("red", (10, 21), armour="medium", level="elite"))
    table = walks_and_fires(play(state), dice=[5, 6, 6, 1, 4, 5, 6])
    rolled = table.rolled("save")
    assert (rolled.marks, rolled.outcome) == (("fail", "pass", "pass"), "1")
    assert lines(rolled.numbers[0]) == [("armour.majority-save", 5)]
    assert table.prompt.title == "Red 1 takes 1 hit from Blue 1"


@pytest.mark.rule("fubar4/fire.armour-save")
def test_a_unit_without_armour_rolls_no_saves() -> None:
    table = walks_and_fires(play(battle(ONE, unit("red", (10, 21)))), dice=[5, 1])
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation", "to-hit"]


@pytest.mark.rule("fubar4/armour.majority-save")
def test_saves_use_the_armour_of_most_living_figures() -> None:
    def worn(*armours: str, **other: object) -> str:
        each = {number: {"armour": armour} for number, armour in enumerate(armours, 1)}
        red = unit("red", (10, 21), figures=len(armours), each=each, **other)  # type: ignore[arg-type]
        return majority(fubar4().rules, battle(ONE, red).units["red-1"]).id

    assert worn("heavy", "heavy", "light") == "heavy"
    assert worn("light", "heavy", "none", "light") == "light"
    # the worse one if two are level; no armour counts as a kind
    assert worn("heavy", "light") == "light"
    assert worn("none", "battlesuit") == "none"
    assert worn("light", "heavy", "heavy", lost=2) == "light"


# --- vehicles -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("armour", "need"), [("none", 6), ("light", 5), ("medium", 4), ("heavy", 3), ("very-heavy", 2)]
)
@pytest.mark.rule("fubar4/vehicle.armour-table")
def test_vehicle_armour_saves_the_vehicle_and_figures_directly_behind_it(armour: str, need: int) -> None:
    rpg = unit("blue", (10, 10), figures=1, grenades="yes")
    hit = battle(rpg, vehicle("red", (10, 18), armour=armour))
    found = bout(hit, weapon="grenades")
    assert fubar4().rules.advisers.answer(hit, Save("blue-1", "red-1", found.firing)).value == need
    assert behind(armour) == need


def behind(armour: str, own: str = "none", apart: float = 1.5, across: float = 4.6, figures: int = 1) -> int:
    """Return the save of red figures behind a vehicle that stands across the line of fire, with their own armour."""
    blue = unit("blue", (10, 10), figures=1, arm="light-machine-gun")
    # the vehicle is 2.2" wide and 4" long; the figures look past its end
    red = unit("red", (8 + across, 22.1 + apart), figures=figures, armour=own)
    return save(battle(blue, red, vehicle("red", (10, 20.5), facing=0, armour=armour)))


@pytest.mark.rule("fubar4/fire.armour-save")
def test_a_figure_behind_a_vehicle_uses_the_better_of_both_saves() -> None:
    assert behind("medium", own="light") == 4
    assert behind("light", own="power") == 3
    # more than two inches behind it is too far
    assert behind("medium", apart=1.9) == 4
    assert behind("medium", apart=1.95) == 0
    # past its end the line of fire does not cross it
    assert behind("medium", across=5.5) == 0


@pytest.mark.rule("fubar4/fire.armour-save")
def test_a_unit_with_half_of_its_figures_behind_a_vehicle_uses_the_worse_save() -> None:
    # the second stands farther to the side, in the open
    assert behind("medium", figures=2) == 0


@pytest.mark.rule("fubar4/fire.armour-save")
def test_the_firing_vehicles_own_hull_gives_its_target_no_save() -> None:
    truck = vehicle("blue", (10, 10), hull="truck", armour="none", id="truck", seats=6)
    riders = unit("blue", None, figures=1, aboard="truck", id="blue-1")
    state = battle(truck, riders, unit("red", (10, 14), figures=1))
    firing = bout(state, moment="aboard").firing
    assert fubar4().rules.advisers.answer(state, Save("blue-1", "red-1", firing)).value == 0


@pytest.mark.rule("fubar4/fire.vehicle-save-shields")
def test_a_vehicles_save_covers_all_passengers() -> None:
    blue = unit("blue", (10, 10), figures=1, grenades="yes")
    truck = vehicle("red", (10, 18), armour="light", seats=6)
    riders = unit("red", None, figures=4, aboard="red-1", activated=1)
    table = play(battle(blue, truck, riders)).activates("blue-1", dice=[6])
    table.fires("red-1", key="aimed-fire", dice=[5, 5, 5, 5, 5, 6])
    saved = [fact for fact in table.seen(Rolled) if fact.purpose == "save"]
    assert [(fact.unit, fact.faces, fact.outcome) for fact in saved] == [("red-1", (5, 5, 6), "0")]
    assert table.unit("red-2").strength == 4
