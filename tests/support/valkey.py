"""A real Valkey for tests, and a connection to it that can be cut.

Other tests use the fixtures `valkey_url` (an empty database in a Valkey that lives as long as the session) and `store` (a
`MatchStore` on it): import them in a `conftest.py`. Tests that kill Valkey start one of their own with `valkey`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
import pytest_asyncio
import redis
from redis.asyncio.connection import parse_url

from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore

IMPATIENT = 0.8
"""How many seconds a store waits whose patience a test wants to end: a busy machine connects to Valkey in less."""


@contextlib.asynccontextmanager
async def valkey(data_dir: Path) -> AsyncIterator[str]:
    """Run a Valkey in this directory, which is started again when it dies; yield its URL."""
    async with EmbeddedValkey(data_dir, watch_seconds=0.02) as embedded:
        yield embedded.url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """Run one Valkey for the whole session; yield its URL."""
    async with valkey(tmp_path_factory.mktemp("valkey")) as url:
        yield url


@pytest.fixture
def valkey_url(valkey_server: str) -> str:
    """The URL of an empty Valkey."""
    with redis.Redis.from_url(valkey_server) as client:
        client.flushall()
    return valkey_server


@pytest_asyncio.fixture
async def store(valkey_url: str) -> AsyncIterator[MatchStore]:
    """Yield an open, empty store."""
    async with MatchStore(valkey_url) as opened:
        yield opened


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition of which no event tells; the test fails after thirty seconds."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - it happens in another process, or in the depths
            await asyncio.sleep(0.001)


def pid_of(url: str) -> int:
    """Return the process id of the Valkey that answers at this URL."""
    with redis.Redis.from_url(url) as client:
        return int(client.info("server")["process_id"])


def kill(url: str) -> None:
    """Kill the Valkey at this URL, as `kill -9` does."""
    os.kill(pid_of(url), signal.SIGKILL)


class Wire:
    """A unix socket that passes everything on to Valkey's, until told otherwise.

    Args:
        url: Valkey's.
        directory: where the socket is created; its name must be short.
    """

    def __init__(self, url: str, directory: Path) -> None:
        self._target = str(parse_url(url)["path"])
        self._path = directory / "wire.sock"
        self.url = f"unix://{self._path}"
        self.cut_replies_to = b""
        """When a request contains this, the connection is cut after Valkey has carried it out and before its reply arrives."""
        self.silent = False
        """Whether replies are dropped while the connection stays open."""
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.restore()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.cut()

    async def restore(self) -> None:
        """Accept connections (again)."""
        self._server = await asyncio.start_unix_server(self._accept, self._path)

    async def cut(self) -> None:
        """Close every connection and accept none."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
            self._server = None
        self._hang_up()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _hang_up(self) -> None:
        for line in list(self._lines):
            line.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        there, back = await asyncio.open_unix_connection(self._target)
        self._lines |= {writer, back}
        doomed = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._requests(reader, back, doomed))
                both.create_task(self._replies(there, writer, doomed))
        except* (OSError, EOFError):
            pass
        finally:
            for line in (writer, back):
                line.transport.abort()
                with contextlib.suppress(OSError):
                    await line.wait_closed()
            self._lines -= {writer, back}
            self._tasks.discard(task)

    async def _requests(self, reader: asyncio.StreamReader, back: asyncio.StreamWriter, doomed: asyncio.Event) -> None:
        while data := await reader.read(65536):
            if self.cut_replies_to and self.cut_replies_to in data:
                self.cut_replies_to = b""
                doomed.set()
            back.write(data)
        raise EOFError

    async def _replies(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter, doomed: asyncio.Event) -> None:
        while data := await there.read(65536):
            if doomed.is_set():
                break
            if not self.silent:
                writer.write(data)
        raise EOFError
