"""The tables of weapons and armour, and their meaning in an edition with fixed armour ratings."""

from __future__ import annotations

import pytest

from server.rulesets.fad.damage import ArmourRating, DamageBonus
from server.rulesets.fad.setup.book import SmallArm
from server.rulesets.fad.shot import band_limits
from tests.support.battlefield import battle, facing, fad4, lines, play, unit

BOOK = fad4().book


# --- weapons --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.parametrize(
    ("weapon", "multiplier", "damage"),
    [
        ("low-tech-rifle", 5, 1),
        ("submachine-gun", 2, 1),
        ("assault-carbine", 4, 2),
        ("assault-rifle", 5, 2),
        ("high-tech-rifle", 6, 2),
        ("gauss-rifle", 6, 3),
        ("laser-rifle", 7, 1),
        ("blaster", 3, 4),
        ("stunner", 2, 1),
    ],
)
def test_small_arms_have_the_printed_range_multipliers_and_damage(weapon: str, multiplier: int, damage: int) -> None:
    state = battle(unit("blue", (6, 6), small_arm=weapon), unit("red", (6, 40)))
    blue = state.units["blue-1"]
    assert band_limits(fad4(), blue) == {
        "base": 4_000,
        "close": 4_000 * multiplier,
        "medium": 8_000 * multiplier,
        "long": 12_000 * multiplier,
    }
    bonus = fad4().advisers.answer(state, DamageBonus("blue-1"))
    assert lines(bonus) == [("tech.weapon-tables", damage)]


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.parametrize(
    ("weapon", "effect", "die", "band"),
    [
        ("assault-shotgun", 1, False, "close"),
        ("flame-thrower", 0, True, "base"),
        ("rifle-grenade", 1, False, "close"),
        ("grenade-launcher", 0, True, "close"),
        ("squad-automatic-weapon", 2, False, "long"),
        ("rapid-fire-saw", 3, False, "medium"),
        ("plasma-rifle", 1, False, "medium"),
        ("beam-rifle", 0, False, "long"),
        ("fusion-gun", 0, False, "close"),
        ("marksman-weapon", 1, False, "long"),
    ],
)
def test_support_weapons_have_the_printed_bonus_up_to_their_range_band(
    weapon: str, effect: int, *, die: bool, band: str
) -> None:
    row = BOOK.support_weapons[weapon]
    assert (row.fire_effect, row.fire_effect_die, row.band) == (effect, die, band)


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.rule("fad4/shoot.support-weapons")
def test_support_weapons_with_a_die_roll_it_with_the_squads_dice() -> None:
    state = facing(12, blue={"support": ["grenade-launcher"]})
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[2, 3, 6, 1, 1, 1, 1])
    assert table.rolled("fire_effect").marks == ("", "kept", "added")
    assert ("shoot.support-weapons", 6) in lines(table.fire_effect)


# --- armour piercing ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/tech.ap-from-anti-tank")
def test_a_small_arms_ap_is_its_anti_tank_rating_plus_four_minus_its_damage() -> None:
    found = {arm.id: arm.armour_piercing for arm in BOOK.small_arms.values()}
    # Gauss rifles 0 + 4 - 3, blasters 1 + 4 - 4.
    assert {arm: ap for arm, ap in found.items() if ap} == {"gauss-rifle": 1, "blaster": 1}
    assert SmallArm("rail", "Rail", range_multiplier=5, damage=9, anti_tank=2).armour_piercing == 0, "never below 0"


@pytest.mark.rule("fad4/tech.ap-from-anti-tank")
def test_a_support_weapons_ap_is_calculated_with_damage_two() -> None:
    found = {weapon.id: weapon.armour_piercing for weapon in BOOK.support_weapons.values()}
    assert {weapon: ap for weapon, ap in found.items() if ap} == {
        "flame-thrower": 5,
        "rifle-grenade": 3,
        "grenade-launcher": 4,
        "plasma-rifle": 5,
        "beam-rifle": 4,
        "fusion-gun": 6,
        "missile-rack": 3,
    }


@pytest.mark.rule("fad4/tech.ap-from-anti-tank")
@pytest.mark.rule("fad4/damage.armour-piercing")
def test_gauss_rifles_pierce_with_every_hit_and_a_support_weapon_with_one() -> None:
    breach = {"armour": "breach"}
    gauss = play(facing(12, blue={"small_arm": "gauss-rifle"}, red=breach)).activates("blue-1")
    gauss.opens_fire_at("red-1", dice=[1, 4, 4, 5, 3])
    damage = gauss.rolled("damage")
    assert [lines(number) for number in damage.numbers] == [
        [("tech.weapon-tables", 3)],
        [("tech.personal-armour", 8), ("damage.armour-piercing", -1)],
    ]
    assert damage.marks == ("kill", "kill", "fail")
    plasma = play(facing(12, blue={"support": ["plasma-rifle"]}, red=breach)).activates("blue-1")
    plasma.opens_fire_at("red-1", dice=[1, 3, 4, 4, 5])
    damage = plasma.rolled("damage")
    assert [lines(number) for number in damage.numbers[1:]] == [
        [("tech.personal-armour", 8), ("damage.armour-piercing", -2)],  # 5, but never below 6
        [("tech.personal-armour", 8)],
    ]
    assert damage.marks == ("kill", "fail", "fail")


# --- armour ---------------------------------------------------------------------------------------------------------

RATINGS = {
    "none": 2,
    "improvised": 3,
    "light": 4,
    "scout": 4,
    "improved": 5,
    "heavy": 6,
    "storm": 6,
    "bio-mech": 6,
    "battle-dress": 7,
    "breach": 8,
    "light-powered": 8,
    "heavy-powered": 10,
}


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.parametrize("base", [3, 4, 5, 6])
@pytest.mark.parametrize("armour", RATINGS)
def test_an_armour_rating_is_the_base_plus_the_suits_modifier(armour: str, base: int) -> None:
    state = facing(12, red={"armour": armour}, options={"armour_base": base})
    rating = fad4().advisers.answer(state, ArmourRating("red-1"))
    assert lines(rating) == [("tech.personal-armour", RATINGS[armour] + base - 4)]
    assert set(BOOK.armours) == set(RATINGS)


@pytest.mark.rule("fad4/tech.personal-armour")
def test_light_armour_survives_an_assault_rifles_damage_die_of_one() -> None:
    table = play(facing(12)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 2])
    assert table.rolled("damage").marks == ("fail", "kill")


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.rule("fad4/action.move-out-infantry")
def test_breach_armour_is_too_heavy_to_rush_in() -> None:
    table = play(facing(12, blue={"armour": "breach"})).activates("blue-1")
    why = table.barred("move-out")
    assert why is not None
    assert why.rule == "tech.personal-armour"
    assert table.barred("move-fire") is None
