"""Sealed orders: what the log holds of an order until all orders are revealed. Pure.

An order has a key that follows from a secret of the league, and the log holds the SHA-256 of the key and the area. The key is as
long as the digest, so the seal tells no reader anything; the server, which has the secret, finds the area by trying each. When
orders are revealed, their keys stand in the log next to them, so that each reader can check that no order was changed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable


def order_key(seal: bytes, turn: int, player: str, number: int) -> bytes:
    """Return the key of an order.

    Args:
        seal: the league's secret for orders.
        turn: the turn.
        player: the key of the player who gives it.
        number: how many orders the player has given in this turn, with this one.
    """
    return hmac.digest(seal, f"order\0{turn}\0{player}\0{number}".encode(), hashlib.sha256)


def sealed(key: bytes, area: str) -> str:
    """Return the seal of an order to an area (hexadecimal)."""
    return hashlib.sha256(key + area.encode()).hexdigest()


def unsealed(key: bytes, seal: str, areas: Iterable[str]) -> str:
    """Return the area of an order, one of these. Raises `ValueError`: it is none of them."""
    for area in areas:
        if sealed(key, area) == seal:
            return area
    raise ValueError("an order is to an area that is not on the map")
