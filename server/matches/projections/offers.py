"""Open offers as each audience sees them; for a take-back with exactly what would be undone."""

from __future__ import annotations

from client_protocol.clocks import OfferView
from server.kernel.belief import Audience
from server.kernel.ruleset import Ruleset
from server.kernel.state import Offer
from server.matches.log.fold import Fold
from server.matches.projections.story import stories

MOST_LINES = 40
"""The most lines shown of what would be undone."""


def offers(rules: Ruleset, fold: Fold, audience: Audience) -> dict[str, OfferView]:
    """Return the open offers in the form for `audience`."""
    return {
        key: offer_view(
            offer,
            undone(rules, fold, offer, audience) if offer.kind == "take_back" else (),
            next((fold.frame(mark, audience) for mark in fold.marks if mark.number == offer.to), -1),
        )
        for key, offer in fold.state.desk.offers.items()
    }


def offer_view(offer: Offer, lines: tuple[str, ...], frame: int) -> OfferView:
    """Return an offer as it is shown: for a take-back, `lines` are what it would undo, and `frame` where it goes back to."""
    return OfferView(
        offer.seat, offer.kind, offer.accepted, offer.clock, lines, frame, offer.hand, offer.program, offer.name
    )


def undone(rules: Ruleset, fold: Fold, offer: Offer, audience: Audience) -> tuple[str, ...]:
    """Return what a take-back would undo, a line for each story."""
    lines = [
        story.text for before, step in fold.steps_after(offer.to) for story in stories(rules, before, step, audience)
    ]
    if len(lines) > MOST_LINES:
        return (*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more")
    return tuple(lines)
