"""A deck of cards that decides who acts: drawn with the match's own dice, and laid open when they are drawn.

A draw from a shuffled deck is the same as a die with a face for each card that is left, so no order of cards is ever
settled in secret: each draw is a roll that every client can derive again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from server.kernel import notes
from server.kernel.facts import Noted, Rolled
from server.kernel.procedure import Game, Steps, roll
from server.kernel.state import State

DISCARDS = "discards"
"""The note of a match that lists the cards that were drawn this turn, in their order."""

R = TypeVar("R")


def discards(state: State) -> tuple[str, ...]:
    """Return the cards that were drawn since the last shuffle, in their order."""
    return notes.words(state.book, DISCARDS)


def shuffle() -> Steps[None]:
    """Put all cards back."""
    yield Noted(DISCARDS, ())


def draw(game: Game[R], cards: Sequence[str], purpose: str, rule_of: Callable[[str], str]) -> Steps[str]:
    """Draw one of `cards`, lay it on the discards, and return it.

    Args:
        game: the match.
        cards: the cards that are left in the deck, at least one: the id of a unit for each of its cards, and the names of cards
            that belong to no unit.
        purpose: the purpose of the roll that draws.
        rule_of: returns the rule of the card that was drawn.
    """
    drawn = cards[0]
    if len(cards) > 1:
        (face,) = yield from roll(1, len(cards), purpose=purpose)
        drawn = cards[face - 1]
        unit = game.state.units.get(drawn)
        side, key = (unit.side, unit.id) if unit is not None else ("", "")
        yield Rolled(purpose, rule_of(drawn), (face,), len(cards), outcome=drawn, side=side, unit=key)
    yield Noted(DISCARDS, (*discards(game.state), drawn))
    return drawn
