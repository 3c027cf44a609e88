"""The words of the cards that belong to no unit, and of what units do by them."""

from __future__ import annotations

from client_protocol.view import Word
from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.inspiration import CALM, MOVE, NERVE
from server.rulesets.fad.reaction import AWAY, COVER, REACT_FIRE, TOWARDS
from server.rulesets.fad.special_cards import (
    COMMANDER,
    COMMANDER_RULE,
    INSPIRATION,
    INSPIRATION_RULE,
    REACTION,
    REACTION_RULE,
    commander_of,
    inspired_side,
)

WORDS = {
    COMMANDER: Word("Commander", "The commander may activate a unit under his command.", COMMANDER_RULE),
    INSPIRATION: Word("Inspiration", "A squad with a veteran leader is pushed in one way.", INSPIRATION_RULE),
    REACTION: Word("Reaction", "If the next card is a unit's, an enemy that sees it may react.", REACTION_RULE),
}
ACTIONS = {
    "commands": "has its commander activate",
    "commands-own": "is activated by its commander",
    MOVE: "is inspired and moves",
    CALM: "is inspired and pulls itself together",
    NERVE: "is inspired: it passes its next Morale Test",
    "holds-inspired": "is inspired and passes its Morale Test without dice",
    REACT_FIRE: "reacts by fire to",
    TOWARDS: "reacts and moves towards",
    COVER: "reacts and moves to cover from",
    AWAY: "reacts and moves away from",
}
KINDS = {
    "commands": "turn",
    "commands-own": "turn",
    CALM: "morale",
    NERVE: "morale",
    "holds-inspired": "morale",
    REACT_FIRE: "fire",
}


def drawn(state: State, fact: Rolled) -> str:
    """Return the log's sentence for a card that belongs to no unit."""
    one = f"is drawn, one of {fact.sides} cards"
    commander, side = commander_of(fact.outcome), inspired_side(fact.outcome)
    if commander:
        return f"The Commander card of {state.units[commander].name} {one}."
    if side:
        return f"An Inspiration card of {state.sides[side].name} {one}."
    return f"A Reaction card {one}: it is laid aside for the next one."
