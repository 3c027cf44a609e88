"""The start page's list of matches, kept up to date for everybody who looks at it."""

from __future__ import annotations

import asyncio
import logging

from client_protocol.messages import Matches
from server.gateway.connection import Connection, frame_of
from server.gateway.rooms import Rooms

log = logging.getLogger("underfire.lobby")


class Lobby:
    """Everybody who looks at the start page.

    A change of the list while it is being read makes it be read once more, however many changes there were.

    Args:
        rooms: whose matches are listed.
    """

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._connections: dict[Connection, None] = {}
        self._newest = frame_of(Matches(()))
        self._changed = False
        self._reading: asyncio.Task[None] | None = None
        self._unsubscribe = rooms.on_listing_change(self.changed)

    async def enter(self, connection: Connection) -> None:
        """Sends the listed matches, now and whenever they change."""
        self._newest = frame_of(Matches(await self._rooms.listing()))
        connection.snapshot = self._frame
        connection.publish(self._newest)
        self._connections[connection] = None

    def leave(self, connection: Connection) -> None:
        """Forgets a connection. Does nothing if it never entered."""
        self._connections.pop(connection, None)

    def changed(self) -> None:
        """The list is another one now."""
        self._changed = True
        if self._connections and self._reading is None:
            self._reading = asyncio.create_task(self._publish())

    def close(self) -> None:
        """Listens to changes no longer."""
        self._unsubscribe()
        if self._reading is not None:
            self._reading.cancel()

    def _frame(self) -> bytes:
        return self._newest

    async def _publish(self) -> None:
        try:
            while self._changed:
                self._changed = False
                self._newest = frame_of(Matches(await self._rooms.listing()))
                for connection in list(self._connections):
                    connection.publish(self._newest)
        except Exception:
            # The next change tries again; who enters meanwhile reads the list anyway.
            log.exception("the list of matches could not be read")
        finally:
            self._reading = None
