"""Seats in vehicles: which have enough of them, and the choice of one."""

from __future__ import annotations

from typing import Any

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.bodies import apart, bodies, free_seats
from server.kernel.facts import UnitBoarded
from server.kernel.procedure import Game, Steps, ask
from server.kernel.state import State, Unit

STAY_OUT = "stay-out"
_BOARD = "board:"


def carriers(state: State, unit: Unit) -> list[str]:
    """Return the vehicles of the unit's side that have seats for all of it, in roster order."""
    return [
        vehicle.id
        for vehicle in state.units_of(unit.side)
        if vehicle.seats and free_seats(state, vehicle.id) >= unit.strength
    ]


def boarding(state: State, unit_id: str, reach: int) -> list[str]:
    """Return the vehicles that a unit may get into, in roster order: its carriers on the table that every one of its figures is
    within `reach` mil of.
    """
    unit = state.units[unit_id]
    return [
        key
        for key in carriers(state, unit)
        if state.units[key].on_table
        and all(apart([figure], bodies(state.units[key]).values()) <= reach for figure in bodies(unit).values())
    ]


def offer_seats(game: Game[Any], unit: str, reach: int, rule: str) -> Steps[None]:
    """Offer a seat to a unit that has ended its move within `reach` mil of a vehicle of its side, by `rule`."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    vehicles = boarding(state, unit, reach)
    if not vehicles:
        return
    own = state.units[unit]
    getting_in = tuple(
        Choice(f"{_BOARD}{key}", f"Get into {state.units[key].name}", rule, _seats(state, key)) for key in vehicles
    )
    choices = (*getting_in, Choice(STAY_OUT, "Stay out", rule))
    picked = yield from ask(seat, Asked(f"{own.name} may get in", choices, Picked(STAY_OUT), rule, unit))
    if picked.choice != STAY_OUT:
        yield UnitBoarded(unit, picked.choice.removeprefix(_BOARD), rule)


def _seats(state: State, vehicle: str) -> str:
    return f"{free_seats(state, vehicle)} of {state.units[vehicle].seats} seats are free."
