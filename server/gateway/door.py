"""How many sockets a server has open: below what the operating system allows it, with some to spare."""

from __future__ import annotations

TELLING = 32
"""Sockets above the bound that are still told, in words, that there is no room. More are closed without a word."""


class Door:
    """Counts sockets, from the moment they are accepted: one that says nothing takes a descriptor, too.

    Args:
        most: how many there may be.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = 0

    @property
    def full(self) -> bool:
        """Whether one of those that are open is one too many."""
        return self._open > self._most

    def come(self) -> bool:
        """Count a socket. Returns whether it may stay, or at least be told why not."""
        self._open += 1
        return self._open <= self._most + TELLING

    def go(self) -> None:
        """A socket that was counted is closed."""
        self._open -= 1
