"""One Valkey a data directory, whichever server starts, stops or dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis

from server.store.embedded import EmbeddedError, EmbeddedValkey, default_data_dir
from server.store.store import Appended, MatchStore
from tests.support.valkey import kill, pid_of

SERVER = """
import asyncio, sys
from pathlib import Path
from server.store.embedded import EmbeddedValkey

async def main():
    async with EmbeddedValkey(Path(sys.argv[1]), watch_seconds=0.02) as valkey:
        print(valkey.pid(), valkey.url, flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


class Server:
    """A server in a process of its own that does nothing but use the data directory's Valkey."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.valkey_pid = 0
        self.url = ""

    async def ready(self) -> None:
        assert self.process.stdout is not None
        pid, url = (await self.process.stdout.readline()).decode().split()
        self.valkey_pid, self.url = int(pid), url

    async def stop(self) -> None:
        await self.process.communicate(b"\n")
        assert self.process.returncode == 0


@contextlib.asynccontextmanager
async def servers(data_dir: Path, count: int) -> AsyncIterator[list[Server]]:
    """Servers that are started at the same moment."""
    started = [
        Server(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                SERVER,
                str(data_dir),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        )
        for _ in range(count)
    ]
    try:
        await asyncio.gather(*(server.ready() for server in started))
        yield started
    finally:
        for server in started:
            if server.process.returncode is None:
                await server.stop()


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits to be noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def wait_for_another(url: str, pid: int) -> int:
    """The process id of the Valkey that takes this one's place."""
    async with asyncio.timeout(10):
        while True:
            with contextlib.suppress(redis.RedisError):
                if (found := await asyncio.to_thread(pid_of, url)) != pid:
                    return found
            await asyncio.sleep(0.01)


async def test_what_was_written_is_there_after_a_stop_and_a_start(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    for version in (1, 2, 3):
        async with EmbeddedValkey(home) as valkey, MatchStore(valkey.url) as store:
            pid = valkey.pid()
            if version == 1:
                await store.create("m", 1, {}, b"1")
            assert await store.append("m", version, "", b"x") == Appended(version + 1)
        assert not alive(pid)
    assert mode_of(home) == 0o700


async def test_valkey_listens_on_its_private_socket_only(tmp_path: Path) -> None:
    async with EmbeddedValkey(tmp_path) as valkey:
        with redis.Redis.from_url(valkey.url) as client:
            asked = ("port", "appendonly", "appendfsync", "maxmemory-policy", "save")
            assert [client.config_get(name)[name] for name in asked] == ["0", "yes", "always", "noeviction", ""]
        assert mode_of(Path(valkey.url.removeprefix("unix://"))) == 0o700


async def test_servers_started_at_the_same_moment_share_one_valkey(tmp_path: Path) -> None:
    async with servers(tmp_path, 4) as started:
        assert len({server.valkey_pid for server in started}) == 1
        assert len({server.url for server in started}) == 1
        pid = started[0].valkey_pid
        for server in started[:-1]:
            await server.stop()
            assert alive(pid)
        await started[-1].stop()
        assert not alive(pid)


async def test_a_second_server_in_the_same_process_finds_the_first_ones_valkey(tmp_path: Path) -> None:
    first, second = EmbeddedValkey(tmp_path), EmbeddedValkey(tmp_path)
    await first.start()
    await second.start()
    pid = first.pid()
    assert (second.url, second.pid()) == (first.url, pid)
    await first.stop()
    assert second.pid() == pid
    await second.stop()
    assert not alive(pid)
    with pytest.raises(EmbeddedError):
        second.pid()


async def test_valkey_survives_the_kill_of_its_server_and_is_found_by_the_next(tmp_path: Path) -> None:
    async with servers(tmp_path, 1) as started:
        # All that a closed terminal reaches, not the one process alone.
        os.killpg(started[0].process.pid, signal.SIGKILL)
        await started[0].process.wait()
        pid = started[0].valkey_pid
        assert alive(pid)
    async with EmbeddedValkey(tmp_path) as valkey:
        assert valkey.pid() == pid
    assert not alive(pid)


async def test_a_killed_valkey_is_started_again_by_one_of_its_servers(tmp_path: Path) -> None:
    async with servers(tmp_path, 2) as started, MatchStore(started[0].url) as store:
        await store.create("m", 1, {}, b"1")
        pid = started[0].valkey_pid
        for version in (1, 2):
            kill(started[0].url)
            pid = await wait_for_another(started[0].url, pid)
            assert await store.append("m", version, "", b"x") == Appended(version + 1)
        # The one that did not start the present Valkey can do without the other.
        await started[0].stop()
        assert alive(pid)
        assert await store.append("m", 3, "", b"x") == Appended(4)


async def test_a_data_directory_with_a_long_name_has_its_socket_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    long = tmp_path / ("x" * 120)
    async with EmbeddedValkey(long) as first, EmbeddedValkey(long) as second:
        assert first.pid() == second.pid()
        assert first.url == second.url
        assert str(tmp_path) not in first.url
        kill(first.url)
        async with MatchStore(second.url) as store:
            await store.create("m", 1, {}, b"1")
        url = first.url
    async with EmbeddedValkey(long) as again:
        assert again.url == url
    Path(url.removeprefix("unix://")).parent.rmdir()


async def test_a_valkey_that_cannot_start_shows_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.store.launching.LAST_LINES", 100)
    (tmp_path / "appendonlydir").write_text("where Valkey wants a directory")
    (tmp_path / "valkey.log").write_text("a line of an earlier start\n")
    with pytest.raises(EmbeddedError) as refused:
        await EmbeddedValkey(tmp_path).start()
    sentence, *lines = str(refused.value).splitlines()
    assert sentence.startswith(f"Valkey, the database in {tmp_path}, did not start.")
    assert str(tmp_path / "valkey.log") in sentence
    assert len(lines) > 3
    assert "append-only dir" in lines[-1]
    assert "an earlier start" not in str(refused.value)


async def test_a_start_that_is_broken_off_leaves_no_valkey_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    valkey = EmbeddedValkey(tmp_path)
    spawned = asyncio.Event()
    loop = asyncio.get_running_loop()

    def never() -> bool:
        if valkey._process.child is not None:
            loop.call_soon_threadsafe(spawned.set)
        return False

    monkeypatch.setattr(valkey, "_answers", never)
    starting = asyncio.create_task(valkey.start())
    await spawned.wait()
    child = valkey._process.child
    assert child is not None
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not alive(child.pid)
    async with EmbeddedValkey(tmp_path) as another:
        assert another.pid() != child.pid


async def test_a_start_that_is_broken_off_leaves_others_their_valkey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EmbeddedValkey(tmp_path) as first:
        pid = first.pid()
        late = EmbeddedValkey(tmp_path, start_seconds=0.0)
        monkeypatch.setattr(late, "_answers", lambda: False)
        with pytest.raises(EmbeddedError, match="does not answer"):
            await late.start()
        assert first.pid() == pid


def test_data_lives_where_the_platform_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert default_data_dir() == Path("/home/someone/.local/share/underfire")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_data_dir() == Path("/data/underfire")
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert default_data_dir() == Path("/home/someone/Library/Application Support/underfire")
