"""Vehicles: their actions, how far they drive over which ground, and what they fire."""

from __future__ import annotations

import pytest

from client_protocol.choices import AssignmentParameter, PathsDeclared
from server.kernel.facts import ConditionGained, Declared, Rolled, UnitMoved
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    Row,
    battle,
    drive,
    given,
    piece,
    play,
    stop,
    unit,
    vehicle,
)


def driven(own: Row, *others: Row, terrain: tuple[Row, ...] = (), **options: object) -> BattleTable:
    """Return a table on which blue-1, a vehicle, has activated."""
    foes = others or (unit("red", (40, 46), figures=1),)
    return play(battle(own, *foes, terrain=terrain, options=options)).activates("blue-1", dice=[6])


def wood(left: float = 6, bottom: float = 14, right: float = 14, top: float = 20, kind: str = "woods") -> Row:
    return piece(kind, (left, bottom), (right, top))


# --- what they may do -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/vehicle.activation")
def test_a_vehicle_drives_halts_or_is_on_guard_and_does_nothing_else() -> None:
    table = driven(vehicle("blue", (10, 10), level="veteran"))
    roll = table.rolled("activation")
    assert roll.numbers[0].value == 3  # its crew's level
    assert [choice.key for choice in table.prompt.choices] == ["drive", "drive-cover", "halt", "on-guard"]
    table.answers("on-guard")
    assert [(fact.unit, fact.condition) for fact in table.seen(ConditionGained)] == [("blue-1", "on_guard")]


@pytest.mark.rule("fubar4/vehicle.activation")
def test_a_vehicle_on_guard_fires_all_its_weapons_at_one_target() -> None:
    guard = vehicle("red", (20, 30), weapons=("heavy-machine-gun", "rpg"), conditions=["on_guard"])
    table = play(battle(unit("blue", (20, 10), figures=2), guard, unit("blue", (40, 10), figures=1)))
    table.activates("blue-1", dice=[6]).answers("run", PathsDeclared({"1": ((20000, 12000),)}))
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert {row.key for row in parameter.rows} == {"m1", "m2"}
    assert {option.unit for row in parameter.rows for option in row.options} == {"blue-1"}
    assert parameter.most == 2


@pytest.mark.rule("fubar4/vehicle.activation")
def test_vehicles_turn_without_cost() -> None:
    table = driven(vehicle("blue", (10, 10)))
    # 12" in three legs; at the end it faces as declared.
    table.answers("drive", drive((16, 10), (16, 13), (13, 13), facing=0))
    (move,) = table.seen(UnitMoved)
    assert move.facings == {"1": 0}


# --- over the ground ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/vehicle.move-open")
def test_a_vehicle_drives_twelve_inches_in_the_open() -> None:
    table = driven(vehicle("blue", (10, 10)))
    assert table.refused("drive", drive((10, 22.1))).rule == "vehicle.move-open"
    table.answers("drive", drive((10, 22)))
    assert table.unit("blue-1").figures["1"].at == (10_000, 22_000)
    assert table.unit("blue-1").profile["moved"] == (1, 12_000)


@pytest.mark.rule("fubar4/vehicle.move-open")
def test_a_driving_vehicle_fires_one_weapon_at_one_point_of_its_path() -> None:
    table = driven(vehicle("blue", (10, 10), weapons=("heavy-machine-gun", "rpg")), unit("red", (10, 40), figures=1))
    table.answers("drive", drive((10, 20)))
    table.answers("fire-on-the-way", stop(0.5))
    assert table.unit("blue-1").figures["1"].at == (10_000, 15_000)
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert parameter.most == 1
    table.answers("fire", given(m1="heavy-machine-gun@red-1"), dice=[1, 1, 1, 1])
    assert table.unit("blue-1").figures["1"].at == (10_000, 20_000)


