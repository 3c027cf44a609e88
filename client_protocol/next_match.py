"""The invites to the next match of the same players: the player of the match before can work out each, and so can the server."""

from __future__ import annotations

import hashlib


def next_invite(token: str, match: str) -> str:
    """Return a player's invite to the match that follows theirs.

    Args:
        token: the token of the player's seat in the match that is over.
        match: the id of the next match (`View.next`).
    """
    return next_invite_of(hashlib.sha256(token.encode()).hexdigest(), match)


def next_invite_of(hashed_token: str, match: str) -> str:
    """Return the same, of a token of which only the SHA-256 is known (hexadecimal)."""
    return hashlib.sha256(f"next match\0{hashed_token}\0{match}".encode()).hexdigest()
