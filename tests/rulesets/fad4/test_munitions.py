"""Special rounds of heavy weapons (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked, PointTaken, Value
from server.kernel.belief import believed
from server.kernel.facts import FiguresFell, FiguresGained, Noted, Rolled
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.arms import ROUNDS
from server.rulesets.fad.supply import SUPPLY
from tests.support.battlefield import BattleTable, battle, fad4, lines, play, unit, vehicle
from tests.support.lucky import holds_every_way, luck_of
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
MUNITIONS = "tech.weapon-tables.munitions"
ROWS = fad4().book.heavy_weapons


def at(x: float, y: float) -> PointTaken:
    return PointTaken((inches(x), inches(y)))


def against(weapon: str, *others: Row, **red: object) -> State:
    """Return a vehicle of conscripts with a weapon, and 20 inches north of it the first of six conscripts in the open."""
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=(weapon,))
    enemy = unit("red", (10, 32), **{"quality": "conscript", "armour": "none", **red})  # type: ignore[arg-type]
    return battle(gun, enemy, *others)


def loaded(state: State, load: str) -> BattleTable:
    return play(state).activates("blue-1").answers("load", Assigned({"m1": load}))


def preview(table: BattleTable, choice: str, value: Value) -> Preview:
    """Return what is said of an answer before it is given."""
    told = fad4().preview(believed(table.state, table.asked), table.prompt, Picked(choice, (value,)))
    assert told is not None
    return told


# --- rows -----------------------------------------------------------------------------------------------------------

NUMBERS = """
light-cannon   incendiary 10 2 0 3 2   15
light-cannon   cluster    10 3 0 3 3   13
light-cannon   shrapnel   10 2 0 3 4   13
medium-cannon  plasma     12 4 0 4 1   19
light-mortar   plasma     10 3 0 1 0.5 13
light-cannon   redeemer   10 3 0 8 2   18
light-cannon   scramble   10 3 0 3 2   15
light-cannon   smart      10 3 0 3 2   18
heavy-mortar   ram        14 2 0 2 3   19
missile-launcher armour-kill 8 2 1 5 2 16
light-auto-cannon fragstorm  10 1 2 2 2 16
light-auto-cannon cling-fire 10 6 2 2 0 18
heavy-auto-cannon smash      6 6 2 5 0 24
light-auto-cannon swarm       7 3 2 2 0 15
light-auto-cannon penetrator 10 6 2 3 0 16
"""
"""Weapon, round, range multiplier, damage, Fire Effect, anti-tank rating, blast, and points."""


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("row", NUMBERS.strip().splitlines())
def test_rounds_change_the_numbers_of_the_weapon_that_is_loaded_with_them(row: str) -> None:
    weapon, load, *numbers = row.split()
    found = ROWS[f"{weapon}.{load}@{load}"]
    made = (found.range_multiplier, found.damage, found.fire_effect, found.anti_tank, found.blast, found.points)
    assert made == tuple(float(number) for number in numbers)
    plain, carrying = ROWS[weapon], ROWS[f"{weapon}.{load}"]
    assert (carrying.damage, carrying.range_multiplier, carrying.rounds) == (
        plain.damage,
        plain.range_multiplier,
        (load,),
    )


@pytest.mark.rule(RULE)
def test_two_or_three_types_may_be_put_into_one_round() -> None:
    mixed = ROWS["light-mortar.incendiary_cluster@incendiary_cluster"]
    assert (mixed.blast, mixed.damage, mixed.traits, mixed.points) == (3, 1, {"terror": True}, 10 + 5 + 3 + 3)
    three = ROWS["light-mortar.incendiary_cluster_ram@incendiary_cluster_ram"]
    assert (three.range_multiplier, three.points) == (12, 10 + 5 + 3 + 3 + 4)
    for weapon in ("light-mortar.cluster_incendiary", "light-mortar.incendiary_cluster_plasma_ram"):
        assert weapon not in ROWS
    assert "light-auto-cannon.incendiary" not in ROWS
    assert "light-mortar.cluster@ram" not in ROWS


# --- loading --------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_weapon_is_loaded_for_an_activation_and_fires_conventional_rounds_otherwise() -> None:
    state = against("heavy-auto-cannon.smash.swarm")
    table = play(state).activates("blue-1")
    card = [line.value for line in fad4().card(table.state, table.unit("blue-1")) if line.label == "Rounds"]
    assert card == ["smash, swarm"]
    plain = table.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1])
    assert ("tech.weapon-tables", 2) in lines(plain.fire_effect)
    (parameter,) = play(state).activates("blue-1").choice("load").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert [(row.key, row.label, row.note) for row in parameter.rows[0].options] == [
        ("smash", "Smash", "range ×6, damage +6, Fire Effect +2, anti-tank +5"),
        (
            "swarm",
            "Swarm",
            "range ×10, damage +3, Fire Effect +2, anti-tank +4, Fire Effect +3 at infantry",
        ),
    ]
    table = loaded(state, "swarm")
    assert table.choice("hold") is not None
    assert table.prompt.choice("load") is None, "once in an activation"
    card = [line.value for line in fad4().card(table.state, table.unit("blue-1")) if line.label == "Rounds"]
    assert card == ["smash, swarm; loaded: swarm"]
    table.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1, 1])
    assert ("tech.weapon-tables", 3) in lines(table.fire_effect), "Fire Effect +3 at infantry"
    assert table.rolled("damage").numbers[0].value == 3
    assert table.unit("blue-1").profile[ROUNDS] == ()


@pytest.mark.rule(RULE)
def test_a_crew_loads_its_weapon_too() -> None:
    crew = unit("blue", (10, 10), figures=3, apart=1.5, support=["light-auto-cannon.smash"], weapon_team=True)
    state = battle(crew, unit("red", (10, 30)), options={"weapon_teams": "on"})
    table = play(state).activates("blue-1").answers("load", Assigned({"1": "smash"}))
    # Smash rounds halve the multiplier of 10: 20 inches are close range of Regulars.
    told = fad4().preview(table.state, table.prompt, Picked("hold"))
    assert told is None
    table.opens_fire_at("red-1", dice=[1, 1, 1])
    assert not [line for line in lines(table.fire_effect) if line[0] == "fire.at-medium-range"]


@pytest.mark.rule(RULE)
def test_swarm_adds_nothing_at_vehicles() -> None:
    tank = vehicle("red", (10, 20), id="tank")
    table = loaded(against("heavy-auto-cannon.swarm", tank), "swarm")
    table.answers("fire-all", Assigned({"m1": "tank"}), dice=[1, 1])
    assert ("tech.weapon-tables", 2) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("load", "armour"), [("fragstorm", 7), ("fragstorm_smash", 6)])
def test_fragstorm_rounds_strike_vehicles_as_conventional_ones_do(load: str, armour: int) -> None:
    tank = vehicle("red", (10, 20), id="tank", armour=(3, 3, 3))
    table = loaded(against(f"light-auto-cannon.{load}", tank), load)
    told = preview(table, "fire-all", Assigned({"m1": "tank"}))
    table.chance(5).answers("fire-all", Assigned({"m1": "tank"}))
    added, needed = table.rolled("vehicle_damage").numbers
    assert (added.value, needed.value) == (6, armour), "what smash adds to it counts"
    assert added in [number for _, number in told.numbers]


# --- what rounds do -------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_incendiary_rounds_terrify_whom_they_hit() -> None:
    table = loaded(against("light-cannon.incendiary"), "incendiary")
    table.answers("blast:m1", at(10, 32), dice=[4, 4, 1, 1, 2, 6])
    assert "terrified" in table.unit("red-1").conditions


@pytest.mark.rule(RULE)
def test_smart_rounds_ignore_cover() -> None:
    wood: Row = {"id": "wood", "kind": "woods", "outline": [(0, 31), (40, 31), (40, 34), (0, 34)]}
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("light-cannon.smart",))
    state = battle(gun, unit("red", (10, 32)), terrain=[wood])
    plain = play(state).activates("blue-1").answers("blast:m1", at(10, 32), dice=[4, 4, 1, 1, 1])
    assert plain.rolled("strike").numbers[1].value > 3
    table = loaded(state, "smart").answers("blast:m1", at(10, 32), dice=[4, 4, 1, 1, 1])
    assert table.rolled("strike").numbers[1].value == 3


@pytest.mark.rule(RULE)
def test_armour_kill_rounds_strike_the_rear_armour() -> None:
    tank = vehicle("red", (10, 20), id="tank", facing=270, armour=(12, 10, 6))
    state = against("missile-launcher.armour-kill", tank)
    plain = play(state).activates("blue-1").answers("fire-all", Assigned({"m1": "tank"}), dice=[6, 1, 1])
    table = loaded(state, "armour-kill").answers("fire-all", Assigned({"m1": "tank"}), dice=[6, 1, 1])
    # 4 + 12 and 4 + 6, less AP 7, not below 4.
    struck = [one.rolled("vehicle_damage").numbers[1].value for one in (plain, table)]
    assert struck == [9, 4]


@pytest.mark.rule(RULE)
def test_cling_fire_hits_those_who_stand_once_more() -> None:
    state = against("light-auto-cannon.cling-fire", armour="heavy-powered")
    table = loaded(state, "cling-fire")
    # 1 + 2 + 2: 5, one hit: 1 + 6 against 10, then 6 + 1.
    table.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1, 6])
    cling = table.rolled("cling")
    assert (cling.numbers[0].value, cling.marks, cling.rule) == (1, ("fail",), MUNITIONS)
    told = fad4().story(table.state, cling)
    assert told is not None
    assert told.text == "It clings: damage 1D6 +1 against armour 10: 0 figures of Red 1 out."
    bare = loaded(against("light-auto-cannon.cling-fire", armour="battle-dress"), "cling-fire")
    bare.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1])
    assert not [fact for fact in bare.seen(Rolled) if fact.purpose == "cling"], "7 takes it out at once"


@pytest.mark.rule(RULE)
def test_cling_fire_hits_a_bot_against_armour_of_its_own() -> None:
    row = unit("red", (10, 32), id="red-1", figures=2, apart=2, quality="conscript", armour="heavy-powered")
    row["figures"][1]["med_bot"] = True  # type: ignore[index]  # figures are a list of rows
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=("light-auto-cannon.cling-fire",))
    table = loaded(battle(gun, row, unit("red", (20, 44), figures=2)), "cling-fire")
    # 2 + 2 + 2: 6, two hits. The man stands, and the bot is damaged; then 6 + 1 against 10, and 4 + 1 against 5.
    table.answers("fire-all", Assigned({"m1": "red-1"}), dice=[2, 3, 1, 6, 4])
    cling = table.rolled("cling")
    assert ([number.value for number in cling.numbers], cling.marks) == ([1, 10, 5], ("fail", "kill"))
    told = fad4().story(table.state, cling)
    assert told is not None
    assert told.text == "It clings: damage 1D6 +1 against armour 10 or 5: 1 figure of Red 1 out."


@pytest.mark.rule(RULE)
def test_the_luck_report_counts_second_hits() -> None:
    start = loaded(against("light-auto-cannon.cling-fire", armour="breach"), "cling-fire").state

    def played(faces: object) -> object:
        assert isinstance(faces, tuple)
        table = loaded(against("light-auto-cannon.cling-fire", armour="heavy-powered"), "cling-fire")
        table.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1, *faces])
        return luck_of(fad4(), start, table.facts, "cling", "blue-1")

    holds_every_way(1, played)  # type: ignore[arg-type]  # it takes a tuple of faces


@pytest.mark.rule(RULE)
def test_penetrator_rounds_hit_once_at_most() -> None:
    tank = vehicle("red", (10, 20), id="tank")
    table = loaded(against("light-auto-cannon.penetrator", tank), "penetrator")
    table.answers("fire-all", Assigned({"m1": "tank"}), dice=[6, 1])
    assert table.rolled("fire_effect").outcome == "1"


@pytest.mark.rule(RULE)
def test_fragstorm_rounds_burst_among_infantry_and_are_aimed_at_vehicles() -> None:
    tank = vehicle("red", (10, 20), id="tank")
    table = loaded(against("light-auto-cannon.fragstorm", tank), "fragstorm")
    assert [row for row in table.offered if row.startswith("blast")] == ["blast:m1"]
    plain = play(against("light-auto-cannon.fragstorm", tank)).activates("blue-1")
    assert "blast:m1" not in [choice.key for choice in plain.prompt.choices]
    table.answers("fire-all", Assigned({"m1": "tank"}), dice=[1, 1])
    assert ("tech.weapon-tables", 2) in lines(table.fire_effect)


# --- redeemers ------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_redeemer_vaporises_all_infantry_in_its_blast_and_is_in_limited_supply() -> None:
    table = loaded(against("light-cannon.redeemer", armour="heavy-powered"), "redeemer")
    told = preview(table, "blast:m1", at(10, 32))
    assert [(row.label, row.value) for row in told.chances][1:] == [("Expected losses: Red 1", "1.0")]
    table.answers("blast:m1", at(10, 32), dice=[4, 4, 1, 2])
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1", "2")]
    assert not [fact for fact in table.seen(Rolled) if fact.purpose in {"strike", "damage", "deflect"}]
    assert table.seen(Noted)[-1].key != "" and table.state.book[SUPPLY] == (  # noqa: PT018 - one thing
        ("blue-1", "Light cannon with redeemer rounds", 1),
    )


@pytest.mark.rule(RULE)
def test_a_redeemer_may_be_aimed_anywhere_and_hits_vehicles_with_an_anti_tank_rating_of_8() -> None:
    tank = vehicle("red", (10, 20), id="tank", facing=270, armour=(8, 6, 4))
    table = loaded(against("light-cannon.redeemer", tank), "redeemer")
    told = preview(table, "blast:m1", at(10, 17))
    assert ("Takes a hit: Tank", "50%") in [(row.label, row.value) for row in told.chances]
    # AP is 8 + 4 - 3: 9 less than 12, and the floor of 4 for vehicles.
    table.answers("blast:m1", at(10, 17), dice=[4, 4, 1, 3, 2])
    damage = table.rolled("vehicle_damage")
    assert (len(damage.faces), damage.numbers[0].value, damage.numbers[1].value) == (1, 3, 4)
    # 3 + 3 exceeds it by 2.
    assert table.unit("tank").conditions == ("under_fire", "vehicle_damaged")


# --- scramblers -----------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_scramble_rounds_shut_suits_down_without_casualties_and_spare_other_infantry() -> None:
    suits: dict[str, object] = {"armour": "light-powered", "apart": 1.2, "resolve": "reluctant"}
    table = loaded(against("light-cannon.scramble", **suits), "scramble")
    told = preview(table, "blast:m1", at(11.2, 32))
    assert ("Expected suits that shut down: Red 1", "0.7") in [(row.label, row.value) for row in told.chances]
    table.answers("blast:m1", at(11.2, 32), dice=[4, 4, 1, 5, 4, 6, 4, 3])
    assert table.rolled("scramble").marks == ("kill", "fail", "kill", "fail")
    assert [fact.condition for fact in table.seen(FiguresGained)] == ["shut_down"]
    red = table.unit("red-1")
    assert (red.strength, fad4().rules.casualties(red)) == (4, 0)
    told_of = fad4().story(table.state, table.rolled("scramble"))
    assert told_of is not None
    assert told_of.text == "Red 1 had 4 figures in the blast: 2 figures shut down."
    plain = loaded(against("light-cannon.scramble"), "scramble").answers("blast:m1", at(10, 32), dice=[4, 4, 1, 3])
    assert (plain.unit("red-1").strength, plain.unit("red-1").conditions) == (6, ("under_fire",))


@pytest.mark.rule(RULE)
def test_scramble_rounds_damage_vehicles_critically() -> None:
    tank = vehicle("red", (10, 20), id="tank")
    table = loaded(against("light-cannon.scramble", tank), "scramble")
    table.answers("blast:m1", at(10, 18), dice=[4, 4, 1, 3])
    assert set(table.unit("tank").conditions) == {"vehicle_damaged", "critically_damaged"}
