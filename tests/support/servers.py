"""Servers as processes of their own, started as a user starts them, and the Valkey behind them.

Only processes that were started here are killed: a server by its handle, Valkey by its working directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from server.store.embedded import EmbeddedError, EmbeddedValkey
from tests.support.forked import Forked

UNDERFIRE = Path(sys.executable).parent / "underfire"
PROC = Path("/proc")
SETTINGS = {
    "UNDERFIRE_LOG_LEVEL": "warning",
    "UNDERFIRE_METRICS": "on",
    "UNDERFIRE_EXHIBITION": "off",
    "UNDERFIRE_MOMENTS": "off",
}
"""The environment of every server in the tests. An exhibition would draw a second table in every start page, and moments would
have every server check three matches when it starts.
"""
LONGEST = 60.0
"""Seconds after which a process that does not do what it should fails the test."""


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def until(holds: Callable[[], bool], seconds: float = LONGEST, pause: float = 0.005) -> None:
    """Wait for something in another process that sends no notice; the pauses are longer if a server is asked."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(pause)


@dataclass(frozen=True)
class Page:
    """A server's reply to a request."""

    status: int
    body: bytes


class ServerProcess:
    """`underfire serve` in a process of its own, on a port that it keeps over every restart.

    Args:
        data_dir: its data directory; others may share it.
        limit: the argument of `ulimit` before it starts.
        settings: of its environment, besides those of every server in the tests.
        program: how `underfire` is called; where nothing is said, its process is forked (`tests/support/forked.py`).
    """

    def __init__(
        self,
        data_dir: Path,
        limit: str = "",
        settings: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir
        self._settings = {**SETTINGS, **(settings or {})}
        self._limit = limit
        self._program = program
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._log = data_dir / f"server-{self.port}.log"
        self._process: subprocess.Popen[bytes] | Forked | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None, "it has not been started"
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start, and return when the server answers."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERFIRE_")}
        self._process = self._begin({**environment, **self._settings})
        deadline = time.monotonic() + LONGEST
        while not self._listens():
            assert self.running, f"the server ended at once:\n{self.log}"
            assert time.monotonic() < deadline, f"the server does not answer:\n{self.log}"
            time.sleep(0.02)

    def _begin(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes] | Forked:
        words = ["serve", "--port", str(self.port), "--data-dir", str(self.data_dir)]
        if not self._program and not self._limit:
            return Forked(words, environment, self._log)
        command = [*(self._program or [str(UNDERFIRE)]), *words]
        if self._limit:
            command = ["sh", "-c", f'ulimit {self._limit} && exec "$@"', "sh", *command]
        with self._log.open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def _listens(self) -> bool:
        with contextlib.suppress(OSError):
            return self.get("/health").status == 200
        return False

    def kill(self) -> None:
        """Kill the process, as `kill -9` does."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Stop the server with SIGTERM, and return its exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None, "it has not been started"
        self._process.send_signal(how)
        return self._process.wait(LONGEST)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Suspend the process meanwhile: what is sent to it waits in the operating system's kernel."""
        process = self._process
        assert process is not None, "it has not been started"
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def get(self, path: str) -> Page:
        """Ask for a page.

        Raises:
            OSError: nothing listens on the port.
        """
        try:
            with urllib.request.urlopen(self.address + path, timeout=LONGEST) as answer:  # noqa: S310 - our own server
                return Page(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Page(error.code, error.read())

    async def match_file(self, match: str) -> bytes:
        """Return the file of a match whose end was seen: it can be had only when the secret is published, a little later."""
        path = f"/matches/{match}.underfire"
        await until(lambda: self.get(path).status == 200)
        return self.get(path).body

    def health(self) -> dict[str, object]:
        """Return the reply of /health."""
        found: dict[str, object] = json.loads(self.get("/health").body)
        return found

    def metric(self, name: str) -> float:
        """Return a counter from /metrics."""
        for line in self.get("/metrics").body.decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[1])
        raise KeyError(name)

    def feeds(self) -> list[int]:
        """Return the process ids of the feed that it runs along, if it does."""
        found = []
        for process in PROC.iterdir():
            with contextlib.suppress(OSError, ValueError):
                # The parent is the second word after the name in parentheses.
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.pid and b"feed" in (process / "cmdline").read_bytes().split(b"\0"):
                    found.append(int(process.name))
        return found

    @property
    def memory(self) -> int:
        """Its resident memory in bytes."""
        for line in (PROC / str(self.pid) / "status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise KeyError("VmRSS")

    @property
    def log(self) -> str:
        """What it has printed since its first start."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""


@asynccontextmanager
async def serving(
    data_dir: Path,
    limit: str = "",
    settings: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
) -> AsyncIterator[ServerProcess]:
    """Run a server that is stopped properly at the end, and check that it has printed no traceback.

    A server that was killed is started once more for that, so that its Valkey, which goes on without it, is not left running.
    """
    server = ServerProcess(data_dir, limit, settings, program)
    await asyncio.to_thread(server.start)
    try:
        yield server
    finally:
        if not server.running:
            await asyncio.to_thread(server.start)
        code = await asyncio.to_thread(server.stop)
    assert code == 0, server.log
    assert "Traceback" not in server.log, server.log


@contextmanager
def ended(servers: Sequence[ServerProcess], data_dir: Path) -> Iterator[None]:
    """See to it that nothing is left of servers over one database, whatever happens."""
    try:
        yield
    finally:
        for server in servers:
            if server.running:
                server.kill()
        for pid in valkeys(data_dir):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def underfire(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command, and return how it ended and what it has said."""
    return subprocess.run([UNDERFIRE, *map(str, words)], capture_output=True, text=True, check=False)


def valkey_pid(data_dir: Path) -> int:
    """Return the process id of the directory's Valkey. Raises `EmbeddedError` if none answers."""
    return EmbeddedValkey(data_dir).pid()


def valkeys(data_dir: Path) -> list[int]:
    """Return the process ids of all Valkeys that work in the directory."""
    found = []
    for process in PROC.iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdecimal() and (process / "cwd").readlink() == data_dir:
                found.append(int(process.name))
    return found


def valkey_answers(data_dir: Path, *, but: int = 0) -> bool:
    """Return whether a Valkey answers whose process id is not `but`."""
    with contextlib.suppress(EmbeddedError):
        return valkey_pid(data_dir) != but
    return False


@contextmanager
def valkey_away(server: ServerProcess) -> Iterator[None]:
    """Kill the server's Valkey, as `kill -9` does, and keep it from starting again inside the block."""
    with contextlib.ExitStack() as stack:
        # While the server is suspended, it cannot win the race for the lock.
        with server.held():
            os.kill(valkey_pid(server.data_dir), signal.SIGKILL)
            stack.enter_context(_lock(server.data_dir))
        yield


@contextmanager
def _lock(data_dir: Path) -> Iterator[None]:
    """Take Valkey's own lock: its holder knows that no Valkey runs."""
    with (data_dir / "valkey.lock").open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Line:
    """A TCP connection to a server, whose replies can be lost.

    Args:
        port: the server's.
    """

    def __init__(self, port: int) -> None:
        self.deaf = False
        """Whether the server's replies are dropped; what is sent to it still arrives."""
        self.address = ""
        self._port = port
        self._ends: set[asyncio.StreamWriter] = set()

    @classmethod
    @asynccontextmanager
    async def to(cls, server: ServerProcess) -> AsyncIterator[Line]:
        """Open a connection to a server, which outlives its restarts."""
        line = cls(server.port)
        listening = await asyncio.start_server(line._accept, "127.0.0.1", 0)
        line.address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        try:
            yield line
        finally:
            listening.close()
            for end in list(line._ends):
                end.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._port)
            ends.add(back)
            self._ends |= ends
            await asyncio.gather(self._pass(reader, back, talk=False), self._pass(there, writer, talk=True))
        except OSError:
            pass
        finally:
            for end in ends:
                end.transport.abort()
            self._ends -= ends

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, talk: bool) -> None:
        while data := await reader.read(65536):
            if not (talk and self.deaf):
                writer.write(data)
        raise ConnectionResetError
