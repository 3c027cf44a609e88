"""Presence: the open connections of each seat on this server."""

from __future__ import annotations

import secrets


class Presence:
    """Gives each connection of each seat a name for the log (see `desk_facts.SeatHere`)."""

    def __init__(self) -> None:
        self._links: dict[str, dict[object, str]] = {}
        self._ever: set[str] = set()
        self._named: set[str] = set()

    def come(self, seat: str, connection: object) -> None:
        """Add a connection of `seat`."""
        link = secrets.token_hex(8)
        self._links.setdefault(seat, {})[connection] = link
        self._ever.add(link)

    def go(self, seat: str, connection: object) -> None:
        """Remove a connection of `seat`."""
        self._links.get(seat, {}).pop(connection, None)

    def here(self, seat: str) -> tuple[str, ...]:
        """Return the links of `seat`, the oldest first."""
        return tuple(self._links.get(seat, {}).values())

    def had(self, link: str) -> bool:
        """Return whether `link` is or was one of this server's."""
        return link in self._ever

    def name(self, link: str) -> None:
        """Note that the log has named `link` as the connection of its seat."""
        self._named.add(link)

    def news(self, seat: str) -> bool:
        """Return whether `seat` is connected by links none of which the log has named: naming one takes the seat over from
        another server, once.
        """
        here = self.here(seat)
        return bool(here) and self._named.isdisjoint(here)
