"""Card activation: a deck with a card for each unit says which unit activates next (fad4/turn.card-activation)."""

from __future__ import annotations

from client_protocol.view import DeckView
from server.kernel.facts import PhaseBegan, SideToAct, TurnBegan
from server.kernel.procedure import Steps
from server.kernel.state import State
from server.rulesets.fad.activation import activate_all
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.deck import discards, draw, shuffle
from server.rulesets.shared.turns import ACTIVATIONS

ACTIVATION = "activation"
"""The option that says what decides which unit activates next."""
CARDS = "cards"
"""Its value for card activation."""
RULE = "turn.card-activation"


def played(state: State) -> bool:
    """Return whether cards decide which unit activates next."""
    return state.options.get(ACTIVATION) == CARDS


def begin_turn(game: FadGame) -> Steps[None]:
    """Begin a turn with all cards in the deck, and without an initiative roll."""
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan(ACTIVATIONS)
    for hook in game.rules.turning(game.state):
        yield from hook(game)
    yield from shuffle()


def activate(game: FadGame) -> Steps[None]:
    """Draw a card, and let its unit activate."""
    unit = yield from draw(game, left(game.state), "card", RULE)
    yield SideToAct(game.unit(unit).side)
    yield from activate_all(game, unit)


def left(state: State) -> list[str]:
    """Return the units whose cards are left in the deck. The card of a unit that leaves the game is taken out."""
    return [unit.id for side in state.sides for unit in waiting(state, side)]


def view(state: State) -> DeckView | None:
    """Return the deck and the cards drawn this turn; None in a match without cards, and while no turn is under way."""
    if not played(state) or state.turn.phase != ACTIVATIONS:
        return None
    counts = {side: len(waiting(state, side)) for side in state.sides}
    return DeckView(counts, discards(state), RULE)
