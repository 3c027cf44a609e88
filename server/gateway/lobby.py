"""The lobby: sends the match list to open start pages, first its first page, and then changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from client_protocol.from_server import Matches, MatchesChanged, MatchSummary
from server.gateway.connection import Connection, frame_of
from server.gateway.rooms import Rooms

log = logging.getLogger("underfire.lobby")

PAUSE_SECONDS = 0.5
"""Seconds between two reads of the list: changes in between are sent together."""


@dataclass
class _Looking:
    """A connection on the start page: its own matches, and the unlisted ones of them as they were last sent."""

    mine: tuple[str, ...]
    told: dict[str, MatchSummary] = field(default_factory=dict)


@dataclass(frozen=True)
class _Listing:
    """The first page of the listed matches, whether there are more, and the frame with all of it."""

    matches: dict[str, MatchSummary]
    more: bool
    frame: bytes

    def since(self, was: _Listing) -> MatchesChanged:
        """Return what has changed since another listing."""
        changed = tuple(summary for match, summary in self.matches.items() if was.matches.get(match) != summary)
        gone = tuple(match for match in was.matches if match not in self.matches)
        return MatchesChanged(changed, gone, (), self.more)


class Lobby:
    """All connections on the start page.

    A new connection is sent the first page, and then changes. If the list changes while it is being read, it is read once
    more, however many changes there were. A connection for which nothing has changed is sent nothing: others do not even
    learn that something happens in an unlisted match.

    Args:
        rooms: the rooms, with their list.
        sleep: waits between two reads.
    """

    def __init__(self, rooms: Rooms, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._rooms = rooms
        self._sleep = sleep
        self._looking: dict[Connection, _Looking] = {}
        self._changed = False
        self._reading: asyncio.Task[None] | None = None
        self._listing: _Listing | None = None
        """The listing that was sent last; None while there are no connections."""
        self._unsubscribe = rooms.on_listing_change(self.changed)

    async def enter(self, connection: Connection, mine: tuple[str, ...]) -> None:
        """Send the listed matches, and those of `mine` that are not among them, and from then on changes."""
        listing = self._listing
        if listing is None:
            self._changed = False
            listing = await self._list()
        looking = _Looking(tuple(dict.fromkeys(mine)))
        told = await self._own(looking, listing)
        # Others may have been sent something newer meanwhile, and the next changes are relative to that.
        if self._listing is None:
            self._listing = listing
        now = self._listing
        looking.told = {match: summary for match, summary in told.items() if match not in now.matches}
        connection.snapshot = lambda: self._frame(looking)
        connection.publish(self._frame(looking))
        self._looking[connection] = looking
        if self._changed or now is not listing:
            # The list may have changed while it was read.
            self.changed()

    def leave(self, connection: Connection) -> None:
        """Forget a connection. Does nothing if it never entered."""
        self._looking.pop(connection, None)
        if not self._looking:
            self._listing = None

    def changed(self) -> None:
        """Schedule a new read of the list, since a match has changed."""
        self._changed = True
        if self._looking and self._reading is None:
            self._reading = asyncio.create_task(self._publish())

    def close(self) -> None:
        """Stop listening to changes."""
        self._unsubscribe()
        if self._reading is not None:
            self._reading.cancel()

    async def _list(self) -> _Listing:
        found = await self._rooms.listing()
        more = self._rooms.more_listed
        return _Listing({summary.match: summary for summary in found}, more, frame_of(Matches(found, (), more)))

    async def _own(self, looking: _Looking, listing: _Listing) -> dict[str, MatchSummary]:
        """Return the unlisted matches among a connection's own."""
        named = [match for match in looking.mine if match not in listing.matches]
        return {summary.match: summary for summary in await self._rooms.summaries(named)} if named else {}

    def _frame(self, looking: _Looking) -> bytes:
        """Return a frame with all that a connection should have been sent by now."""
        listing = self._listing
        if listing is None:
            return frame_of(Matches((), tuple(looking.told.values())))
        if not looking.told:
            return listing.frame
        return frame_of(Matches(tuple(listing.matches.values()), tuple(looking.told.values()), listing.more))

    async def _publish(self) -> None:
        try:
            while self._changed and self._looking:
                self._changed = False
                await self._tell(await self._list())
                await self._sleep(PAUSE_SECONDS)
        except Exception:
            # The next change tries again; connections that enter meanwhile are sent the last listing.
            log.exception("the list of matches could not be read")
        finally:
            self._reading = None

    async def _tell(self, now: _Listing) -> None:
        """Send every connection what has changed for it."""
        own = {
            connection: await self._own(looking, now)
            for connection, looking in list(self._looking.items())
            if looking.mine
        }
        # From here on there is no await: a connection that enters gets either the old or the new list.
        was = self._listing
        if was is None:
            return
        self._listing = now
        changes = now.since(was)
        same = frame_of(changes) if changes != MatchesChanged(more=was.more) else b""
        for connection, looking in self._looking.items():
            told = own.get(connection, looking.told)
            if told == looking.told:
                frame = same
            else:
                frame = frame_of(_with_own(changes, looking.told, told, now))
                looking.told = told
            if frame:
                connection.publish(frame)


def _with_own(
    changes: MatchesChanged, was: dict[str, MatchSummary], told: dict[str, MatchSummary], now: _Listing
) -> MatchesChanged:
    """Return the changes of the list together with those of a connection's own matches."""
    mine = tuple(summary for match, summary in told.items() if was.get(match) != summary)
    left = [match for match in (*changes.gone, *was) if match not in told and match not in now.matches]
    return MatchesChanged(changes.changed, tuple(dict.fromkeys(left)), mine, changes.more)
