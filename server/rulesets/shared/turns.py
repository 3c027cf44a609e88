"""Whose turn it is: the units that wait for their activation, and the side that comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.procedure import Game, Steps, ask_later
from server.kernel.state import State, Unit

R = TypeVar("R")

DEPLOYMENT = "deployment"
"""The phase in which the sides place their units."""
NEXT_TURN = "turn"
"""The phase between two turns."""
ACTIVATIONS = "activations"
"""The phase in which the sides activate their units."""


def opening(state: State) -> str:
    """Return the phase in which a match begins: the deployment, or the first turn if every unit already has its place."""
    placed = all(unit.on_table or unit.left or unit.aboard or unit.attached for unit in state.units.values())
    return NEXT_TURN if state.units and placed else DEPLOYMENT


Able = Callable[[State, str], list[Unit]]
"""The units of a side that may still activate this turn."""


def under_way(state: State, able: Able | None = None) -> State:
    """Return the position `state`, read from a setup, with a side to act that has a unit left to activate.

    `able` returns the units of a side that may still activate (default: those that have not activated). Raises `RulesetError`
    if the setup is in the middle of a turn and does not say which side is to act.
    """
    able = able or waiting
    turn = state.turn
    if turn.phase != ACTIVATIONS:
        return state
    if not turn.active:
        raise RulesetError(f"a setup in the phase {ACTIVATIONS!r} must say which side is to act (turn.active)")
    if able(state, turn.active):
        return state
    # A position saved during an activation may name a side whose last unit is activating: the next side continues.
    following = (side for side in round_from(turn.active, list(state.sides)) if able(state, side))
    return replace(state, turn=replace(turn, active=next(following, turn.active)))


def waiting(state: State, side: str) -> list[Unit]:
    """Return the units of `side` that have not activated this turn, in roster order."""
    return [unit for unit in state.units_of(side) if unit.activated < state.turn.number]


def round_from(after: str, order: Sequence[str]) -> list[str]:
    """Return the sides in the order in which they follow the side `after`, which comes last."""
    start = order.index(after) + 1
    return [*order[start:], *order[:start]]


def next_side(state: State, after: str, order: Sequence[str] = (), able: Able | None = None) -> str:
    """Return the next side after `after` that has a unit left to activate, or "" if every unit has activated.

    The other sides come in `order` (default: the setup's), the side `after` itself last. `able` is as for `under_way`.
    """
    able = able or waiting
    return next((side for side in round_from(after, order or list(state.sides)) if able(state, side)), "")


def contested(state: State) -> bool:
    """Return whether more than one side still has units in the game."""
    return sum(bool(state.units_of(side)) for side in state.sides) > 1


def pick_unit(
    game: Game[R], side: str, units: Callable[[State], list[Unit]], note: Callable[[Unit], str], rule: str
) -> Steps[str]:
    """Ask `side` which of its `units` activates and return that unit's id. `note` describes each unit in a few words.

    The first unit is the default, which is played when time runs out.
    """

    def asked(state: State) -> Asked:
        candidates = tuple(Candidate(unit.id, note(unit)) for unit in units(state))
        choice = Choice("activate", "Activate", rule, "", (UnitParameter("Unit", candidates),), preview=True)
        default = Picked("activate", (UnitNamed(candidates[0].unit),))
        return Asked("Activate one of your units", (choice,), default, rule)

    picked = yield from ask_later(game, game.state.sides[side].seat, asked)
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    return named.unit
