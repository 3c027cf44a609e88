"""The turn: fights that go on, initiative, activation tries of both sides, and its end."""

from __future__ import annotations

from server.kernel.facts import Noted, PhaseBegan, SideFirst, TurnBegan
from server.kernel.procedure import Steps
from server.kernel.state import OVER, State
from server.rulesets.fubar import combat, victory
from server.rulesets.fubar.activation import INITIATIVE, activate, react_again, untried
from server.rulesets.fubar.game import FIGHTS_GO_ON, FubarGame
from server.rulesets.fubar.setup import deployment
from server.rulesets.shared.roll_off import roll_off
from server.rulesets.shared.setup.muster import due, muster
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT, NEXT_TURN, contested

PHASES = (DEPLOYMENT, NEXT_TURN, FIGHTS_GO_ON, ACTIVATIONS, OVER)


def procedure(game: FubarGame) -> Steps[None] | None:
    """Return the next procedure at a boundary, or None if the match is over."""
    state = game.state
    phase = state.turn.phase
    if phase == OVER:
        return None
    if phase == DEPLOYMENT:
        # fubar4/unit.forces
        return muster(game, deployment.mustering(game.rules)) if due(state) else deployment.deploy(game)
    if not contested(state):
        # fubar4/setup.victory: the match ends at once when only one side has units left
        return victory.end_turn(game)
    if phase == NEXT_TURN:
        return begin_turn(game)
    if phase == FIGHTS_GO_ON:
        # fubar4/close.continues: before the initiative roll
        fights = combat.going_on(state)
        return combat.continue_fight(game, fights[0]) if fights else initiative(game)
    if any(untried(state, side) for side in state.sides):
        return activate(game, state.turn.active)
    # fubar4/turn.structure, fubar4/turn.to-and-fro: no side has an untried unit left
    return victory.end_turn(game)


def begin_turn(game: FubarGame) -> Steps[None]:
    """Begin a turn; the fights of the last one go on first."""
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan(FIGHTS_GO_ON)


def initiative(game: FubarGame) -> Steps[None]:
    """Roll for initiative (fubar4/turn.initiative). Sides that tie roll again among themselves."""
    yield from react_again(game)
    # Sides without units in the game do not roll.
    playing = [side for side in game.state.sides if game.state.units_of(side)]
    order = yield from roll_off(game, "initiative", "turn.initiative", sides=playing, modifiers=modifiers(game.state))
    yield Noted(INITIATIVE, (*order, *(side for side in game.state.sides if side not in playing)))
    yield PhaseBegan(ACTIVATIONS)
    # The highest side that has a unit to activate begins.
    first = next((side for side in order if untried(game.state, side)), order[0])
    yield SideFirst(first, "turn.initiative")


def modifiers(state: State) -> dict[str, int]:
    """Return what the scenario and the match's options add to each side's initiative roll (fubar4/turn.initiative)."""
    return {
        side: int(state.victory.get(f"initiative.{side}", 0))
        + int(state.options.get(f"initiative_modifier_{place}", 0))
        for place, side in enumerate(state.sides, 1)
    }
