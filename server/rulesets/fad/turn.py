"""The turn: initiative, alternating activations, and its end."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.facts import PhaseBegan, SideFirst, TurnBegan
from server.kernel.procedure import Steps, ask
from server.kernel.state import OVER, State
from server.rulesets.fad import cards, seizing, victory
from server.rulesets.fad.activation import activate
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated import noting
from server.rulesets.fad.generated.sequence import step
from server.rulesets.fad.sequence import by_cards
from server.rulesets.fad.setup.deployment import deployment, mustering
from server.rulesets.fad.uncontrolled import discipline
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.roll_off import throw
from server.rulesets.shared.setup.deployment import deploy
from server.rulesets.shared.setup.muster import due, muster
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT, NEXT_TURN, contested, next_side

DRAWN = "turn.initiative-draw"
LOSER_FIRST = "loser-of-last-turn"
"""The way to settle a drawn initiative roll in which the side that went second last turn goes first. Any other value in the
edition's data means that both sides roll again.
"""
DRAW = "initiative_draw"
"""The option that settles it, where an edition lets players choose."""
PHASES = (DEPLOYMENT, NEXT_TURN, ACTIVATIONS, OVER)


def procedure(game: FadGame) -> Steps[None] | None:
    """Return the next procedure at a boundary, or None if the match is over."""
    state = game.state
    phase = state.turn.phase
    if phase == OVER:
        return None
    if discipline.due(state):
        return discipline.begin_turn(game)
    if phase == DEPLOYMENT:
        # fad4/force.building
        if due(state):
            return muster(game, mustering(game.rules))
        prepared = game.rules.preparing(state)
        if prepared is not None:
            return prepared.carry_out(game)
        return step(game) if noting.due(state) else deploy(game, deployment(game.rules, state))
    if phase == NEXT_TURN:
        return cards.begin_turn(game) if by_cards(state) else begin_turn(game)
    if contested(state) and by_cards(state) and cards.left(game.rules, state):
        return cards.activate(game)
    if contested(state) and undecided(state):
        return initiative(game)
    if contested(state) and not by_cards(state) and any(waiting(state, side) for side in state.sides):
        # fad4/turn.leftover-units: the side whose turn it is may command none of its units
        side = state.turn.active
        return activate(game, side if waiting(state, side) else next_side(state, side, able=waiting))
    # fad4/turn.structure: the turn ends when every unit has activated
    return victory.end_turn(game)


def begin_turn(game: FadGame) -> Steps[None]:
    """Begin a turn with the initiative roll (fad4/turn.initiative-roll)."""
    second = second_last_turn(game.state)
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan(ACTIVATIONS)
    for hook in game.rules.turning(game.state):
        yield from hook(game)
    yield from initiative(game, second)


def initiative(game: FadGame, second: str = "") -> Steps[None]:
    """Roll for the initiative; `second` is the side that went second last turn, "" where that is not known."""
    scores = yield from throw(game, "initiative", "turn.initiative-roll")
    settled = game.rules.book.tables.initiative
    while len(set(scores.values())) == 1:
        # fad4/turn.initiative-draw: on a draw the side that went second last turn goes first; in turn 1 they roll again
        if second and game.state.options.get(DRAW, settled.draw) == LOSER_FIRST:
            yield from seizing.seize(game.state, scores)
            yield SideFirst(second, DRAWN)
            return
        scores = yield from throw(game, "initiative", DRAWN)
    winner = max(scores, key=lambda side: scores[side])
    yield from seizing.seize(game.state, scores)
    # fad4/turn.initiative-roll: the winner goes first, or chooses if the edition allows it
    first = (yield from _chosen(game, winner)) if settled.winner_chooses else winner
    yield SideFirst(first, "turn.initiative-roll")


def _chosen(game: FadGame, winner: str) -> Steps[str]:
    """Ask the winner of the roll which side goes first, and return that side."""
    rule = "turn.initiative-roll"
    other = next(side for side in game.state.sides if side != winner)
    choices = (Choice("go-first", "Go first", rule), Choice("go-second", "Go second", rule))
    asked = Asked("You have the initiative: go first or second?", choices, Picked("go-first"), rule)
    picked = yield from ask(game.state.sides[winner].seat, asked)
    return winner if picked.choice == "go-first" else other


def undecided(state: State) -> bool:
    """Return whether a turn has begun and no side goes first yet: so a position is saved while the winner of the roll chooses."""
    turn = state.turn
    begun = turn.phase == ACTIVATIONS and not turn.active and not by_cards(state)
    return begun and all(unit.activated < turn.number for unit in state.units.values())


def second_last_turn(state: State) -> str:
    """Return the side that went second last turn, for whatever reason; "" before turn 1."""
    if not state.turn.first:
        return ""
    # There are exactly two sides: other setups are refused.
    return next(side for side in state.sides if side != state.turn.first)
