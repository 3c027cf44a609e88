"""Matches that have been over for long move from the store into files, where they are still read and never written."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from server.matches.archive_folder import IN_FILE, MatchFiles, put_away
from server.matches.background import Background
from server.matches.log import match_file
from server.matches.log.entries import LogError
from server.matches.log.fold import Fold
from server.matches.log.match_file import ArchiveError
from server.matches.signing import Signing
from server.store.errors import LogDamaged, MatchClosed, StoreError, StoreUnavailable
from server.store.following import Sleep
from server.store.store import MatchStore

log = logging.getLogger("underfire.putting_away")

LOOK_SECONDS = 3600.0
"""The pause between two looks."""
PAGE = 200
"""How many matches of the index are looked at at once."""
DAY_MS = 86_400_000
NEVER_MS = 1 << 62


class ShelvedStore(MatchStore):
    """A store that also reads what was put away.

    Args:
        url: see `MatchStore`.
        files: where that is.
    """

    def __init__(self, url: str, files: MatchFiles) -> None:
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
        except ArchiveError as error:
            raise LogDamaged(match_id, f"its file is: {error}") from error
        return list(enumerate(found.entries, 1))[after:]


class PuttingAway(Background):
    """Puts matches away while it is open (``async with``).

    Args:
        store: an open store.
        files: the folder.
        days: how long a match must have been over.
        now_ms: milliseconds since 1970.
        sleep: waits between two looks.
        signing: signs the files, if it is given.
    """

    def __init__(
        self,
        store: MatchStore,
        files: MatchFiles,
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
        """Of matches that were looked at: the length that the log had, and before when it need not be looked at again."""

    async def run(self) -> None:
        """Look for ever. While Redis is away, wait for it."""
        while True:
            await self._sleep(LOOK_SECONDS)
            with contextlib.suppress(StoreUnavailable):
                await self.look()

    async def look(self) -> int:
        """Put away what has been over for long enough. Gives how many matches that were.

        Raises:
            StoreUnavailable: Redis does not answer.
        """
        done = offset = 0
        while page := await self._store.matches(offset, PAGE):
            offset += len(page)
            for listing in page:
                # No match has been over for longer than it has been there.
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
            done = await put_away(self._store, self._files, match, self._signing)
        except StoreUnavailable:
            raise
        except (StoreError, LogError, OSError) as error:
            log.warning("match %s could not be put away: %s", match, error)
            return False
        self._known.pop(match, None)
        if done:
            log.info("match %s was put away", match)
        return done


def _due(entries: Sequence[bytes], long: int) -> int:
    """When a match can be put away (ms since 1970)."""
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    # Until the secret is published somebody has still to write it down.
    return fold.decided_at + long if fold.state.desk.secret else NEVER_MS
