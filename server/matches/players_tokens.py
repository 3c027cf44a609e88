"""Tokens by which the holders of players' keys enter the seats that are tied to them."""

from __future__ import annotations

import contextlib

from server.matches.log.secrets import Keys
from server.store.errors import MatchClosed, UnknownMatch
from server.store.store import MatchStore


async def players_token(store: MatchStore, match: str, seat: str, key: str) -> str:
    """Return the token of a seat for the holder of the key that it is tied to; "" where there is none. Raises `StoreError`."""
    with contextlib.suppress(UnknownMatch, MatchClosed, KeyError):
        return Keys(await store.get_meta(match)).players_token(seat, key)
    return ""
