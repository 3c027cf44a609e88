"""A soak: servers over one database, matches that are played on them, faults, and the audit of every match."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from client_protocol.from_client import ForkPoint
from tests.soak.auditor import Auditor
from tests.soak.bout import Bout, Start, starts
from tests.soak.broker import Follower
from tests.soak.disks import small_disk
from tests.soak.faults import Faults
from tests.soak.line import Line
from tests.soak.report import Report
from tests.soak.witness import Witness
from tests.support.mosquitto import Mosquitto, broker
from tests.support.servers import ServerProcess, ended

SERVERS = 2
BOUTS = 5
"""Matches at once; all their tables come from one address, which may have fifty connections."""
FINISHES = 90.0
"""Seconds in which what was sent must be replied to when all is well again."""


async def soak(folder: Path, seconds: float, seed: int, say: Callable[[str], None] = lambda _line: None) -> Report:
    """Play under faults; then stop, and audit everything.

    Args:
        folder: an empty one, for the database and the servers' logs.
        seconds: how long harm is done, at least.
        seed: what happens follows from it, as far as it does not depend on timing.
        say: told a line of each match that was audited.

    Raises:
        AssertionError: a server did not come up again, ended otherwise than in order, or printed a traceback.
    """
    began, chance, data = time.monotonic(), random.Random(seed), folder / "data"
    async with broker(folder) as mosquitto, Follower.of(mosquitto) as follower:
        with small_disk(data) as disk, _servers(folder, data, mosquitto) as servers:
            for server in servers:
                await asyncio.to_thread(server.start)
            with Auditor(folder, servers[0], follower, say) as auditor:
                async with contextlib.AsyncExitStack() as stack:
                    lines = [await stack.enter_async_context(Line.to(one, _own(chance))) for one in servers]
                    playing = Playing(lines, auditor, _own(chance))
                    faults = Faults(servers, lines, mosquitto, _own(chance), disk, playing.tables)
                    report = Report(seed, began, auditor, faults)
                    try:
                        await playing.under(faults, seconds)
                    except BaseException:
                        say(f"{report}\nIt ended before its time.")
                        raise
            for server in servers:
                code = await asyncio.to_thread(server.stop)
                assert code == 0, server.log
                assert "Traceback" not in server.log, server.log[server.log.index("Traceback") - 500 :]
    return report


def _own(chance: random.Random) -> random.Random:
    """A chance for one part of the run, independent of the other parts."""
    return random.Random(chance.random())


@contextmanager
def _servers(folder: Path, data: Path, mosquitto: Mosquitto) -> Iterator[list[ServerProcess]]:
    """Servers whose logs are not on the disk that fills up, each with a feed; whatever happens, nothing of them is left."""
    servers = [ServerProcess(data, settings={"UNDERFIRE_MQTT_URL": mosquitto.url}) for _ in range(SERVERS)]
    for number, server in enumerate(servers):
        server._log = folder / f"server-{number}.log"
    with ended(servers, data):
        yield servers


class Playing:
    """Matches that are played one after the other, several at once.

    Args:
        lines: to the servers.
        auditor: is handed each match that has stopped.
        chance: says what is played where.
    """

    def __init__(self, lines: list[Line], auditor: Auditor, chance: random.Random) -> None:
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
            tables = [group.create_task(self._one_after_the_other(faults)) for _ in range(BOUTS)]
            await faults.run(seconds)
            self._stop.set()
            for bout in self._bouts:
                bout.stop.set()
            async with asyncio.timeout(FINISHES):
                await asyncio.wait(tables)
        await asyncio.gather(*self._audits)

    async def _one_after_the_other(self, faults: Faults) -> None:
        start = self._chance.choice(starts())
        while not self._stop.is_set():
            bout = await Bout.begin(self._address, _own(self._chance), start)
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
