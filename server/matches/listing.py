"""The list of matches on the start page: matches of this server as they are now, those of other servers from their shared
summaries.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping

from msgspec.structs import replace

from client_protocol.from_server import MatchSummary
from server.matches.background import Attempts
from server.matches.projections.summary import Glance
from server.matches.room import Room
from server.matches.shared_summaries import PAGE, SharedSummaries, State, place
from server.store.errors import MatchRemoved, StoreError
from server.store.store import MatchStore

log = logging.getLogger("underfire.listing")

POLL_SECONDS = 3.0
"""Seconds between two reads of the list while it is being watched, since other servers change it too; and between two
summaries of a match for changes that come with every answer.
"""


class MatchList:
    """The listed matches, and the unlisted ones for those who know their ids.

    Args:
        store: holds the shared summaries.
        at_hand: the open rooms of this server, by match.
        do: starts a background task.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        store: MatchStore,
        at_hand: Callable[[], Mapping[str, Room]],
        do: Callable[[Coroutine[object, object, None]], None],
        clock: Callable[[], float],
    ) -> None:
        self._at_hand = at_hand
        self._do = do
        self._clock = clock
        self._summaries = SharedSummaries(store)
        self.more = False
        """Whether there are more listed matches than `now` returned last."""
        self._known: dict[str, MatchSummary] = {}
        self._glances: dict[str, Glance] = {}
        """What each match of this server looked like when it changed last."""
        self._stale: dict[str, bool] = {}
        """The matches that have changed since their summary was made, and whether this server made a change."""
        self._noted: dict[str, tuple[MatchSummary, float]] = {}
        """The summary of each match that this server stored last, and when (by `clock`)."""
        self._waiting: dict[str, tuple[MatchSummary, bool]] = {}
        """Summaries that wait to be stored, and whether each match is listed."""
        self._soon: dict[str, Room] = {}
        """The matches whose summaries are to be stored at once."""
        self._callbacks: dict[object, Callable[[], None]] = {}

    async def now(self) -> tuple[MatchSummary, ...]:
        """Return the first page of the listed matches: open ones first, then those that are running, each the newest first."""
        with contextlib.suppress(StoreError):
            await self._summaries.read()
        summaries = dict(self._summaries.listed)
        summaries.update((match, self._summary(room)) for match, room in self._at_hand().items() if room.listed)
        found = sorted(summaries.values(), key=_standing, reverse=True)
        self.more = self._summaries.more or len(found) > PAGE
        return tuple(found[:PAGE])

    async def after(self, state: State, made_at: int, match: str) -> tuple[tuple[MatchSummary, ...], bool]:
        """Return the page of the listed matches after one, and whether there are more. Raises `StoreError`."""
        found, more = await self._summaries.after(state, made_at, match)
        rooms = self._at_hand()
        summaries = (self._summary(rooms[match]) if match in rooms else summary for match, summary in found.items())
        return tuple(summaries), more

    def _summary(self, room: Room) -> MatchSummary:
        """Return the summary of a match of this server."""
        self._refresh(room)
        return self._known.get(room.match) or room.summary()

    async def of(self, matches: Collection[str]) -> tuple[MatchSummary, ...]:
        """Return the summaries of those of these matches that exist, listed or not, in the order in which they are named. The
        caller knows their ids, which cannot be guessed.
        """
        rooms = self._at_hand()
        elsewhere = [match for match in matches if match not in rooms]
        noted: Mapping[str, MatchSummary] = {}
        with contextlib.suppress(StoreError):
            noted = await self._summaries.of(elsewhere)
        summaries = (rooms[match].summary() if match in rooms else noted.get(match) for match in matches)
        return tuple(summary for summary in summaries if summary is not None)

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back whenever `now` or `of` could give something else. Returns the function that ends it."""
        key = object()
        self._callbacks[key] = callback

        def unwatch() -> None:
            self._callbacks.pop(key, None)

        return unwatch

    def changed(self, room: Room, own: bool) -> None:
        """Handle a change of a match: if it shows, notify the open start pages, and other servers if this server made it.

        This is called for every answer, and counting a match's figures takes longer than telling its players: the summary is
        made when it is needed.
        """
        match, now = room.match, room.glance()
        was = self._glances.get(match)
        if was == now:
            return
        self._glances[match] = now
        self._stale[match] = own or self._stale.get(match, False)
        noted = self._noted.get(match)
        if was is None or noted is None or now.urgent(was) or self._clock() - noted[1] >= POLL_SECONDS:
            if not self._soon:
                self._do(self._note_soon())
            self._soon[match] = room
        self._tell()

    def _refresh(self, room: Room) -> None:
        """Make the summary of a match that has changed, and let it wait to be stored if this server changed it."""
        match = room.match
        if match not in self._stale:
            return
        own = self._stale.pop(match)
        summary = self._known[match] = room.summary()
        shared = replace(summary, spectators=0)
        if own and self._noted.get(match, (None, 0.0))[0] != shared:
            self._waiting[match] = (shared, room.listed)

    def forget(self, match: str) -> None:
        """Forget a match whose room is about to be closed."""
        room = self._at_hand().get(match)
        if room is not None:
            self._refresh(room)
        self._known.pop(match, None)
        self._noted.pop(match, None)
        self._glances.pop(match, None)
        self._stale.pop(match, None)
        if match in self._waiting:
            self._do(self._note(match))

    def removed(self, match: str) -> None:
        """Forget a removed match, and notify the open start pages."""
        self._waiting.pop(match, None)
        self._tell()

    async def flush(self) -> None:
        """Store the summaries that wait, and those of the matches that have changed since."""
        rooms = self._at_hand()
        for match in list(self._stale):
            if match in rooms:
                self._refresh(rooms[match])
        await asyncio.gather(*(self._note(match) for match in list(self._waiting)))

    async def poll(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Store changed summaries and read those of other servers, until cancelled."""
        attempt = Attempts("the list of matches")
        while True:
            await sleep(POLL_SECONDS)
            await attempt(self._look)

    async def _look(self) -> None:
        await self.flush()
        if self._callbacks and await self._summaries.read():
            self._tell()

    async def _note_soon(self) -> None:
        """Store the summaries of all matches that have changed in this turn of the event loop, when their players are told."""
        soon, self._soon = self._soon, {}
        for room in soon.values():
            self._refresh(room)
        first, *others = soon
        for match in others:
            self._do(self._note(match))
        await self._note(first)

    async def _note(self, match: str) -> None:
        waiting = self._waiting.get(match)
        if waiting is None:
            return
        summary, listed = waiting
        # Of a match whose room was closed the summary is stored once more, and nothing is kept.
        if match in self._glances:
            self._noted[match] = (summary, self._clock())
        try:
            await self._summaries.put(summary, listed=listed)
        except MatchRemoved:
            pass  # it is listed nowhere
        except StoreError as error:
            # The next change stores it again; until then the lists of other servers are out of date.
            log.warning("match %s could not be noted in the list: %s", match, error, extra={"match": match})
            self._noted.pop(match, None)
        if self._waiting.get(match) is waiting:
            del self._waiting[match]

    def _tell(self) -> None:
        for callback in list(self._callbacks.values()):
            callback()


def _standing(summary: MatchSummary) -> tuple[int, str]:
    """Return the sort key of a match in the list; the highest comes first."""
    return place(summary.state, summary.made_at), summary.match
