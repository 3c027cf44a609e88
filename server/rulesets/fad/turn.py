"""The turn: initiative, activations in turn, the end of it."""

from __future__ import annotations

from server.kernel.facts import PhaseBegan, SideFirst, TurnBegan
from server.kernel.procedure import Steps
from server.kernel.state import State
from server.rulesets.fad import deployment, victory
from server.rulesets.fad.activation import activate, waiting
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.roll_off import roll_off


def procedure(game: FadGame) -> Steps[None] | None:
    """What comes next at a boundary; None when the match is over."""
    state = game.state
    phase = state.turn.phase
    if phase == "over":
        return None
    if phase == "deployment":
        return deployment.deploy(game)
    if phase == "turn":
        return begin_turn(game)
    if contested(state) and any(waiting(state, side) for side in state.sides):
        return activate(game, state.turn.active)
    # fad4/turn.structure: the turn ends when every unit has activated
    return victory.end_turn(game)


def contested(state: State) -> bool:
    """Whether more than one side still has units in the game."""
    return sum(bool(state.units_of(side)) for side in state.sides) > 1


def begin_turn(game: FadGame) -> Steps[None]:
    """A turn begins with the initiative roll (fad4/turn.initiative-roll)."""
    second = second_last_turn(game.state)
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan("activations")
    faces = yield from roll_off(game, "initiative", "turn.initiative-roll")
    sides = list(game.state.sides)
    while faces.count(max(faces)) > 1:
        # fad4/turn.initiative-draw: on a draw the side that went second last turn goes first; in turn 1 they roll again
        if second:
            yield SideFirst(second, "turn.initiative-draw")
            return
        faces = yield from roll_off(game, "initiative", "turn.initiative-draw")
    # The winner goes first and does not get to choose otherwise.
    yield SideFirst(sides[faces.index(max(faces))], "turn.initiative-roll")


def second_last_turn(state: State) -> str:
    """The side that went second last turn, however that came about; "" before turn 1."""
    if not state.turn.first:
        return ""
    return next(side for side in state.sides if side != state.turn.first)
