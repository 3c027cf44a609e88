"""The damage table: the effect of unsaved hits on a vehicle."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Picked
from server.kernel.facts import ConditionGained, ConditionLost, FiguresGained, MountLost, Rolled, UnitNoted
from server.rulesets.fubar import vehicle_damage
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, fubar4, given, lines, play, unit, vehicle

GUNS = ("heavy-machine-gun", "rpg", "light-anti-tank-gun")


def shot(own: Row, damage: Sequence[int]) -> BattleTable:
    """Let an anti-tank gun hit the vehicle red-1 once for each of the `damage` dice, without any save."""
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    far = (unit("blue", (40, 2), figures=1), unit("red", (40, 46), figures=1))
    table = play(battle(gunner, own, *far)).activates("blue-1", dice=[6])
    hits = [6] * len(damage) + [1] * (3 - len(damage))
    aimed = given(_1="light-anti-tank-gun@red-1")
    return table.answers("aimed-fire", aimed, dice=[*hits, *[1] * len(damage), *damage])


def target(**other: object) -> Row:
    return vehicle("red", (10, 30), **{"armour": "medium", "weapons": GUNS, **other})  # type: ignore[arg-type]


@pytest.mark.rule("fubar4/vdamage.table")
@pytest.mark.rule("fubar4/dice.six-succeeds")
def test_each_unsaved_hit_on_a_vehicle_rolls_on_the_damage_table() -> None:
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    table = play(battle(gunner, target(), unit("blue", (40, 2), figures=1))).activates("blue-1", dice=[6])
    # Three hits, one saved on 4+: two dice.
    table.answers("aimed-fire", given(_1="light-anti-tank-gun@red-1"), dice=[6, 6, 6, 4, 3, 2, 1, 3])
    roll = table.rolled("vehicle-damage")
    assert (roll.unit, roll.target, roll.faces, roll.marks) == ("blue-1", "red-1", (1, 3), ("stunned", "immobilised"))
    assert {fact.condition for fact in table.seen(ConditionGained)} == {"stunned", "immobilised"}


@pytest.mark.rule("fubar4/vdamage.table")
def test_the_vehicle_damage_table_is_the_printed_one() -> None:
    table = fubar4().book.tables.vehicle_damage
    assert [table.of(face) for face in range(1, 7)] == [
        vehicle_damage.STUN,
        vehicle_damage.STUN,
        vehicle_damage.IMMOBILISE,
        vehicle_damage.DISARM,
        vehicle_damage.DISARM,
        vehicle_damage.DESTROY,
    ]


@pytest.mark.rule("fubar4/vehicle.never-suppressed")
def test_hits_damage_a_vehicle_and_never_suppress_it() -> None:
    table = shot(target(), [1, 2, 3])
    assert table.seen(FiguresGained) == []


@pytest.mark.rule("fubar4/vdamage.crew-stunned")
def test_each_stun_takes_two_off_the_vehicles_next_activation_roll() -> None:
    table = shot(target(level="elite"), [1, 2])
    assert [fact.value for fact in table.seen(UnitNoted)] == [1, 2]
    table.activates("blue-2", dice=[1])
    table.activates("red-1", dice=[5])
    roll = table.rolled("activation")
    assert (roll.unit, roll.outcome) == ("red-1", "failed")
    assert ("vdamage.crew-stunned", -4) in lines(roll.numbers[1])


@pytest.mark.rule("fubar4/vdamage.crew-stunned")
def test_a_stun_ends_after_the_vehicles_next_activation_roll() -> None:
    table = shot(target(level="elite"), [1])
    table.activates("blue-2", dice=[1]).activates("red-1", dice=[6])
    assert [fact.condition for fact in table.seen(ConditionLost) if fact.unit == "red-1"] == ["stunned"]
    assert table.unit("red-1").profile["stuns"] == 0


@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_an_immobilised_vehicle_stays_so_and_a_second_result_has_no_effect() -> None:
    table = shot(target(), [3, 3])
    gained = [fact for fact in table.seen(ConditionGained) if fact.unit == "red-1"]
    assert gained == [ConditionGained("red-1", "immobilised", "vdamage.immobilised")]
    table.activates("blue-2", dice=[1]).activates("red-1", dice=[6])
    assert "immobilised" in table.unit("red-1").conditions
    assert table.barred("drive") is not None


@pytest.mark.rule("fubar4/vdamage.weapon-destroyed")
def test_the_owner_chooses_which_weapon_a_vehicle_loses_by_default_the_weakest() -> None:
    table = shot(target(), [4])
    assert (table.asked, table.offered) == ("red", ["lose:m1", "lose:m2", "lose:m3"])
    assert table.prompt.default == Picked("lose:m2")
    table.answers("lose:m1")
    assert table.seen(MountLost) == [MountLost("red-1", "m1", "vdamage.weapon-destroyed")]


@pytest.mark.rule("fubar4/vdamage.weapon-destroyed")
def test_two_destroyed_weapon_results_cost_two_weapons_the_last_without_a_prompt() -> None:
    table = shot(target(weapons=GUNS[:2]), [4, 5]).answers("lose:m2")
    assert [fact.mount for fact in table.seen(MountLost)] == ["m2", "m1"]
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/vdamage.weapon-destroyed")
def test_a_destroyed_weapon_result_has_no_effect_on_a_vehicle_without_weapons() -> None:
    table = shot(target(weapons=GUNS[:1]), [4, 4])
    assert len(table.seen(MountLost)) == 1
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/vdamage.table")
@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_other_damage_results_do_not_count_if_the_vehicle_is_destroyed() -> None:
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    table = play(battle(gunner, target(crew=1), unit("red", (40, 46), figures=1))).activates("blue-1", dice=[6])
    shots = given(_1="light-anti-tank-gun@red-1")
    table.answers("aimed-fire", shots, dice=[6, 6, 6, 1, 1, 1, 3, 6, 4, 1])
    assert table.unit("red-1").left == "destroyed"
    assert table.seen(MountLost) == []
    assert [fact for fact in table.seen(ConditionGained) if fact.unit == "red-1"] == []
    assert [fact.purpose for fact in table.seen(Rolled)][-2:] == ["vehicle-damage", "bail-out"]
