"""Taking aim: which weapons may be fired at which units."""

from __future__ import annotations

import pytest

from client_protocol.choices import AssignmentParameter
from server.kernel.facts import Declared, FigureRearmed
from server.rulesets.fubar.aim import ABOARD, AIMED, DRIVE, HALT, REACTION, WALK, can_fire
from tests.rulesets.fubar4.battlefield import battle, fubar4, given, piece, play, unit, vehicle
from tests.rulesets.fubar4.firing import barred, bout, offered, parameter, unarmed, volley, walks_and_fires

ONE = unit("blue", (10, 10), figures=1)

# --- sight and targets ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/fire.suppressed-cannot")
def test_suppressed_figures_do_not_fire() -> None:
    red = unit("red", (10, 21))
    assert list(offered(battle(unit("blue", (10, 10), figures=3, suppressed=1), red))) == ["1", "2"]
    assert barred(battle(unit("blue", (10, 10), figures=1, suppressed=1), red)) == "fire.suppressed-cannot"


@pytest.mark.rule("fubar4/fire.line-of-sight")
def test_a_figure_fires_only_at_units_of_which_it_sees_a_figure_in_range() -> None:
    blue = unit("blue", [(10, 10), (30, 10)], each={1: {"arm": "pistol"}})
    state = battle(blue, unit("red", (10, 18.9), figures=1), unit("red", (30, 20), figures=1))
    assert offered(state) == {
        "1": ["pistol@red-1"],
        "2": ["assault-rifle@red-1", "assault-rifle@red-2"],
    }
    house = piece("building", (18, 0), (22, 30))
    walled = battle(blue, unit("red", (10, 18.9), figures=1), unit("red", (30, 20), figures=1), terrain=[house])
    assert offered(walled) == {"1": ["pistol@red-1"], "2": ["assault-rifle@red-2"]}


@pytest.mark.rule("fubar4/fire.line-of-sight")
def test_each_figure_has_its_own_range() -> None:
    blue = unit("blue", [(10, 10), (13, 10)], arm="pistol")
    assert list(offered(battle(blue, unit("red", (10, 18.9), figures=1)))) == ["1"]


@pytest.mark.rule("fubar4/fire.line-of-sight")
def test_vehicles_block_sight_and_figures_do_not() -> None:
    far = unit("red", (10, 25), figures=1)
    assert "assault-rifle@red-1" in offered(battle(ONE, far, unit("red", (10, 17), figures=1)))["1"]
    truck = vehicle("red", (10, 17), facing=0, hull="truck", armour="none")
    assert offered(battle(ONE, far, truck)) == {"1": ["assault-rifle@red-2"]}


FIGHT = {"fights": [["blue-1", "red-1"]]}


@pytest.mark.rule("fubar4/fire.line-of-sight")
def test_units_in_close_combat_cannot_be_fired_at() -> None:
    state = battle(ONE, unit("red", (10, 20), figures=1, conditions=["close_combat"]), book=FIGHT)
    assert barred(state) == "fire.line-of-sight"
    assert not can_fire(fubar4().rules, state, "blue-1", AIMED)


@pytest.mark.rule("fubar4/fire.split")
def test_the_suggestion_is_that_all_figures_fire_at_the_nearest_legal_target() -> None:
    state = battle(
        unit("blue", (10, 10), figures=2, grenades="yes"),
        unit("red", (10, 21), figures=1),
        unit("red", (10, 17), figures=1),
    )
    # and with the most Fire Points: a grenade's three before a rifle's two
    assert parameter(state).suggested == {"1": "grenades@red-2", "2": "grenades@red-2"}
    assert set(offered(state)["1"]) == {"assault-rifle@red-1", "assault-rifle@red-2", "grenades@red-2"}


# --- weapons --------------------------------------------------------------------------------------------------------

CARRIED = [
    ("pistol", 8, 1),
    ("infantry-rifle", 24, 1),
    ("assault-rifle", 24, 1),
    ("sniper-rifle", 32, 2),
    ("sub-machine-gun", 16, 3),
    ("light-machine-gun", 32, 3),
    ("combat-shotgun", 8, 3),
]
SUPPORT = [
    ("heavy-machine-gun", 32, 4),
    ("flamethrower", 8, 4),
    ("rpg", 24, 3),
    ("light-anti-tank-gun", 32, 3),
    ("light-mortar", 40, 3),
]
CANNONS = [("light-cannon", 32, 4), ("heavy-cannon", 48, 6)]


