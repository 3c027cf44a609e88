"""One address in front of several servers: Caddy with the configuration that is deployed, or connections given out in turn."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.servers import LONGEST, ServerProcess, free_port

CADDYFILE = Path(__file__).parents[2] / "deploy/Caddyfile"


def caddy() -> str | None:
    """Return Caddy's path, if it is installed."""
    return shutil.which("caddy")


@asynccontextmanager
async def caddy_before(servers: Sequence[ServerProcess], folder: Path, broker_port: int = 0) -> AsyncIterator[str]:
    """Run Caddy before the servers, without TLS; yield its address."""
    program = caddy()
    assert program, "Caddy is not installed"
    address = f"http://127.0.0.1:{free_port()}"
    variables = {
        "UNDERFIRE_DOMAIN": address,
        "UNDERFIRE_UPSTREAMS": " ".join(f"127.0.0.1:{server.port}" for server in servers),
        "UNDERFIRE_BROKER": f"127.0.0.1:{broker_port}",
        # Its own files, and no port for its administration, which others on this machine may use.
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    process = _caddy(program, folder, variables)
    try:
        await asyncio.to_thread(_wait, process, address, folder / "caddy.log")
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait, LONGEST)


def _caddy(program: str, folder: Path, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    config = folder / "Caddyfile"
    config.write_text("{\n\tadmin off\n\tauto_https off\n}\n" + CADDYFILE.read_text())
    command = [program, "run", "--config", str(config), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **variables})


def _wait(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + LONGEST
    while True:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        if _answers(f"{address}/health"):
            return
        time.sleep(0.05)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2) as answer:  # noqa: S310 - our own
            return bool(answer.status == 200)
    except OSError:
        return False


@asynccontextmanager
async def taking_turns(servers: Sequence[ServerProcess]) -> AsyncIterator[str]:
    """Give each connection to the next server that takes it; yield the address."""
    turns = itertools.count()
    ends: set[asyncio.StreamWriter] = set()

    async def reach() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        first = next(turns)
        for n in range(len(servers)):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", servers[(first + n) % len(servers)].port)
        raise ConnectionRefusedError

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine = {writer}
        try:
            there, back = await reach()
            mine.add(back)
            ends.update(mine)
            async with asyncio.TaskGroup() as both:
                both.create_task(_pass(reader, back))
                both.create_task(_pass(there, writer))
        except* OSError:
            pass
        finally:
            for end in mine:
                end.transport.abort()
            ends.difference_update(mine)

    listening = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        for end in list(ends):
            end.transport.abort()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    raise ConnectionResetError
