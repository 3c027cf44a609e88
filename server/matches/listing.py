"""The list of matches on the start page: what is played here as it is, what is played elsewhere as it was noted last."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping

from msgspec.structs import replace

from client_protocol.codec import CodecError, pack, unpack
from client_protocol.messages import MatchInfo
from server.matches.errors import StoreError
from server.matches.room import Room
from server.matches.store import MatchStore

log = logging.getLogger("underfire.listing")

POLL_SECONDS = 3.0
"""How often the list is read again while somebody looks at it: other servers change it too."""
MOST_LISTED = 100
"""How many of the newest matches are looked at."""
NOTES = "uf:notes"
"""How often anything was noted: one look at it says whether the list must be read."""
FIELD = "summary"
"""The private field in which a listed match is noted for the other servers."""


class MatchList:
    """The listed matches.

    Args:
        store: where matches are noted.
        at_hand: the rooms of this server, by match.
        do: starts work that nobody waits for.
    """

    def __init__(
        self,
        store: MatchStore,
        at_hand: Callable[[], Mapping[str, Room]],
        do: Callable[[Coroutine[object, object, None]], None],
    ) -> None:
        self._store = store
        self._at_hand = at_hand
        self._do = do
        self._noted: dict[str, MatchInfo] = {}
        self._notes: object = ""
        self._known: dict[str, MatchInfo] = {}
        self._watchers: dict[object, Callable[[], None]] = {}

    async def now(self) -> tuple[MatchInfo, ...]:
        """The listed matches, newest first."""
        await self._read_again()
        infos = dict(self._noted)
        infos.update((match, room.info()) for match, room in self._at_hand().items() if room.listed)
        return tuple(sorted(infos.values(), key=lambda info: (-info.made_at, info.match)))

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back whenever `now` would give something else. Returns the function that ends it."""
        key = object()
        self._watchers[key] = callback

        def unwatch() -> None:
            self._watchers.pop(key, None)

        return unwatch

    def changed(self, room: Room, own: bool) -> None:
        """Something happened in a match: if it shows in the list, tell those who look at it, and other servers."""
        # Who is to decide changes with every answer: that is shown of the matches played here, and noted of none.
        info = replace(room.info(), deciding=())
        if not room.listed or self._known.get(room.match) == info:
            return
        self._known[room.match] = info
        if own:
            self._do(self._note(info))
        self._tell()

    def forget(self, match: str) -> None:
        """The match is not at hand any more."""
        self._known.pop(match, None)

    async def poll(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        """See, again and again, what other servers note."""
        while True:
            await sleep(POLL_SECONDS)
            if not self._watchers:
                continue
            before = self._noted
            await self._read_again()
            if self._noted != before:
                self._tell()

    async def _read_again(self) -> None:
        """Read what is noted, if anything has been noted since it was read last."""
        with contextlib.suppress(StoreError):
            notes = await self._store.command("GET", NOTES)
            if notes != self._notes:
                await self._read()
                self._notes = notes

    async def _read(self) -> None:
        found = [listing.match_id for listing in await self._store.matches(0, MOST_LISTED)]
        metas = await asyncio.gather(*(self._store.get_meta(match) for match in found))
        infos = ((match, _noted(meta)) for match, meta in zip(found, metas, strict=True))
        self._noted = {match: info for match, info in infos if info is not None}

    async def _note(self, info: MatchInfo) -> None:
        try:
            await self._store.put_meta(info.match, {FIELD: pack(info)})
            await self._store.command("INCR", NOTES)
        except StoreError as error:
            # The next change notes it anew; until then other servers' lists are behind.
            log.warning("match %s could not be noted in the list: %s", info.match, error)
            self.forget(info.match)

    def _tell(self) -> None:
        for callback in list(self._watchers.values()):
            callback()


def _noted(meta: Mapping[str, bytes]) -> MatchInfo | None:
    """What a match's private fields say for the list; None for one that is not listed."""
    try:
        return unpack(meta[FIELD], MatchInfo)
    except (KeyError, CodecError):
        return None
