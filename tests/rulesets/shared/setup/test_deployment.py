"""Deployment of more than two sides, of vehicles, and without enough free space."""

from __future__ import annotations

from typing import Any

from client_protocol.choices import PlacementParameter
from server.kernel.bodies import apart, body
from server.kernel.facts import PhaseBegan, SideToAct, UnitLeft, UnitPlaced
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import contains
from server.kernel.state import State, Unit
from server.rulesets.shared.setup.deployment import Deployment, crowding, deploy
from server.rulesets.shared.turns import DEPLOYMENT
from tests.rulesets.shared.three_sides import ZONES, Play, squad, table, vehicle


def gap(_: State, __: Unit) -> int:
    return 3_000


def barred(_: State, __: Unit) -> tuple[str, ...]:
    return ()


RULES = Deployment("setup", "coherency", gap, barred)
BLIND = Deployment("setup", "coherency", gap, barred, blind=True)
TINY = ((0, 0), (8_000, 0), (8_000, 4_000), (0, 4_000))


def play(state: State, rules: Deployment = RULES, dice: tuple[int, ...] = ()) -> Play:
    """Run the deployment from its beginning."""

    def procedure(game: Game[Any]) -> Steps[None] | None:
        return deploy(game, rules) if game.state.turn.phase == DEPLOYMENT else None

    return Play(state, procedure, dice)


def placed(game: Play) -> list[str]:
    return [fact.unit for fact in game.facts if isinstance(fact, UnitPlaced)]


def test_sides_deploy_in_turn_and_a_side_without_units_is_passed_over() -> None:
    units = [squad("blue"), squad("red"), squad("red", 2), squad("green"), squad("green", 2), squad("green", 3)]
    game = play(table(*units), dice=(4, 2, 6))
    assert [fact for fact in game.facts if isinstance(fact, SideToAct)] == [SideToAct("red")]
    order = []
    while game.asked:
        (seat,) = game.asked
        order.append(seat)
        game.answer(seat)
    assert order == ["red", "green", "blue", "red", "green", "green"]
    assert len(placed(game)) == len(units)
    assert game.facts[-1] == PhaseBegan("turn")


def test_only_sides_tied_for_the_lowest_deployment_die_roll_again() -> None:
    game = play(table(squad("blue"), squad("red"), squad("green")), dice=(2, 6, 2, 5, 3))
    assert list(game.asked) == ["green"]


def test_in_blind_deployment_three_sides_place_at_once() -> None:
    game = play(table(squad("blue"), squad("red"), squad("green")), BLIND)
    assert list(game.asked) == ["blue", "red", "green"]
    for seat in ("green", "blue"):
        game.answer(seat)
        assert placed(game) == []
    game.answer("red")
    assert placed(game) == ["blue-1", "red-1", "green-1"]


def test_a_unit_without_free_space_is_left_out_and_the_others_play_on() -> None:
    zones = {**ZONES, "blue": TINY}
    state = table(squad("blue"), squad("blue", 2, figures=40), squad("red"), squad("green"), zones=zones)
    assert crowding(state, "blue", RULES) == "The deployment zone of Blue has no free space for Blue 2."
    assert crowding(state, "red", RULES) is None
    for game in (play(state, dice=(1, 5, 6)), play(state, BLIND)):
        game.finish()
        assert [fact for fact in game.facts if isinstance(fact, UnitLeft)] == [UnitLeft("blue-2", "no_room", "setup")]
        assert sorted(placed(game)) == ["blue-1", "green-1", "red-1"]


def test_a_side_without_any_free_space_does_not_stop_the_others() -> None:
    zones = {**ZONES, "blue": TINY}
    state = table(squad("blue", figures=40), squad("red"), squad("green"), zones=zones)
    game = play(state, dice=(1, 5, 6))
    assert list(game.asked) == ["red"]
    assert list(play(state, BLIND).asked) == ["red", "green"]


def test_vehicles_deploy_in_their_zone_apart_and_face_the_middle() -> None:
    units: list[Unit] = [vehicle("green"), squad("green", 2), vehicle("green", 3), squad("green", 4), vehicle("red")]
    for rules in (RULES, BLIND):
        game = play(table(*units), rules, () if rules.blind else (6, 5, 1))
        game.finish()
        state = game.run.state
        assert [state.units[unit].figures["1"].facing for unit in ("green-1", "red-1")] == [0, 27_000]
        parked = [body(state.units[unit].figures["1"]) for unit in ("green-1", "green-3")]
        assert all(contains(ZONES["green"], corner) for one in parked for corner in one.outline)
        assert apart(parked[:1], parked[1:]) > 0


def test_units_aboard_a_vehicle_are_not_placed() -> None:
    rider = squad("blue", 2)
    riding = Unit(rider.id, "blue", rider.name, 2, {}, rider.figures, aboard="blue-1")
    game = play(table(vehicle("blue"), riding, squad("red"), squad("green")), dice=(1, 5, 6))
    (asked,) = game.asked.values()
    assert [choice.key for choice in asked.choices] == ["deploy:blue-1"]
    (parameter,) = asked.choices[0].parameters
    assert isinstance(parameter, PlacementParameter)
    assert parameter.facings == ({"1": 9_000},)
