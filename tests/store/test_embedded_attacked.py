"""What is deleted, moved or replaced under a Valkey of our own while servers use it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from server.store.embedded import EmbeddedError, EmbeddedValkey
from server.store.errors import StoreUnavailable
from server.store.store import Appended, MatchStore
from tests.store.test_embedded import alive, servers, wait_for_another
from tests.support.servers import valkeys
from tests.support.valkey import kill, pid_of, until

WATCH = 0.02


def watched(folder: Path) -> EmbeddedValkey:
    """A server's Valkey that is looked after very often."""
    return EmbeddedValkey(folder, watch_seconds=WATCH, socket_seconds=0.3)


def watch_rounds(valkey: EmbeddedValkey) -> list[int]:
    """Counts in its only item how often the directory was looked at since."""
    rounds, look = [0], valkey._look_after

    def counting() -> tuple[str, bool]:
        found = look()
        rounds[0] += 1
        return found

    valkey._look_after = counting  # type: ignore[method-assign]
    return rounds


@pytest.mark.parametrize("deleted", [["valkey.lock"], ["valkey.lock", "users.lock"]])
async def test_a_deleted_lock_starts_no_second_valkey(tmp_path: Path, deleted: list[str]) -> None:
    async with servers(tmp_path, 2) as started, watched(tmp_path) as first, MatchStore(first.url) as store:
        rounds = watch_rounds(first)
        await store.create("m", 1, {}, b"1")
        pid = first.pid()
        for version in range(1, 6):
            for name in deleted:
                (tmp_path / name).unlink(missing_ok=True)
            seen = rounds[0]
            await until(lambda seen=seen: rounds[0] > seen + 2)  # type: ignore[misc]
            async with watched(tmp_path) as late:
                assert late.pid() == pid
            assert valkeys(tmp_path) == [pid]
            assert await store.append("m", version, "", b"x") == Appended(version + 1)
        # And when it is killed, exactly one takes its place, with all that was written.
        kill(first.url)
        again = await wait_for_another(first.url, pid)
        assert valkeys(tmp_path) == [again]
        assert [version for version, _ in await store.read("m")] == [1, 2, 3, 4, 5, 6]
        assert len(started) == 2
    assert valkeys(tmp_path) == []


async def test_a_server_that_is_killed_after_its_lock_was_deleted_leaves_its_valkey_to_the_next(tmp_path: Path) -> None:
    async with servers(tmp_path, 1) as started:
        async with MatchStore(started[0].url) as store:
            await store.create("m", 1, {}, b"1")
        (tmp_path / "valkey.lock").unlink()
        (tmp_path / "users.lock").unlink()
        started[0].process.kill()
        await started[0].process.wait()
        async with watched(tmp_path) as found, MatchStore(found.url) as store:
            assert found.pid() == started[0].valkey_pid
            assert await store.append("m", 1, "", b"x") == Appended(2)
            assert valkeys(tmp_path) == [started[0].valkey_pid]
    assert valkeys(tmp_path) == []


async def test_valkey_is_started_anew_when_its_socket_is_deleted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with watched(tmp_path) as valkey, MatchStore(valkey.url) as store:
        await store.create("m", 1, {}, b"1")
        pid = valkey.pid()
        for name in ("valkey.sock", "valkey.lock", "users.lock", "valkey.log"):
            (tmp_path / name).unlink(missing_ok=True)
        again = await wait_for_another(valkey.url, pid)
        assert not alive(pid)
        assert valkeys(tmp_path) == [again]
        assert await store.append("m", 1, "", b"x") == Appended(2)
    assert "valkey.sock was deleted" in caplog.text


async def test_a_valkey_without_a_socket_is_started_anew_by_a_server_that_comes(tmp_path: Path) -> None:
    async with servers(tmp_path, 1) as started:
        async with MatchStore(started[0].url) as store:
            await store.create("m", 1, {}, b"1")
        started[0].process.kill()
        await started[0].process.wait()
        (tmp_path / "valkey.sock").unlink()
        async with watched(tmp_path) as found, MatchStore(found.url) as store:
            assert found.pid() != started[0].valkey_pid
            assert await store.append("m", 1, "", b"x") == Appended(2)
            assert valkeys(tmp_path) == [found.pid()]


async def test_a_valkey_that_is_just_starting_is_not_ended_for_the_one_before_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    socket = tmp_path / "valkey.sock"
    async with EmbeddedValkey(tmp_path, watch_seconds=3600, socket_seconds=0) as valkey:
        before = valkey.pid()
        valkey._mend_socket()  # finds nothing to mend
        socket.unlink()
        valkey._mend_socket()  # notes that the one before has no socket
        os.kill(before, signal.SIGKILL)
        await until(valkey._start_if_dead)
        await until(valkey._answers)
        (pid,) = valkeys(tmp_path)
        socket.unlink()  # as if it had not made it yet
        valkey._mend_socket()
        assert "ended" not in caplog.text
        valkey._mend_socket()
        await until(lambda: not alive(pid))


async def test_a_hung_valkey_is_no_dead_one(tmp_path: Path) -> None:
    async with watched(tmp_path) as valkey:
        pid = valkey.pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            (tmp_path / "valkey.lock").unlink()
            late = EmbeddedValkey(tmp_path, start_seconds=0.05)
            with pytest.raises(EmbeddedError, match="does not answer"):
                await late.start()
            assert valkeys(tmp_path) == [pid]
        finally:
            os.kill(pid, signal.SIGCONT)


