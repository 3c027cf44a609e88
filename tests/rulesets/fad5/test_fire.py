"""Shooting and damage: the figures that count, opposed dice, and markers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from client_protocol.choices import Picked, UnitNamed, Why
from server.kernel.facts import ConditionGained, ConditionLost
from server.rulesets.fad.previews.choices import preview_shot
from server.rulesets.fad.previews.losses import kill_chance
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, effect, facing, fad5, shot, value_of, vehicle
from tests.support.battlefield import lines, piece, play, unit

LMG = {"support": ["squad-automatic-weapon"]}


@pytest.mark.rule("fad5/shoot.modifier-table")
@pytest.mark.rule("fad5/shoot.mod-small-arms")
@pytest.mark.rule("fad5/shoot.mod-shooter-quality")
@pytest.mark.rule("fad5/shoot.support-weapons")
@pytest.mark.rule("fad5/shoot.mod-support-weapons")
def test_gunners_do_not_count_as_riflemen() -> None:
    # Five rifles and a gunner: one three.
    assert effect(facing(12, blue=LMG), [1, 1, 6, 1]) == [
        ("shoot.mod-shooter-quality", 1),
        ("shoot.mod-small-arms", 1),
        ("shoot.mod-support-weapons", 2),
    ]
    assert value_of(shot(facing(12), [1, 1, 6, 1]).fire_effect, "shoot.mod-small-arms") == 2


@pytest.mark.rule("fad5/shoot.mod-small-arms")
@pytest.mark.rule("fad5/shoot.one-weapon-per-figure")
def test_a_gunner_out_of_range_does_not_fire_a_rifle_instead() -> None:
    # Grenades reach as far as close range, 20" for Regulars.
    far = shot(facing(30, blue={"support": ["grenade-launcher"]}), [1, 1])
    assert value_of(far.fire_effect, "shoot.mod-small-arms") == 1
    assert value_of(far.fire_effect, "shoot.support-weapons") == 0


@pytest.mark.rule("fad5/shoot.range-bands")
@pytest.mark.rule("fad5/shoot.one-weapon-per-figure")
def test_a_gunner_whose_weapon_does_not_reach_brings_the_enemy_no_nearer() -> None:
    # Medium range ends at 40": the launcher, 1.5" in front, would be within it, and the riflemen are beyond it.
    state = battle(
        unit("blue", [(8.5, 7.5), (6, 6), (8.5, 6), (11, 6)], support=["grenade-launcher"]),
        unit("red", (6, 47.6)),
        size=(48, 72),
    )
    aimed = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    assert (aimed.band, aimed.distance, aimed.firing) == ("long", 40_600, ("2", "3", "4"))


@pytest.mark.rule("fad5/shoot.range-bands")
@pytest.mark.rule("fad5/shoot.support-weapons")
def test_without_an_idle_gunner_in_front_another_weapon_may_not_reach_either() -> None:
    # The launcher, in front, is within 40", the band of the plasma rifle; all others are beyond it.
    guns = ["grenade-launcher", "plasma-rifle", "squad-automatic-weapon"]
    state = battle(
        unit("blue", [(8.5, 7.5), (6, 6.5), (8.5, 6), (11, 6)], support=guns),
        unit("red", (6, 48)),
        size=(48, 72),
    )
    aimed = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    assert (aimed.band, aimed.firing) == ("long", ("3", "4"))
    assert [key for key, _ in aimed.supporting] == ["3"]


@pytest.mark.rule("fad5/shoot.support-weapons")
@pytest.mark.rule("fad5/shoot.mixed-weapons-range")
def test_a_gunner_alone_in_sight_whose_weapon_does_not_reach_fires_nothing() -> None:
    # Behind the rock the others see no enemy; one of them has a submachine gun, which reaches no farther than 24".
    squad = unit("blue", [(6, 6), (20, 6), (22.5, 6)], support=["grenade-launcher", "submachine-gun"])
    rock = piece("cliff", (10, 7), (40, 8))
    state = battle(squad, unit("red", [(6, 37)]), terrain=[rock], options={"mixed_small_arms": "on"})
    why = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(why, Why)
    assert why.sentence == "No weapon of Blue 1 that it could fire at Red 1 reaches medium range."


@pytest.mark.rule("fad5/shoot.dice")
def test_a_squad_rolls_two_fire_effect_dice_and_its_last_figure_one() -> None:
    assert shot(facing(12), [2, 1, 1, 6]).rolled("fire_effect").faces == (2, 1)
    last = play(facing(12, blue={"lost": 5, "resolve": "determined"})).activates("blue-1", dice=[6, 6, 6])
    assert last.fires_at("red-1", [3]).rolled("fire_effect").faces == (3,)


@pytest.mark.rule("fad5/shoot.mod-range")
@pytest.mark.rule("fad5/shoot.range-bands")
@pytest.mark.rule("fad5/shoot.base-range")
@pytest.mark.parametrize(("apart", "amount"), [(4, 2), (20, 0), (40, -2), (60, -4)])
def test_range_bands_modify_the_fire_effect(apart: float, amount: int) -> None:
    aimed = aim(fad5().rules, facing(apart), "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    assert aimed.band == {2: "base", 0: "close", -2: "medium", -4: "long"}[amount]
    told = fad5().preview(facing(apart), play(facing(apart)).activates("blue-1").prompt, _at("red-1"))
    assert told is not None
    assert value_of(dict(told.numbers)["Fire Effect (without the dice)"], "shoot.mod-range") == amount


def _at(target: str) -> Picked:
    return Picked("fire-move", (UnitNamed(target),))


@pytest.mark.rule("fad5/shoot.mod-bunched")
@pytest.mark.parametrize(
    ("places", "amount"),
    [
        ([(6, 20), (7.5, 20), (10, 20), (12.5, 20)], 0),
        ([(6, 20), (7.5, 20), (9, 20), (12.5, 20)], 2),
        ([(6, 20), (8, 20), (10, 20), (12, 20)], 0),
        ([(6, 20), (7.9, 20), (9.8, 20), (12.5, 20)], 2),
        ([(6, 20), (7.5, 20), (10, 20), (11.5, 20)], 0),
    ],
    ids=["two", "three in a chain", "an inch apart", "almost an inch", "two pairs"],
)
def test_three_figures_in_a_close_chain_are_bunched_up(places: list[tuple[float, float]], amount: int) -> None:
    state = battle(unit("blue", (6, 6)), unit("red", places, armour="breach"))
    told = preview_shot(fad5().rules, state, "blue-1", "red-1")
    assert told is not None
    # Questions inside the rules name keys; on the wire they are entries.
    assert value_of(dict(told.numbers)["Fire Effect (without the dice)"], "fire.target-bunched-up") == amount


@pytest.mark.rule("fad5/shoot.mod-non-combatant")
@pytest.mark.rule("fad5/shoot.mod-rabble-open")
def test_rabble_and_non_combatants_are_easier_to_hit() -> None:
    state = facing(12, red={"quality": "rabble", "non_combatant": True, "armour": "breach"})
    told = shot(state, [1, 1, 1, 1, 6, 6]).fire_effect
    assert (value_of(told, "shoot.mod-non-combatant"), value_of(told, "shoot.mod-rabble-open")) == (2, 1)


@pytest.mark.rule("fad5/shoot.mod-target-suppressed")
@pytest.mark.rule("fad5/under-fire.harder-target")
@pytest.mark.rule("fad5/shoot.mod-shooter-suppressed")
@pytest.mark.rule("fad5/under-fire.infantry-shooting")
def test_a_unit_under_fire_is_harder_to_hit_and_shoots_worse() -> None:
    marked = {"conditions": ["under_fire"]}
    told = shot(facing(12, blue=marked, red=marked), [6, 1, 1, 6]).fire_effect
    assert value_of(told, "under-fire.harder-target") == -1
    assert value_of(told, "under-fire.infantry-shooting") == -3
    broken = {"conditions": ["broken"], "lost": 3, "resolve": "steady"}
    table = play(facing(12, blue=broken)).activates("blue-1", dice=[6, 6, 6]).fires_at("red-1", [6, 1, 1, 6])
    assert value_of(table.fire_effect, "shoot.mod-shooter-suppressed") == -3


@pytest.mark.rule("fad5/shoot.hits")
@pytest.mark.parametrize(("kind", "points"), [("road", 3), ("rocks", 4), ("ruin", 5)])
def test_the_points_for_a_hit_depend_on_cover(kind: str, points: int) -> None:
    terrain = [piece(kind, (4, 17), (24, 21))]
    told = preview_shot(fad5().rules, facing(12, terrain=terrain), "blue-1", "red-1")
    assert told is not None
    assert dict(told.numbers)["Points for each hit"].value == points
    names = {3: "not concealed", 4: "soft cover", 5: "hard cover"}
    assert dict(told.numbers)["Points for each hit"].lines[0].reason == names[points]


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.infantry")
@pytest.mark.rule("fad5/armour.table")
@pytest.mark.rule("fad5/weapon.small-arms")
@pytest.mark.rule("fad5/damage.allocate")
def test_each_hit_rolls_a_die_plus_damage_against_a_die_plus_armour() -> None:
    # Effect 1 + 1 + 2 = 4 is one hit; 5 + 1 + 2 = 8 two. The defence is 6 + 1 and 5 + 1, the attack 4 + 2 and 4 + 2.
    table = shot(facing(12, red={"armour": "improved"}), [5, 1, 6, 5, 4, 4])
    armour, damage = table.rolled("armour"), table.rolled("damage")
    assert (armour.rule, armour.faces, armour.unit) == ("armour.table", (6, 5), "red-1")
    assert (damage.rule, damage.marks) == ("damage.infantry", ("fail", "kill"))
    assert [lines(number) for number in damage.numbers] == [[("weapon.small-arms", 2)], [("armour.table", 1)]]


@pytest.mark.rule("fad5/damage.infantry")
def test_the_odds_of_a_kill_count_the_defenders_die() -> None:
    state = facing(12, red={"armour": "heavy"})
    aimed = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    assert kill_chance(fad5().rules, state, aimed, 0, "") == Fraction(21, 36)


# --- marks ------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/under-fire.marking")
def test_a_unit_that_is_shot_at_is_marked_hit_or_not() -> None:
    table = shot(facing(60), [1, 1])
    assert table.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "under-fire.marking")]


@pytest.mark.rule("fad5/under-fire.no-stacking")
def test_a_unit_has_one_marker_however_often_it_is_shot_at_and_loses_it_with_its_activation() -> None:
    state = facing(60, red={"conditions": ["under_fire"]}, others=[unit("blue", (30, 6), id="idle")])
    table = shot(state, [1, 1])
    assert table.seen(ConditionGained) == []
    assert table.unit("red-1").conditions == ("under_fire",)
    table.activates("red-1").holds()
    assert table.seen(ConditionLost) == [ConditionLost("red-1", "under_fire", "turn.marker-removal")]
    # A Pinned unit stays only Pinned.
    pinned = facing(60, red={"conditions": ["pinned"]}, options={"pinning": "on"})
    assert shot(pinned, [1, 1]).unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad5/shoot.fire-priority")
@pytest.mark.rule("fad5/under-fire.target-priority")
@pytest.mark.rule("fad5/shoot.unit-fires-once")
@pytest.mark.rule("fad5/shoot.line-of-sight")
def test_a_unit_under_fire_has_the_fire_priority_of_one_level_lower() -> None:
    def targets(quality: str, *marks: str) -> list[bool]:
        reds = [unit("red", (x, 20), figures=2, id=f"red-{n}") for n, x in enumerate((6, 14, 22, 30), 1)]
        state = battle(unit("blue", (6, 6), figures=2, quality=quality, conditions=marks), *reds)
        table = play(state).activates("blue-1")
        return [rule == "" for rule in table.targets("fire-move").values()]

    assert targets("conscript") == [True, True, False, False]
    assert targets("conscript", "under_fire") == [True, False, False, False]
    assert targets("rabble", "under_fire") == [True, False, False, False]
    assert targets("elite") == [True] * 4
    assert targets("elite", "under_fire") == [True, True, True, False]


@pytest.mark.rule("fad5/under-fire.target-priority")
def test_a_vehicle_under_fire_keeps_its_fire_priority() -> None:
    calm, marked = [
        battle(vehicle("blue", (6, 6), quality="conscript", conditions=marks), unit("red", (6, 20)))
        for marks in ((), ("under_fire",))
    ]
    for state in (calm, marked):
        assert fad5().rules.chapters.fire.priority(fad5().rules, state.units["blue-1"]) == 2


@pytest.mark.rule("fad5/shoot.line-of-sight")
def test_units_out_of_sight_cannot_be_targeted() -> None:
    wall = piece("cliff", (0, 12), (48, 14))
    why = aim(fad5().rules, facing(12, terrain=[wall]), "blue-1", "red-1")
    assert isinstance(why, Why)
    table = play(facing(12, terrain=[wall])).activates("blue-1")
    assert table.targets("fire-move") == {"red-1": "shoot.line-of-sight"}
    assert table.refused("fire-move", "red-1").rule == "shoot.line-of-sight"
