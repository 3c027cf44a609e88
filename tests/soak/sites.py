"""What a soak does harm to: servers over one database, a broker, and the lines between them and to their players.

There are two kinds. In one the servers share a folder, and one of them starts the database in it. In the other they use a
database that is not theirs, as several servers on different machines do, each over a line of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from redis.asyncio.connection import parse_url

from server.store.embedded import EmbeddedError, EmbeddedValkey
from tests.soak.broker_line import BrokerLine
from tests.soak.disks import small_disk
from tests.soak.line import Line, at_port, at_socket
from tests.soak.store_line import StoreLine
from tests.support.mosquitto import Mosquitto, broker
from tests.support.servers import ServerProcess, ended, valkey_pid
from tests.support.valkey import valkey

Database: TypeAlias = Literal["embedded", "own"]
"""Whose the database is: the servers' (embedded), or one of its own."""
DATABASES: tuple[Database, ...] = ("embedded", "own")
SERVERS: dict[Database, int] = {"embedded": 2, "own": 3}


@dataclass
class Site:
    """Servers over one database, a broker, and lines.

    Args:
        database: whose the database is.
        home: the folder in which it works.
        servers: the servers, which run.
        mosquitto: the broker that their feeds publish to.
        disk: whether the database has a small disk of its own.
        lines: the players' lines to each server.
        stores: each server's line to the database, if that is not its own.
        brokers: each server's line to the broker.
    """

    database: Database
    home: Path
    servers: list[ServerProcess]
    mosquitto: Mosquitto
    disk: bool
    lines: list[Line] = field(default_factory=list)
    stores: list[StoreLine] = field(default_factory=list)
    brokers: list[BrokerLine] = field(default_factory=list)

    @property
    def store_url(self) -> str:
        """The database, over no line."""
        return EmbeddedValkey(self.home).url

    @property
    def named(self) -> list[object]:
        """Flags of a command that reads the database, over no line."""
        data = self.servers[0].data_dir
        return ["--data-dir", data, *(() if self.database == "embedded" else ("--redis-url", self.store_url))]

    async def database_pid(self, seconds: float) -> int:
        """Return the process id of the database; wait for so many seconds until there is one."""
        async with asyncio.timeout(seconds):
            while True:
                with contextlib.suppress(EmbeddedError, OSError):
                    return await asyncio.to_thread(valkey_pid, self.home)
                await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Stop all servers.

        Raises:
            AssertionError: one ended otherwise than in order, or printed a traceback.
        """
        codes = await asyncio.gather(*(asyncio.to_thread(server.stop) for server in self.servers))
        for server, code in zip(self.servers, codes, strict=True):
            assert code == 0, server.log
            assert "Traceback" not in server.log, server.log[server.log.index("Traceback") - 500 :]


@asynccontextmanager
async def running(
    folder: Path, database: Database, chance: random.Random, settings: Mapping[str, str] | None = None
) -> AsyncIterator[Site]:
    """Run a site until the block is left; whatever happens, nothing of it is left.

    Args:
        folder: an empty one, for the database and the logs.
        database: whose the database is.
        chance: says what the lines do.
        settings: of the servers' environment.
    """
    data, home = folder / "data", folder / ("data" if database == "embedded" else "valkey")
    async with AsyncExitStack() as stack:
        mosquitto = await stack.enter_async_context(broker(folder))
        disk = stack.enter_context(small_disk(data)) if database == "embedded" else False
        site = Site(database, home, [], mosquitto, disk)
        reach = at_socket("")
        if database == "own":
            url = await stack.enter_async_context(valkey(home))
            reach = at_socket(str(parse_url(url)["path"]))
        for number in range(SERVERS[database]):
            line = await stack.enter_async_context(BrokerLine.to(at_port(mosquitto.port), own(chance)))
            site.brokers.append(line)
            given = {**(settings or {}), "UNDERFIRE_MQTT_URL": f"mqtt://127.0.0.1:{line.port}"}
            if database == "own":
                store = await stack.enter_async_context(StoreLine.to(reach, own(chance)))
                site.stores.append(store)
                given["UNDERFIRE_REDIS_URL"] = f"redis://127.0.0.1:{store.port}"
            server = ServerProcess(data, settings=given)
            # Its log is not on the disk that fills up.
            server._log = folder / f"server-{number}.log"
            site.servers.append(server)
            site.lines.append(await stack.enter_async_context(Line.to(at_port(server.port), own(chance))))
        stack.enter_context(ended(site.servers, data))
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in site.servers))
        yield site


def own(chance: random.Random) -> random.Random:
    """Return a chance for one part of a run, independent of the other parts."""
    return random.Random(chance.random())