@pytest.mark.parametrize(("weapon", "reach", "points"), CARRIED)
@pytest.mark.rule("fubar4/weapon.small-arms")
def test_small_arms_have_the_printed_range_and_fire_points(weapon: str, reach: int, points: int) -> None:
    def at(apart: float) -> object:
        blue = unit("blue", (10, 2), figures=1, arm=weapon)
        return battle(blue, unit("red", (10, 3 + apart), figures=1), size=(48, 72))

    state = at(reach)
    assert volley(state).dice.value == points  # type: ignore[arg-type]
    assert barred(at(reach + 0.01)) == "weapon.small-arms"  # type: ignore[arg-type]


@pytest.mark.parametrize(("weapon", "reach", "points"), SUPPORT)
@pytest.mark.rule("fubar4/weapon.support")
def test_support_weapons_fire_only_if_the_unit_does_not_move(weapon: str, reach: int, points: int) -> None:
    def at(apart: float) -> object:
        blue = unarmed("blue", (10, 2), figures=2, support=[weapon])
        return battle(blue, unit("red", (10, 3 + apart), figures=1), size=(48, 72))

    state = at(reach)
    assert volley(state, AIMED).dice.value == points  # type: ignore[arg-type]
    assert offered(state, moment=REACTION) == {"1": [f"{weapon}@red-1"]}  # type: ignore[arg-type]
    assert barred(state) == "action.walk"  # type: ignore[arg-type]
    assert barred(at(reach + 0.01), moment=AIMED) == "weapon.support"  # type: ignore[arg-type]


@pytest.mark.rule("fubar4/weapon.support")
def test_a_gunner_fires_his_small_arm_or_his_support_weapon() -> None:
    state = battle(unit("blue", (10, 10), figures=1, support=["rpg"]), unit("red", (10, 21), figures=1))
    assert offered(state, moment=AIMED) == {"1": ["assault-rifle@red-1", "rpg@red-1"]}
    assert offered(state) == {"1": ["assault-rifle@red-1"]}


@pytest.mark.rule("fubar4/weapon.support")
def test_grenades_are_thrown_up_to_eight_inches_even_on_a_walk() -> None:
    def at(apart: float) -> dict[str, list[str]]:
        blue = unarmed("blue", (10, 10), figures=1, grenades="yes")
        return offered(battle(blue, unit("red", (10, 11 + apart), figures=1)))

    assert at(8) == {"1": ["grenades@red-1"]}
    assert at(8.01) == {}


@pytest.mark.rule("fubar4/weapon.support")
def test_mortars_need_a_line_of_sight_unless_an_option_says_otherwise() -> None:
    mortar = unarmed("blue", (10, 10), figures=1, support=["light-mortar"])
    friend = unit("blue", (30, 30), figures=1)
    hidden, house = unit("red", (10, 30), figures=1), piece("building", (5, 20), (15, 22))
    assert barred(battle(mortar, friend, hidden, terrain=[house]), moment=AIMED) == "fire.line-of-sight"
    seeing = battle(mortar, friend, hidden, terrain=[house], options={"mortar_indirect": True})
    assert offered(seeing, moment=AIMED) == {"1": ["light-mortar@red-1"]}
    blind = battle(mortar, hidden, terrain=[house], options={"mortar_indirect": True})
    assert barred(blind, moment=AIMED) == "fire.line-of-sight"


@pytest.mark.rule("fubar4/weapon.assault-rifle-close")
def test_assault_rifles_have_two_fire_points_up_to_twelve_inches() -> None:
    near = volley(battle(ONE, unit("red", (10, 23), figures=1)))
    far = volley(battle(ONE, unit("red", (10, 23.01), figures=1)))
    assert (near.dice.value, far.dice.value) == (2, 1)
    assert near.dice.lines[0].rule == "weapon.assault-rifle-close"


@pytest.mark.rule("fubar4/weapon.assault-rifle-close")
def test_range_is_measured_to_the_nearest_visible_figure() -> None:
    house = piece("building", (8.5, 14), (11.5, 16))
    # the figure 9" away is hidden by the house
    hidden = unit("red", [(10, 20), (10, 26)])
    seen = unit("red", [(10, 20), (20, 23)])
    assert barred(battle(ONE, hidden, terrain=[house])) == "fire.line-of-sight"
    assert volley(battle(ONE, seen, terrain=[house])).dice.value == 1