@pytest.mark.rule("fubar4/vehicle.move-soft")
def test_a_vehicle_drives_six_inches_through_soft_cover_and_may_fire() -> None:
    table = driven(vehicle("blue", (10, 10)), unit("red", (10, 30), figures=1), terrain=(wood(),))
    refusal = table.refused("drive", drive((10, 16.1)))
    assert (refusal.code, refusal.rule) == ("path_limit", "vehicle.move-soft")
    table.answers("drive", drive((10, 16)))
    assert "fire-on-the-way" in table.offered


@pytest.mark.rule("fubar4/vehicle.move-soft")
def test_crossing_a_hedge_or_a_corner_of_a_wood_slows_a_vehicle() -> None:
    hedge = piece("hedge", (0, 15), (48, 15))
    table = driven(vehicle("blue", (10, 10)), terrain=(hedge,))
    assert table.refused("drive", drive((10, 17))).rule == "vehicle.move-soft"
    # A carrier is 2.2" wide, so its side touches the wood.
    brushed = driven(vehicle("blue", (10, 10)), terrain=(wood(left=11),))
    assert brushed.refused("drive", drive((10, 17))).rule == "vehicle.move-soft"
    passing = driven(vehicle("blue", (10, 10)), terrain=(wood(left=11.2, right=20),))
    passing.answers("drive", drive((10, 17)))


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_heavy_vehicles_drive_six_inches_through_moderate_cover_without_firing() -> None:
    ruin = wood(kind="ruin")
    for armour in ("heavy", "very-heavy"):
        table = driven(vehicle("blue", (10, 10), armour=armour), unit("red", (10, 30), figures=1), terrain=(ruin,))
        assert table.refused("drive", drive((10, 14))).code == "path_impassable"
        assert table.refused("drive-cover", drive((10, 16.1))).rule == "vehicle.move-moderate"
        table.answers("drive-cover", drive((10, 16)))
        # There is no prompt to fire.
        assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)
        assert [fact.action for fact in table.seen(Declared)] == ["drive-cover"]


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_light_vehicles_cannot_enter_moderate_cover_and_no_vehicle_hard_cover() -> None:
    for armour in ("none", "light", "medium"):
        table = driven(vehicle("blue", (10, 10), armour=armour), terrain=(wood(kind="ruin"),))
        assert table.refused("drive", drive((10, 14))).rule == "vehicle.move-moderate"
        why = table.barred("drive-cover")
        assert why is not None
        assert why.rule == "vehicle.move-moderate"
    bunker = driven(vehicle("blue", (10, 10), armour="very-heavy"), terrain=(wood(kind="bunker"),))
    cliff = driven(
        vehicle("blue", (10, 10), armour="very-heavy"),
        terrain=(piece("woods", (6, 14), (14, 20), flags=["impassable"]),),
    )
    for action in ("drive", "drive-cover"):
        found = bunker.refused(action, drive((10, 14)))
        assert (found.code, found.rule) == ("path_impassable", "vehicle.move-moderate")
        found = cliff.refused(action, drive((10, 14)))
        assert (found.code, found.rule) == ("path_impassable", "cover.movement")


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_a_tank_in_moderate_cover_leaves_it_without_firing() -> None:
    table = driven(vehicle("blue", (10, 16), armour="heavy", hull="tank"), terrain=(wood(kind="ruin"),))
    why = table.barred("drive")
    assert why is not None
    assert why.rule == "vehicle.move-moderate"
    table.answers("drive-cover", drive((10, 10)))


@pytest.mark.rule("fubar4/close.by-assault")
def test_a_vehicle_keeps_an_inch_away_from_enemies() -> None:
    table = driven(vehicle("blue", (10, 10)), unit("red", (10, 20), figures=1))
    # A carrier is 4" long: 19.5 - 1 - 2.
    assert table.refused("drive", drive((10, 16.6))).rule == "close.by-assault"
    table.answers("drive", drive((10, 16.4)))


# --- standing still -------------------------------------------------------------------------------------------------


