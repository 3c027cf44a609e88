"""Going on from a moment of another match: the position there, and what had happened since its last boundary. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.belief import EVERYTHING, believed
from server.kernel.desk_facts import DeskFact, ForceBrought, StandingOrder
from server.kernel.procedure import Happened
from server.kernel.state import Desk, State
from server.matches.entries import Aside, Forked, Stepped
from server.matches.log import Fold


class Fork(Struct, frozen=True):
    """Where a match goes on from: see `entries.Opened`."""

    edition: str
    state: State
    forked: Forked
    since: tuple[Stepped | Aside, ...]


def fork(payloads: Sequence[bytes], view: str, frame: int) -> Fork | str:
    """The moment after the frame `frame` of the audience `view`; or why one cannot go on from there.

    Of a match that is not over one may take only what one sees whole.

    Args:
        payloads: the whole log of the other match.
        view: a seat, the spectators, or `belief.EVERYTHING`.
        frame: of that audience's sequence, 0 for the beginning.
    """
    found = moment(payloads, view, frame)
    if found is None:
        return "There is no such moment in that match."
    fold, over = found
    if fold.state.result is not None:
        return "The match is over at that moment: go back a step."
    if not over and (view == EVERYTHING or believed(fold.state, view) != fold.state):
        return "Something is hidden from you at that moment, and the match is not over: you can go on from there when it is."
    desk = fold.boundary.desk
    state = replace(fold.boundary, desk=Desk(forces=desk.forces, orders=desk.orders))
    since = tuple(body for happened in fold.since if (body := _inherited(happened)) is not None)
    return Fork(fold.opened.edition, state, Forked(fold.opened.match, fold.number, fold.head.hex()), since)


def moment(payloads: Sequence[bytes], view: str, frame: int) -> tuple[Fold, bool] | None:
    """The fold as it stood after a frame of an audience, and whether the match is over by now; None where there is none."""
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


def _inherited(happened: Happened) -> Stepped | Aside | None:
    if not happened.aside:
        return Stepped(happened.seat, picked=happened.picked, rolls=happened.rolls, facts=happened.facts)  # type: ignore[arg-type]
    facts: tuple[DeskFact, ...] = tuple(
        fact for fact in happened.facts if isinstance(fact, StandingOrder | ForceBrought)
    )
    return Aside(facts) if facts else None
