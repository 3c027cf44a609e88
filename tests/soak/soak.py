"""A soak: servers over one database, matches that are played on them, faults, and the audit of every match."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

from client_protocol.messages import ForkPoint
from server.matches.embedded import EmbeddedValkey
from server.matches.store import MatchStore
from tests.soak.audit import audit
from tests.soak.bout import Bout, starts
from tests.soak.disks import small_disk
from tests.soak.faults import Faults
from tests.soak.findings import Audited
from tests.soak.line import Line
from tests.soak.witness import Witness
from tests.support.servers import UNDERFIRE, ServerProcess, valkeys

SERVERS = 2
BOUTS = 5
"""Matches at once; all their tables come from one address, which may have fifty connections."""
FINISHES = 90.0
"""Seconds in which what was sent must be replied to when all is well again."""


@dataclass
class Report:
    """What came of a soak."""

    seed: int
    seconds: float = 0.0
    disk: bool = False
    audited: Audited = field(default_factory=Audited)
    faults: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    slowest: str = ""
    finished: int = 0
    verified: int = 0
    replayed: int = 0
    editions: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        compared = self.audited.compared
        rows = [
            ("matches played", compared["matches"]),
            ("  of them over", self.finished),
            ("  files verified", self.verified),
            *((f"  {name}", count) for name, count in sorted(self.editions.items())),
            *((name, count) for name, count in sorted(compared.items()) if name != "matches"),
            ("replays compared", self.replayed),
            *((f"fault: {name}", count) for name, count in sorted(self.faults.items())),
            ("server starts after a fault", self.restarts),
            ("lost", self.audited.lost),
            ("applied twice", self.audited.doubled),
            ("wrong in all", len(self.audited.wrong)),
        ]
        told = [f"A soak of {self.seconds:.0f} s with the seed {self.seed}:"]
        told += [f"{count:>12,}  {name}" for name, count in rows]
        told.append(f"The slowest recovery took {self.slowest}.")
        return "\n".join([*told, *self.audited.wrong[:20]])


class Soak:
    """A run of so many seconds.

    Args:
        folder: an empty one.
        seconds: how long harm is done.
        seed: what happens follows from it, as far as it does not hang on how fast things go.
    """

    def __init__(
        self, folder: Path, seconds: float, seed: int, say: Callable[[str], None] = lambda _line: None
    ) -> None:
        self.report = Report(seed)
        self._folder = folder
        self._seconds = seconds
        self._chance = random.Random(seed)
        self._say = say
        self._stop = asyncio.Event()
        self._bouts: set[Bout] = set()
        self._lines: list[Line] = []
        self._audits: set[asyncio.Task[None]] = set()

    async def run(self) -> Report:
        """Play under faults; then stop, and audit everything.

        Raises:
            AssertionError: a server did not come up again, ended otherwise than in order, or printed a traceback.
        """
        began = time.monotonic()
        data = self._folder / "data"
        with small_disk(data) as disk:
            self.report.disk = disk
            servers = [self._server(data, number) for number in range(SERVERS)]
            try:
                await self._run(servers)
            finally:
                for server in servers:
                    if server.running:
                        await asyncio.to_thread(server.kill)
                for pid in valkeys(data):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        self.report.seconds = time.monotonic() - began
        return self.report

    def _server(self, data: Path, number: int) -> ServerProcess:
        server = ServerProcess(data)
        server._log = self._folder / f"server-{number}.log"
        return server

    async def _run(self, servers: list[ServerProcess]) -> None:
        for server in servers:
            await asyncio.to_thread(server.start)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as self._pool:
            async with contextlib.AsyncExitStack() as stack:
                self._lines = [
                    await stack.enter_async_context(Line.to(server, random.Random(self._chance.random())))
                    for server in servers
                ]
                self._store_url = EmbeddedValkey(servers[0].data_dir).url
                self._faults = Faults(
                    servers, self._lines, random.Random(self._chance.random()), self.report.disk, self._tables
                )
                async with asyncio.TaskGroup() as group:
                    tables = [group.create_task(self._play_on(servers)) for _ in range(BOUTS)]
                    try:
                        await self._faults.run(self._seconds)
                    finally:
                        self._stop.set()
                        for bout in self._bouts:
                            bout.stop.set()
                    async with asyncio.timeout(FINISHES):
                        await asyncio.gather(*tables)
                await asyncio.gather(*self._audits)
        for server in servers:
            code = await asyncio.to_thread(server.stop)
            assert code == 0, server.log
            assert "Traceback" not in server.log, server.log[server.log.index("Traceback") - 500 :][:6000]
        self.report.faults = self._faults.done
        self.report.restarts = self._faults.restarts
        self.report.slowest = f"{self._faults.slowest:.1f} s, after {self._faults.slowest_kind}"

    def _tables(self) -> list[Witness]:
        return [witness for bout in self._bouts for witness in bout.witnesses.values()]

    def _address(self) -> str:
        return self._chance.choice(self._lines).address

    async def _play_on(self, servers: list[ServerProcess]) -> None:
        """Play one match after the other; now and then one that goes on from the last one."""
        start = self._chance.choice(starts())
        while not self._stop.is_set():
            bout = await Bout.begin(self._address, random.Random(self._chance.random()), start)
            self._bouts.add(bout)
            if self._stop.is_set():
                bout.stop.set()
            try:
                await bout.play()
            finally:
                self._bouts.discard(bout)
            self.report.replayed += bout.replayed
            audited = asyncio.create_task(self._audit(bout, servers))
            self._audits.add(audited)
            start = self._chance.choice(starts())
            if bout.over and self._chance.random() < 0.4:
                last = bout.witnesses[""].seq
                fork = ForkPoint(bout.made.match, "", self._chance.randint(last // 2, last - 1))
                start = replace(bout.start, fork=fork)

    async def _audit(self, bout: Bout, servers: list[ServerProcess]) -> None:
        match = bout.made.match
        entries = await self._entries(match)
        # What happened until now is known; what is under way is not over yet.
        outages = list(self._faults.outages)
        found = await asyncio.get_running_loop().run_in_executor(
            self._pool, audit, match, entries, bout.accounts, bout.secrets, outages
        )
        self.report.audited.add(found)
        self.report.editions[bout.start.edition] += 1
        if found.wrong:
            (self._folder / f"wrong-{match}.txt").write_text("\n".join(found.wrong))
        if bout.over:
            self.report.finished += 1
            await self._verify(match, servers)
        self._say(f"{match}: {len(entries)} entries, {len(found.wrong)} wrong")

    async def _entries(self, match: str) -> list[bytes]:
        """The log as the database has it; waits while it is away."""
        while True:
            with contextlib.suppress(Exception):
                async with MatchStore(self._store_url) as store:
                    return [payload for _, payload in await store.read(match)]
            await asyncio.sleep(0.5)

    async def _verify(self, match: str, servers: list[ServerProcess]) -> None:
        """Fetch the match's file as players do, and have it verified."""
        file = self._folder / f"{match}.underfire"
        for _ in range(200):
            with contextlib.suppress(OSError):
                page = await asyncio.to_thread(servers[0].get, f"/matches/{match}.underfire")
                if page.status == 200:
                    file.write_bytes(page.body)
                    break
            await asyncio.sleep(0.5)
        done = await asyncio.to_thread(
            subprocess.run, [str(UNDERFIRE), "verify", str(file)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            self.report.verified += 1
        else:
            self.report.audited.wrong.append(f"{match}: verify says: {done.stdout}{done.stderr}")
        file.unlink(missing_ok=True)
