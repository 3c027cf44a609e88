"""Dormant matches: one server of a database warns of those that are not played any more, concludes them at the date that it has
told, and archives them at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from client_protocol.from_server import Accepted
from server.matches.archive_folder import archive
from server.matches.archiver import PAGE, ArchiveStore
from server.matches.background import Background
from server.matches.log.entries import LogError
from server.matches.log.fold import Fold
from server.matches.play.dormancy import DAY_MS, Dormancy, was_concluded
from server.matches.room import Room
from server.matches.signing import Signing
from server.store.errors import StoreError, StoreUnavailable
from server.store.following import Sleep
from server.store.key_names import DORMANT_LEASE
from server.store.replies import number
from server.store.scripts import LEASE

log = logging.getLogger("underfire.dormant")

LOOK_SECONDS = 3600.0
"""Seconds between two searches."""
LEASE_MS = 2 * 3_600_000
"""For how long a server keeps the right to search without asking for it again; then another one takes over."""
NEVER_MS = 1 << 62


class _Standing(Struct, frozen=True):
    """A match as it was found: the length of its log, when something is due (ms since 1970), and whether it was concluded and has
    only to be archived.
    """

    length: int
    due: int
    concluded: bool = False


class RoomOf(Protocol):
    """Returns the room of a match, or None if there is no such match."""

    def __call__(self, match: str) -> Awaitable[Room | None]:
        """Return it. Raises `StoreError`."""
        ...


class Dormant(Background):
    """Looks for dormant matches while it is open (`async with`).

    Args:
        store: an open store, with the archive folder.
        room_of: returns rooms.
        policy: the operator's policy.
        now_ms: milliseconds since 1970.
        sleep: waits between two searches.
        signing: signs the archived files, if given.
    """

    def __init__(
        self,
        store: ArchiveStore,
        room_of: RoomOf,
        policy: Dormancy,
        now_ms: Callable[[], int],
        sleep: Sleep = asyncio.sleep,
        *,
        signing: Signing | None = None,
    ) -> None:
        self._store = store
        self._room_of = room_of
        self._policy = policy
        self._now_ms = now_ms
        self._sleep = sleep
        self._signing = signing
        self._owner = f"dormant-{secrets.token_hex(8)}"
        self._known: dict[str, _Standing] = {}
        """The matches as they were found last: read again when their log has grown, or something is due."""

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__()
        with contextlib.suppress(StoreError):
            await self._lease(0)

    async def run(self) -> None:
        """Search until cancelled. While Redis is away, wait for it."""
        while True:
            await self._sleep(LOOK_SECONDS)
            await self.attempt(self.look)

    async def look(self) -> int:
        """Do what is due in all matches, if this server is the one that does. Return in how many something was done.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        if not await self._lease(LEASE_MS):
            self._known.clear()
            return 0
        done = offset = 0
        youngest = self._now_ms() - (self._policy.days - self._policy.warning) * DAY_MS
        while page := await self._store.matches(offset, PAGE):
            offset += len(page)
            for listing in page:
                # A match cannot have been silent for longer than it is there.
                if listing.made_ms <= youngest:
                    done += await self._see_to(listing.match_id)
        return done

    async def _see_to(self, match: str) -> bool:
        try:
            length = await self._store.length(match)
            if not length:
                self._known.pop(match, None)
                return False
            known = self._known.get(match)
            if known is None or known.length != length:
                entries = [payload for _, payload in await self._store.read(match)]
                known = self._known[match] = await asyncio.to_thread(_standing, entries, self._policy)
            if known.due > self._now_ms():
                return False
            if known.concluded:
                return await self._archived(match)
            return await self._attended(match, known.length)
        except StoreUnavailable:
            raise
        except (StoreError, LogError, OSError) as error:
            log.warning("match %s, which is not played, could not be handled: %s", match, error, extra={"match": match})
            return False

    async def _attended(self, match: str, length: int) -> bool:
        """Append what is due in a match, and archive it if that was its end."""
        room = await self._room_of(match)
        if room is None or not isinstance(await room.attend_to_dormancy(self._policy, length), Accepted):
            return False
        if not room.over:
            log.info("match %s is not played, and is warned of", match, extra={"match": match})
            return True
        log.info("match %s was not played, and is concluded", match, extra={"match": match})
        if room.published:
            await self._archived(match)
        return True

    async def _archived(self, match: str) -> bool:
        """Archive a match that was concluded; if its folder is in use, the next search does it."""
        done = await archive(self._store, self._store.files, match, self._signing)
        if done:
            self._known.pop(match, None)
            log.info("match %s was archived", match, extra={"match": match})
        return done

    async def _lease(self, ms: int) -> bool:
        reply, _ = await self._store.run(LEASE, (DORMANT_LEASE,), (self._owner, ms))
        return number(reply) == 1


def _standing(entries: Sequence[bytes], policy: Dormancy) -> _Standing:
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    if fold.state.result is None:
        return _Standing(len(entries), policy.due_at(fold))
    concluded = was_concluded(fold) and bool(fold.state.desk.secret)
    return _Standing(len(entries), 0 if concluded else NEVER_MS, concluded)
