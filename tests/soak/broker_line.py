"""A line to the broker that reads along: it can lose the confirmation of a published step, and sees the step come again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.soak.line import Connection, Line, Reach, Way

PUBLISH, PUBACK = 3, 4
"""Kinds of packets (MQTT 5, section 2.1.2)."""
ONCE_AT_LEAST = 1
"""The quality of service of a message that is confirmed by one packet."""


class Packets:
    """What passes in one direction, cut into packets."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Take a piece, and yield the first byte and the rest of each packet that is whole (MQTT 5, section 2.1)."""
        self._data += data
        while (head := self._head()) is not None:
            at, size = head
            if len(self._data) < at + size:
                return
            first, rest = self._data[0], bytes(self._data[at : at + size])
            del self._data[: at + size]
            yield first, rest

    def _head(self) -> tuple[int, int] | None:
        """Return where the rest of the packet begins, and its size: seven bits a byte, the lowest first."""
        size = 0
        for at in range(1, min(5, len(self._data))):
            size |= (self._data[at] & 127) << (7 * (at - 1))
            if self._data[at] < 128:
                return at + 1, size
        return None


@dataclass(eq=False)
class _Talk(Connection):
    """A connection to the broker; `doomed` is the number of the packet whose confirmation is to be lost (-1: none)."""

    packets: dict[Way, Packets] = field(default_factory=lambda: {"up": Packets(), "down": Packets()})
    doomed: int = -1


class BrokerLine(Line):
    """A line of a feed to its broker."""

    def __init__(self, reach: Reach, chance: random.Random) -> None:
        super().__init__(reach, chance)
        self.lost = 0
        """Of how many steps the confirmation was lost: the broker had them."""
        self.again = 0
        """How many of these were published again."""
        self._losing = False
        self._unsure: set[bytes] = set()

    def lose_confirmation(self) -> None:
        """Cut the connection after the broker has the next step and before its confirmation arrives."""
        self._losing = True

    def _connected(self, writer: asyncio.StreamWriter) -> Connection:
        return _Talk([writer])

    def _passes(self, connection: Connection, way: Way, data: bytes) -> int | None:
        assert isinstance(connection, _Talk)
        for first, rest in connection.packets[way].feed(data):
            kind = first >> 4
            if way == "up" and kind == PUBLISH:
                self._published(connection, first, rest)
            elif way == "down" and kind == PUBACK and int.from_bytes(rest[:2], "big") == connection.doomed:
                self.lost += 1
                return 0
        return super()._passes(connection, way, data)

    def _published(self, talk: _Talk, first: int, rest: bytes) -> None:
        """Note a message that is published (MQTT 5, section 3.3): topic, number, properties and payload."""
        size = int.from_bytes(rest[:2], "big")
        topic, number, said = rest[2 : 2 + size], rest[2 + size : 4 + size], rest[4 + size :]
        if (first >> 1) & 3 != ONCE_AT_LEAST or not topic.endswith(b"/steps"):
            return
        message = topic + said
        if message in self._unsure:
            self._unsure.remove(message)
            self.again += 1
        elif self._losing and talk.doomed < 0:
            self._losing = False
            talk.doomed = int.from_bytes(number, "big")
            self._unsure.add(message)
