"""Players' keys: what a key signs, and how that is checked. Pure.

A player is known by an Ed25519 key (RFC 8032), which their browser made. With its signature on a seat the player consents
that the seat is tied to the key; anyone can check that in the match's log. docs/players.md says what it proves and what not.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from server.kernel.state import Desk


def signed(key: str, signature: str, statement: bytes) -> bool:
    """Return whether a signature (hexadecimal) on a statement is that of a key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def name_at(desk: Desk, seat: str) -> str:
    """Return the name of the player of a seat, also while a program plays it for them; "" if the seat is free or a program's."""
    if seat in desk.machines:
        return desk.lenders.get(seat, "")
    return desk.players.get(seat, "")


def fingerprint(key: str) -> str:
    """Return what people compare of a key: its first sixteen digits, in groups of four."""
    return " ".join(key[at : at + 4] for at in range(0, 16, 4))
