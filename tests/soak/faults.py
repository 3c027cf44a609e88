"""The faults: harm done to servers, their database, its disk and the lines, one after the other, by chance."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from tests.soak.disks import fill, largest_file
from tests.soak.line import Line
from tests.soak.line_faults import LineFaults
from tests.soak.sites import Site
from tests.soak.witness import Witness, now_ms
from tests.support.servers import ServerProcess, valkeys

RECOVERS = 120.0
"""Seconds after which a server that is not well again has failed."""
QUIET = 1.0
"""Seconds between two faults, on average."""
NO_OUTAGE = frozenset(
    {"kill -9 of the broker", "kill -9 of the feeds", "stalled lines of players", "stalled line to the broker"}
)
"""Faults during which clocks and the database are as well as ever."""
COMES = 300.0
"""Seconds after the time that was asked for in which each kind of fault must have come about."""


@dataclass
class Outage:
    """A time in which something was wrong (ms since 1970). `dead`: no server ran."""

    kind: str
    begin: int
    end: int = 0
    dead: tuple[int, int] | None = None


@dataclass
class Faults:
    """The faults of a run.

    Args:
        site: what harm is done to.
        chance: says what comes when.
        tables: gives those that are played at now.
        only: the kinds that are done; empty: all.
        quiet: seconds between two faults, on average.
    """

    site: Site
    chance: random.Random
    tables: Callable[[], list[Witness]]
    only: frozenset[str] = frozenset()
    quiet: float = QUIET
    done: Counter[str] = field(default_factory=Counter)
    outages: list[Outage] = field(default_factory=list)
    slowest: float = 0.0
    slowest_kind: str = ""
    restarts: int = 0

    def __post_init__(self) -> None:
        self.small = LineFaults(self.site, random.Random(self.chance.random()))
        """The harm that is done to the lines all the time."""

    @property
    def kinds(self) -> dict[str, Callable[[Outage], Awaitable[None]]]:
        """All faults that are done one after the other, by name."""
        found: dict[str, Callable[[Outage], Awaitable[None]]] = {
            "kill -9 of a server": self._kill_server,
            "kill -9 of all servers": self._kill_servers,
            "kill -9 of the database": self._kill_database,
            "kill -9 of servers and database": self._kill_all,
            "kill -9 of the broker": self._kill_broker,
            "kill -9 of the feeds": self._kill_feeds,
            "SIGTERM of a server": self._stop_server,
            "SIGTERM of all servers": self._stop_servers,
            "frozen server": self._freeze_server,
            "frozen database": self._freeze_database,
            "stalled lines of players": self._stall_players,
            "stalled line to the broker": self._stall_broker,
        }
        if self.site.stores:
            found["stalled line to the database"] = self._stall_store
        else:
            found["files that may not grow"] = self._limit_files
        if self.site.disk:
            found["full disk"] = self._fill_disk
        return {kind: harm for kind, harm in found.items() if not self.only or kind in self.only}

    @property
    def missing(self) -> list[str]:
        """The kinds of harm that were not done yet, or not made up for."""
        done = self.done + self.small.done + Counter(self.small.again)
        return [kind for kind in (*self.kinds, *self.small.done, *self.small.again) if not done[kind]]

    async def run(self, seconds: float) -> None:
        """Do harm for so long, and until everything was done once; all is well again at the end. Each fault comes once, in any
        order, before one comes again.
        """
        loop = asyncio.get_running_loop()
        deadline, waiting = loop.time() + seconds, list[str]()
        async with asyncio.TaskGroup() as group:
            small = group.create_task(self.small.run())
            while loop.time() < deadline or self.missing:
                assert loop.time() < deadline + COMES, f"these faults did not come about: {self.missing}"
                waiting = waiting or self.chance.sample(list(self.kinds), len(self.kinds))
                await self._once(waiting.pop())
                await asyncio.sleep(self.chance.expovariate(1 / self.quiet))
            small.cancel()
        self.done.update(self.small.done)

    async def _once(self, kind: str) -> None:
        outage = Outage(kind, now_ms())
        if kind not in NO_OUTAGE:
            self.outages.append(outage)
        await self.kinds[kind](outage)
        loop = asyncio.get_running_loop()
        over = loop.time()
        waiting = self.tables()
        while unwell := await self._unwell(waiting):
            if loop.time() - over > RECOVERS:
                raise AssertionError(f"{RECOVERS:.0f} s after {kind}: {unwell}.")
            await asyncio.sleep(0.05)
        outage.end = now_ms()
        took = loop.time() - over
        if took > self.slowest:
            self.slowest, self.slowest_kind = took, kind
        self.done[kind] += 1

    async def _unwell(self, waiting: list[Witness]) -> str:
        """What has not recovered yet; empty when every server says that it is well, and each table that waits has been seen to
        have a connection since, or is not there any more.
        """
        for server in self._servers:
            try:
                health = await asyncio.to_thread(server.health)
            except OSError as error:
                return f"the server at {server.port} does not answer: {error}"
            if not health["ok"]:
                return f"the server at {server.port} says {health}"
        there = self.tables()
        waiting[:] = [table for table in waiting if table in there and not table.linked]
        return f"{len(waiting)} tables have no connection" if waiting else ""

    async def _start(self, *servers: ServerProcess) -> None:
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in servers))
        self.restarts += len(servers)

    @property
    def _servers(self) -> list[ServerProcess]:
        return self.site.servers

    async def _database(self) -> int:
        """Return the process id of the database; wait until there is one."""
        return await self.site.database_pid(RECOVERS)

    # --- killed and stopped -------------------------------------------------------------------------------------------

    async def _kill_server(self, _outage: Outage) -> None:
        server = self.chance.choice(self._servers)
        server.kill()
        await asyncio.sleep(self.chance.choice((0.0, 1.0)))
        await self._start(server)

    async def _kill_servers(self, outage: Outage) -> None:
        for server in self._servers:
            server.kill()
        await self._pause_dead(outage)

    async def _kill_database(self, _outage: Outage) -> None:
        os.kill(await self._database(), signal.SIGKILL)

    async def _kill_broker(self, _outage: Outage) -> None:
        self.site.mosquitto.kill()
        await asyncio.sleep(self.chance.choice((0.0, 1.0)))
        await asyncio.to_thread(self.site.mosquitto.start)

    async def _kill_feeds(self, _outage: Outage) -> None:
        for server in self._servers:
            for pid in server.feeds():
                os.kill(pid, signal.SIGKILL)

    async def _kill_all(self, outage: Outage) -> None:
        pid = await self._database()
        with contextlib.ExitStack() as stack:
            for server in self._servers:
                stack.enter_context(server.held())
            os.kill(pid, signal.SIGKILL)
            for server in self._servers:
                server.kill()
        await self._pause_dead(outage)

    async def _pause_dead(self, outage: Outage) -> None:
        """Leave all dead for a while, and start them again."""
        dead = now_ms()
        await asyncio.sleep(self.chance.choice((0.0, self.chance.uniform(4, 8))))
        outage.dead = (dead, now_ms())
        await self._start(*self._servers)

    async def _stop_server(self, _outage: Outage) -> None:
        server = self.chance.choice(self._servers)
        await self._end(server)
        await self._start(server)

    async def _stop_servers(self, outage: Outage) -> None:
        await asyncio.gather(*(self._end(server) for server in self._servers))
        await self._pause_dead(outage)

    async def _end(self, server: ServerProcess) -> None:
        code = await asyncio.to_thread(server.stop)
        assert code == 0, f"SIGTERM: the server ended with {code}"

    # --- frozen and stalled -------------------------------------------------------------------------------------------

    async def _freeze_server(self, _outage: Outage) -> None:
        with self.chance.choice(self._servers).held():
            await asyncio.sleep(self.chance.uniform(0.5, 6))

    async def _freeze_database(self, _outage: Outage) -> None:
        pid = await self._database()
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(self.chance.uniform(0.5, 6))
        os.kill(pid, signal.SIGCONT)

    async def _stall_players(self, _outage: Outage) -> None:
        await self._stall(self.site.lines, 6)

    async def _stall_store(self, _outage: Outage) -> None:
        await self._stall(self.site.stores, 12)

    async def _stall_broker(self, _outage: Outage) -> None:
        await self._stall(self.site.brokers, 6)

    async def _stall(self, lines: Sequence[Line], longest: float) -> None:
        """Let nothing pass on one of these lines for up to so many seconds, or now and then on all of them."""
        every = self.chance.random() < 0.2
        with contextlib.ExitStack() as stack:
            for line in lines if every else [self.chance.choice(lines)]:
                stack.enter_context(line.stalled())
            await asyncio.sleep(self.chance.uniform(0.5, longest))

    # --- no room ------------------------------------------------------------------------------------------------------

    async def _fill_disk(self, _outage: Outage) -> None:
        await self._database()
        filler = await asyncio.to_thread(fill, self.site.home, self.chance.choice((0, self.chance.randint(1, 30_000))))
        await asyncio.sleep(self.chance.uniform(1, 4))
        filler.unlink()

    async def _limit_files(self, _outage: Outage) -> None:
        """No file of the database may grow by more than a few bytes: it dies of that, and so does the next one."""
        pid = await self._database()
        sizes = [file.stat().st_size for file in (self.site.home / "appendonlydir").iterdir()]
        logs = [len(server.log.encode()) + 4096 for server in self._servers]
        pids = [pid, *(server.pid for server in self._servers)]
        largest_file(pids, max(*sizes, *logs) + self.chance.randint(0, 4000))
        await asyncio.sleep(self.chance.uniform(1, 3))
        largest_file([*pids, *valkeys(self.site.home)], -1)
