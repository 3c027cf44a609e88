"""Mustering: forces that players bring replace the scenario's, and every player accepts all of them.

Players of a league have accepted each other's forces by joining it: they are not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from client_protocol.choices import Choice, Picked
from client_protocol.forces import Force
from server.kernel.answers.check import Asked
from server.kernel.facts import ForceDismissed, MatchEnded, Noted, UnitFormed
from server.kernel.procedure import Game, Steps, ask_all
from server.kernel.state import State, Unit
from server.rulesets.shared.setup.names import told_apart

MUSTERED = "mustered"
"""The key in the state's book that is set once the forces have been accepted."""


class Mustering(Struct, frozen=True):
    """How a family musters.

    `rule` is the rule by which players bring forces; `units_of` are the units of a force, for a side; `crowded` says why the
    units of a side do not all fit into its zone, None when they do.
    """

    rule: str
    units_of: Callable[[Force, str], Sequence[Unit]]
    crowded: Callable[[State, str], str | None]


def due(state: State) -> bool:
    """Return whether a player has brought a force that is not on the roster yet."""
    return bool(state.desk.forces) and not state.book.get(MUSTERED)


def muster(game: Game[Any], mustering: Mustering) -> Steps[None]:
    """Put the forces that were brought on the roster, and ask every player to accept them, unless a league has settled that."""
    rule = mustering.rule
    roster: list[Unit] = []
    for side in list(game.state.sides.values()):
        brought = game.state.desk.forces.get(side.seat)
        if brought is None:
            roster += game.state.units_of(side.id)
        else:
            yield ForceDismissed(side.id, rule)
            roster += mustering.units_of(brought.force, side.id)
    for unit in told_apart(roster, game.state.sides):
        if unit.id not in game.state.units:
            yield UnitFormed(unit, rule)
    crowded = [why for side in game.state.sides if (why := mustering.crowded(game.state, side))]
    if crowded:
        yield MatchEnded("", f"{' '.join(crowded)} The match is off.", rule)
        return
    if not game.state.desk.of_league:
        asked = {side.seat: _asked(game.state, rule) for side in game.state.sides.values()}
        picked = yield from ask_all(asked)
        against = [side.name for side in game.state.sides.values() if picked[side.seat].choice == "decline"]
        if against:
            # Unless all players accept, the match is off.
            yield MatchEnded("", f"{' and '.join(against)} did not accept the forces; no side has won.", rule)
            return
    yield Noted(MUSTERED, value=True)


def _asked(state: State, rule: str) -> Asked:
    strengths = "; ".join(
        f"{side.name}: {', '.join(unit.name for unit in state.units_of(side.id))}" for side in state.sides.values()
    )
    choices = (
        Choice("accept", "Accept", rule, f"Play with these forces. {strengths}."),
        Choice("decline", "Decline", rule, "The match is off and has no winner."),
    )
    return Asked("Do you accept all forces?", choices, Picked("decline"), rule)
