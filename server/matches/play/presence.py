"""By which connections the seats of a match are here, on this server."""

from __future__ import annotations

import secrets


class SeatLinks:
    """Names each connection of each seat, as the log does (see `desk_facts.SeatHere`)."""

    def __init__(self) -> None:
        self._links: dict[str, dict[object, str]] = {}
        self._ever: set[str] = set()
        self._named: set[str] = set()

    def come(self, seat: str, connection: object) -> None:
        """A connection of `seat` is here."""
        link = secrets.token_hex(8)
        self._links.setdefault(seat, {})[connection] = link
        self._ever.add(link)

    def go(self, seat: str, connection: object) -> None:
        """It is gone."""
        self._links.get(seat, {}).pop(connection, None)

    def here(self, seat: str) -> tuple[str, ...]:
        """The links of `seat`, the oldest first."""
        return tuple(self._links.get(seat, {}).values())

    def had(self, link: str) -> bool:
        """Whether `link` is or was one of this server's."""
        return link in self._ever

    def name(self, link: str) -> None:
        """The log has named `link` as that by which its seat is here."""
        self._named.add(link)

    def news(self, seat: str) -> bool:
        """Whether `seat` is here, and the log has named none of its links: who names one takes the seat over from another server,
        once.
        """
        here = self.here(seat)
        return bool(here) and self._named.isdisjoint(here)
