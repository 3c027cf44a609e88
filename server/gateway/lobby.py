"""The start page's list of matches, kept up to date for everybody who looks at it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from client_protocol.messages import Matches, MatchInfo
from server.gateway.connection import Connection, frame_of
from server.gateway.rooms import Rooms

log = logging.getLogger("underfire.lobby")

PAUSE_SECONDS = 0.5
"""How long the list stays as it is at least: whatever changes meanwhile is told together."""


@dataclass
class _Looking:
    """Somebody who looks at the start page: the matches that are their own, and the frame that they were sent last."""

    mine: tuple[str, ...]
    frame: bytes = b""


@dataclass(frozen=True)
class _Listing:
    """The listed matches, and the frame for all who are told of these alone."""

    matches: tuple[MatchInfo, ...]
    frame: bytes


class Lobby:
    """Everybody who looks at the start page.

    A change of the list while it is being read makes it be read once more, however many changes there were. Nothing is sent to
    those for whom nothing has changed: of matches that are not listed, others do not even learn that something happens.

    Args:
        rooms: whose matches are listed.
        sleep: waits.
    """

    def __init__(self, rooms: Rooms, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._rooms = rooms
        self._sleep = sleep
        self._looking: dict[Connection, _Looking] = {}
        self._changed = False
        self._reading: asyncio.Task[None] | None = None
        self._unsubscribe = rooms.on_listing_change(self.changed)

    async def enter(self, connection: Connection, mine: tuple[str, ...]) -> None:
        """Sends the listed matches, and those of `mine` that are not, now and whenever they change."""
        if not self._looking:
            self._changed = False
        looking = _Looking(tuple(dict.fromkeys(mine)))
        looking.frame = await self._frame(await self._list(), looking)
        connection.snapshot = lambda: looking.frame
        connection.publish(looking.frame)
        self._looking[connection] = looking
        if self._changed:
            # It may have changed while it was read.
            self.changed()

    def leave(self, connection: Connection) -> None:
        """Forgets a connection. Does nothing if it never entered."""
        self._looking.pop(connection, None)

    def changed(self) -> None:
        """Some match stands otherwise now."""
        self._changed = True
        if self._looking and self._reading is None:
            self._reading = asyncio.create_task(self._publish())

    def close(self) -> None:
        """Listens to changes no longer."""
        self._unsubscribe()
        if self._reading is not None:
            self._reading.cancel()

    async def _list(self) -> _Listing:
        matches = await self._rooms.listing()
        return _Listing(matches, frame_of(Matches(matches)))

    async def _frame(self, listing: _Listing, looking: _Looking) -> bytes:
        """What somebody is to see."""
        listed = {info.match for info in listing.matches}
        named = [match for match in looking.mine if match not in listed]
        mine = await self._rooms.infos(named) if named else ()
        return frame_of(Matches(listing.matches, mine)) if mine else listing.frame

    async def _publish(self) -> None:
        try:
            while self._changed:
                self._changed = False
                listing = await self._list()
                for connection, looking in list(self._looking.items()):
                    frame = await self._frame(listing, looking)
                    if frame != looking.frame and connection in self._looking:
                        looking.frame = frame
                        connection.publish(frame)
                await self._sleep(PAUSE_SECONDS)
        except Exception:
            # The next change tries again; who enters meanwhile reads the list anyway.
            log.exception("the list of matches could not be read")
        finally:
            self._reading = None
