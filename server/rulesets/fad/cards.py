"""Card activation: a deck with a card for each unit says which unit activates next (fad4/turn.card-activation)."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked
from client_protocol.view import DeckView
from server.kernel.answers.check import Asked
from server.kernel.attaching import guests
from server.kernel.facts import PhaseBegan, SideToAct, TurnBegan
from server.kernel.procedure import Steps, ask
from server.kernel.state import State
from server.rulesets.fad.activation import activate_all, activate_unit
from server.rulesets.fad.attached import ATTACH, is_character
from server.rulesets.fad.game import ACTIVATION, CARDS, FadGame
from server.rulesets.fad.vehicles.transport import may_part, waiting
from server.rulesets.shared.deck import discards, draw, shuffle
from server.rulesets.shared.turns import ACTIVATIONS

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
    yield from _leaving(game, unit)
    yield from activate_all(game, unit)


def _leaving(game: FadGame, unit: str) -> Steps[None]:
    """Let characters who are with the unit on the card leave it and act first: their own cards are set aside
    (fad5/adv.characters.attach).
    """
    seat = game.state.seat_of(unit)
    for guest in guests(game.state, unit):
        if not is_character(guest) or not may_part(game.state, guest):
            continue
        name = game.unit(unit).name
        choices = (
            Choice("together", "Act with the unit", ATTACH, f"He acts as one of {name}."),
            Choice("leave-first", "Leave it and act first", ATTACH, f"He acts on his own, and then {name} does."),
        )
        asked = Asked(f"{guest.name} is with {name}", choices, Picked("together"), ATTACH, guest.id)
        picked = yield from ask(seat, asked)
        if picked.choice == "leave-first":
            yield from activate_unit(game, guest.id)


def left(state: State) -> list[str]:
    """Return the units whose cards are left in the deck. The card of a unit that leaves the game is taken out."""
    return [unit.id for side in state.sides for unit in waiting(state, side)]


def view(state: State) -> DeckView | None:
    """Return the deck and the cards drawn this turn; None in a match without cards, and while no turn is under way."""
    if not played(state) or state.turn.phase != ACTIVATIONS:
        return None
    counts = {side: len(waiting(state, side)) for side in state.sides}
    return DeckView(counts, discards(state), RULE)
