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
    assert band_limits(fad4().rules, blue) == {
        "base": 4_000,
        "close": 4_000 * multiplier,
        "medium": 8_000 * multiplier,
        "long": 12_000 * multiplier,
    }
    bonus = fad4().rules.advisers.answer(state, DamageBonus("blue-1"))
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


SUPPORT = """
assault-shotgun      close   1  -  1
flame-thrower        base    D6 3  2
rifle-grenade        close   1  1  0
grenade-launcher     close   D6 2  0
squad-automatic-weapon long  2  -  0
rapid-fire-saw       medium  3  -  0
plasma-rifle         medium  1  3  0
beam-rifle           long    0  2  0
fusion-gun           close   0  4  0
missile-rack         long    D6 1  0
assault-mounted-weapon medium 2 -  1
marksman-weapon      long    1  -  0
combat-blade         none    0  -  0
multi-gun            long    0  -  1
"""
"""Support weapons: band, Fire Effect, anti-tank, bonus in a close assault. A Multi-Gun has the numbers of what it is fired as."""

HEAVY = """
light-auto-cannon    10 6 2 2 0 3 10
heavy-auto-cannon    13 6 2 4 0 4 16
light-beam           15 2 0 3 0 2 10
heavy-beam           20 2 0 5 0 3 16
light-cannon         10 3 0 3 2 3 10
medium-cannon        12 3 0 4 3 4 16
heavy-cannon         15 3 0 5 4 5 22
light-chain-gun       4 2 5 - 0 2 8
heavy-chain-gun       7 2 7 - 0 4 10
machine-gun           7 2 3 - 0 2 5
heavy-machine-gun     8 4 2 1 0 3 6
missile-launcher      8 2 1 5 2 2 10
light-mortar         10 2 0 1 2 2 10
heavy-mortar         12 2 0 2 3 3 16
light-rail-gun       12 4 0 5 0 3 20
heavy-rail-gun       15 4 0 7 0 5 30
rpg                   5 2 0 5 0 1 5
nerve-disruptor      15 2 0 - 0 2 16
light-web-cannon     10 0 0 - 2 3 8
medium-web-cannon    12 0 0 - 3 4 12
heavy-web-cannon     15 0 0 - 4 5 16
anti-material-rifle   8 4 0 4 0 2 6
grav-gun              3 0 0 - 2 3 10
conversion-gun       10 0 0 3 2 3 20
light-burst-launcher  8 2 3 0 4 3 12
heavy-burst-launcher 10 2 2 1 6 5 20
"""
"""Heavy weapons: range, damage, Fire Effect, anti-tank, blast, crew, points."""


def rated(rating: str) -> int | None:
    return None if rating == "-" else int(rating)


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_every_support_weapon_has_the_printed_numbers() -> None:
    found = {}
    for row in SUPPORT.strip().splitlines():
        name, band, effect, anti_tank, bonus = row.split()
        die = effect == "D6"
        found[name] = (band, 0 if die else int(effect), die, rated(anti_tank), int(bonus))
    assert found == {
        key: (row.band, row.fire_effect, row.fire_effect_die, row.anti_tank, row.assault_bonus)
        for key, row in BOOK.support_weapons.items()
    }


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.rule("fad4/force.building")
def test_every_heavy_weapon_has_the_printed_numbers_crew_and_price() -> None:
    found = {}
    for row in HEAVY.strip().splitlines():
        name, reach, damage, effect, anti_tank, blast, crew, points = row.split()
        found[name] = (int(reach), int(damage), int(effect), rated(anti_tank), int(blast), int(crew), int(points))
    assert found == {
        key: (row.range_multiplier, row.damage, row.fire_effect, row.anti_tank, row.blast, row.crew, row.points)
        for key, row in BOOK.heavy_weapons.items()
    }


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_only_gauss_rifles_and_blasters_have_an_anti_tank_rating_among_small_arms() -> None:
    rated_arms = {key: row.anti_tank for key, row in BOOK.small_arms.items() if row.anti_tank is not None}
    assert rated_arms == {"gauss-rifle": 0, "blaster": 1}
    assert {key for key, row in BOOK.small_arms.items() if row.assault_bonus} == {"submachine-gun"}


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_what_the_footnotes_say_stands_with_the_weapons() -> None:
    noted = {key: tuple(row.traits) for key, row in BOOK.heavy_weapons.items() if row.traits}
    pins, webs = ("pins_where_it_lands",), ("webs",)
    assert noted == {
        **dict.fromkeys(("medium-cannon", "heavy-cannon", "heavy-mortar"), pins),
        **dict.fromkeys(("light-web-cannon", "medium-web-cannon"), webs),
        "heavy-web-cannon": ("webs", "stops_vehicles"),
        "rpg": ("structures_only",),
        "nerve-disruptor": ("terror", "nerves"),
        "anti-material-rifle": ("slow_firing",),
        "grav-gun": ("gravity",),
        "conversion-gun": ("converts",),
    }


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
    rating = fad4().rules.advisers.answer(state, ArmourRating("red-1"))
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