def armed(crew: int) -> BattleTable:
    own = vehicle("blue", (10, 10), crew=crew, weapons=("heavy-machine-gun", "rpg", "light-anti-tank-gun"))
    table = driven(own, unit("red", (10, 30), figures=2), unit("red", (16, 30), figures=2))
    return table.answers("halt", PathsDeclared({}))


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_a_halted_vehicle_fires_all_weapons_each_at_its_own_target() -> None:
    table = armed(crew=3)
    shots = given(m1="heavy-machine-gun@red-1", m2="rpg@red-2", m3="light-anti-tank-gun@red-2")
    table.answers("fire", shots, dice=[1] * 10)
    told = [(fact.target, len(fact.faces)) for fact in table.seen(Rolled) if fact.purpose == "to-hit"]
    assert told == [("red-1", 4), ("red-2", 3), ("red-2", 3)]


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_a_halted_vehicle_fires_no_more_weapons_than_it_has_crew() -> None:
    table = armed(crew=2)
    refusal = table.refused("fire", given(m1="heavy-machine-gun@red-1", m2="rpg@red-1", m3="light-anti-tank-gun@red-1"))
    assert refusal.code
    table.answers("fire", given(m1="heavy-machine-gun@red-1", m2="rpg@red-1"), dice=[1] * 7)


@pytest.mark.rule("fubar4/vehicle.stationary")
@pytest.mark.rule("fubar4/vehicle.activation")
def test_a_halted_vehicle_may_turn_before_it_fires() -> None:
    own = vehicle("blue", (10, 20), facing=90, weapons=(("rpg", "front"),))
    table = driven(own, unit("red", (30, 20), figures=1))
    table.answers("halt", drive(facing=0))
    (turn,) = table.seen(UnitMoved)
    assert (turn.manner, turn.paths, turn.facings) == ("turn", {}, {"1": 0})
    table.fires("red-1", dice=[1, 1, 1])


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_a_weapon_that_does_not_bear_is_not_fired() -> None:
    own = vehicle("blue", (10, 20), facing=90, weapons=(("rpg", "front"),))
    table = driven(own, unit("red", (30, 20), figures=1)).answers("halt", PathsDeclared({}))
    # There is no target, so the next unit is asked for.
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation"]
    assert not table.seen(UnitMoved)


@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_an_immobilised_vehicle_cannot_move_but_fires_all_weapons() -> None:
    own = vehicle("blue", (10, 10), weapons=("heavy-machine-gun", "rpg"), conditions=["immobilised"])
    table = driven(own, unit("red", (10, 30), figures=1))
    for action in ("drive", "drive-cover"):
        why = table.barred(action)
        assert why is not None
    assert table.barred("drive").rule == "vdamage.immobilised"  # type: ignore[union-attr]  # asked above
    table.answers("halt").answers("fire", given(m1="heavy-machine-gun@red-1", m2="rpg@red-1"), dice=[1] * 7)


@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_a_vehicle_that_is_stopped_on_its_way_may_fire_from_there() -> None:
    own = vehicle("blue", (10, 10), armour="none")
    gun = unit("red", (10, 40), figures=1, arm="pistol", support=["light-anti-tank-gun"], conditions=["on_guard"])
    table = driven(own, gun, unit("red", (16, 36), figures=1))
    table.answers("drive", drive((10, 22))).answers("fire-on-the-way", stop(1))
    assert (table.asked, table.prompt.rule) == ("red", "action.on-guard")
    # Closest is where it ends: a hit, no save, a 3 on the damage table.
    table.answers("wait").answers("fire", given(_1="light-anti-tank-gun@blue-1"), dice=[5, 1, 1, 2, 3])
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    assert 10_000 < at[1] <= 22_000
    assert table.unit("blue-1").profile["moved"] == (1, at[1] - 10_000)
    assert (table.asked, table.offered) == ("blue", ["fire", "hold-fire"])
