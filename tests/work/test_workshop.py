"""Long work: in a process that starts when it is needed, is killed when it takes too long, and ends with its server."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import pytest

from client_protocol.from_server import SetupChecked
from server.kernel.belief import EVERYTHING, SPECTATORS
from server.matches.log.entries import LogError
from server.matches.projections import jobs as projecting
from server.matches.projections.notation import notation
from server.matches.setup import jobs
from server.rulesets import library
from server.work import workshop
from server.work.child import HEAD, written
from server.work.desk import ASKING, AtOnce, TooLong, TooMuch, WorkError, WorkFailed
from server.work.slicing import Sliced
from server.work.workshop import COMMAND, HALVED, MOST_USED, MOST_WAITING, Workshop
from tests.gateway.conftest import Clock
from tests.support.playing import MatchInMemory

SILENT = (sys.executable, "-c", "import sys; sys.stdin.buffer.read()")
"""A process that takes every job and finishes none."""
GONE = (sys.executable, "-c", "")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def real(clock: Clock) -> AsyncIterator[Workshop]:
    async with Workshop(clock) as opened:
        yield opened


@contextmanager
def asking(address: str) -> Iterator[None]:
    token = ASKING.set(address)
    try:
        yield
    finally:
        ASKING.reset(token)


async def test_a_job_is_done_in_another_process_that_starts_with_the_first_one(real: Workshop) -> None:
    before = real.pid
    assert before is None
    found = await real.do(20, jobs.setup_checked, "7", b"edition = 'none'")
    assert isinstance(found, SetupChecked)
    assert (found.id, "none" in found.problem) == ("7", True)
    pid = real.pid
    assert pid not in {None, os.getpid()}
    await real.do(20, jobs.setup_checked, "8", b"")
    assert real.pid == pid


async def test_what_goes_wrong_in_a_job_is_told_and_the_process_goes_on(
    real: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(WorkFailed):
        await real.do(20, projecting.filed, [])
    assert "IndexError" in caplog.text
    pid = real.pid
    assert (await real.do(20, jobs.setup_checked, "8", b"")).problem
    assert real.pid == pid


async def test_what_a_job_finds_wrong_in_a_log_comes_back_as_it_is(
    real: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(LogError, match="entry 1: ") as found:
        await real.do(20, projecting.filed, [b"no entry"])
    assert found.value.number == 1
    assert not caplog.records


async def test_audiences_without_a_seat_are_the_same_in_the_process(real: Workshop) -> None:
    rules = library.edition("fad4")
    payloads = MatchInMemory(rules, "ridge-farm").entries
    for view in (EVERYTHING, SPECTATORS):
        assert await real.do(20, projecting.told_as_text, "fad4", payloads, view) == notation(rules, payloads, view)


async def test_what_takes_too_long_is_killed_and_the_next_job_gets_a_new_process(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "STARTING", 0.0)
    async with Workshop(clock, SILENT) as shop:
        with pytest.raises(TooLong):
            await shop.do(0.0, jobs.setup_checked, "1", b"")
        assert shop._process is None
        monkeypatch.setattr(workshop, "STARTING", 60.0)
        shop._command = COMMAND
        assert (await shop.do(20, jobs.setup_checked, "2", b"")).id == "2"


async def test_a_process_that_has_ended_is_replaced(real: Workshop) -> None:
    await real.do(20, jobs.setup_checked, "1", b"")
    first = real.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    with pytest.raises(WorkFailed):
        await real.do(20, jobs.setup_checked, "2", b"")
    assert (await real.do(20, jobs.setup_checked, "3", b"")).id == "3"


async def test_the_address_that_has_used_least_time_comes_first(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Workshop(clock, GONE)
    done: list[str] = []

    async def perform(job: object) -> None:
        assert isinstance(job, workshop._Job)
        clock.time += 5
        done.append(job.data.decode())
        job.done.set_result(None)

    monkeypatch.setattr(shop, "_perform", perform)
    monkeypatch.setattr(workshop, "written", lambda job: str(job[2][0]).encode())

    def ordered(address: str, name: str) -> asyncio.Task[str]:
        with asking(address):
            return asyncio.create_task(shop.do(1, lambda _rules, name: str(name), name))

    async with shop:
        await asyncio.gather(*(ordered("a", f"a{number}") for number in range(3)), ordered("b", "b0"))
        assert done == ["a0", "b0", "a1", "a2"]


async def test_an_address_can_have_few_jobs_waiting_and_use_only_so_much(clock: Clock) -> None:
    async with Workshop(clock, SILENT) as shop:
        with asking("a"):
            waiting = [asyncio.create_task(shop.do(60, jobs.setup_checked, "1", b""))]
            while shop._process is None:  # noqa: ASYNC110 - the first of them is under way then
                await asyncio.sleep(0)
            waiting += [asyncio.create_task(shop.do(60, jobs.setup_checked, "1", b"")) for _ in range(MOST_WAITING)]
            await asyncio.sleep(0)
            with pytest.raises(TooMuch):
                await shop.do(60, jobs.setup_checked, "1", b"")
        shop._used["b"] = MOST_USED
        with asking("b"), pytest.raises(TooMuch):
            await shop.do(60, jobs.setup_checked, "1", b"")
        clock.time += HALVED
        shop._forget()
        assert shop._used["b"] == MOST_USED / 2
        clock.time += HALVED * 20
        shop._forget()
        assert shop._used == {}
    for task in waiting:
        with pytest.raises(WorkError):
            await task


async def test_what_waits_when_the_server_stops_is_told_so_and_the_process_is_gone(clock: Clock) -> None:
    async with Workshop(clock, SILENT) as shop:
        tasks = [asyncio.create_task(shop.do(60, jobs.setup_checked, "1", b"")) for _ in range(3)]
        while shop._process is None:  # noqa: ASYNC110 - it is being started
            await asyncio.sleep(0)
        process = shop._process
    assert process.returncode == -signal.SIGKILL
    for task in tasks:
        with pytest.raises(WorkFailed):
            await task
    with pytest.raises(WorkFailed):
        await shop.do(1, jobs.setup_checked, "1", b"")


def test_the_process_ends_when_its_server_is_gone_even_during_a_job() -> None:
    child = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    # As a job that never ends: it waits for the process itself.
    child.stdin.write(written((600.0, os.waitpid, (), {})))
    child.stdin.write(written((600.0, signal.sigwait, (), {})))
    child.stdin.write(written((600.0, _never, (), {})))
    child.stdin.flush()
    for _ in range(2):
        (length,) = HEAD.unpack(child.stdout.read(HEAD.size))
        child.stdout.read(length)
    child.stdin.close()
    assert child.wait(30) == 0
    child.stdout.close()


def test_the_process_ends_without_a_complaint_when_it_has_a_result_and_its_server_is_gone() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        # Its input stays open: it has not been told yet.
        child.stdout.close()
        child.stdin.write(written((600.0, signal.sigwait, (), {})))
        child.stdin.flush()
        assert (child.wait(30), child.stderr.read()) == (0, b"")


def _never(_rules_of: object) -> None:
    threading.Event().wait()


async def test_slices_are_done_one_at_a_time_and_take_half_of_the_time(clock: Clock) -> None:
    order: list[str] = []
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    def work(name: str) -> Sliced[str]:
        for _ in range(3):
            order.append(name)
            clock.time += 2
            yield
        return name

    async with Workshop(clock, GONE, sleep) as shop:
        with asking("a"):
            assert await asyncio.gather(*(shop.slices(work(name)) for name in "xy")) == ["x", "y"]
        assert order == [*"xxx", *"yyy"]
        assert slept == [2.0] * 6
        assert shop._used["a"] == 12
        shop._used["a"] = MOST_USED
        with asking("a"), pytest.raises(TooMuch):
            await shop.slices(work("z"))


async def test_a_thought_has_a_thread_of_its_own(real: Workshop) -> None:
    assert await real.think(threading.get_ident) != threading.get_ident()

    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await real.think(fails)
    gc.collect()


async def test_without_a_server_jobs_are_done_at_once() -> None:
    here = AtOnce(lambda _edition: pytest.fail("no rules are needed"))
    assert await here.think(threading.get_ident) == threading.get_ident()
    assert await here.do(1, lambda _rules, number: number + 1, 1) == 2
