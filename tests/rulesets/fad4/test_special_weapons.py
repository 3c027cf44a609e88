"""Special weapons: what the footnotes of the weapons' tables have them do."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked, PointTaken, Value
from server.kernel.belief import believed
from server.kernel.facts import ConditionGained, FiguresFell, Rolled, TerrainChanged
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.modules.special_weapons import lies_on
from tests.support.battlefield import BattleTable, battle, driven, facing, fad4, lines, piece, play, unit, vehicle
from tests.support.tabletop import Row, figures

RULE = "fad4/tech.weapon-tables"


def at(x: float, y: float) -> PointTaken:
    return PointTaken((inches(x), inches(y)))


def against(weapon: str, *others: Row, options: dict[str, str] | None = None, **red: object) -> State:
    """Return a vehicle of conscripts with a weapon, and 20 inches north of it the first of six conscripts in the open."""
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=(weapon,))
    enemy = unit("red", (10, 32), **{"quality": "conscript", "armour": "none", **red})  # type: ignore[arg-type]
    return battle(gun, enemy, *others, options=options)


def shelled(state: State, point: PointTaken, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("blast:m1", point, dice=dice)


def fired(state: State, *dice: int, target: str = "red-1") -> BattleTable:
    return play(state).activates("blue-1").answers("fire-all", Assigned({"m1": target}), dice=dice)


def preview(table: BattleTable, choice: str, value: Value) -> Preview:
    """Return what is said of an answer before it is given."""
    told = fad4().preview(believed(table.state, table.asked), table.prompt, Picked(choice, (value,)))
    assert told is not None
    return told


# --- shells that pin ------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("weapon", "pinned"),
    [
        ("light-cannon", False),
        ("medium-cannon", True),
        ("heavy-cannon", True),
        ("light-mortar", False),
        ("heavy-mortar", True),
    ],
)
def test_a_shell_of_the_heavier_guns_pins_the_squad_on_which_it_lands(weapon: str, *, pinned: bool) -> None:
    table = shelled(against(weapon), at(10, 30.6), 4, 4, 1, 1, 1)  # two passes, strike 2: no hit
    assert table.rolled("strike").outcome == "red-1=0"
    assert table.unit("red-1").conditions == (("pinned",) if pinned else ("under_fire",))


@pytest.mark.rule(RULE)
def test_a_point_is_on_a_squad_within_an_inch_of_a_figure_or_among_its_figures() -> None:
    state = against("heavy-mortar", figures=3, apart=8)
    line = state.units["red-1"]
    assert lies_on(fad4().rules, line, (10_000, 33_500))
    assert not lies_on(fad4().rules, line, (10_000, 33_501))
    ring = battle(unit("blue", (4, 4)), unit("red", [(10, 20), (22, 20), (16, 30)], quality="elite")).units["red-1"]
    assert lies_on(fad4().rules, ring, (16_000, 24_000))
    assert not lies_on(fad4().rules, ring, (10_000, 26_000))


@pytest.mark.rule(RULE)
def test_a_shell_that_lands_beyond_an_inch_only_marks_those_in_its_blast() -> None:
    table = shelled(against("heavy-mortar"), at(10, 29.4), 4, 4, 1, 1, 1)
    assert table.unit("red-1").conditions == ("under_fire",)


@pytest.mark.rule(RULE)
def test_a_shell_that_went_wide_pins_no_squad() -> None:
    assert shelled(against("heavy-mortar"), at(10, 32), 4, 1, 1).unit("red-1").conditions == ()


@pytest.mark.rule(RULE)
def test_the_preview_of_such_a_shell_says_how_likely_it_pins() -> None:
    table = play(against("heavy-mortar")).activates("blue-1")
    told = preview(table, "blast:m1", at(10, 32))
    assert [(row.label, row.value) for row in told.chances if "lands on it" in row.label] == [
        ("Pinned, as it lands on it: Red 1", "50%")
    ]


# --- RPGs and slow firing -------------------------------------------------------------------------------------------


def rows(state: State) -> list[str]:
    """Return the targets at which the vehicle may aim."""
    choice = play(state).activates("blue-1").choice("fire-all")
    parameters = [parameter for parameter in choice.parameters if isinstance(parameter, AssignmentParameter)]
    return [option.key for parameter in parameters for row in parameter.rows for option in row.options]


@pytest.mark.rule(RULE)
def test_an_rpg_is_aimed_at_vehicles_powered_armour_and_structures_alone() -> None:
    tank = vehicle("red", (40, 32), id="tank")
    assert rows(against("rpg", tank, quality="conscript")) == ["tank"]
    assert rows(against("rpg", armour="light-powered")) == ["red-1"]
    barred = play(against("rpg")).activates("blue-1").barred("fire-all")
    assert barred is not None
    assert "is for vehicles, powered armour and structures" in barred.sentence
    walls = piece("building", (9, 31), (16, 34))
    gun, enemy = vehicle("blue", (10, 10), weapons=("rpg",)), unit("red", (10, 32), figures=6)
    assert rows(battle(gun, enemy, terrain=[walls])) == ["red-1"]  # three of six stand in it
    half = piece("building", (9, 31), (14, 34))
    assert rows(battle(gun, enemy, terrain=[half])) == []


@pytest.mark.rule(RULE)
def test_an_anti_material_rifle_hits_once_at_most() -> None:
    table = fired(against("anti-material-rifle", apart=1.2), 6, 6)
    effect = table.rolled("fire_effect")
    assert effect.numbers[0].value >= 6
    assert (effect.outcome, len(table.rolled("damage").faces)) == ("1", 1)


# --- nerve disruptors -----------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_squad_that_a_nerve_disruptor_hits_tests_its_morale_whatever_its_losses() -> None:
    spare = unit("red", (10, 44), figures=2, id="spare")
    table = fired(against("nerve-disruptor", spare, armour="breach"), 6, 1, 1)
    assert table.unit("red-1").conditions == ("terrified", "under_fire")
    table.activates("red-1", dice=[4, 1, 1])
    assert table.rolled("morale").outcome == "falls_back"
    assert "broken" in table.unit("red-1").conditions
    while table.state.turn.unit == "red-1":
        table.defaults()
    assert table.unit("red-1").conditions == ("broken",)


@pytest.mark.rule(RULE)
def test_a_shot_without_a_hit_frightens_no_squad() -> None:
    state = against("nerve-disruptor", conditions=["under_fire"])
    assert fired(state, 1).unit("red-1").conditions == ("under_fire",)


@pytest.mark.rule(RULE)
def test_whom_a_nerve_disruptor_wounds_does_not_recover_and_is_harder_to_save() -> None:
    state = against("nerve-disruptor", armour="none", quality="regular", options={"recover_wounded": "on"})
    table = fired(state, 6, 1, 1)
    assert table.unit("red-1").figures["1"].conditions == ("nerve_struck", "wounded")
    table.activates("red-1", dice=[6, 6, 6])
    table.answers("command")
    told = preview(table, "recover-wounded", figures("1"))
    assert [(row.label, row.per_myriad) for row in told.chances if row.label != "Dies"] == [
        ("Fit again", 0),
        ("Stabilised", 1667),
    ]
    table.answers("recover-wounded", figures("1"), dice=[6])
    assert table.rolled("recovery").outcome == "stabilised"
    # One for the marker Under Fire, one for the weapon.
    assert [amount for _, amount in lines(table.rolled("recovery").numbers[0])] == [-1, -1]


# --- webs -----------------------------------------------------------------------------------------------------------


def webbed() -> BattleTable:
    spare = unit("red", (10, 44), figures=2, id="spare")
    return shelled(against("light-web-cannon", spare, armour="none"), at(10, 32), 4, 4, 1, 3, 3)


@pytest.mark.rule(RULE)
def test_a_web_cannons_hits_web_a_squad_and_do_no_damage() -> None:
    table = webbed()
    assert table.rolled("strike").outcome == "red-1=2"
    assert (table.seen(FiguresFell), [r for r in table.seen(Rolled) if r.purpose == "damage"]) == ([], [])
    assert table.unit("red-1").conditions == ("webbed",)
    assert [row.rule for row in table.seen(ConditionGained)] == ["tech.weapon-tables"]


@pytest.mark.rule(RULE)
def test_a_strike_without_a_hit_webs_no_squad() -> None:
    table = shelled(against("light-web-cannon"), at(10, 32), 4, 4, 1, 1, 1)
    assert table.unit("red-1").conditions == ("under_fire",)


@pytest.mark.rule(RULE)
def test_a_webbed_squad_does_nothing_until_a_die_breaks_the_web() -> None:
    table = webbed().activates("red-1")
    for choice in ("move-fire", "open-fire", "assault", "move-out"):
        why = table.barred(choice)
        assert why is not None
        assert "webbed" in why.sentence
    table.answers("command").answers("break-free", dice=[3])
    assert table.rolled("break_free").outcome == "held"
    assert table.unit("red-1").conditions == ("webbed",)
    free = webbed().activates("red-1").answers("command").answers("break-free", dice=[4])
    assert free.unit("red-1").conditions == ()
    assert "command-fire" in free.offered


@pytest.mark.rule(RULE)
def test_a_squad_that_no_web_holds_is_not_offered_to_break_free() -> None:
    assert "command" not in play(facing(12)).activates("blue-1").offered


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/fire.target-under-fire")
def test_a_webbed_squad_is_harder_to_hit() -> None:
    state = facing(12, red={"conditions": ["webbed"]})
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert ("pin.harder-target", -1) in lines(table.fire_effect)
    assert table.unit("red-1").conditions == ("webbed",)


@pytest.mark.rule(RULE)
def test_only_a_heavy_web_cannon_stops_a_vehicle() -> None:
    tank = vehicle("red", (10, 30), id="tank", armour=(9, 9, 9))

    def gun(weapon: str) -> State:
        return battle(vehicle("blue", (10, 10), weapons=(weapon,)), tank)

    why = play(gun("medium-web-cannon")).activates("blue-1").barred("fire-all")
    assert why is not None
    assert "for infantry" in why.sentence
    table = fired(gun("heavy-web-cannon"), 6, target="tank")
    assert table.unit("tank").conditions == ("under_fire", "vehicle_damaged")
    assert table.unit("tank").profile["damage_tokens"] == 1
    assert [row.purpose for row in table.seen(Rolled)] == ["fire_effect"]


@pytest.mark.rule(RULE)
def test_the_preview_of_a_web_has_its_chance_and_no_losses() -> None:
    told = preview(play(against("light-web-cannon")).activates("blue-1"), "blast:m1", at(10, 32))
    chances = {row.label: row for row in told.chances}
    assert chances["Expected losses of Red 1"].value == "0.0"
    # Two passes of three in 3 of 8 throws, three in 1: 3 or more with two dice in 35 of 36, with three always.
    assert chances["Webbed: Red 1"].per_myriad == round(10_000 * (3 / 8 * 35 / 36 + 1 / 8))


# --- grav guns ------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_grav_gun_pins_all_infantry_in_its_blast_and_rolls_no_strike() -> None:
    friend = unit("blue", (10, 33.5), figures=1, id="friend")
    table = shelled(against("grav-gun", friend, figures=2, conditions=["under_fire"]), at(10, 32), 4, 4, 1)
    assert [row.purpose for row in table.seen(Rolled)] == ["ranging"]
    assert (table.unit("red-1").conditions, table.unit("friend").conditions) == (("pinned",), ("pinned",))
    assert table.seen(FiguresFell) == []


@pytest.mark.rule(RULE)
def test_a_building_that_a_grav_guns_blast_reaches_becomes_rubble() -> None:
    house = piece("building", (4, 33.5), (18, 44), id="house")
    inside, wood = unit("red", (10, 36), figures=2, id="inside"), piece("woods", (10, 28), (14, 31), id="wood")
    gun, enemy = vehicle("blue", (10, 10), quality="conscript", weapons=("grav-gun",)), unit("red", (10, 32), figures=1)
    table = shelled(battle(gun, enemy, inside, terrain=[house, wood]), at(10, 32), 4, 4, 1, 3, 4)
    assert [row.id for row in table.seen(TerrainChanged)] == ["house"]
    assert {row.id: row.kind for row in table.state.table.terrain} == {"wood": "woods", "house": "rubble"}
    assert table.rolled("collapse").rule == "tech.weapon-tables"
    assert [row.figures for row in table.seen(FiguresFell)] == [("2",)]


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("mobility", "critical"), [("track", False), ("wheel", False), ("walk", False), ("hover", True), ("fly", True)]
)
def test_a_grav_gun_stops_a_vehicle_and_penetrates_what_hovers(mobility: str, *, critical: bool) -> None:
    tank = vehicle("red", (10, 30), id="tank", armour=(12, 12, 12), mobility=mobility)
    table = fired(battle(vehicle("blue", (10, 10), weapons=("grav-gun",)), tank), 6, target="tank")
    marks = ("critically_damaged",) * critical
    assert table.unit("tank").conditions == (*marks, "under_fire", "vehicle_damaged")
    assert [row.purpose for row in table.seen(Rolled)] == ["fire_effect"]


@pytest.mark.rule(RULE)
def test_the_preview_of_a_grav_gun_says_how_likely_it_pins_and_topples() -> None:
    house = piece("building", (4, 33.5), (18, 44), id="house", name="House")
    gun, enemy = vehicle("blue", (10, 10), quality="conscript", weapons=("grav-gun",)), unit("red", (10, 32), figures=1)
    told = preview(play(battle(gun, enemy, terrain=[house])).activates("blue-1"), "blast:m1", at(10, 32))
    assert [(row.label, row.value) for row in told.chances] == [
        ("On target", "50%"),
        ("Pinned: Red 1", "50%"),
        ("Becomes rubble: House", "50%"),
    ]
    assert [label for label, _ in told.numbers] == ["Each ranging die"]


# --- conversion guns ------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_conversion_gun_rolls_for_each_figure_and_throws_the_survivors_out() -> None:
    line = against("conversion-gun", figures=4, apart=1.25, armour="heavy-powered")
    table = shelled(line, at(10, 31), 4, 4, 1, 3, 4)  # the first two figures are in the blast
    assert (table.rolled("conversion").marks, table.rolled("conversion").outcome) == (("fail", "kill"), "1")
    squad = table.unit("red-1")
    assert [key for key, figure in squad.figures.items() if figure.fallen] == ["2"]
    # Straight outward: from 1" to the blast's 2" and its own base.
    assert squad.figures["1"].at == (10_000, 33_000 + squad.figures["1"].radius)
    assert squad.conditions == ("under_fire",)


@pytest.mark.rule(RULE)
def test_survivors_stop_where_there_is_no_room() -> None:
    cliff = piece("cliff", (4, 33), (16, 34))
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("conversion-gun",))
    enemy = unit("red", (10, 32), figures=1)
    table = shelled(battle(gun, enemy, terrain=[cliff]), at(10, 31), 4, 4, 1, 1)
    figure = table.unit("red-1").figures["1"]
    assert figure.at is not None
    assert 32_000 < figure.at[1] <= 33_000 - figure.radius


@pytest.mark.rule(RULE)
def test_a_conversion_gun_wounds_on_four_and_kills_on_six() -> None:
    state = against("conversion-gun", figures=5, options={"recover_wounded": "on"}, apart=1.2)
    table = shelled(state, at(11.2, 32), 4, 4, 1, 4, 6, 5, 1)
    fallen = {key: figure.conditions for key, figure in table.unit("red-1").figures.items() if figure.fallen}
    assert fallen == {"1": (), "2": ("wounded",), "3": ("wounded",)}


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("die", "falls"), [(1, False), (2, True)])
def test_small_terrain_in_its_blast_collapses_on_two(die: int, *, falls: bool) -> None:
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("conversion-gun",))
    hut, hall = piece("building", (9, 33), (15, 39), id="hut"), piece("building", (2, 33), (8.5, 39), id="hall")
    table = shelled(battle(gun, unit("red", (10, 31), figures=1), terrain=[hut, hall]), at(10, 32), 4, 4, 1, 1, die)
    assert [row.outcome for row in table.seen(Rolled) if row.purpose == "conversion_terrain"] == ["hut"]
    assert {row.id: row.kind for row in table.state.table.terrain} == {
        "hut": "rubble" if falls else "building",
        "hall": "building",
    }


@pytest.mark.rule(RULE)
def test_nothing_is_left_of_a_wall_that_collapses() -> None:
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("conversion-gun",))
    wall = piece("wall", (8, 33), (12, 33), id="wall")
    table = shelled(battle(gun, unit("red", (10, 31), figures=1), terrain=[wall]), at(10, 32), 4, 4, 1, 1, 2)
    assert [(row.id, row.piece) for row in table.seen(TerrainChanged)] == [("wall", None)]


@pytest.mark.rule(RULE)
def test_a_conversion_gun_pierces_more_of_a_vehicle_that_stands_or_is_stopped() -> None:
    def pierced(table: BattleTable) -> int:
        table.activates("blue-1").answers("fire-all", Assigned({"m1": "tank"}), dice=[6, 1, 1, 1])
        (_, needed, *_) = table.rolled("vehicle_damage").numbers
        return -dict(lines(needed))["damage.armour-piercing"]

    def meeting(**tank: object) -> State:
        gun = vehicle("blue", (10, 10), weapons=("conversion-gun",))
        hull = vehicle("red", (10, 30), id="tank", armour=(12, 12, 12), **tank)  # type: ignore[arg-type]
        return battle(gun, hull, unit("blue", (24, 4), id="last"), active="red", first="red")

    drove = play(meeting()).activates("tank").answers("drive-fire", driven((10, 31), facing=90))
    while drove.asked == "red":
        drove.defaults()
    assert drove.state.book["special.moved"] == ("tank",)
    assert pierced(drove) == 7
    stood = play(meeting()).activates("tank").answers("drive-fire", driven())
    while stood.asked == "red":
        stood.defaults()
    assert pierced(stood) == 8
    stopped = battle(
        vehicle("blue", (10, 10), weapons=("conversion-gun",)),
        vehicle("red", (10, 30), id="tank", armour=(12, 12, 12), conditions=["vehicle_damaged"], damage_tokens=1),
    )
    assert pierced(play(stopped)) == 10


@pytest.mark.rule(RULE)
def test_the_preview_of_a_conversion_gun_has_its_losses_and_what_collapses() -> None:
    hut = piece("building", (9, 33), (15, 39), id="hut", name="Hut")
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("conversion-gun",))
    state = battle(gun, unit("red", (10, 31), figures=1), terrain=[hut])
    told = preview(play(state).activates("blue-1"), "blast:m1", at(10, 32))
    assert [(row.label, row.per_myriad) for row in told.chances if row.per_myriad >= 0] == [
        ("On target", 5000),
        ("Collapses: Hut", round(10_000 * 0.5 * 5 / 6)),
    ]
    assert {row.label: row.value for row in told.chances}["Expected losses: Red 1"] == "0.2"


# --- the Multi-Gun --------------------------------------------------------------------------------------------------


def gunner(apart: float) -> BattleTable:
    return play(facing(apart, blue={"support": ["multi-gun"]})).activates("blue-1")


@pytest.mark.rule(RULE)
def test_a_multi_gun_is_fired_as_its_player_picks() -> None:
    table = gunner(12)
    table.answers("open-fire", "red-1")
    assert table.prompt.title == "Blue 1 fires its Multi-Gun as"
    assert table.offered == ["squad-automatic-weapon", "grenade-launcher", "assault-shotgun"]
    assert table.prompt.default.choice == "grenade-launcher"
    table.answers("squad-automatic-weapon", dice=[1, 1, 1, 1])
    assert ("shoot.support-weapons", 2) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_beyond_close_range_a_multi_gun_is_an_automatic_weapon_without_asking() -> None:
    table = gunner(30).answers("open-fire", "red-1", dice=[3, 1, 1, 1])
    assert ("shoot.support-weapons", 2) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/assault.modifier-table")
def test_hand_to_hand_a_multi_gun_is_a_shotgun() -> None:
    assert fad4().book.support_weapons["multi-gun"].assault_bonus == 1
