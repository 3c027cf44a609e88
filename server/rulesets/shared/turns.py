"""Whose turn it is: units that wait for their activation, and the side that comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.procedure import Game, Steps, ask
from server.kernel.state import State, Unit

R = TypeVar("R")

DEPLOYMENT = "deployment"
"""The phase in which the sides place their units."""
NEXT_TURN = "turn"
"""The phase between two turns: the next is about to begin."""
ACTIVATIONS = "activations"
"""The phase in which the sides activate their units."""


def opening(state: State) -> str:
    """The phase in which a match begins: with the deployment, or with the first turn when every unit has its place."""
    placed = all(unit.on_table or unit.left or unit.aboard for unit in state.units.values())
    return NEXT_TURN if state.units and placed else DEPLOYMENT


Able = Callable[[State, str], list[Unit]]
"""The units of a side that may still activate this turn."""


def under_way(state: State, able: Able | None = None) -> State:
    """The position as its turn goes on, read from a setup; `able` are those who may still activate (default: all who have not).
    Raises `RulesetError` when it cannot.
    """
    able = able or waiting
    turn = state.turn
    if turn.phase != ACTIVATIONS:
        return state
    if not turn.active:
        raise RulesetError("among the activations the setup has to say which side is to act (turn.active)")
    if able(state, turn.active):
        return state
    # A position from the middle of an activation: whose side has no unit left to activate lets the next go on.
    following = (side for side in round_from(turn.active, list(state.sides)) if able(state, side))
    return replace(state, turn=replace(turn, active=next(following, turn.active)))


def waiting(state: State, side: str) -> list[Unit]:
    """The units of `side` that have not activated this turn, in roster order."""
    return [unit for unit in state.units_of(side) if unit.activated < state.turn.number]


def round_from(after: str, order: Sequence[str]) -> list[str]:
    """The sides in the order in which they come after the side `after`, itself last."""
    start = order.index(after) + 1
    return [*order[start:], *order[:start]]


def next_side(state: State, after: str, order: Sequence[str] = ()) -> str:
    """The side that comes next after `after` and has a unit left to activate: the others round in `order` (default: the
    setup's), then itself; "" when every unit has activated.
    """
    return next((side for side in round_from(after, order or list(state.sides)) if waiting(state, side)), "")


def contested(state: State) -> bool:
    """Whether more than one side still has units in the game."""
    return sum(bool(state.units_of(side)) for side in state.sides) > 1


def pick_unit(
    game: Game[R], side: str, units: Callable[[State], list[Unit]], note: Callable[[Unit], str], rule: str
) -> Steps[str]:
    """Ask `side` which of its `units` activates, each with a few words (`note`); returns its id. By default the first, which is
    the clock's choice.
    """
    seat = game.state.sides[side].seat
    candidates = tuple(Candidate(unit.id, note(unit)) for unit in units(game.believed(seat)))
    choice = Choice("activate", "Activate", rule, "", (UnitParameter("Unit", candidates),), preview=True)
    default = Picked("activate", (UnitNamed(candidates[0].unit),))
    picked = yield from ask(seat, Asked("Activate one of your units", (choice,), default, rule))
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    return named.unit