async def test_a_deleted_folder_is_said_and_nothing_more_is_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = tmp_path / "home"
    told: list[str] = []
    valkey = watched(home)
    await valkey.start()
    pid = valkey.pid()
    async with MatchStore(valkey.url) as store:
        valkey.watch_trouble(told.append)
        valkey.watch_trouble(store.block)
        await store.create("m", 1, {}, b"1")
        shutil.rmtree(home)
        await until(lambda: bool(told))
        assert told[0].startswith(f"The folder {home}, in which this server keeps its matches, was deleted")
        assert (store.health.up, store.health.reason) == (False, told[0])
        assert "lost the folder" in store.health.notice
        with pytest.raises(StoreUnavailable, match="was deleted"):
            await store.append("m", 1, "", b"x")
        # Another server begins anew there, with a Valkey of its own, and the first one keeps its hands off it.
        async with watched(home) as second, MatchStore(second.url) as other:
            await other.create("m", 1, {}, b"1")
            assert second.pid() != pid
            await valkey.stop()
            assert not alive(pid)
            assert await other.append("m", 1, "", b"x") == Appended(2)
            assert valkeys(home) == [second.pid()]
    said = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert said == told
    assert "Traceback" not in caplog.text


async def test_nothing_is_started_over_a_folder_that_lost_its_log(tmp_path: Path) -> None:
    valkey = watched(tmp_path)
    await valkey.start()
    pid = valkey.pid()
    async with MatchStore(valkey.url) as store:
        valkey.watch_trouble(store.block)
        await store.create("m", 1, {}, b"1")
        rounds = watch_rounds(valkey)
        shutil.rmtree(tmp_path / "appendonlydir")
        await until(lambda: bool(valkey.trouble))
        assert "appendonlydir" in valkey.trouble
        os.kill(pid, signal.SIGKILL)
        seen = rounds[0]
        await until(lambda: rounds[0] > seen + 3)
        assert valkeys(tmp_path) == []
        assert not (tmp_path / "appendonlydir").exists()
    await valkey.stop()


@pytest.mark.parametrize("name", ["", "appendonlydir", "appendonlydir/appendonly.aof.manifest"])
async def test_what_was_moved_away_and_comes_back_is_gone_on_with(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    async with watched(home) as valkey, MatchStore(valkey.url) as store:
        valkey.watch_trouble(store.block)
        await store.create("m", 1, {}, b"1")
        (home / name).rename(tmp_path / "elsewhere")
        await until(lambda: not store.health.up)
        assert valkey.trouble
        (tmp_path / "elsewhere").rename(home / name)
        await until(lambda: store.health.up)
        assert await store.append("m", 1, "", b"x") == Appended(2)


async def test_a_copy_that_takes_the_place_of_the_folder_is_not_taken_for_it(tmp_path: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    async with watched(home) as valkey, MatchStore(valkey.url) as store:
        valkey.watch_trouble(store.block)
        await store.create("m", 1, {}, b"1")
        (home / "valkey.sock").rename(tmp_path / "socket")
        shutil.copytree(home / "appendonlydir", copy / "appendonlydir")
        shutil.rmtree(home / "appendonlydir")
        (copy / "appendonlydir").rename(home / "appendonlydir")
        await until(lambda: not store.health.up)
        with pytest.raises(StoreUnavailable, match="replaced"):
            await store.append("m", 1, "", b"x")


async def test_a_log_without_its_manifest_is_not_begun_anew(tmp_path: Path) -> None:
    async with watched(tmp_path) as valkey, MatchStore(valkey.url) as store:
        await store.create("m", 1, {}, b"1")
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").unlink()
    before = sorted(path.name for path in (tmp_path / "appendonlydir").iterdir())
    with pytest.raises(EmbeddedError, match="manifest is missing"):
        await watched(tmp_path).start()
    assert sorted(path.name for path in (tmp_path / "appendonlydir").iterdir()) == before


async def test_a_copied_folder_is_not_served_by_the_first_ones_valkey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    home, copy = tmp_path / ("x" * 120), tmp_path / ("y" * 120)
    async with watched(home) as valkey, MatchStore(valkey.url) as store:
        await store.create("m", 1, {}, b"1")
        shutil.copytree(home, copy)
        async with watched(copy) as other, MatchStore(other.url) as second:
            assert (other.pid(), other.url) != (valkey.pid(), valkey.url)
            assert await second.append("m", 1, "", b"x") == Appended(2)
            assert [version for version, _ in await store.read("m")] == [1]
        urls = (valkey.url, other.url)
    for url in urls:
        Path(url.removeprefix("unix://")).parent.rmdir()


async def test_the_loop_goes_on_while_the_folder_cannot_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(tmp_path) as valkey:
        loop, stuck, go_on = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

        def stand() -> str:
            loop.call_soon_threadsafe(stuck.set)
            asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result(10)
            return ""

        monkeypatch.setattr(valkey._folder, "trouble", stand)
        await stuck.wait()
        go_on.set()


HUNGRY = """
import asyncio, os, resource, sys
from pathlib import Path
from server.store.embedded import EmbeddedValkey

async def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    async with EmbeddedValkey(Path(sys.argv[1]), watch_seconds=0.02) as valkey:
        taken = []
        try:
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        print(valkey.url, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        for each in taken:
            os.close(each)

asyncio.run(main())
"""


async def test_valkey_is_started_again_though_no_descriptor_is_left(tmp_path: Path) -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HUNGRY, str(tmp_path), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().strip()
    for _ in range(3):
        pid = pid_of(url)
        kill(url)
        await wait_for_another(url, pid)
    await server.communicate(b"\n")
    assert server.returncode == 0
    assert valkeys(tmp_path) == []
