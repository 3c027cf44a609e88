"""The process for long work of a real server: it starts when it is needed, and ends with its server however that ends."""

from __future__ import annotations

import os
from pathlib import Path

from client_protocol.client import StartPage
from client_protocol.from_server import SetupChecked
from tests.support.servers import PROC, ServerProcess, until


def children(pid: int) -> list[int]:
    """Return the processes for long work that a process has started."""
    found = []
    for folder in PROC.iterdir():
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if words and int(words[1]) == pid and b"server.work.child" in command:
            found.append(int(folder.name))
    return found


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"


async def checked(server: ServerProcess) -> int:
    """Have a setup checked, and return the process that did it."""
    async with StartPage.open(server.address) as page:
        found = await page.check_setup(b"edition = 'none'")
        assert isinstance(found, SetupChecked), found
        assert "none" in found.problem
    (child,) = children(server.pid)
    return child


async def test_the_process_for_long_work_ends_with_its_server(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    server.start()
    try:
        assert children(server.pid) == []
        child = await checked(server)
        assert await checked(server) == child
        assert server.stop() == 0
        await until(lambda: gone(child))
        server.start()
        child = await checked(server)
        server.kill()
        await until(lambda: gone(child))
        server.start()
    finally:
        if server.running:
            server.stop()
