"""A server that may open only few files, and strangers who take all connections that they can get."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from client_protocol.from_server import Accepted
from tests.support.servers import PROC, ServerProcess, serving, until, valkey_answers, valkey_pid
from tests.system.play import Battle, make_match, press_on

FILES = 256
STRANGERS = 600


@contextlib.asynccontextmanager
async def strangers(server: ServerProcess, count: int) -> AsyncIterator[list[socket.socket]]:
    """Open connections that send nothing, each of which costs the server a descriptor as long as it accepts them."""
    loop = asyncio.get_running_loop()
    held: list[socket.socket] = []
    try:
        for _ in range(count):
            line = socket.socket()
            line.setblocking(False)
            held.append(line)
            with contextlib.suppress(OSError):
                async with asyncio.timeout(5):
                    await loop.sock_connect(line, ("127.0.0.1", server.port))
        yield held
    finally:
        for line in held:
            line.close()


def descriptors(pid: int) -> int:
    return len(list((PROC / str(pid) / "fd").iterdir()))


def limits(pid: int) -> list[str]:
    """Return the soft and the hard limit of open files."""
    rows = (PROC / str(pid) / "limits").read_text().splitlines()
    return next(row.split()[3:5] for row in rows if row.startswith("Max open files"))


async def test_a_server_raises_its_limit_of_open_files_as_far_as_it_may(tmp_path: Path) -> None:
    async with serving(tmp_path, "-S -n 200") as server:
        soft, hard = limits(server.pid)
        assert soft == hard or int(soft) == 1 << 20


async def test_the_database_comes_back_while_strangers_take_all_descriptors(tmp_path: Path) -> None:
    async with serving(tmp_path, f"-n {FILES}") as server:
        made = await make_match(server)
        async with Battle.at(server, made) as battle:
            table = await battle.next()
            assert table is not None
            async with strangers(server, STRANGERS):
                await until(lambda: descriptors(server.pid) > FILES // 2)
                for _ in range(2):
                    assert descriptors(server.pid) < FILES - 20
                    old = valkey_pid(tmp_path)
                    os.kill(old, signal.SIGKILL)
                    await until(lambda old=old: valkey_answers(tmp_path, but=old))  # type: ignore[misc]
                    await until(lambda: all(not told or told[-1].state == "live" for told in battle.statuses.values()))
                    table = await battle.next()
                    assert table is not None
                    assert table.prompt is not None
                    # Players who are connected play on undisturbed.
                    await battle.give(table, press_on(table.view, table.prompt))
                assert [table.links for table in battle.tables.values()] == [1, 1, 1]
            # When the strangers are gone, connections are possible again.
            await until(lambda: descriptors(server.pid) < FILES // 2)
            assert server.health()["ok"] is True
            assert isinstance(await battle.tables["blue"].say("still here"), Accepted)
