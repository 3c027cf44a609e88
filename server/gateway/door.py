"""The bound on open sockets: below what the operating system allows, with some spare."""

from __future__ import annotations

TELLING = 32
"""Sockets above the bound that are told that the server is full. Further ones are closed without a word."""


class Door:
    """Counts sockets from their acceptance on: a silent one takes a descriptor, too.

    Args:
        most: the most sockets.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = 0

    @property
    def full(self) -> bool:
        """Whether more sockets are open than the bound allows."""
        return self._open > self._most

    def come(self) -> bool:
        """Count a socket. Return whether it may stay, or at least be told why not."""
        self._open += 1
        return self._open <= self._most + TELLING

    def go(self) -> None:
        """Uncount a closed socket."""
        self._open -= 1
