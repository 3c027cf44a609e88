"""A server that is stopped by any signal stops its Valkey too; a closed terminal sends SIGHUP."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import stopping
from server.stopping import Stopped, told_to_stop
from tests.support.servers import LONGEST, UNDERFIRE, valkey_pid, valkeys

HERE = os.getpid()


@pytest.fixture(autouse=True)
def _signals_are_heeded() -> Iterator[None]:
    """Restore the defaults for SIGHUP and SIGINT: tests that run under `nohup`, or in the background of a shell, would pass on
    that these are ignored.
    """
    before = {
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def started(folder: Path, *words: str, **settings: str) -> subprocess.Popen[str]:
    """Start `underfire serve` in a folder, on a free port."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERFIRE_")}
    return subprocess.Popen(
        [str(UNDERFIRE), "serve", "--port", "0", *words],
        cwd=folder,
        env=environment | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def up(server: subprocess.Popen[str]) -> list[str]:
    """Return what it prints until it is up."""
    assert server.stdout is not None
    lines = []
    for line in server.stdout:
        lines.append(line.rstrip())
        if line.startswith("Ctrl-C"):
            break
    return lines


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_server_in_a_relative_folder_with_brackets_stops_with_its_valkey(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "[").mkdir()
    folder = tmp_path / "[" / "games]"
    server = started(tmp_path, UNDERFIRE_DATA_DIR="[/games]")
    lines = up(server)
    assert f"Matches are kept in {folder}." in lines, lines
    (address,) = [line.split()[1] for line in lines if line.startswith("Open ")]
    with urllib.request.urlopen(f"{address}/health", timeout=LONGEST) as health:  # noqa: S310 - our own server
        assert health.status == 200
    assert valkeys(folder) == [valkey_pid(folder)]
    # A closed terminal may send it twice.
    for _ in range(2 if how == signal.SIGHUP else 1):
        server.send_signal(how)
    rest, _ = server.communicate(timeout=LONGEST)
    assert (server.returncode, rest) == (0, "Stopping ...\n")
    assert valkeys(folder) == []


def test_a_server_on_all_addresses_prints_addresses_that_a_browser_can_open(tmp_path: Path) -> None:
    server = started(tmp_path, "--host", "0.0.0.0", "--data-dir", "d", UNDERFIRE_ORIGINS="https://play.example.org")  # noqa: S104
    lines = up(server)
    server.terminate()
    server.communicate(timeout=LONGEST)
    assert "Open one of these in a browser:" in lines
    assert lines[2].startswith("  http://localhost:")
    assert "  https://play.example.org" in lines
    assert "0.0.0.0" not in "\n".join(lines)  # noqa: S104


# --- in this process ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", stopping.SIGNALS)
def test_work_that_handles_a_stop_signal_ends_normally(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    done: list[str] = []

    async def work() -> str:
        asyncio.get_running_loop().call_soon(os.kill, HERE, number)
        await told_to_stop()
        # A second signal does not disturb the shutdown.
        os.kill(HERE, number)
        for _ in range(5):
            await asyncio.sleep(0)
        done.append("put away")
        return "all is well"

    assert stopping.run(work()) == "all is well"
    assert done == ["put away"]
    assert signal.getsignal(number) is before


def test_work_that_ignores_a_stop_signal_is_cancelled_and_cleans_up() -> None:
    done: list[str] = []

    async def work() -> None:
        try:
            os.kill(HERE, signal.SIGHUP)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            done.append("put away")

    with pytest.raises(Stopped) as stopped:
        stopping.run(work())
    assert (stopped.value.number, done) == (signal.SIGHUP, ["put away"])


def test_a_signal_that_was_ignored_before_the_start_stays_ignored() -> None:
    """For example with `nohup underfire serve`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)

    async def work() -> str:
        os.kill(HERE, signal.SIGHUP)
        for _ in range(5):
            await asyncio.sleep(0)
        return "goes on"

    try:
        assert stopping.run(work()) == "goes on"
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_run_outside_the_main_thread_sets_no_signal_handlers() -> None:
    async def work() -> str:
        return await asyncio.to_thread(stopping.run, inner())

    async def inner() -> str:
        return "done"

    assert asyncio.run(work()) == "done"
