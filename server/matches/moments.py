"""Moments of recorded matches that come with a server, for its start page. Their matches are taken in like any other file, when a
server first starts with a database, and can be replayed from then on; no list shows them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from client_protocol.from_client import AskMoments
from client_protocol.from_server import MatchMade, Moment, Moments, Refused
from server.matches.archive_folder import SUFFIX
from server.matches.log import match_file
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreError, StoreUnavailable, UnknownMatch
from server.store.following import Sleep
from server.store.store import MatchStore
from server.work.desk import WorkError

log = logging.getLogger("underfire.moments")

NAMES = "moments.toml"
RETRY_SECONDS, RARELY_SECONDS = 60.0, 3600.0
"""Seconds until it is tried again to take in what could not be, the first time and at most."""


class Chosen(Struct, frozen=True):
    """A moment, and the file of its match."""

    moment: Moment
    data: bytes


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    moments: tuple[Moment, ...]


def read_chosen(folder: Path) -> tuple[Chosen, ...]:
    """Return the moments that a folder's `moments.toml` names, in its order. Raises `msgspec.MsgspecError`, `OSError`."""
    found = msgspec.toml.decode((folder / NAMES).read_bytes(), type=_File).moments
    return tuple(Chosen(moment, (folder / f"{moment.match}{SUFFIX}").read_bytes()) for moment in found)


class Recordings:
    """The moments of a server, and their matches.

    Args:
        chosen: the moments, of editions that are offered.
        store: where matches are kept.
        take_in: takes in a match file, for the message of an id.
    """

    def __init__(
        self,
        chosen: Sequence[Chosen],
        store: MatchStore,
        take_in: Callable[[str, bytes], Awaitable[MatchMade | Refused]],
    ) -> None:
        self._left = list(chosen)
        self._order = [one.moment for one in chosen]
        self._store = store
        self._take_in = take_in
        self._turn = asyncio.Lock()
        self._there: set[str] = set()

    async def run(self, sleep: Sleep) -> None:
        """Take in all matches; what fails is tried again, with growing pauses."""
        pause = RETRY_SECONDS
        while True:
            await self.take_in()
            if not self._left:
                return
            await sleep(pause)
            pause = min(2 * pause, RARELY_SECONDS)

    async def take_in(self) -> None:
        """Take in the matches that are not here yet. It takes seconds for each, so no page waits for it."""
        async with self._turn:
            for one in list(self._left):
                try:
                    if one.moment.match not in self._there and await self._kept(one):
                        self._there.add(one.moment.match)
                except StoreUnavailable as error:
                    log.warning("the moments could not be taken in now: %s", error)
                    return
                except (StoreError, WorkError) as error:
                    match = one.moment.match
                    log.warning("the match %s could not be taken in now: %s", match, error, extra={"match": match})
                else:
                    self._left.remove(one)

    async def now(self, message: AskMoments) -> Moments:
        """Return the moments whose matches are here by now.

        Raises:
            StoreError: the database is away.
        """
        shown = {match for match in self._there if not await self._removed(match)}
        return Moments(message.id, tuple(moment for moment in self._order if moment.match in shown))

    async def _kept(self, one: Chosen) -> bool:
        """Return whether the match of a moment is on this server now. Raises `StoreError`, `WorkError`."""
        try:
            known = [payload for _, payload in await self._store.read(one.moment.match)]
        except UnknownMatch:
            known = []
        except (LogDamaged, MatchClosed) as error:
            log.info("a moment is not shown: %s", error)
            return False
        if known:
            # Anyone may bring a file with any id.
            return known == list(match_file.read(one.data).entries)
        done = await self._take_in("moment", one.data)
        if isinstance(done, Refused) and done.code == "database_away":
            raise StoreUnavailable(done.sentence)
        if isinstance(done, Refused):
            log.warning(
                "the match %s is not shown: %s", one.moment.match, done.sentence, extra={"match": one.moment.match}
            )
        return isinstance(done, MatchMade)

    async def _removed(self, match: str) -> bool:
        """Return whether the operator has removed a match."""
        try:
            await self._store.check_open(match)
        except MatchRemoved:
            return True
        except MatchClosed:
            pass  # it was archived, and can be read
        return False