@pytest.mark.rule("fubar4/weapon.assault-rifle-grenades")
def test_a_rifle_launcher_is_fired_instead_of_the_rifle() -> None:
    def at(apart: float) -> dict[str, list[str]]:
        blue = unit("blue", (10, 10), figures=2, each={1: {"launcher": "yes"}})
        return offered(battle(blue, unit("red", [(10, 11 + apart)])))

    assert at(16) == {"1": ["assault-rifle@red-1", "rifle-launcher@red-1"], "2": ["assault-rifle@red-1"]}
    assert at(16.01)["1"] == ["assault-rifle@red-1"]
    blue = unit("blue", (10, 10), figures=1, each={1: {"launcher": "yes"}})
    assert volley(battle(blue, unit("red", (10, 21), figures=1)), weapon="rifle-launcher").dice.value == 3


@pytest.mark.parametrize(("weapon", "reach", "points"), CANNONS)
@pytest.mark.rule("fubar4/weapon.cannon-mounts")
def test_a_bunkers_weapon_is_served_by_one_figure_of_the_unit_inside(weapon: str, reach: int, points: int) -> None:
    bunker = piece("bunker", (8, 1), (14, 5), flags=[f"mount:{weapon}"])
    inside = unarmed("blue", [(9, 3), (10.5, 3), (20, 3)])
    state = battle(inside, unit("red", [(10.5, 4 + reach - 0.001)]), terrain=[bunker], size=(48, 72))
    assert offered(state, moment=AIMED) == {"2": [f"{weapon}@red-1"]}
    assert volley(state, AIMED).dice.value == points
    assert offered(state) == {}


@pytest.mark.rule("fubar4/weapon.ignores-cover")
@pytest.mark.parametrize("weapon", ["flamethrower", "light-cannon", "heavy-cannon"])
def test_flamethrowers_and_cannons_ignore_cover(weapon: str) -> None:
    bunker = piece("bunker", (9, 16), (13, 19))
    nest = piece("rifle_pits", (9, 9), (11, 11), id="nest", flags=[f"mount:{weapon}"])
    blue = unarmed("blue", (10, 10), figures=1, level="veteran")
    need = volley(battle(blue, unit("red", (10, 17), figures=1), terrain=[bunker, nest]), AIMED).need
    assert need.value == 4
    assert need.lines[-1].rule == "weapon.ignores-cover"
    # sight and the edges of cover still count
    deep = piece("bunker", (5, 13), (15, 25))
    assert barred(battle(blue, unit("red", (10, 17), figures=1), terrain=[deep, nest]), moment=AIMED) == (
        "fire.edge-of-cover"
    )


# --- crew-served weapons --------------------------------------------------------------------------------------------

HMG = ["heavy-machine-gun"]


def gunners(second: float, **other: object) -> dict[str, list[str]]:
    """Return the weapons that a gunner without a small arm may fire, with a second man this far away."""
    blue = unarmed("blue", [(10, 10), (11 + second, 10)], support=HMG, **other)
    return offered(battle(blue, unit("red", (10, 21), figures=1)), moment=AIMED)


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_a_machine_gun_of_infantry_needs_a_second_man_near() -> None:
    assert gunners(2) == {"1": ["heavy-machine-gun@red-1"]}
    assert gunners(2.01) == {}
    assert gunners(2, suppressed=1) == {}
    alone = battle(unarmed("blue", (10, 10), figures=1, support=HMG), unit("red", (10, 21), figures=1))
    assert barred(alone, moment=AIMED) == "weapon.hmg-crew"


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_the_second_man_of_a_machine_gun_does_not_fire() -> None:
    state = battle(unit("blue", (10, 10), figures=3, support=HMG), unit("red", (10, 21), figures=3))
    assert parameter(state, moment=AIMED).suggested == {"1": "heavy-machine-gun@red-1", "3": "assault-rifle@red-1"}
    table = play(state).activates("blue-1", dice=[6])
    everybody = given(_1="heavy-machine-gun@red-1", _2="assault-rifle@red-1", _3="assault-rifle@red-1")
    table.answers("aimed-fire", everybody, dice=[1] * 4 + [1] * 2)
    assert [fact.action for fact in table.seen(Declared)][-2:] == ["serves", "fire"]


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_a_machine_gun_in_a_bunker_or_a_vehicle_needs_only_one_man() -> None:
    bunker = piece("bunker", (8, 8), (12, 12), flags=["mount:heavy-machine-gun"])
    red = unit("red", (10, 21), figures=1)
    alone = battle(unarmed("blue", (10, 10), figures=1), red, terrain=[bunker])
    assert offered(alone, moment=AIMED) == {"1": ["heavy-machine-gun@red-1"]}
    car = battle(vehicle("blue", (10, 10), hull="car", crew=1), red)
    assert offered(car, moment=HALT) == {"m1": ["heavy-machine-gun@red-1"]}


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_another_figure_takes_over_a_fallen_gunners_machine_gun() -> None:
    red = unit("red", [(10, 21), (10, 24), (10, 22.5)], support=HMG, level="green", suppressed=1)
    table = walks_and_fires(play(battle(ONE, red)), dice=[6, 1])
    table.answers("take-hits", given(_1="casualty"))
    assert table.seen(FigureRearmed) == [
        FigureRearmed("red-1", "3", "heavy-machine-gun", "weapon.hmg-crew"),
    ]


