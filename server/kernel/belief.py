"""Belief: the only code that decides what a seat may know.

Choices, checks, previews, opponents and views read a believed state; the true one is for verdicts.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.notes import SECRET, SECRETS, secret
from server.kernel.state import Side, State


class Seatless(Enum):
    """The audiences that are not seats. A seat's id is a text from a file, and no text equals one of these."""

    SPECTATORS = "spectators"
    EVERYTHING = "everything"

    # An enum's own hash is computed in Python, and audiences are the keys of what is looked up for every entry.
    __hash__ = object.__hash__


SPECTATORS: Final = Seatless.SPECTATORS
"""The audience of all spectators."""

EVERYTHING: Final = Seatless.EVERYTHING
"""The view of everything: of a match that is over, and never of a player."""

Audience: TypeAlias = str | Seatless
"""A seat's id, or one of the audiences that are not seats."""

HIDDEN = Picked("")
"""The replacement of another seat's sealed answer: its existence is public, its content is not."""


def believed(state: State, audience: Audience) -> State:
    """Return `state` as `audience` (a seat, the spectators, or everything) may know it.

    Hidden are other seats' sealed answers (their being in is public), their standing orders, the forces they brought hidden,
    the hidden assets of their sides, and the notes that they alone may know. The dice secret needs no hiding: it is no part of a
    state before the fact that reveals it.
    """
    if audience == EVERYTHING:
        return state
    if state.sealed and state.sealed.keys() != {audience}:
        sealed = {seat: picked if seat == audience else HIDDEN for seat, picked in state.sealed.items()}
        state = replace(state, sealed=sealed)
    # This is asked for every fact and audience: a loop costs less than a generator.
    for one in state.sides.values():
        if _hides(one, audience):
            sides = {key: _shown(side) if _hides(side, audience) else side for key, side in state.sides.items()}
            state = replace(state, sides=sides)
            break
    if SECRETS in state.book:
        own = secret(audience, "") if isinstance(audience, str) else None
        book = {
            key: value
            for key, value in state.book.items()
            if not key.startswith(SECRET) or (own is not None and key.startswith(own))
        }
        if len(book) < len(state.book):
            state = replace(state, book=book)
    desk = state.desk
    if desk.forces or desk.orders:
        forces = {seat: brought for seat, brought in desk.forces.items() if seat == audience or not brought.hidden}
        # There are fewer orders than units.
        orders = {unit: order for unit, order in desk.orders.items() if _seat_of(state, unit) == audience}
        if forces != desk.forces or orders != desk.orders:
            state = replace(state, desk=replace(desk, forces=forces, orders=orders))
    return state


def _hides(side: Side, audience: Audience) -> bool:
    """Return whether a side has something off the table that `audience` may not know of."""
    if side.assets is UNSET or side.seat == audience:
        return False
    return any(asset.hidden for asset in side.assets.values())


def _shown(side: Side) -> Side:
    return replace(side, assets={key: asset for key, asset in side.off_table.items() if not asset.hidden})


def _seat_of(state: State, unit: str) -> str | None:
    """Return the seat that plays a unit; None for one that is no longer there."""
    return state.seat_of(unit) if unit in state.units else None


def notices(audience: Audience, seat: str, replaced: bool) -> bool:
    """Return whether `audience` notices that `seat` has sealed an answer: all audiences the first time, only the seat itself
    when it replaces one.
    """
    return audience == seat or not replaced
