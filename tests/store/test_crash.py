"""What was acknowledged is there, and nothing happens twice, however a reply is lost."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis

from server.store.errors import StoreError, StoreUnavailable
from server.store.store import Appended, Duplicate, Health, MatchStore
from tests.support.valkey import IMPATIENT, Wire, kill, pid_of, until, valkey


@pytest_asyncio.fixture
async def wire(valkey_url: str) -> AsyncIterator[Wire]:
    with tempfile.TemporaryDirectory() as short:
        async with Wire(valkey_url, Path(short)) as opened:
            yield opened


@pytest_asyncio.fixture
async def wired(wire: Wire) -> AsyncIterator[MatchStore]:
    """A store behind the wire, with a match ``m`` of one entry."""
    async with MatchStore(wire.url, patience_seconds=0.2) as opened:
        await opened.create("m", 1, {}, b"pinned")
        yield opened


@pytest.mark.parametrize("answer_id", ["a:1", ""])
async def test_an_entry_whose_reply_was_lost_is_known_as_ones_own(
    wire: Wire, wired: MatchStore, answer_id: str
) -> None:
    # Redis knows the script then: the reply that is cut is not that it does not.
    await wired.append("m", 1, "a:0", b"before")
    wire.cut_replies_to = b"payload"
    told: list[str] = []
    assert await wired.append("m", 2, answer_id, b"payload", written=lambda: told.append("written")) == Appended(3)
    assert not told, "the reply that said so was lost"
    assert wire.cut_replies_to == b""  # it was cut indeed
    assert await wired.read("m", after=1) == [(2, b"before"), (3, b"payload")]


async def test_scripts_that_redis_forgot_while_the_reply_was_lost_change_nothing(
    valkey_url: str, wire: Wire, wired: MatchStore
) -> None:
    await wired.append("m", 1, "a:1", b"one")
    wire.cut_replies_to = b"payload"
    appending = asyncio.create_task(wired.append("m", 2, "a:2", b"payload"))
    with redis.Redis.from_url(valkey_url) as client:
        await until(lambda: client.xlen("uf:{m}:log") == 3)
        client.script_flush()
    assert await appending == Appended(3)
    assert await wired.length("m") == 3


async def test_a_duplicate_that_another_wrote_meanwhile_is_not_taken_for_ones_own(
    store: MatchStore, wire: Wire, wired: MatchStore
) -> None:
    assert await store.append("m", 1, "a:1", b"theirs") == Appended(2)
    wire.cut_replies_to = b"ours"
    assert await wired.append("m", 1, "a:1", b"ours") == Duplicate(2)
    assert await wired.read("m", after=1) == [(2, b"theirs")]


async def test_making_a_match_survives_a_lost_reply(wire: Wire, wired: MatchStore) -> None:
    wire.cut_replies_to = b"first of n"
    await wired.create("n", 2, {"a": b"x"}, b"first of n")
    assert await wired.read("n") == [(1, b"first of n")]


async def test_callers_wait_and_health_says_since_when_and_why(wire: Wire, valkey_url: str) -> None:
    now = 1000
    async with MatchStore(wire.url, wait_seconds=5, now_ms=lambda: now) as store:
        await store.create("m", 1, {}, b"pinned")
        assert store.health == Health(up=True, since_ms=1000, reason="")
        told: list[Health] = []
        forget = store.watch_health(told.append)
        down = asyncio.Event()
        store.watch_health(lambda health: None if health.up else down.set())

        now = 2000
        await wire.cut()
        await down.wait()
        assert not store.health.up
        assert store.health.since_ms == 2000
        assert store.health.reason
        appending = asyncio.create_task(store.append("m", 1, "a:1", b"x"))
        reading = asyncio.create_task(store.read("m", after=0))

        now = 3000
        await wire.restore()
        assert await appending == Appended(2)
        assert (await reading)[0] == (1, b"pinned")
        await until(lambda: store.health.up)
        assert store.health == Health(up=True, since_ms=3000, reason="")
        assert told[-1].up
        forget()


async def test_waiting_has_an_end(wire: Wire) -> None:
    async with MatchStore(wire.url, wait_seconds=IMPATIENT) as store:
        await store.create("m", 1, {}, b"pinned")
        await wire.cut()
        for call in (store.append("m", 1, "a:1", b"x"), store.read("m"), store.matches()):
            with pytest.raises(StoreUnavailable):
                await call
        await wire.restore()
    await wire.cut()
    with pytest.raises(StoreUnavailable):
        await MatchStore(wire.url, wait_seconds=IMPATIENT).open()


async def test_a_redis_that_hangs_counts_as_gone(wire: Wire, wired: MatchStore) -> None:
    wire.silent = True
    appending = asyncio.create_task(wired.append("m", 1, "a:1", b"x"))
    await until(lambda: not wired.health.up)
    wire.silent = False
    assert await appending == Appended(2)
    assert await wired.length("m") == 2


@pytest.mark.parametrize("trouble", [("maxmemory", "1", "0"), ("min-replicas-to-write", "1", "0")])
async def test_a_redis_that_refuses_to_write_for_now_is_waited_for(
    valkey_url: str, store: MatchStore, trouble: tuple[str, str, str]
) -> None:
    setting, bad, good = trouble
    await store.create("m", 1, {}, b"pinned")
    with redis.Redis.from_url(valkey_url) as client:
        try:
            client.config_set(setting, bad)
            async with MatchStore(valkey_url, wait_seconds=IMPATIENT) as hasty:
                with pytest.raises(StoreUnavailable, match="cannot be written"):
                    await hasty.append("m", 1, "a:1", b"x")
            appending = asyncio.create_task(store.append("m", 1, "a:1", b"x"))
            await store.length("m")
        finally:
            client.config_set(setting, good)
    assert await appending == Appended(2)


async def test_a_refusal_that_stays_is_told_at_once(store: MatchStore) -> None:
    with pytest.raises(StoreError, match="unknown command"):
        await store.command("NONSENSE")


async def test_nothing_acknowledged_is_lost_and_nothing_is_doubled_when_valkey_is_killed(tmp_path: Path) -> None:
    names = [f"m{number}" for number in range(8)]
    async with valkey(tmp_path) as url, MatchStore(url) as store:
        done = asyncio.Event()

        acknowledged = 0

        async def play(name: str) -> int:
            nonlocal acknowledged
            await store.create(name, 1, {}, b"1")
            version = 1
            while not done.is_set():
                # The answer id of a client, or none: both are known again.
                answer_id = f"a:{version}" if version % 2 else ""
                outcome = await store.append(name, version, answer_id, b"%d" % (version + 1))
                assert outcome == Appended(version + 1)
                version += 1
                acknowledged += 1
            return version

        playing = [asyncio.create_task(play(name)) for name in names]
        killed = set[int]()
        for _ in range(3):
            enough = acknowledged + 200
            await until(lambda: acknowledged > enough)  # noqa: B023 - it is awaited at once
            killed.add(await asyncio.to_thread(pid_of, url))
            kill(url)
        done.set()
        last = await asyncio.gather(*playing)
        assert len(killed) == 3
        for name, version in zip(names, last, strict=True):
            assert await store.read(name) == [(n, b"%d" % n) for n in range(1, version + 1)]
