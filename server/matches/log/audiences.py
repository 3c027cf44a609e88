"""Audiences and their names: on the wire "" is the spectators and "*" is everything; in a log, the seat "" is a spectator.
All such names are read and written here. Pure.
"""

from __future__ import annotations

from server.kernel.belief import EVERYTHING, SPECTATORS, Audience

_AUDIENCES: dict[str, Audience] = {"": SPECTATORS, "*": EVERYTHING}
_TEXTS: dict[Audience, str] = {audience: text for text, audience in _AUDIENCES.items()}


def audience_of(text: str) -> Audience:
    """Return the audience that a message names."""
    return _AUDIENCES.get(text, text)


def text_of(audience: Audience) -> str:
    """Return the name of an audience on the wire and in logs."""
    return audience if isinstance(audience, str) else _TEXTS[audience]


def speaker(seat: str) -> Audience:
    """Return the audience from which an entry of a log comes; `seat` is as the entry names it."""
    return seat or SPECTATORS
