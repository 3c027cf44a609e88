"""The turn sequence that a match plays: sides that alternate, or cards (fad5/turn.sequence-choice)."""

from __future__ import annotations

from server.kernel.state import State

ACTIVATION = "activation"
"""The option that says what decides which unit activates next."""
CARDS = "cards"
"""Its value for card activation."""
EXPANDED = "expanded-cards"
"""Its value for card activation with cards for commanders, inspiration and reactions besides."""


def by_cards(state: State) -> bool:
    """Return whether cards decide which unit activates next."""
    return state.options.get(ACTIVATION) in {CARDS, EXPANDED}


def by_expanded_cards(state: State) -> bool:
    """Return whether cards for commanders, inspiration and reactions are among these."""
    return state.options.get(ACTIVATION) == EXPANDED
