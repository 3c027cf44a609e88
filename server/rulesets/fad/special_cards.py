"""The cards of the expanded deck that belong to no unit, and how many of them there are (fad5/turn.expanded-cards)."""

from __future__ import annotations

import math
from functools import lru_cache

from client_protocol.view import SpecialCard
from server.kernel import notes
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.commanders import commanders, led, under, veterans
from server.rulesets.fad.plasma_cooler import COOLER
from server.rulesets.fad.plasma_cooler import RULE as COOLER_RULE
from server.rulesets.fad.sequence import by_expanded_cards
from server.rulesets.shared.deck import discards

COMMANDER, INSPIRATION, REACTION = "card:commander", "card:inspiration", "card:reaction"
"""The words of the cards. A commander's card has the id of his unit after it, one of Inspiration that of its side."""
COMMANDER_RULE, INSPIRATION_RULE, REACTION_RULE = (
    "turn.cards-commander",
    "turn.cards-inspiration",
    "turn.cards-reaction",
)
_RULES = {COMMANDER: COMMANDER_RULE, INSPIRATION: INSPIRATION_RULE, REACTION: REACTION_RULE, COOLER: COOLER_RULE}
RULE = "turn.expanded-cards"
DECK = "cards.special"
"""The note of a match that lists these cards as they were put into the deck when the turn began."""

EACH_COMMANDER, EACH_VETERAN, REACTIONS = "commander_cards", "inspiration_cards", "reaction_cards"
"""The options that say how many cards each commander has, how many a side has for each veteran leader, and how many there are
of Reaction.
"""
_NUMBERS = {"none": 0, "one": 1, "two": 2, "three": 3}
"""The values of the last one. Any other value means as many as a side has commanders."""


def played(state: State) -> bool:
    """Return whether the deck is the expanded one."""
    return by_expanded_cards(state)


def deck(state: State) -> list[str]:
    """Return the cards that are put into the deck as the sides stand: those of each commander, of Inspiration, of Reaction."""
    if not played(state):
        return []
    found: list[str] = []
    for side in state.sides:
        for unit in commanders(state, side):
            found += [f"{COMMANDER}:{unit.id}"] * _number(state, EACH_COMMANDER)
    for side in state.sides:
        found += [f"{INSPIRATION}:{side}"] * (_number(state, EACH_VETERAN) * len(veterans(state, side)))
    return [*found, *[REACTION] * _reactions(state)]


def _number(state: State, option: str) -> int:
    each = state.options.get(option, 1)
    assert isinstance(each, int), "the option is a number"
    return each


def _reactions(state: State) -> int:
    """Return how many Reaction cards there are: as many as a side has commanders on the average, rounded up, and one at least
    (fad5/turn.cards-reaction).
    """
    chosen = state.options.get(REACTIONS)
    if chosen in _NUMBERS:
        return _NUMBERS[str(chosen)]
    counts = [len(commanders(state, side)) for side in state.sides]
    return max(1, math.ceil(sum(counts) / len(counts)))


def put_in(state: State) -> Steps[None]:
    """Note the cards of the turn that begins."""
    if played(state):
        yield Noted(DECK, tuple(deck(state)))


def left(state: State) -> list[str]:
    """Return those that are left in the deck; none once the Plasma Cooler is drawn. The card of a commander who has fallen is
    taken out, as are those of Inspiration where no veteran leads any more.
    """
    if not played(state) or COOLER in discards(state):
        return []
    whole = notes.words(state.book, DECK) if DECK in state.book else deck(state)
    drawn, found = list(discards(state)), list[str]()
    for card in whole:
        if card in drawn:
            drawn.remove(card)
        elif not _void(state, card):
            found.append(card)
    return found


def _void(state: State, card: str) -> bool:
    if commander_of(card):
        return not led(state.units[commander_of(card)])
    return bool(inspired_side(card)) and not veterans(state, inspired_side(card))


def commander_of(card: str) -> str:
    """Return the unit of the commander whose card it is; "" for other cards."""
    return card.removeprefix(f"{COMMANDER}:") if card.startswith(f"{COMMANDER}:") else ""


def inspired_side(card: str) -> str:
    """Return the side of a card of Inspiration; "" for other cards."""
    return card.removeprefix(f"{INSPIRATION}:") if card.startswith(f"{INSPIRATION}:") else ""


def under_card(state: State, card: str) -> list[Unit]:
    """Return the units under the commander whose card it is; none for other cards."""
    commander = commander_of(card)
    return under(state, state.units[commander]) if commander else []


def word_of(card: str) -> str:
    """Return the word of a card that belongs to no unit."""
    return COMMANDER if commander_of(card) else INSPIRATION if inspired_side(card) else card


def rule_of(card: str) -> str:
    """Return the rule of a card that has one of its own; "" for others."""
    return _RULES.get(word_of(card), "")


@lru_cache(maxsize=256)
def told(cards: tuple[str, ...]) -> dict[str, SpecialCard]:
    """Return what those cards say that name a unit or a side."""
    found: dict[str, SpecialCard] = {}
    for card in cards:
        if commander_of(card):
            found[card] = SpecialCard(COMMANDER, unit=commander_of(card))
        elif inspired_side(card):
            found[card] = SpecialCard(INSPIRATION, side=inspired_side(card))
    return found


def check(state: State) -> None:
    """Refuse cards in a position that no deck has. Raises `RulesetError`."""
    try:
        cards = (*discards(state), *notes.words(state.book, DECK))
    except notes.UnfitNoteError:
        raise RulesetError(f"the book's discards and {DECK} are lists of cards") from None
    for card in cards:
        commander, side = commander_of(card), inspired_side(card)
        known = card in state.units or card in _RULES or commander in state.units or side in state.sides
        if not known or card in {COMMANDER, INSPIRATION}:
            raise RulesetError(f"there is no card {card!r}: a card is that of a unit, or one of the expanded deck")
