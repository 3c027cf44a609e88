"""The turn: initiative, activations in turn, the end of it."""

from __future__ import annotations

from server.kernel.facts import PhaseBegan, SideFirst, TurnBegan
from server.kernel.procedure import Steps
from server.kernel.state import OVER, State
from server.rulesets.fad import victory
from server.rulesets.fad.activation import activate
from server.rulesets.fad.deployment import deployment
from server.rulesets.fad.game import FadGame
from server.rulesets.shared.deployment import deploy
from server.rulesets.shared.roll_off import throw
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT, NEXT_TURN, contested, waiting

PHASES = (DEPLOYMENT, NEXT_TURN, ACTIVATIONS, OVER)


def procedure(game: FadGame) -> Steps[None] | None:
    """What comes next at a boundary; None when the match is over."""
    state = game.state
    phase = state.turn.phase
    if phase == OVER:
        return None
    if phase == DEPLOYMENT:
        return deploy(game, deployment(game.rules, state))
    if phase == NEXT_TURN:
        return begin_turn(game)
    if contested(state) and any(waiting(state, side) for side in state.sides):
        return activate(game, state.turn.active)
    # fad4/turn.structure: the turn ends when every unit has activated
    return victory.end_turn(game)


def begin_turn(game: FadGame) -> Steps[None]:
    """A turn begins with the initiative roll (fad4/turn.initiative-roll)."""
    second = second_last_turn(game.state)
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan(ACTIVATIONS)
    scores = yield from throw(game, "initiative", "turn.initiative-roll")
    while len(set(scores.values())) == 1:
        # fad4/turn.initiative-draw: on a draw the side that went second last turn goes first; in turn 1 they roll again
        if second:
            yield SideFirst(second, "turn.initiative-draw")
            return
        scores = yield from throw(game, "initiative", "turn.initiative-draw")
    # The winner goes first and does not get to choose otherwise.
    yield SideFirst(max(scores, key=lambda side: scores[side]), "turn.initiative-roll")


def second_last_turn(state: State) -> str:
    """The side that went second last turn, however that came about; "" before turn 1."""
    if not state.turn.first:
        return ""
    # There are two sides: no setup with others is read.
    return next(side for side in state.sides if side != state.turn.first)
