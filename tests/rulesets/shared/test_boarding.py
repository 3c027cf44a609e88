"""Who is offered a seat in which vehicle."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.facts import UnitBoarded
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import Point
from server.kernel.state import State, Unit
from server.rulesets.shared.boarding import boarding, carriers, offer_seats
from tests.rulesets.shared.three_sides import Play, squad, table, vehicle

REACH = 2_000
MEN = squad("blue", figures=2, at=[(10_000, 10_000), (11_500, 10_000)])


def truck(number: int, side: str = "blue", at: Point | None = (11_000, 12_000), seats: int = 2) -> Unit:
    return replace(vehicle(side, number, at), seats=seats)


def offered(state: State) -> Play:
    todo: list[Any] = [lambda game: offer_seats(game, "blue-1", REACH, "ride")]

    def procedure(_: Game[Any]) -> Steps[None] | None:
        return todo.pop()(_) if todo else None

    return Play(state, procedure)


def test_carriers_are_vehicles_of_the_own_side_with_seats_for_all() -> None:
    rider = replace(squad("blue", 5, figures=1), aboard="blue-4")
    state = table(MEN, truck(2), truck(3, seats=1), truck(4), rider, truck(1, "red"), truck(6, at=None))
    assert carriers(state, state.units["blue-1"]) == ["blue-2", "blue-6"]


def test_a_unit_may_get_into_a_vehicle_that_each_of_its_figures_is_near() -> None:
    # The second truck's side is 2.501" from the first man's base, and nearer to the other's.
    far = truck(3, at=(16_501, 10_000))
    assert boarding(table(MEN, truck(2), far, truck(4, at=None)), "blue-1", REACH) == ["blue-2"]
    assert boarding(table(MEN, far), "blue-1", 3_001) == ["blue-3"]
    assert boarding(table(MEN, far), "blue-1", 3_000) == []


def test_a_unit_near_a_vehicle_is_offered_its_free_seats() -> None:
    play = offered(table(MEN, truck(2, seats=3)))
    asked = play.asked["blue"]
    assert [(choice.key, choice.label, choice.consequence) for choice in asked.choices] == [
        ("board:blue-2", "Get into Blue 2", "3 of 3 seats are free."),
        ("stay-out", "Stay out", ""),
    ]
    assert asked.default == Picked("stay-out")
    play.answer("blue", Picked("board:blue-2"))
    assert play.facts == [UnitBoarded("blue-1", "blue-2", "ride")]


def test_a_unit_that_stays_out_or_finds_no_vehicle_does_not_board() -> None:
    play = offered(table(MEN, truck(2)))
    play.answer("blue")
    assert play.facts == []
    assert offered(table(MEN, truck(2, "red"))).asked == {}