# --- vehicles -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("armour", ["light", "medium", "heavy", "very-heavy"])
@pytest.mark.rule("fubar4/vehicle.small-arms-useless")
def test_small_arms_and_machine_guns_cannot_be_fired_at_armoured_vehicles(armour: str) -> None:
    blue = unit("blue", (10, 10), figures=2, support=HMG, grenades="yes", each={2: {"launcher": "yes"}})
    tank = vehicle("red", (10, 18), armour=armour)
    assert offered(battle(blue, tank), moment=AIMED) == {
        "1": ["grenades@red-1"],
        "2": ["rifle-launcher@red-1", "grenades@red-1"],
    }
    rifles = unit("blue", (10, 10), figures=2)
    assert barred(battle(rifles, tank), moment=AIMED) == "vehicle.small-arms-useless"
    truck = vehicle("red", (10, 18), armour="none")
    assert offered(battle(rifles, truck))["1"] == ["assault-rifle@red-1"]


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_a_vehicle_fires_as_many_weapons_as_it_has_crew() -> None:
    weapons: list[str | tuple[str, str]] = [
        "heavy-machine-gun",
        "light-cannon",
        ("heavy-machine-gun", "front"),
        ("rpg", "rear"),
    ]
    state = battle(vehicle("blue", (10, 10), crew=2, weapons=weapons), unit("red", (10, 30), figures=1))
    halted = parameter(state, moment=HALT)
    # facing the enemy, the rear one does not bear
    assert [row.key for row in halted.rows] == ["m1", "m2", "m3"]
    assert (halted.least, halted.most) == (1, 2)
    assert halted.suggested == {"m1": "heavy-machine-gun@red-1", "m2": "light-cannon@red-1"}
    assert parameter(state, moment=REACTION).most == 2
    # fubar4/vehicle.move-open: one on the move
    assert parameter(state, moment=DRIVE).most == 1
    few = battle(vehicle("blue", (10, 10), crew=8, weapons=weapons), unit("red", (10, 30), figures=1))
    assert parameter(few, moment=HALT).most == 3


@pytest.mark.rule("fubar4/vdamage.weapon-destroyed")
def test_a_vehicles_destroyed_weapon_cannot_fire() -> None:
    car = vehicle("blue", (10, 10), weapons=["heavy-machine-gun", "rpg"])
    mounts = car["mounts"]
    assert isinstance(mounts, dict)
    mounts["m1"]["lost"] = True
    assert offered(battle(car, unit("red", (10, 21), figures=1)), moment=HALT) == {"m2": ["rpg@red-1"]}


@pytest.mark.rule("fubar4/vehicle.transport")
def test_passengers_may_fire_only_from_unarmoured_vehicles() -> None:
    def riding(armour: str) -> str | dict[str, list[str]]:
        truck = vehicle("blue", (10, 10), hull="truck", armour=armour, seats=6)
        riders = unit("blue", None, figures=2, aboard="blue-1", support=["rpg"], grenades="yes")
        state = battle(truck, riders, unit("red", (10, 20), figures=1))
        return barred(state, "blue-2", ABOARD) or offered(state, "blue-2", ABOARD)

    # from the hull's edge at 12.25 to the enemy's at 19.5
    assert riding("none") == {row: ["assault-rifle@red-1", "grenades@red-1"] for row in "12"}
    assert riding("light") == "vehicle.transport"


def test_a_unit_can_fire_exactly_when_it_is_offered_a_target() -> None:
    state = battle(unit("blue", (10, 10), grenades="yes"), unit("red", (10, 21)), unit("red", (10, 40)))
    for moment in (WALK, AIMED, REACTION, DRIVE):
        assert can_fire(fubar4().rules, state, "blue-1", moment) == bool(offered(state, moment=moment))
    assert isinstance(parameter(state), AssignmentParameter)
    assert bout(state).seen == tuple("123456")
