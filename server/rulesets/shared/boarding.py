"""Seats in vehicles: which have enough of them, and the choice of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.bodies import apart, bodies, free_seats
from server.kernel.facts import UnitBoarded
from server.kernel.procedure import Game, Steps, ask
from server.kernel.state import State, Unit

STAY_OUT = "stay-out"
_BOARD = "board:"

Taken = Callable[[Unit], int]
"""How many seats a unit takes up."""


def figures(unit: Unit) -> int:
    """Return how many seats a unit takes up that needs one for each figure."""
    return unit.strength


def carriers(state: State, unit: Unit, taken: Taken = figures) -> list[str]:
    """Return the vehicles of the unit's side that have seats for all of it, in roster order."""
    return [
        vehicle.id
        for vehicle in state.units_of(unit.side)
        if vehicle.seats and free_seats(state, vehicle.id, taken) >= taken(unit)
    ]


def in_reach(state: State, vehicles: Sequence[str], reach: int) -> tuple[tuple[str, int], ...]:
    """Return those of the `vehicles` that stand on the table, with how near figures must end that get in (`reach`, mil)."""
    return tuple((key, reach) for key in vehicles if state.units[key].on_table)


def boarding(state: State, unit_id: str, reach: int) -> list[str]:
    """Return the vehicles that a unit may get into, in roster order: its carriers on the table that every one of its figures is
    within `reach` mil of.
    """
    return within(state, unit_id, carriers(state, state.units[unit_id]), reach)


def within(state: State, unit_id: str, vehicles: Sequence[str], reach: int) -> list[str]:
    """Return those of the `vehicles` on the table that every figure of a unit is within `reach` mil of."""
    unit = state.units[unit_id]
    return [
        key
        for key in vehicles
        if state.units[key].on_table
        and all(apart([figure], bodies(state.units[key]).values()) <= reach for figure in bodies(unit).values())
    ]


def offer_seats(game: Game[Any], unit: str, reach: int, rule: str) -> Steps[None]:
    """Offer a seat to a unit that has ended its move within `reach` mil of a vehicle of its side, by `rule`."""
    yield from offer(game, unit, boarding(game.believed(game.state.seat_of(unit)), unit, reach), rule)


def offer(game: Game[Any], unit: str, vehicles: Sequence[str], rule: str, taken: Taken = figures) -> Steps[None]:
    """Offer a unit seats in one of `vehicles`, by `rule`."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    if not vehicles:
        return
    own = state.units[unit]
    getting_in = tuple(
        Choice(f"{_BOARD}{key}", f"Get into {state.units[key].name}", rule, seats_text(state, key, taken))
        for key in vehicles
    )
    choices = (*getting_in, Choice(STAY_OUT, "Stay out", rule))
    picked = yield from ask(seat, Asked(f"{own.name} may get in", choices, Picked(STAY_OUT), rule, unit))
    if picked.choice != STAY_OUT:
        yield UnitBoarded(unit, picked.choice.removeprefix(_BOARD), rule)


def seats_text(state: State, vehicle: str, taken: Taken = figures) -> str:
    """Return how many seats of a vehicle are free, in words."""
    return f"{free_seats(state, vehicle, taken)} of {state.units[vehicle].seats} seats are free."
