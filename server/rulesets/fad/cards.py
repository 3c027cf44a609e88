"""Card activation: a deck with cards for each unit says which unit activates next (fad4/turn.card-activation).

The expanded deck has cards besides that belong to no unit (fad5/turn.expanded-cards): `server.rulesets.fad.special_cards`.
"""

from __future__ import annotations

from collections import Counter

from client_protocol.choices import Choice, Picked
from client_protocol.view import DeckView, SpecialCards
from server.kernel.answers.check import Asked
from server.kernel.attaching import guests
from server.kernel.facts import PhaseBegan, SideToAct, TurnBegan
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import inspiration, plasma_cooler, reaction, special_cards
from server.rulesets.fad.activation import activate_all, activate_unit
from server.rulesets.fad.attached import ATTACH, is_character
from server.rulesets.fad.commanding import command, commanded, extra, forget
from server.rulesets.fad.game import NEUTRAL, FadGame, FadRules
from server.rulesets.fad.plasma_cooler import COOLER
from server.rulesets.fad.sequence import by_cards
from server.rulesets.fad.special_cards import commander_of, inspired_side
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.transport import may_part, waiting
from server.rulesets.shared.deck import discards, draw, shuffle
from server.rulesets.shared.turns import ACTIVATIONS

EACH = "cards_of_a_unit"
"""The option that says how many cards each unit has (fad5/turn.extended-cards)."""
RULE = "turn.card-activation"


def begin_turn(game: FadGame) -> Steps[None]:
    """Begin a turn with all cards in the deck, and without an initiative roll."""
    yield TurnBegan(game.state.turn.number + 1)
    yield PhaseBegan(ACTIVATIONS)
    for hook in game.rules.turning(game.state):
        yield from hook(game)
    yield from shuffle()
    yield from forget(game.state)
    yield from special_cards.put_in(game.state)


def left(rules: FadRules, state: State) -> bool:
    """Return whether a card is left in the deck that lets a unit do something: one that only ends the turn, or waits for another
    card, does not.
    """
    if units_left(rules, state):
        return True
    return any(inspired_side(card) or commandable(rules, state, card) for card in special_cards.left(state))


def activate(game: FadGame) -> Steps[None]:
    """Draw a card, and let its unit activate, or do what the card says."""
    state = game.state
    waits = reaction.waits(state)
    special = special_cards.left(state)
    cards = [*units_left(game.rules, state), *special, *plasma_cooler.left(state)]
    rule = special_cards.RULE if special_cards.played(state) else RULE
    drawn = yield from draw(game, cards, "card", lambda card: special_cards.rule_of(card) or rule)
    if drawn == COOLER:
        yield from plasma_cooler.end_turn(game)
    elif commander := commander_of(drawn):
        yield from _command(game, commander, drawn)
    elif side := inspired_side(drawn):
        yield from inspiration.inspire(game, side)
    elif drawn != special_cards.REACTION:
        yield SideToAct(game.unit(drawn).side)
        if waits:
            # fad5/turn.cards-reaction
            yield from reaction.react(game, drawn)
        if not game.unit(drawn).left:
            yield from _leaving(game, drawn)
            # fad4/move.vehicle-squads: its owner says which of a squad begins
            yield from activate_all(game, (yield from squads.next_of_squad(game, drawn)) or drawn)


def _command(game: FadGame, commander: str, card: str) -> Steps[None]:
    """Let a commander activate a unit, if there is one for him (fad5/turn.cards-commander)."""
    units = commandable(game.rules, game.state, card)
    unit = (yield from command(game, commander, units)) if units else ""
    if unit:
        yield SideToAct(game.unit(unit).side)
        yield from _leaving(game, unit)
        yield from activate_all(game, unit)


def commandable(rules: FadRules, state: State, card: str) -> list[str]:
    """Return the units that the commander of a card could activate, in roster order."""
    able = set(units_left(rules, state))
    if extra(state):
        able = {unit.id for unit in state.units.values() if not (unit.aboard or unit.attached or has(unit, NEUTRAL))}
    return [unit.id for unit in special_cards.under_card(state, card) if unit.id in able]


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


def units_left(rules: FadRules, state: State) -> list[str]:
    """Return the cards of units that are left in the deck, one unit after another; none once the Plasma Cooler is drawn.

    The cards of a unit that leaves the game, or gets into a vehicle, are taken out. Vehicles that activate as one squad have one
    card, with the name of the first that waits.
    """
    known = rules.in_deck.get(state, None)
    return rules.in_deck.keep(state, None, _units_left(rules, state)) if known is None else known


def _units_left(rules: FadRules, state: State) -> list[str]:
    drawn, ordered, each = discards(state), commanded(state), _each(state)
    if COOLER in drawn:
        return []
    found: list[str] = []
    for side in state.sides:
        for unit in squads.first_of_each(rules, _with_cards(state, side, each)):
            found += [unit.id] * (each - _used(state, unit, drawn.count(unit.id), ordered.count(unit.id)))
    return found


def _with_cards(state: State, side: str, each: int) -> list[Unit]:
    units = [unit for unit in state.units_of(side) if not unit.aboard and not unit.attached]
    if each > 1:
        return units
    found = {unit.id for unit in waiting(state, side)}
    if extra(state):
        # fad5/turn.cards-commander: what a commander adds uses up no card
        found |= set(commanded(state))
    return [unit for unit in units if unit.id in found]


def _used(state: State, unit: Unit, drawn: int, ordered: int) -> int:
    """Return how many cards of a unit are used, of which so many are drawn, and which commanders have activated so often."""
    activated = unit.activated == state.turn.number
    # A unit that was activated with a vehicle, without its own card, has used one of its cards.
    return max(drawn, activated and not ordered) if extra(state) else max(drawn + ordered, activated)


def _each(state: State) -> int:
    each = state.options.get(EACH, 1)
    assert isinstance(each, int), "the option is a number"
    return each


def view(rules: FadRules, state: State) -> DeckView | None:
    """Return the deck and the cards drawn this turn; None in a match without cards, and while no turn is under way."""
    if not by_cards(state) or state.turn.phase != ACTIVATIONS:
        return None
    cards = Counter(state.units[unit].side for unit in units_left(rules, state))
    counts = {side: cards[side] for side in state.sides}
    return DeckView(
        counts,
        discards(state),
        special_cards.RULE if special_cards.played(state) else RULE,
        (*special_cards.left(state), *plasma_cooler.left(state)),
    )


def special(state: State) -> SpecialCards | None:
    """Return what the cards of the expanded deck say that belong to no unit, and which lie aside; None for other decks, and
    while no turn is under way.
    """
    if not special_cards.played(state) or state.turn.phase != ACTIVATIONS:
        return None
    named = special_cards.told((*special_cards.left(state), *discards(state)))
    return SpecialCards(named, (special_cards.REACTION,) * reaction.waiting_cards(state))
