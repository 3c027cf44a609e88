"""Sealed orders: what the log holds of an order until all orders are revealed. Pure.

An order has a key that follows from a secret of the league, and the log holds the SHA-256 of the key and the area. The key is as
long as the digest, so the seal tells no reader anything; the server, which has the secret, finds the area by trying each. When
orders are revealed, their keys stand in the log next to them, so that each reader can check that no order was changed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from msgspec import Struct


class Order(Struct, frozen=True):
    """Which order: the turn, the key of the player who gives it, and how many they have given in this turn, with this one."""

    turn: int
    player: str
    number: int


class Sealing(Protocol):
    """Seals orders, and opens them."""

    def seal(self, order: Order, area: str) -> str:
        """Return the seal of an order to an area (hexadecimal)."""

    def opened(self, order: Order, seal: str, areas: Iterable[str]) -> tuple[str, str]:
        """Return the area of an order, one of these, and its key (hexadecimal). Raises `ValueError`: it is none of them."""


@dataclass(frozen=True)
class SecretSealing:
    """Seals orders with a league's secret, as servers do."""

    secret: bytes

    def seal(self, order: Order, area: str) -> str:
        """Return the seal of an order to an area (hexadecimal)."""
        return sealed(self._key(order), area)

    def opened(self, order: Order, seal: str, areas: Iterable[str]) -> tuple[str, str]:
        """Return the area of an order, one of these, and its key (hexadecimal). Raises `ValueError`: it is none of them."""
        key = self._key(order)
        for area in areas:
            if sealed(key, area) == seal:
                return area, key.hex()
        raise ValueError("an order is to an area that is not on the map")

    def _key(self, order: Order) -> bytes:
        words = f"order\0{order.turn}\0{order.player}\0{order.number}"
        return hmac.digest(self.secret, words.encode(), hashlib.sha256)


def sealed(key: bytes, area: str) -> str:
    """Return the seal of an order to an area (hexadecimal), by the key of the order."""
    return hashlib.sha256(key + area.encode()).hexdigest()
