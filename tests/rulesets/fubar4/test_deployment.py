"""Deployment: one unit each in turn, vehicles only where they may drive, and troops in vehicles."""

from __future__ import annotations

import pytest

from client_protocol.choices import FiguresPlaced, PlacementParameter
from server.kernel.facts import UnitBoarded, UnitNoted
from server.rulesets.fubar.game import SET_UP
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, fubar4, piece, play, unit, vehicle

RULE = "fubar4/setup.victory"


def deploying(*units: Row, dice: list[int], **other: object) -> BattleTable:
    """Return a state in which no unit is on the table yet."""
    return play(battle(*units, turn=0, phase="deployment", active="", **other), dice=dice)  # type: ignore[arg-type]


@pytest.mark.rule(RULE)
def test_the_loser_of_the_roll_deploys_first_and_sides_alternate() -> None:
    table = deploying(unit("blue", None), unit("blue", None), unit("red", None), dice=[5, 2])
    order = []
    while table.prompts and table.prompt.title.startswith("Deploy"):
        order.append(table.asked)
        table.defaults(dice=[1, 6] if len(order) == 3 else [])
    assert order == ["red", "blue", "blue"]


@pytest.mark.rule("fubar4/activation.failed-withdraw")
def test_the_place_where_a_unit_is_set_up_is_noted() -> None:
    table = deploying(unit("blue", None, figures=1), unit("red", None), dice=[2, 5]).defaults()
    ((x, y),) = [at for at, _ in table.unit("blue-1").places()]
    assert [(fact.key, fact.value) for fact in table.seen(UnitNoted)] == [(SET_UP, (x, y))]


@pytest.mark.rule("fubar4/activation.failed-withdraw")
def test_a_unit_that_begins_aboard_is_set_up_where_its_vehicle_is() -> None:
    table = deploying(vehicle("blue", None, seats=8), unit("blue", None, figures=3), unit("red", None), dice=[2, 5])
    table.answers("deploy:blue-1", FiguresPlaced(({"1": (5_000, 4_000)},), ({"1": 9000},))).defaults()
    table.answers("board:blue-2:blue-1", dice=[6, 1])
    assert table.unit("blue-2").profile[SET_UP] == (5_000, 4_000)


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_vehicles_may_not_deploy_in_cover_that_they_may_not_enter() -> None:
    ruin = piece("ruin", (0, 0), (48, 8))
    fenced = battle(unit("blue", None), unit("red", None), terrain=[ruin], turn=0, phase="deployment", active="")
    assert play(fenced, dice=[2, 5]).offered == ["deploy:blue-1"]
    with pytest.raises(Exception, match="no free space for Blue 1"):
        battle(vehicle("blue", None), unit("red", None), terrain=[ruin], turn=0, phase="deployment", active="")


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_in_a_joint_deployment_men_may_stand_where_vehicles_may_not() -> None:
    ruin = piece("ruin", (0, 0), (24, 8))
    table = deploying(
        vehicle("blue", None),
        unit("blue", None),
        unit("red", None),
        terrain=[ruin],
        options={"deployment": "blind"},
        dice=[],
    )
    (parameter,) = table.prompts["blue"].choices[0].parameters
    assert isinstance(parameter, PlacementParameter)
    assert parameter.barred == (("ruin",), ())


@pytest.mark.rule(RULE)
def test_a_vehicle_deploys_with_any_facing() -> None:
    table = deploying(vehicle("blue", None), unit("red", None), dice=[2, 5])
    (parameter,) = table.choice("deploy:blue-1").parameters
    assert isinstance(parameter, PlacementParameter)
    table.answers("deploy:blue-1", FiguresPlaced(({"1": (20_000, 4000)},), ({"1": 4500},)))
    figure = table.unit("blue-1").figures["1"]
    assert (figure.at, figure.facing) == ((20_000, 4000), 4500)
    outside = deploying(vehicle("blue", None), unit("red", None), dice=[2, 5])
    assert outside.refused("deploy:blue-1", FiguresPlaced(({"1": (20_000, 7000)},), ({"1": 9000},))).code == "zone"


@pytest.mark.rule("fubar4/vehicle.transport")
def test_troops_may_begin_the_game_in_a_vehicle_that_has_seats_for_all_of_them() -> None:
    rows = (vehicle("blue", None, seats=6), unit("blue", None), unit("blue", None, figures=7), unit("red", None))
    table = deploying(*rows, dice=[2, 5])
    assert table.offered == ["deploy:blue-1", "deploy:blue-2", "deploy:blue-3"]
    table.defaults().defaults()
    assert table.offered == ["deploy:blue-2", "deploy:blue-3", "board:blue-2:blue-1"]
    table.answers("board:blue-2:blue-1")
    assert table.seen(UnitBoarded) == [UnitBoarded("blue-2", "blue-1", "vehicle.transport")]
    assert table.unit("blue-2").aboard == "blue-1"
    assert table.offered == ["deploy:blue-3"]


@pytest.mark.rule("fubar4/vehicle.transport")
def test_in_blind_deployment_sides_first_choose_which_units_ride() -> None:
    rows = (vehicle("blue", None, seats=6), unit("blue", None), unit("red", None))
    table = deploying(*rows, dice=[], options={"deployment": "blind"})
    assert set(table.prompts) == {"blue"}
    table.answers("board:blue-2:blue-1")
    assert set(table.prompts) == {"blue", "red"}
    (parameter,) = table.prompts["blue"].choices[0].parameters
    assert isinstance(parameter, PlacementParameter)
    assert parameter.units == ("blue-1",)


def test_the_zones_of_every_scenario_have_space_for_its_forces() -> None:
    for scenario in fubar4().info.scenarios:
        state = fubar4().open(scenario.id, {})
        assert len(state.sides) == len(scenario.seats)
