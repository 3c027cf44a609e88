"""Forks: the position of another match at some moment, and what had happened since its last boundary. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.belief import EVERYTHING, Audience, believed
from server.kernel.desk_facts import DeskFact, ForceBrought, StandingOrder
from server.kernel.procedure import Happened
from server.kernel.state import Desk, State
from server.matches.log.entries import Aside, Forked, Stepped
from server.matches.play.moments import may_hide, moment


class Fork(Struct, frozen=True):
    """The origin of a fork: see `entries.Opened`."""

    edition: str
    state: State
    forked: Forked
    since: tuple[Stepped | Aside, ...]


def fork(payloads: Sequence[bytes], view: Audience, frame: int, *, orders: bool = True) -> Fork | str:
    """Return the fork after the frame `frame` of the audience `view`; or why one cannot go on from there.

    Of a match that is not over, only a moment from which nothing is hidden can be taken. That is decided from public
    knowledge, so that trying cannot reveal whether anything is in fact hidden.

    Args:
        payloads: the whole log of the other match.
        view: a seat, the spectators, or `belief.EVERYTHING`.
        frame: of that audience's sequence, 0 for the beginning.
        orders: whether units can be given standing orders in this edition.
    """
    found = moment(payloads, view, frame)
    if found is None:
        return "There is no such moment in that match."
    fold, over = found
    if fold.state.result is not None:
        return "The match is over at that moment: go back a step."
    if not over and (view == EVERYTHING or may_hide(fold, view, orders=orders)):
        return "Something may be hidden from you at that moment, and the match is not over: you can go on from there when it is."
    boundary = fold.boundary if over else believed(fold.boundary, view)
    desk = boundary.desk
    state = replace(boundary, desk=Desk(forces=desk.forces, orders=desk.orders, programs=desk.programs))
    own = None if over else {unit.id for unit in boundary.units.values() if boundary.seat_of(unit.id) == view}
    since = tuple(body for happened in fold.since if (body := _inherited(happened, own, fold.version)) is not None)
    # While a match goes on, its number of entries would reveal how many are hidden from one; and the id of an unlisted match
    # admits spectators.
    forked = Forked(fold.opened.match if fold.opened.listed else "", fold.number if over else 0, fold.head.hex())
    return Fork(fold.opened.edition, state, forked, since)


def _inherited(happened: Happened, own: Collection[str] | None, version: str) -> Stepped | Aside | None:
    """Return the part of what had happened under the rules of `version` that the fork keeps; `own` are the units whose orders
    it may keep (None: all).
    """
    if not happened.aside:
        return Stepped(
            happened.seat,
            picked=happened.picked,
            rolls=happened.rolls,
            facts=happened.facts,  # type: ignore[arg-type]
            version=version,
        )
    facts: tuple[DeskFact, ...] = tuple(
        fact
        for fact in happened.facts
        if isinstance(fact, ForceBrought) or (isinstance(fact, StandingOrder) and (own is None or fact.unit in own))
    )
    return Aside(facts) if facts else None
