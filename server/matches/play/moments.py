"""Moments of a match in play or over: the fold at a frame, and whether it may hide something. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from server.kernel.belief import EVERYTHING, Audience
from server.kernel.facts import AnswerSealed
from server.kernel.notes import SECRETS
from server.matches.log.fold import Fold
from server.matches.play.seats import HIDDEN


def moment(payloads: Sequence[bytes], view: Audience, frame: int) -> tuple[Fold, bool] | None:
    """Return the fold at a frame of an audience, and whether the match is over by now; None if there is no such frame."""
    fold = Fold(payloads[0])
    if view != EVERYTHING and view not in fold.audiences:
        return None

    def at(one: Fold) -> int:
        return one.number - 1 if view == EVERYTHING else one.seqs[view]

    last = 1
    for payload in payloads[1:]:
        fold.add(payload)
        if at(fold) <= frame:
            last = fold.number
    over = fold.state.result is not None
    if not 0 <= frame <= at(fold):
        return None
    found = Fold(payloads[0])
    for payload in payloads[1:last]:
        found.add(payload)
    return found, over


def may_hide(fold: Fold, view: Audience, *, orders: bool) -> bool:
    """Return whether something at that moment may be hidden from `view`: another seat's sealed answer, now or since the
    boundary, or a replaced one; an order that a procedure under way has read; a force that is not on the roster yet; what a
    side has off the table; a die that was rolled in secret; a note that another seat alone may know.
    """
    steps = [happened for happened in fold.since if not happened.aside]
    return (
        SECRETS in fold.state.book
        or any(seat != view for seat in fold.state.sealed)
        or any(isinstance(fact, AnswerSealed) for step in steps for fact in step.facts)
        or any(taken.stream for step in steps for taken in step.rolls)
        or (orders and any(step.picked is not None for step in steps))
        or (fold.state.options.get(HIDDEN) is True and (not fold.marks or _has_assets(fold, view)))
    )


def _has_assets(fold: Fold, view: Audience) -> bool:
    """Return whether another side has a list of what it has off the table, be it empty."""
    return any(side.assets is not UNSET for side in fold.state.sides.values() if side.seat != view)
