"""The outlet: the open connections of a match, as its room knows them. The gateway holds them; the room says which join and
what is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from client_protocol.from_server import Snapshot
from server.kernel.belief import Audience
from server.matches.projections.frames import Frame


class Outlet(Protocol):
    """Sends a match's frames to the connections of each audience."""

    def enter(self, audience: Audience, connection: object, since: int, seq: int) -> None:
        """Send a connection the frames that it missed between `since` (-1: it has none) and `seq`, and all from now on."""

    def leave(self, audience: Audience, connection: object) -> None:
        """Forget a connection."""

    @property
    def awaited(self) -> Collection[Audience]:
        """The audiences that need frames: those with connections, or with one that may come back for what it missed."""
        ...

    def prepare(self, frames: Sequence[Frame]) -> None:
        """Prepare sending frames of an entry that may be published next. Nothing is sent."""

    def send_prepared(self) -> None:
        """Send players the frames that were prepared last: their entry is in the log, and is published next."""

    def publish(self, frames: Iterable[Frame]) -> None:
        """Send the frames of one entry in their order: at most one for each audience that needs them."""

    async def dismiss(self) -> None:
        """Tell every connection that the operator has removed the match, and close it."""


Outlets = Callable[[Callable[[Audience], Snapshot]], Outlet]
"""Makes the outlet of a match from a function that gives each audience's snapshot."""


class NoOutlet:
    """The outlet of rooms without connections."""

    def __init__(self, snapshot: Callable[[Audience], Snapshot]) -> None:
        """Accept the arguments of every outlet."""

    def enter(self, audience: Audience, connection: object, since: int, seq: int) -> None:
        """Send nothing."""

    def leave(self, audience: Audience, connection: object) -> None:
        """Do nothing."""

    @property
    def awaited(self) -> Collection[Audience]:
        """No audience."""
        return ()

    def prepare(self, frames: Sequence[Frame]) -> None:
        """Do nothing."""

    def send_prepared(self) -> None:
        """Send nothing."""

    def publish(self, frames: Iterable[Frame]) -> None:
        """Send nothing."""
        for _ in frames:
            pass

    async def dismiss(self) -> None:
        """Do nothing."""
