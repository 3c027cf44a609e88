"""Damage: a die plus the weapon's rating against a fixed armour rating."""

from __future__ import annotations

import pytest

from server.kernel.facts import FiguresFell, Rolled, UnitLeft
from server.kernel.state import State
from tests.support.battlefield import facing, lines, play, unit

SPARE = unit("red", (6, 44))


def damage(state: State, *faces: int, fire: tuple[int, ...] = (1, 1)) -> Rolled:
    """Return the damage roll of blue-1's Open Fire, by default with a Fire Effect of 6: two hits in the open."""
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=[*fire, *faces]).rolled("damage")


@pytest.mark.rule("fad4/damage.roll")
def test_the_rulebooks_example_of_damage_kills_with_the_second_of_two_hits() -> None:
    roll = damage(facing(12, red={"armour": "heavy"}), 3, 4)
    assert lines(roll.numbers[0]) == [("tech.weapon-tables", 2)], "assault rifles"
    assert lines(roll.numbers[1]) == [("tech.personal-armour", 6)]
    assert roll.marks == ("fail", "kill"), "5 and 6 against 6"
    assert roll.outcome == "1"


@pytest.mark.rule("fad4/damage.roll")
@pytest.mark.parametrize(
    ("small_arm", "rating"),
    [("low-tech-rifle", 1), ("assault-rifle", 2), ("gauss-rifle", 3), ("blaster", 4)],
)
def test_each_damage_die_adds_the_rating_of_the_squads_basic_weapon(small_arm: str, rating: int) -> None:
    roll = damage(facing(12, blue={"small_arm": small_arm}, red={"armour": "heavy"}), 5 - rating, 6 - rating)
    assert roll.numbers[0].value == rating
    assert roll.marks == ("fail", "kill")


@pytest.mark.rule("fad4/damage.roll")
def test_support_weapons_do_not_change_the_damage_rating() -> None:
    armed = {"support": ["fusion-gun"]}
    roll = damage(facing(12, blue=armed), 1, 2)
    assert lines(roll.numbers[0]) == [("tech.weapon-tables", 2)]
    assert roll.marks == ("fail", "kill")


@pytest.mark.rule("fad4/damage.roll")
def test_the_defender_rolls_no_dice_against_damage() -> None:
    table = play(facing(12)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1])
    assert {roll.side for roll in table.seen(Rolled)} == {"blue"}


@pytest.mark.rule("fad4/damage.infantry")
def test_a_figure_falls_if_the_damage_reaches_its_armour_and_keeps_its_last_place() -> None:
    table = play(facing(12)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 2])
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2",), "fire", "damage.infantry")]
    fallen = table.unit("red-1").figures["2"]
    assert (fallen.fallen, fallen.at) == (True, (8500, 19000))
    assert table.unit("red-1").strength == 5


@pytest.mark.rule("fad4/damage.infantry")
def test_a_unit_without_figures_leaves_the_game() -> None:
    state = facing(12, red={"figures": 1}, others=[SPARE])
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 2, 1])
    assert table.seen(UnitLeft) == [UnitLeft("red-1", "destroyed", "damage.infantry")]
    assert table.unit("red-1").conditions == ()


# --- armour piercing ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/damage.armour-piercing")
@pytest.mark.parametrize(
    ("armour", "weapon", "reach"),
    [
        ("breach", "", [("tech.personal-armour", 8)]),
        ("breach", "rifle-grenade", [("tech.personal-armour", 8), ("damage.armour-piercing", -2)]),  # AP 3, floor 6
        ("breach", "plasma-rifle", [("tech.personal-armour", 8), ("damage.armour-piercing", -2)]),  # AP 5, floor 6
        ("battle-dress", "plasma-rifle", [("tech.personal-armour", 7), ("damage.armour-piercing", -1)]),
        ("heavy", "plasma-rifle", [("tech.personal-armour", 6)]),  # a rating of 6 or less is not lowered
        ("light", "plasma-rifle", [("tech.personal-armour", 4)]),
    ],
)
def test_armour_piercing_lowers_only_ratings_above_six_and_never_below_six(
    armour: str, weapon: str, reach: list[tuple[str, int]]
) -> None:
    armed = {"support": [weapon] if weapon else [], "figures": 3}
    roll = damage(facing(12, blue=armed, red={"armour": armour}), *[1] * hits_of(weapon), fire=fire_of(weapon))
    assert lines(roll.numbers[1]) == reach


def hits_of(weapon: str) -> int:
    """Return the hits of three figures: 4 points, the higher die of 1, and what the weapon adds, all at 12 inches."""
    return 2 if weapon else 1


def fire_of(weapon: str) -> tuple[int, int]:
    return (1, 1) if weapon == "" else (2, 1)


@pytest.mark.rule("fad4/damage.armour-piercing")
def test_each_support_weapon_pierces_with_one_hit_the_strongest_weapon_first() -> None:
    # 6 riflemen add 2, Regulars 1, Open Fire 2, the plasma rifle 1, the grenade launcher's die 3: 15 with a 6, five hits.
    armed = {"support": ["grenade-launcher", "plasma-rifle"]}
    roll = damage(facing(12, blue=armed, red={"armour": "breach"}), 4, 4, 4, 6, 5, fire=(6, 1, 3))
    assert [number.value for number in roll.numbers] == [2, 6, 6, 8]
    assert [line.reason for number in roll.numbers[1:3] for line in number.lines[1:]] == [
        "Plasma rifle AP 5",
        "Grenade launcher AP 4",
    ]
    assert roll.marks == ("kill", "kill", "fail", "kill", "fail")


@pytest.mark.rule("fad4/damage.armour-piercing")
def test_a_basic_weapon_that_pierces_does_so_with_every_hit() -> None:
    roll = damage(facing(12, blue={"small_arm": "blaster"}, red={"armour": "battle-dress"}), 1, 2)
    assert lines(roll.numbers[1]) == [("tech.personal-armour", 7), ("damage.armour-piercing", -1)]
    assert roll.marks == ("fail", "kill"), "5 and 6 against 6"


@pytest.mark.rule("fad4/damage.armour-piercing")
def test_a_support_weapon_out_of_its_range_band_pierces_no_armour() -> None:
    roll = damage(facing(21, blue={"support": ["fusion-gun"]}, red={"armour": "breach"}), 5, fire=(1, 1))
    assert [number.value for number in roll.numbers] == [2, 8]
