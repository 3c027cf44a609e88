"""Up-time counts the time in which any server was up, once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
import redis

from server.matches.uptime import BEAT_SECONDS, Uptime
from server.store.errors import StoreUnavailable
from server.store.metadata import GAP_MS
from server.store.store import MatchStore


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Counter:
    """A Redis whose up-time the test sets, or that is away."""

    def __init__(self) -> None:
        self.ms = 0
        self.away = False
        self.beats = 0

    async def beat(self) -> int:
        self.beats += 1
        if self.away:
            raise StoreUnavailable("away")
        return self.ms


class Pauses:
    """The sleeps of the tested object, each of which ends when the test says so."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._asleep = asyncio.Event()
        self._go = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._asleep.set()
        await self._go.wait()
        self._go.clear()

    async def end(self) -> None:
        """End this pause, and wait for the next."""
        await self._asleep.wait()
        self._asleep.clear()
        self._go.set()
        await self._asleep.wait()


async def test_up_time_counts_on_between_beats_and_no_farther_than_redis_would() -> None:
    clock, counter = Clock(), Counter()
    counter.ms = 50_000
    uptime = Uptime(counter, clock)
    assert uptime.now() == 0
    await uptime.beat()
    assert uptime.now() == 50_000
    clock.seconds += 0.25
    assert uptime.now() == 50_250
    clock.seconds += 2.75
    assert uptime.now() == 50_000 + GAP_MS
    clock.seconds += 3600
    assert uptime.now() == 50_000 + GAP_MS


async def test_a_server_that_stood_still_asks_for_the_up_time_before_it_uses_it() -> None:
    clock, counter = Clock(), Counter()
    uptime = Uptime(counter, clock)
    await uptime.beat()
    clock.seconds += GAP_MS / 1000
    await uptime.refresh()
    assert counter.beats == 1, "until then it knows it by itself"
    # Frozen for ten seconds, while another server went on.
    clock.seconds += 10
    counter.ms = 13_000
    assert uptime.now() == GAP_MS
    await uptime.refresh()
    assert uptime.now() == 13_000
    clock.seconds += 10
    counter.away = True
    with pytest.raises(StoreUnavailable):
        await uptime.refresh()


async def test_up_time_never_goes_back() -> None:
    clock, counter = Clock(), Counter()
    counter.ms = 50_000
    uptime = Uptime(counter, clock)
    await uptime.beat()
    clock.seconds += 2
    assert uptime.now() == 52_000
    # Redis was slow to answer, and its count lags behind.
    counter.ms = 50_500
    await uptime.beat()
    assert uptime.now() == 52_000
    clock.seconds += 1
    assert uptime.now() == 52_000
    clock.seconds += 1
    assert uptime.now() == 52_500


async def test_up_time_beats_each_second_and_waits_for_a_redis_that_is_away() -> None:
    clock, counter, pauses = Clock(), Counter(), Pauses()
    async with Uptime(counter, clock, pauses.sleep) as uptime:
        assert counter.beats == 1
        counter.away = True
        clock.seconds += 9
        await pauses.end()
        await pauses.end()
        assert counter.beats == 3
        assert uptime.now() == GAP_MS
        counter.away, counter.ms = False, 9000
        await pauses.end()
        assert uptime.now() == 9000
    assert set(pauses.asked) == {BEAT_SECONDS}


async def test_a_server_does_not_start_without_the_up_time() -> None:
    counter = Counter()
    counter.away = True
    with pytest.raises(StoreUnavailable):
        await Uptime(counter).__aenter__()


@pytest.fixture
def backdate(valkey_url: str) -> Callable[[int], None]:
    """Move the last beat this many ms back, as if they had passed."""

    def change(ms: int) -> None:
        with redis.Redis.from_url(valkey_url) as client:
            client.hincrby("uf:up", "at", -ms)

    return change


async def test_up_time_is_not_counted_double_by_two_servers(
    valkey_url: str, store: MatchStore, backdate: Callable[[int], None]
) -> None:
    began = time.monotonic()
    async with MatchStore(valkey_url) as other:
        first = await store.beat()
        assert await other.beat() - first <= 1000 * (time.monotonic() - began) + 1
        for _ in range(10):
            backdate(1000)
            await asyncio.gather(store.beat(), other.beat())
        counted = await other.beat() - first
    passed = 1000 * (time.monotonic() - began)
    assert 10_000 <= counted <= 10_000 + passed + 1


@pytest.mark.parametrize(("gone", "counts"), [(GAP_MS - 1000, True), (GAP_MS + 1, False), (86_400_000, False)])
async def test_up_time_does_not_count_while_no_server_is_up(
    valkey_url: str, store: MatchStore, backdate: Callable[[int], None], gone: int, counts: bool
) -> None:
    await store.beat()
    backdate(2000)
    before = await store.beat()
    assert before >= 2000
    backdate(gone)
    # A server that comes back counts on from the stored time.
    async with MatchStore(valkey_url) as restarted, Uptime(restarted, Clock()) as uptime:
        assert uptime.now() - before in range(gone * counts, gone * counts + 1000)
        backdate(1000)
        await uptime.beat()
        assert uptime.now() - before in range(gone * counts + 1000, gone * counts + 3000)


async def test_up_time_does_not_go_back_with_the_wall_clock(store: MatchStore, backdate: Callable[[int], None]) -> None:
    await store.beat()
    backdate(2000)
    before = await store.beat()
    backdate(-3_600_000)
    assert await store.beat() == before
    backdate(2000)
    assert await store.beat() in range(before + 2000, before + 4000)
