"""Decisions that wait, for those who tell players of them."""

from __future__ import annotations

from msgspec import Struct


class SeatWaits(Struct, frozen=True):
    """A decision that waits for the player of a seat.

    Args:
        seat: the seat.
        side: the name of its side.
        player: the name of its player.
        key: the key that the seat is tied to, "" for none.
        prompt: the prompt's id.
        since: since when it waits (ms since 1970).
        here: whether the seat is connected to this server.
    """

    seat: str
    side: str
    player: str
    key: str
    prompt: str
    since: int
    here: bool
