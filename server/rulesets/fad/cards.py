"""Card activation: a deck with cards for each unit says which unit activates next (fad4/turn.card-activation)."""

from __future__ import annotations

from collections import Counter

from client_protocol.choices import Choice, Picked
from client_protocol.view import DeckView
from server.kernel.answers.check import Asked
from server.kernel.attaching import guests
from server.kernel.facts import PhaseBegan, SideToAct, TurnBegan
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad import plasma_cooler
from server.rulesets.fad.activation import activate_all, activate_unit
from server.rulesets.fad.attached import ATTACH, is_character
from server.rulesets.fad.game import ACTIVATION, CARDS, FadGame
from server.rulesets.fad.plasma_cooler import COOLER
from server.rulesets.fad.vehicles.transport import may_part, waiting
from server.rulesets.shared.deck import discards, draw, shuffle
from server.rulesets.shared.turns import ACTIVATIONS

EACH = "cards_of_a_unit"
"""The option that says how many cards each unit has (fad5/turn.extended-cards)."""
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
    state = game.state
    drawn = yield from draw(game, [*units_left(state), *plasma_cooler.left(state)], "card", RULE)
    if drawn == COOLER:
        yield from plasma_cooler.end_turn(game)
        return
    yield SideToAct(game.unit(drawn).side)
    yield from _leaving(game, drawn)
    yield from activate_all(game, drawn)


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


def units_left(state: State) -> list[str]:
    """Return the cards of units that are left in the deck, one unit after another; none once the Plasma Cooler is drawn.

    The cards of a unit that leaves the game, or gets into a vehicle, are taken out.
    """
    if COOLER in discards(state):
        return []
    drawn = Counter(discards(state))
    return [
        unit.id for side in state.sides for unit in _with_cards(state, side) for _ in range(_left(state, unit, drawn))
    ]


def _with_cards(state: State, side: str) -> list[Unit]:
    if _each(state) == 1:
        return waiting(state, side)
    return [unit for unit in state.units_of(side) if not unit.aboard and not unit.attached]


def _left(state: State, unit: Unit, drawn: Counter[str]) -> int:
    """Return how many cards of a unit are left in the deck."""
    # A unit that was activated with a vehicle, without its own card, has used one of its cards.
    used = max(drawn[unit.id], unit.activated == state.turn.number)
    return max(0, _each(state) - used)


def _each(state: State) -> int:
    each = state.options.get(EACH, 1)
    assert isinstance(each, int), "the option is a number"
    return each


def view(state: State) -> DeckView | None:
    """Return the deck and the cards drawn this turn; None in a match without cards, and while no turn is under way."""
    if not played(state) or state.turn.phase != ACTIVATIONS:
        return None
    cards = Counter(state.units[unit].side for unit in units_left(state))
    counts = {side: cards[side] for side in state.sides}
    return DeckView(counts, discards(state), RULE, tuple(plasma_cooler.left(state)))
