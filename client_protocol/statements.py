"""Statements: what a player's key signs, as bytes."""

from __future__ import annotations

from client_protocol.codec import pack

SEAT = "underfire seat 1"
PLAYER = "underfire player 1"
"""The first fields of the signed statements: no signature on the one can be taken for one on the other."""


def seat_statement(match: str, seat: str, name: str) -> bytes:
    """Return what a key signs that is tied to a seat: an array in MessagePack's shortest form."""
    return pack([SEAT, match, seat, name])


def player_statement(challenge: str, name: str) -> bytes:
    """Return what a key signs whose holder shows that it is theirs, and says their name."""
    return pack([PLAYER, challenge, name])
