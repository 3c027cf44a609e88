"""Mustering: forces that players bring replace the scenario's, and every player accepts all of them."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import ForceDismissed, MatchEnded, Noted, UnitFormed
from server.kernel.procedure import Steps, ask_all
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import FubarGame
from server.rulesets.fubar.setup import deployment, forces
from server.rulesets.fubar.setup.names import told_apart

RULE = "unit.forces"
MUSTERED = "mustered"
"""The key in the state's book that is set once the forces have been accepted."""


def due(state: State) -> bool:
    """Return whether a player has brought a force that is not on the roster yet."""
    return bool(state.desk.forces) and not state.book.get(MUSTERED)


def muster(game: FubarGame) -> Steps[None]:
    """Put the forces that were brought on the roster, and ask every player to accept them (fubar4/unit.forces)."""
    roster: list[Unit] = []
    for side in list(game.state.sides.values()):
        brought = game.state.desk.forces.get(side.seat)
        if brought is None:
            roster += game.state.units_of(side.id)
        else:
            yield ForceDismissed(side.id, RULE)
            roster += forces.units_of(game.rules.book, brought.force, side.id)
    for unit in told_apart(roster, game.state.sides):
        if unit.id not in game.state.units:
            yield UnitFormed(unit, RULE)
    crowded = [why for side in game.state.sides if (why := deployment.crowded(game, side))]
    if crowded:
        yield MatchEnded("", f"{' '.join(crowded)} The match is off.", RULE)
        return
    asked = {side.seat: _asked(game.state) for side in game.state.sides.values()}
    picked = yield from ask_all(asked)
    against = [side.name for side in game.state.sides.values() if picked[side.seat].choice == "decline"]
    if against:
        # Unless all players accept, the match is off.
        yield MatchEnded("", f"{' and '.join(against)} did not accept the forces; nobody has won.", RULE)
        return
    yield Noted(MUSTERED, value=True)


def _asked(state: State) -> Asked:
    strengths = "; ".join(
        f"{side.name}: {', '.join(unit.name for unit in state.units_of(side.id))}" for side in state.sides.values()
    )
    choices = (
        Choice("accept", "Accept", RULE, f"Play with these forces. {strengths}."),
        Choice("decline", "Decline", RULE, "The match is off, and nobody wins."),
    )
    return Asked("Do you accept all forces?", choices, Picked("decline"), RULE)
