"""A soak: servers over one database, matches that are played on them, faults, and the audit of every match."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from client_protocol.from_client import ForkPoint
from tests.soak.auditor import Auditor
from tests.soak.bout import Bout, Start, starts
from tests.soak.broker import Follower
from tests.soak.faults import QUIET, Faults
from tests.soak.line import Line
from tests.soak.report import Report
from tests.soak.sites import Database, own, running
from tests.soak.witness import Witness

BOUTS = 5
"""Matches at once; all their tables come from one address, which may have fifty connections."""
FINISHES = 90.0
"""Seconds in which what was sent must be replied to when all is well again."""


async def soak(
    folder: Path,
    seconds: float,
    seed: int,
    database: Database,
    say: Callable[[str], None] = lambda _line: None,
    only: frozenset[str] = frozenset(),
    *,
    bouts: int = BOUTS,
    quiet: float = QUIET,
) -> Report:
    """Play under faults; then stop, and audit everything.

    Args:
        folder: an empty one, for the database and the servers' logs.
        seconds: how long harm is done, at least.
        seed: what happens follows from it, as far as it does not depend on timing.
        database: whose the database is.
        say: told a line of each match that was audited.
        only: the kinds of faults that are done one after the other; empty: all.
        bouts: how many matches are played at once.
        quiet: seconds between two faults, on average.

    Raises:
        AssertionError: a server did not come up again, ended otherwise than in order, or printed a traceback.
    """
    began, chance = time.monotonic(), random.Random(seed)
    async with running(folder, database, own(chance)) as site, Follower.of(site.mosquitto) as follower:
        with Auditor(folder, site, follower, say) as auditor:
            playing = Playing(site.lines, auditor, own(chance), bouts)
            faults = Faults(site, own(chance), playing.tables, only, quiet)
            report = Report(seed, began, auditor, faults)
            try:
                await playing.under(faults, seconds)
            except BaseException:
                say(f"{report}\nIt ended before its time.")
                raise
        await site.stop()
    return report


class Playing:
    """Matches that are played one after the other, several at once.

    Args:
        lines: to the servers.
        auditor: is handed each match that has stopped.
        chance: says what is played where.
        bouts: how many are played at once.
    """

    def __init__(self, lines: list[Line], auditor: Auditor, chance: random.Random, bouts: int) -> None:
        self._at_once = bouts
        self._lines = lines
        self._auditor = auditor
        self._chance = chance
        self._stop = asyncio.Event()
        self._bouts: dict[Bout, None] = {}
        self._audits: list[asyncio.Task[None]] = []

    def tables(self) -> list[Witness]:
        """The tables at which something is played now."""
        return [witness for bout in self._bouts for witness in bout.witnesses.values()]

    async def under(self, faults: Faults, seconds: float) -> None:
        """Play while harm is done for so many seconds; then stop, and finish all audits."""
        async with asyncio.TaskGroup() as group:
            tables = [group.create_task(self._one_after_the_other(faults)) for _ in range(self._at_once)]
            self._auditor.follower.ill()
            await faults.run(seconds)
            self._auditor.follower.well()
            self._stop.set()
            for bout in self._bouts:
                bout.stop.set()
            async with asyncio.timeout(FINISHES):
                await asyncio.wait(tables)
        await asyncio.gather(*self._audits)

    async def _one_after_the_other(self, faults: Faults) -> None:
        start = self._chance.choice(starts())
        while not self._stop.is_set():
            bout = await Bout.begin(self._address, own(self._chance), start)
            self._bouts[bout] = None
            if self._stop.is_set():
                bout.stop.set()
            await bout.play()
            del self._bouts[bout]
            self._audits.append(asyncio.create_task(self._auditor.audit(bout, faults.outages)))
            start = self._next(bout)

    def _address(self) -> str:
        return self._chance.choice(self._lines).address

    def _next(self, bout: Bout) -> Start:
        """Another match, or one that goes on from the one that is over."""
        last = bout.witnesses[""].seq
        if bout.over and self._chance.random() < 0.4:
            return replace(bout.start, fork=ForkPoint(bout.made.match, "", self._chance.randint(last // 2, last - 1)))
        return self._chance.choice(starts())
