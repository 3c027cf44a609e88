"""Limits: how much connections may ask for, and how long the gateway waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from client_protocol.codec import LARGEST_INWARD


@dataclass(frozen=True)
class Rate:
    """A rate: a burst of so many at once, and so many more each second."""

    burst: int
    per_second: float


class Bucket:
    """A token bucket: full at first, refilled with time.

    Args:
        rate: its size and how fast it is refilled.
        now: seconds on a clock that only goes forward.
    """

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._tokens = float(rate.burst)
        self._at = now

    def take(self, now: float) -> bool:
        """Take one token, if there is one. Return whether there was."""
        refilled = (now - self._at) * self._rate.per_second
        self._tokens = min(float(self._rate.burst), self._tokens + refilled)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def empty(self, now: float) -> bool:
        """Return whether there is no token now. None is taken."""
        return self._tokens + (now - self._at) * self._rate.per_second < 1


def _address() -> Mapping[str, Rate]:
    """Return the rates of one address: a household or a club, with several players in it."""
    return {
        "connections": Rate(1000, 60),
        "openings": Rate(600, 20),
        "answers": Rate(1000, 60),
        "chat": Rate(30, 5),
        "previews": Rate(60, 30),
        "reads": Rate(200, 10),
        "setups": Rate(20, 4),
        "makings": Rate(120, 0.5),
        "uploads": Rate(1500, 100),
        "requests": Rate(600, 60),
        "files": Rate(30, 2),
        "admin": Rate(5, 1 / 60),
    }


def _strangers() -> Mapping[str, Rate]:
    """Return the rates of all strangers (without a seat) together, in addition to the rates of each."""
    return {
        "reads": Rate(400, 40),
        "previews": Rate(200, 100),
        "setups": Rate(60, 12),
        "makings": Rate(300, 5),
        "uploads": Rate(6000, 400),
        "files": Rate(100, 20),
        "admin": Rate(50, 0.1),
    }


@dataclass(frozen=True)
class Limits:
    """The bounds of each connection, of each address, and of all strangers together. Rates are in messages."""

    seat: Rate = Rate(100, 5)
    spectator: Rate = Rate(20, 1)
    chat: Rate = Rate(5, 1 / 0.6)
    previews: Rate = Rate(10, 10)
    makings: Rate = Rate(6, 0.1)
    uploads: Rate = Rate(900, 60)
    """Parts of uploads: a burst of 900 is more than may be kept at once."""
    setups: Rate = Rate(10, 3)
    """Checks of setups: an editor sends its setup again and again."""
    pings: Rate = Rate(20, 2)
    strikes: Rate = Rate(50, 1)
    """Refusals for exceeded rates before the connection is closed."""
    malformed: int = 2
    """The malformed message at which the connection is closed."""
    first_message: float = 5.0
    """Seconds in which a connection must send its first message."""
    entering: float = 6.0
    """Seconds in which a match must be found and opened for a connection; browsers wait for nine."""
    waiting: int = 16
    """Messages of one connection that may be queued."""
    message_bytes: int = LARGEST_INWARD
    connections: int = 10_000
    """Sockets that may be open at once. A server that may open fewer files takes fewer."""
    per_address: int = 50
    """Connections that one address may have open."""
    address: Mapping[str, Rate] = field(default_factory=_address)
    """The rates of one address, by kind of message or request."""
    strangers: Mapping[str, Rate] = field(default_factory=_strangers)
    """The rates of all strangers together."""
    forgotten: float = 900.0
    """Seconds after which an idle address is forgotten: by then all its rates are restored."""
    downloads: int = 64 * 1024 * 1024
    """Bytes of files that may be in transit to all addresses together."""
    address_downloads: int = 16 * 1024 * 1024
    """The same for one address, beyond the first file."""
    ping_interval: float = 15.0
    ping_timeout: float = 15.0
    open_timeout: float = 30.0
    """Seconds for the request and its response; a telephone needs some for the client's files."""
    draining: float = 2.0
    """Seconds in which a stopping server finishes what it has begun."""

    def own(self, kind: str) -> Rate | None:
        """Return the rate of a connection for one kind of messages, if it has one of its own; all other kinds count as orders."""
        match kind:
            case "pings":
                return self.pings
            case "previews":
                return self.previews
            case "chat":
                return self.chat
            case "makings":
                return self.makings
            case "uploads":
                return self.uploads
            case "setups":
                return self.setups
            case _:
                return None
