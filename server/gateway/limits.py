"""How much a connection may ask for, and how patient the gateway is."""

from __future__ import annotations

from dataclasses import dataclass

from client_protocol.codec import LARGEST_INWARD


@dataclass(frozen=True)
class Rate:
    """So many at once, and so many more each second."""

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
        """Takes one token, if there is one."""
        refilled = (now - self._at) * self._rate.per_second
        self._tokens = min(float(self._rate.burst), self._tokens + refilled)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def spend(self, tokens: float) -> None:
        """Takes tokens for what has turned out to be much work, whether they are there or not."""
        self._tokens -= tokens


@dataclass(frozen=True)
class Limits:
    """The bounds of each connection. Rates are in messages."""

    seat: Rate = Rate(100, 5)
    watcher: Rate = Rate(20, 1)
    chat: Rate = Rate(5, 1 / 0.6)
    previews: Rate = Rate(10, 10)
    makings: Rate = Rate(6, 0.1)
    uploads: Rate = Rate(900, 60)
    """Parts of uploads: 900 are more than all that may be kept at once."""
    setups: Rate = Rate(10, 3)
    """Setups that are looked at: somebody who draws one has it looked at again and again."""
    work: float = 20.0
    """Setups that a second of looking at one counts for beside itself."""
    pings: Rate = Rate(20, 2)
    strikes: Rate = Rate(50, 1)
    """Refusals for haste that are forgiven; whoever goes on is cut off."""
    malformed: int = 2
    """The malformed message at which the connection is closed."""
    first_message: float = 5.0
    """Seconds in which a connection must say what it wants."""
    entering: float = 6.0
    """Seconds in which a match must be found and opened for who enters it; browsers wait for nine."""
    waiting: int = 16
    """Messages of one connection that may wait for their turn."""
    message_bytes: int = LARGEST_INWARD
    connections: int = 10_000
    """Sockets that may be open at once. A server that may open fewer files takes fewer."""
    ping_interval: float = 15.0
    ping_timeout: float = 15.0
    open_timeout: float = 30.0
    """Seconds for the request and its response; a telephone needs some for the client's files."""
    draining: float = 5.0
    """Seconds in which a server that stops finishes what it has begun."""
