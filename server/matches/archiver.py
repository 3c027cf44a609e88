"""The archiver: moves matches that ended long ago from the store into files, where they can be read but not written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from server.matches.archive_folder import IN_FILE, ArchiveFolder, archive
from server.matches.background import Background
from server.matches.log import match_file
from server.matches.log.entries import LogError
from server.matches.log.fold import Fold
from server.matches.log.match_file import MatchFileError
from server.matches.signing import Signing
from server.store.errors import LogDamaged, MatchClosed, StoreError, StoreUnavailable
from server.store.following import Sleep
from server.store.store import MatchStore

log = logging.getLogger("underfire.archiver")

LOOK_SECONDS = 3600.0
"""Seconds between two searches."""
PAGE = 200
"""How many matches of the index are read at once."""
DAY_MS = 86_400_000
NEVER_MS = 1 << 62


class ArchiveStore(MatchStore):
    """A store that also reads archived matches.

    Args:
        url: see `MatchStore`.
        files: the archive folder.
    """

    def __init__(self, url: str, files: ArchiveFolder) -> None:
        super().__init__(url)
        self.files = files

    async def read(self, match_id: str, after: int = 0) -> list[tuple[int, bytes]]:
        try:
            return await super().read(match_id, after)
        except MatchClosed as closed:
            data = await asyncio.to_thread(self.files.load, match_id) if closed.note == IN_FILE else None
            if data is None:
                raise
        try:
            found = match_file.read(data)
        except MatchFileError as error:
            raise LogDamaged(match_id, f"its file is: {error}") from error
        return list(enumerate(found.entries, 1))[after:]


def files_of(store: MatchStore) -> ArchiveFolder | None:
    """Return the archive folder of a store, if it has one."""
    return store.files if isinstance(store, ArchiveStore) else None


class Archiver(Background):
    """Archives matches while it is open (`async with`).

    Args:
        store: an open store.
        files: the archive folder.
        days: how long ago a match must have ended.
        now_ms: milliseconds since 1970.
        sleep: waits between two searches.
        signing: signs the files, if given.
    """

    def __init__(
        self,
        store: MatchStore,
        files: ArchiveFolder,
        days: int,
        now_ms: Callable[[], int],
        sleep: Sleep = asyncio.sleep,
        *,
        signing: Signing | None = None,
    ) -> None:
        self._signing = signing
        self._store = store
        self._files = files
        self._long = days * DAY_MS
        self._now_ms = now_ms
        self._sleep = sleep
        self._known: dict[str, tuple[int, int]] = {}
        """For each match already looked at: the length of its log then, and the time before which it need not be looked at
        again.
        """

    async def run(self) -> None:
        """Search until cancelled. While Redis is away, wait for it."""
        while True:
            await self._sleep(LOOK_SECONDS)
            await self.attempt(self.look)

    async def look(self) -> int:
        """Archive the matches that ended long enough ago. Return how many there were.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        done = offset = 0
        while page := await self._store.matches(offset, PAGE):
            offset += len(page)
            for listing in page:
                # A match cannot have ended longer ago than it was made.
                if listing.made_ms + self._long <= self._now_ms():
                    done += await self._see_to(listing.match_id)
        return done

    async def _see_to(self, match: str) -> bool:
        try:
            length = await self._store.length(match)
            known, later = self._known.get(match, (-1, 0))
            if not length or (known == length and later > self._now_ms()):
                return False
            entries = [payload for _, payload in await self._store.read(match)]
            due = await asyncio.to_thread(_due, entries, self._long)
            if due > self._now_ms():
                self._known[match] = (length, due)
                return False
            done = await archive(self._store, self._files, match, self._signing)
        except StoreUnavailable:
            raise
        except (StoreError, LogError, OSError) as error:
            log.warning("match %s could not be archived: %s", match, error, extra={"match": match})
            return False
        self._known.pop(match, None)
        if done:
            log.info("match %s was archived", match, extra={"match": match})
        return done


def _due(entries: Sequence[bytes], long: int) -> int:
    """Return when a match can be archived (ms since 1970)."""
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    # A match whose secret is not published yet needs a server to append that entry.
    return fold.decided_at + long if fold.state.desk.secret else NEVER_MS
