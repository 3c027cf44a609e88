"""The list of matches on the start page: what is played here as it is, what is played elsewhere as it was noted last."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping

from msgspec.structs import replace

from client_protocol.from_server import MatchInfo
from server.matches.room import Room
from server.matches.shared_summaries import PAGE, Notes, State, place
from server.store.errors import MatchRemoved, StoreError
from server.store.store import MatchStore

log = logging.getLogger("underfire.listing")

POLL_SECONDS = 3.0
"""How often the list is read again while somebody looks at it, since other servers change it too; and how often at most what
changes with every answer is noted of a match.
"""


class MatchList:
    """The listed matches, and those that are not listed, for who can name them.

    Args:
        store: where matches are noted.
        at_hand: the rooms of this server, by match.
        do: starts work that nobody waits for.
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
        self._notes = Notes(store)
        self.more = False
        """Whether there are more listed matches than `now` gave last."""
        self._known: dict[str, MatchInfo] = {}
        self._noted: dict[str, tuple[MatchInfo, float]] = {}
        """What this server noted last of a match, and when (by `clock`)."""
        self._waiting: dict[str, tuple[MatchInfo, bool]] = {}
        """What is to be noted when the time has come, and whether the match is listed."""
        self._watchers: dict[object, Callable[[], None]] = {}

    async def now(self) -> tuple[MatchInfo, ...]:
        """The first page of the listed matches: open ones first, then those that are running, each the newest first."""
        with contextlib.suppress(StoreError):
            await self._notes.read()
        infos = dict(self._notes.listed)
        infos.update((match, self._info(room)) for match, room in self._at_hand().items() if room.listed)
        found = sorted(infos.values(), key=_standing, reverse=True)
        self.more = self._notes.more or len(found) > PAGE
        return tuple(found[:PAGE])

    async def after(self, state: State, made_at: int, match: str) -> tuple[tuple[MatchInfo, ...], bool]:
        """The page of the listed matches after one, and whether there are more. Raises `StoreError`."""
        found, more = await self._notes.after(state, made_at, match)
        rooms = self._at_hand()
        infos = (self._info(rooms[match]) if match in rooms else info for match, info in found.items())
        return tuple(infos), more

    def _info(self, room: Room) -> MatchInfo:
        """How a match stands here."""
        return self._known.get(room.match) or room.info()

    async def of(self, matches: Collection[str]) -> tuple[MatchInfo, ...]:
        """Those of these matches that there are, listed or not, in the order in which they are named. Whoever asks knows their
        ids, which nobody can guess.
        """
        rooms = self._at_hand()
        elsewhere = [match for match in matches if match not in rooms]
        noted: Mapping[str, MatchInfo] = {}
        with contextlib.suppress(StoreError):
            noted = await self._notes.of(elsewhere)
        infos = (rooms[match].info() if match in rooms else noted.get(match) for match in matches)
        return tuple(info for info in infos if info is not None)

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back whenever `now` or `of` could give something else. Returns the function that ends it."""
        key = object()
        self._watchers[key] = callback

        def unwatch() -> None:
            self._watchers.pop(key, None)

        return unwatch

    def changed(self, room: Room, own: bool) -> None:
        """Something happened in a match: if it shows, tell those who look at it, and other servers if it was done here."""
        info = room.info()
        if self._known.get(room.match) == info:
            return
        self._known[room.match] = info
        if own:
            self._consider(replace(info, watching=0), room.listed)
        self._tell()

    def _consider(self, info: MatchInfo, listed: bool) -> None:
        """Note it now, if it is of weight or nothing was noted for a while; else later, together with what comes until then."""
        match = info.match
        was, at = self._noted.get(match, (None, 0.0))
        if was == info:
            return
        self._waiting[match] = (info, listed)
        if was is None or _weighty(was) != _weighty(info) or self._clock() - at >= POLL_SECONDS:
            self._do(self._note(match))

    def forget(self, match: str) -> None:
        """The match is not at hand any more."""
        self._known.pop(match, None)
        self._noted.pop(match, None)
        if match in self._waiting:
            self._do(self._note(match))

    def removed(self, match: str) -> None:
        """The match is no more: who looks at the list is told."""
        self._waiting.pop(match, None)
        self._tell()

    async def flush(self) -> None:
        """Note what waits to be noted."""
        await asyncio.gather(*(self._note(match) for match in list(self._waiting)))

    async def poll(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        """Note, again and again, what has changed here, and see what other servers note."""
        while True:
            await sleep(POLL_SECONDS)
            await self.flush()
            if not self._watchers:
                continue
            with contextlib.suppress(StoreError):
                if await self._notes.read():
                    self._tell()

    async def _note(self, match: str) -> None:
        waiting = self._waiting.get(match)
        if waiting is None:
            return
        info, listed = waiting
        self._noted[match] = (info, self._clock())
        try:
            await self._notes.put(info, listed=listed)
        except MatchRemoved:
            pass  # it has no place in any list
        except StoreError as error:
            # The next change notes it anew; until then other servers' lists are behind.
            log.warning("match %s could not be noted in the list: %s", match, error)
            self._noted.pop(match, None)
        if self._waiting.get(match) is waiting:
            del self._waiting[match]

    def _tell(self) -> None:
        for callback in list(self._watchers.values()):
            callback()


def _standing(info: MatchInfo) -> tuple[int, str]:
    """Where a match stands in the list; the highest comes first."""
    return place(info.state, info.made_at), info.match


def _weighty(info: MatchInfo) -> MatchInfo:
    """What of a match other servers are told at once: not what changes with every answer."""
    return replace(info, deciding=(), since=0, score=())
