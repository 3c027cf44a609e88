"""Details of vehicles, set-up and victory."""

from __future__ import annotations

import pytest

from server.kernel.bodies import free_seats
from server.kernel.facts import Rolled, UnitFormed, UnitNoted
from server.kernel.files.forces import examine
from server.rulesets.fubar.fights import connected
from server.rulesets.fubar.game import SET_UP
from server.rulesets.fubar.vehicles import DRIVE, drive_parameter
from server.rulesets.fubar.victory import decided
from tests.rulesets.fubar4.battlefield import battle, drive, fubar4, given, piece, play, unit, vehicle

RED = unit("red", (40, 46), figures=1)


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_a_vehicle_that_halts_may_turn_but_not_move() -> None:
    table = play(battle(vehicle("blue", (10, 10)), RED)).activates("blue-1", dice=[6])
    assert table.path("halt").allowance == 0
    refusal = table.refused("halt", drive((10, 10.5)))
    assert (refusal.code, refusal.rule) == ("path_too_long", "vehicle.stationary")


@pytest.mark.rule("fubar4/vehicle.move-moderate")
@pytest.mark.rule("fubar4/vehicle.move-soft")
def test_a_vehicle_leaves_ground_that_it_could_not_enter_slowly() -> None:
    # A building has become a ruin where the car stands; the car may leave it, but not come back.
    ruins = [piece("ruin", (8, 8), (12, 12)), piece("ruin", (20, 8), (24, 12), id="other")]
    state = battle(vehicle("blue", (10, 10), armour="light"), RED, terrain=ruins)
    way = drive_parameter(fubar4().rules, state, "blue-1", DRIVE)
    assert way.limits == (("ruin", 6000),)
    assert set(way.barred) == {"ruin", "other"}
    table = play(state).activates("blue-1", dice=[6])
    assert table.refused("drive", drive((10, 16.1))).rule == "vehicle.move-soft"
    table.answers("drive", drive((10, 16)))


@pytest.mark.rule("fubar4/vehicle.transport")
def test_fallen_passengers_take_no_seats() -> None:
    squad = unit("blue", None, figures=6, lost=4, aboard="blue-1")
    state = battle(vehicle("blue", (10, 10), seats=8), squad, RED)
    assert free_seats(state, "blue-1") == 6


@pytest.mark.rule("fubar4/close.by-assault")
def test_a_vehicle_too_near_to_an_enemy_may_drive_past_it_but_no_nearer() -> None:
    # Half an inch from the carrier's side, which is 4" long and faces east.
    foe = unit("red", (10, 10 + 1.1 + 0.5 + 0.5), figures=1)
    table = play(battle(vehicle("blue", (10, 10), facing=0), foe)).activates("blue-1", dice=[6])
    assert table.refused("drive", drive((10.3, 10.2))).rule == "close.by-assault"
    table.answers("drive", drive((10.3, 10)))


@pytest.mark.rule("fubar4/unit.forces")
def test_a_force_may_weigh_exactly_the_limit() -> None:
    force = fubar4().ready_forces[0]
    heavy = examine(fubar4(), force, {}).total
    assert not examine(fubar4(), force, {"weight_limit": heavy}).problems
    assert examine(fubar4(), force, {"weight_limit": heavy - 1}).problems


@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_figures_fallen_before_do_not_roll_to_bail_out() -> None:
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    squad = unit("red", None, figures=3, lost=1, aboard="red-1")
    state = battle(gunner, vehicle("red", (10, 30), crew=1, seats=4), squad, unit("blue", (40, 2), figures=1))
    table = play(state).activates("blue-1", dice=[6])
    table.answers("aimed-fire", given(_1="light-anti-tank-gun@red-1"), dice=[6, 1, 1, 1, 6, 6, 6, 6])
    assert [fact.faces for fact in table.seen(Rolled) if fact.purpose == "bail-out"] == [(6,), (6, 6)]
    assert [fact.unit.id for fact in table.seen(UnitFormed)] == ["red-1-crew"]


@pytest.mark.rule("fubar4/close.continues")
def test_units_linked_through_others_are_in_the_same_fight() -> None:
    pairs = [("a", "b"), ("c", "d"), ("b", "c"), ("x", "y")]
    assert connected(pairs) == [(("a", "b"), ("c", "d"), ("b", "c")), (("x", "y"),)]


@pytest.mark.rule("fubar4/activation.failed-withdraw")
@pytest.mark.rule("fubar4/setup.victory")
def test_a_units_deployment_point_is_noted_once() -> None:
    rows = [unit(side, None, figures=1) for side in ("blue", "blue", "red")]
    table = play(battle(*rows, turn=0, phase="deployment", active=""), dice=[1, 6])
    while any(choice.key.startswith("deploy") for choice in table.prompt.choices) and table.state.turn.number == 0:
        remaining = sum(not one.on_table for one in table.state.units.values())
        table.defaults(dice=[6, 1] if remaining == 1 else [])
    assert [fact.unit for fact in table.seen(UnitNoted) if fact.key == SET_UP] == ["blue-1", "red-1", "blue-2"]


@pytest.mark.rule("fubar4/setup.victory")
def test_crews_that_bailed_out_do_not_count_in_a_sides_share_of_figures() -> None:
    # Both sides have half of their figures left; blue's crew is not counted as part of its force.
    blue = unit("blue", (10, 10), figures=2, lost=1)
    crew = {**unit("blue", (20, 10), figures=2, id="tank-crew"), "kind": "crew"}
    red = unit("red", (10, 40), figures=2, lost=1)
    state = battle(blue, crew, red, turn=8, victory={"turn_limit": 8})
    ended = decided(state)
    assert ended is not None
    assert ended.winner == ""
