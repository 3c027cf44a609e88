"""Weapons that have been changed (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter, Picked, PointParameter, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import FigureRearmed, Rolled, UnitMoved
from server.kernel.files.setups import write
from server.kernel.state import State
from server.rulesets.fad.arms import ROUNDS
from server.rulesets.fad.shot import Shot, aim, band_limits
from server.rulesets.fad.supply import SUPPLY
from tests.support.battlefield import battle, facing, fad4, lines, play, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
BOOK = fad4().book


# --- rows -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("weapon", "changed"),
    [
        ("machine-gun.gatling", {"fire_effect": 5, "points": 8}),
        ("heavy-auto-cannon.gatling.hypertech", {"fire_effect": 5, "points": 21}),
        ("light-beam.hypertech-beam", {"damage": 3, "anti_tank": 4, "points": 13}),
        ("light-rail-gun.long-range", {"range_multiplier": 13, "points": 23}),
        ("heavy-cannon.man-portable", {"crew": 2, "points": 27}),
        ("machine-gun.static-weapon", {"points": 1}),
        ("machine-gun.terror.limited-supply", {"points": 8}),
    ],
)
def test_traits_change_the_numbers_of_heavy_weapons_and_their_price(weapon: str, changed: dict[str, float]) -> None:
    row = BOOK.heavy_weapons[weapon]
    assert {key: getattr(row, key) for key in changed} == changed


@pytest.mark.rule(RULE)
def test_traits_change_small_arms_and_support_weapons_too() -> None:
    arm = BOOK.small_arms["assault-rifle.terror.long-range"]
    assert (arm.range_multiplier, arm.points, arm.traits) == (6, 0.75, {"terror": True})
    gun = BOOK.support_weapons["squad-automatic-weapon.limited-supply.auto-target"]
    assert (gun.points, gun.fire_effect) == (2.75, 2)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("rows", "weapon"),
    [
        ("heavy_weapons", "light-chain-gun.gatling"),
        ("heavy_weapons", "light-cannon.hypertech"),
        ("heavy_weapons", "machine-gun.hypertech-beam"),
        ("heavy_weapons", "machine-gun.cumbersome"),
        ("heavy_weapons", "machine-gun.man-portable.static-weapon"),
        ("heavy_weapons", "machine-gun.gatling.terror"),
        ("heavy_weapons", "machine-gun.terror.terror"),
        ("heavy_weapons", "nerve-disruptor.terror"),
        ("heavy_weapons", "anti-material-rifle.slow-firing"),
        ("support_weapons", "combat-blade.limited-supply"),
        ("support_weapons", "grenade-launcher.gatling"),
        ("small_arms", "assault-rifle.smart-targeting"),
        ("small_arms", "blunderbuss.terror"),
        ("heavy_weapons", "machine-gun."),
    ],
)
def test_traits_that_do_not_fit_a_weapon_are_refused(rows: str, weapon: str) -> None:
    assert weapon not in getattr(BOOK, rows)
    with pytest.raises(KeyError):
        getattr(BOOK, rows)[weapon]


def test_a_setup_with_a_weapon_that_there_is_not_is_refused() -> None:
    with pytest.raises(RulesetError, match="cannot be 'machine-gun\\.smart'"):
        battle(unit("blue", (6, 6), support=["machine-gun.smart"]), unit("red", (6, 40)))


# --- terror, limited supply -----------------------------------------------------------------------------------------


def fired(dice: list[int], **blue: object) -> list[str]:
    """Return the markers of the squad at which a squad with these fields opens fire."""
    table = play(facing(12, blue={"figures": 3, **blue})).activates("blue-1").opens_fire_at("red-1", dice=dice)
    return list(table.unit("red-1").conditions)


@pytest.mark.rule(RULE)
def test_small_arms_and_support_weapons_may_terrify_whom_they_hit() -> None:
    # 1 and 2 for Open Fire, 1 for Regulars and three riflemen, less 1 at 13 inches: 4, one hit.
    assert fired([1, 1, 1]) == ["under_fire"]
    assert fired([1, 1, 1], small_arm="assault-rifle.terror") == ["terrified", "under_fire"]
    assert fired([1, 1, 1, 1], support=["squad-automatic-weapon.terror"]) == ["terrified", "under_fire"]
    # A fusion gun does not reach so far.
    assert fired([1, 1, 1], support=["fusion-gun.terror"], small_arm="submachine-gun") == ["under_fire"]


def limited(left: int | None = None) -> State:
    state = facing(12, blue={"figures": 3, "support": ["squad-automatic-weapon.limited-supply"]})
    note = (("blue-1", "Squad automatic weapon (limited supply)", left),)
    return state if left is None else replace(state, book={SUPPLY: note})


@pytest.mark.rule(RULE)
def test_a_weapon_in_limited_supply_is_rolled_for_after_each_use_and_runs_out() -> None:
    table = play(limited()).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1, 2])
    assert table.rolled("supply").marks == ("fail",)
    assert table.state.book[SUPPLY] == (("blue-1", "Squad automatic weapon (limited supply)", 1),)
    table = play(limited(1)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1])
    assert table.state.book[SUPPLY] == (("blue-1", "Squad automatic weapon (limited supply)", 0),)
    table = play(limited(0)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert not [line for line in lines(table.fire_effect) if line[0] == "shoot.support-weapons"]


@pytest.mark.rule(RULE)
def test_small_arms_that_have_run_out_are_not_fired() -> None:
    state = facing(12, blue={"figures": 3, "small_arm": "assault-rifle.limited-supply"})
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1])
    again = table.activates("red-1").holds(dice=[6, 1]).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    again.activates("red-1").holds(dice=[6, 1]).activates("blue-1")
    why = again.barred("open-fire")
    assert why is not None
    assert "used up its shots" in str(again.choice("open-fire"))


@pytest.mark.rule(RULE)
def test_a_mounted_weapon_that_has_run_out_is_not_fired() -> None:
    note = (("blue-1", "General purpose machine gun (limited supply)", 0),)
    state = battle(vehicle("blue", (6, 6), weapons=["machine-gun.limited-supply"]), unit("red", (6, 20)))
    spent = replace(state, book={SUPPLY: note})
    assert isinstance(aim(fad4().rules, state, "blue-1", "red-1", "m1"), Shot)
    why = aim(fad4().rules, spent, "blue-1", "red-1", "m1")
    assert not isinstance(why, Shot)
    assert why.sentence == "Blue 1 has used up its general purpose machine gun (limited supply)."


# --- cumbersome, man portable, static -------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_cumbersome_weapons_are_not_fired_on_the_move() -> None:
    state = facing(12, blue={"figures": 3, "support": ["squad-automatic-weapon.cumbersome"]})
    table = play(state).activates("blue-1").moves(0, 1).answers("fire", "red-1", dice=[1, 1, 1])
    assert not [line for line in lines(table.fire_effect) if line[0] == "shoot.support-weapons"]
    stays = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1, 1])
    assert ("shoot.support-weapons", 2) in lines(stays.fire_effect)
    rifles = facing(12, blue={"figures": 3, "small_arm": "assault-rifle.cumbersome"})
    table = play(rifles).activates("blue-1").moves(0, 1)
    assert table.asked == "red", "the squad has moved and has nothing to fire"
    table.activates("red-1").holds(dice=[6, 1]).activates("blue-1")
    assert table.barred("open-fire") is None


def team(weapon: str, **other: object) -> Row:
    own: dict[str, object] = {"figures": 2, "apart": 1.5, "weapon_team": True, **other}
    return unit("blue", (6, 6), support=[weapon], **own)  # type: ignore[arg-type]  # as `unit` takes it


@pytest.mark.rule(RULE)
def test_the_crew_of_a_man_portable_weapon_may_rush_and_of_a_static_one_does_not_move() -> None:
    def at(weapon: str) -> State:
        return battle(team(weapon), unit("red", (6, 30)), options={"weapon_teams": "on"})

    plain, portable, static = (
        play(at(weapon)).activates("blue-1")
        for weapon in ("machine-gun", "machine-gun.man-portable", "machine-gun.static-weapon")
    )
    assert plain.barred("move-out") is not None
    assert portable.barred("move-out") is None
    why = static.barred("move-fire")
    assert why is not None
    assert why.sentence == "Blue 1 serves a general purpose machine gun (static), which stays where it is."
    portable.rushes(2, 0)
    assert portable.asked == "red"


# --- range ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_long_range_targeting_lets_support_weapons_reach_one_multiple_farther() -> None:
    # Close range of assault rifles is 20 inches, with one multiple more 24.
    state = facing(22, blue={"figures": 3, "support": ["grenade-launcher"]})
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.supporting == ()
    state = facing(22, blue={"figures": 3, "support": ["grenade-launcher.long-range"]})
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.supporting == (("1", "grenade-launcher.long-range"),)
    blue = facing(22, blue={"small_arm": "assault-rifle.long-range"}).units["blue-1"]
    assert band_limits(fad4().rules, blue)["close"] == 24_000


def test_a_position_that_begins_with_special_rounds_loaded_is_refused() -> None:
    with pytest.raises(RulesetError, match="are loaded when it activates"):
        battle(vehicle("blue", (6, 6), **{ROUNDS: [["m1", "smash"]]}), unit("red", (6, 30)))  # type: ignore[arg-type]


# --- targets --------------------------------------------------------------------------------------------------------


def two_enemies(**blue: object) -> State:
    """Return a blue squad of conscripts, and red squads 12, 16 and 20 inches away; conscripts shoot at the closest two."""
    own: dict[str, object] = {"figures": 4, "quality": "conscript", **blue}
    reds = [unit("red", (6 + 12 * place, 19 + 4 * place), figures=2) for place in range(3)]
    return battle(unit("blue", (6, 6), **own), *reds, size=(60, 48))  # type: ignore[arg-type]  # as `unit` takes it


@pytest.mark.rule(RULE)
def test_a_support_weapon_with_smart_targeting_may_fire_at_another_target_with_one_die() -> None:
    state = two_enemies(support=["squad-automatic-weapon.smart-targeting"])
    table = play(state).chance(1).activates("blue-1").answers("open-fire", "red-1")
    assert table.targets("part|open|alone:1|") == {"red-2": "", "red-3": "shoot.fire-priority"}
    told = fad4().preview(table.state, table.prompt, Picked("part|open|alone:1|", (UnitNamed("red-2"),)))
    assert told is not None
    assert told.dice == "1D6"
    table.answers("part|open|alone:1|", "red-2")
    squad, gun = [fact for fact in table.seen(Rolled) if fact.purpose == "fire_effect"]
    assert (squad.target, len(squad.faces), gun.target, len(gun.faces)) == ("red-1", 2, "red-2", 1)
    assert ("shoot.support-weapons", 2) in lines(gun.numbers[0])
    assert "shoot.support-weapons" not in dict(lines(squad.numbers[0]))
    # Three riflemen are left for the squad.
    assert ("fire.shooter-riflemen", 1) in lines(squad.numbers[0])
    together = play(state).chance(1).activates("blue-1").answers("open-fire", "red-1").answers("with-squad")
    assert len([fact for fact in together.seen(Rolled) if fact.purpose == "fire_effect"]) == 1


@pytest.mark.rule(RULE)
def test_what_picks_its_targets_ignores_fire_priority_if_nothing_else_is_fired() -> None:
    assert play(two_enemies()).activates("blue-1").targets("open-fire")["red-3"] == "shoot.fire-priority"
    gun = play(two_enemies(support=["squad-automatic-weapon.auto-target"])).chance(1).activates("blue-1")
    assert gun.targets("open-fire")["red-3"] == ""
    told = fad4().preview(gun.state, gun.prompt, Picked("open-fire", (UnitNamed("red-3"),)))
    assert told is not None
    assert told.notes[0].startswith("1 of 4 figures fire")
    gun.opens_fire_at("red-3", dice=[])
    assert "fire.shooter-riflemen" not in dict(lines(gun.fire_effect))
    near = play(two_enemies(support=["squad-automatic-weapon.auto-target"])).chance(1).activates("blue-1")
    near.opens_fire_at("red-1", dice=[])
    assert ("fire.shooter-riflemen", 1) in lines(near.fire_effect)
    rifles = two_enemies(support=["squad-automatic-weapon"], small_arm="assault-rifle.auto-target")
    table = play(rifles).chance(1).activates("blue-1").opens_fire_at("red-3", dice=[])
    assert "shoot.support-weapons" not in dict(lines(table.fire_effect))


@pytest.mark.rule(RULE)
def test_a_team_or_a_vehicle_with_one_weapon_that_picks_its_targets_ignores_fire_priority() -> None:
    reds = [unit("red", (6 + 12 * place, 19 + 4 * place), figures=2) for place in range(3)]
    crew = team("machine-gun.auto-target", quality="conscript")
    state = battle(crew, *reds, size=(60, 48), options={"weapon_teams": "on"})
    assert set(play(state).chance(1).activates("blue-1").targets("open-fire").values()) == {""}
    cannon = battle(
        team("light-cannon.auto-target", quality="rabble"), *reds, size=(60, 48), options={"weapon_teams": "on"}
    )
    (parameter,) = play(cannon).activates("blue-1").choice("blast").parameters
    assert isinstance(parameter, PointParameter)
    assert parameter.near == ("red-1", "red-2", "red-3")
    for guns, near in ((1, 3), (2, 2)):
        arms = ["machine-gun.auto-target"] * guns
        tank = vehicle("blue", (6, 6), quality="conscript", weapons=arms)
        (rows,) = play(battle(tank, *reds, size=(60, 48))).activates("blue-1").choice("fire-all").parameters
        assert isinstance(rows, AssignmentParameter)
        assert len(rows.rows[0].options) == near


@pytest.mark.rule(RULE)
def test_a_crew_that_falls_back_leaves_a_static_weapon_behind() -> None:
    crew = team("machine-gun.static-weapon", figures=4, lost=3, resolve="reluctant", apart=1.5)
    state = battle(crew, unit("red", (6, 30)), options={"weapon_teams": "on"})
    table = play(state).activates("blue-1", dice=[6, 1, 1]).defaults()
    assert [fact.role for fact in table.seen(FigureRearmed)] == [""]
    for fact in table.facts[: table.facts.index(table.seen(FigureRearmed)[0])]:
        state = fact.fold(state)
    told = fad4().story(state, table.seen(FigureRearmed)[0])
    assert told is not None
    assert told.text == "Blue 1 leaves its general purpose machine gun (static) behind."
    assert fad4().read(write(table.state)).units["blue-1"].profile["abandoned"] == "machine-gun.static-weapon"
    assert table.seen(UnitMoved)[0].manner == "fall-back"
