"""Following a match: in order, each entry once, whatever happens to the messages."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis

from server.store.errors import LogDamaged, MatchClosed, MatchRemoved
from server.store.following import BUFFER, Follower
from server.store.store import Appended, MatchStore
from tests.support.valkey import Wire, kill, until, valkey


class Ticks:
    """A clock of the test's own: a sleep lasts until the test ends it."""

    def __init__(self) -> None:
        self._tick = asyncio.Event()

    async def sleep(self, _seconds: float) -> None:
        await self._tick.wait()
        self._tick.clear()

    def tick(self) -> None:
        self._tick.set()


@pytest.fixture
async def ticks() -> Ticks:
    return Ticks()


@pytest_asyncio.fixture
async def watching(valkey_url: str, store: MatchStore, ticks: Ticks) -> AsyncIterator[MatchStore]:
    """Another server's store, that compares versions when the test says so; a match ``m`` with one entry is there."""
    await store.create("m", 1, {}, b"1")
    async with MatchStore(valkey_url, sleep=ticks.sleep) as opened:
        yield opened


async def append(store: MatchStore, first: int, last: int) -> None:
    for version in range(first, last + 1):
        outcome = await store.append("m", version - 1, f"a:{version}", b"%d" % version)
        assert outcome == Appended(version)


async def take(follower: Follower, first: int, last: int) -> None:
    """Take entries and see that they are these, and as they were appended."""
    async with asyncio.timeout(20):
        for version in range(first, last + 1):
            assert await anext(follower) == (version, b"%d" % version)


async def settled(url: str, follower: Follower) -> None:
    """Wait until the follower hears live messages, and has read all that was written before."""
    heard = asyncio.Event()

    def probe(version: int, payload: bytes) -> None:
        offer(version, payload)
        if version == 0:
            heard.set()

    offer, follower.offer = follower.offer, probe  # type: ignore[method-assign]
    with redis.Redis.from_url(url) as client:
        await until(lambda: client.publish("uf:{m}:live", "0 probe") == 1)
    await heard.wait()
    while follower._stale:
        await follower._catch_up()


async def test_a_follower_gets_old_entries_first_and_then_new_ones(store: MatchStore, watching: MatchStore) -> None:
    await append(store, 2, 5)
    async with watching.follow("m") as from_start, watching.follow("m", after=4) as from_four:
        await take(from_start, 1, 5)
        await take(from_four, 5, 5)
        await append(store, 6, 30)
        await take(from_start, 6, 30)
        await take(from_four, 6, 30)


async def test_a_follower_waits_for_what_is_not_there_yet(store: MatchStore, watching: MatchStore) -> None:
    async with watching.follow("m", after=1) as follower:
        waiting = asyncio.create_task(take(follower, 2, 2))
        await append(store, 2, 2)
        await waiting


async def test_a_last_message_that_was_lost_is_found_by_comparing(
    valkey_url: str, store: MatchStore, watching: MatchStore, ticks: Ticks
) -> None:
    async with watching.follow("m", after=1) as follower:
        await settled(valkey_url, follower)
        with redis.Redis.from_url(valkey_url) as client:
            client.xadd("uf:{m}:log", {"e": b"2"}, id="2-0")  # written, and not published
        waiting = asyncio.create_task(take(follower, 2, 2))
        await watching.length("m")
        assert not waiting.done()
        ticks.tick()
        await waiting


async def test_a_gap_between_messages_is_filled_from_the_log(
    valkey_url: str, store: MatchStore, watching: MatchStore
) -> None:
    async with watching.follow("m", after=1) as follower:
        await settled(valkey_url, follower)
        with redis.Redis.from_url(valkey_url) as client:
            client.xadd("uf:{m}:log", {"e": b"2"}, id="2-0")
        await append(store, 3, 3)
        await take(follower, 2, 3)


async def test_a_follower_who_is_slow_costs_a_bounded_buffer_and_misses_nothing(
    valkey_url: str, store: MatchStore, watching: MatchStore
) -> None:
    last = 3 * BUFFER
    async with watching.follow("m", after=1) as slow, watching.follow("m", after=1) as quick:
        await settled(valkey_url, slow)
        await append(store, 2, last)
        await take(quick, 2, last)  # so the messages have come
        assert 0 < len(slow._buffer) <= BUFFER
        await take(slow, 2, last)


async def test_what_the_caller_wrote_himself_can_be_passed_over(valkey_url: str, store: MatchStore) -> None:
    await store.create("m", 1, {}, b"1")
    async with store.follow("m", after=1) as follower:
        await settled(valkey_url, follower)
        await append(store, 2, 3)
        follower.advance(3)
        await append(store, 4, 4)
        await take(follower, 4, 4)


async def test_following_goes_on_when_valkey_is_killed(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, MatchStore(url) as writer, MatchStore(url) as reader:
        await writer.create("m", 1, {}, b"1")
        async with reader.follow("m") as follower:
            for first in (2, 12, 22):
                await append(writer, first, first + 4)
                kill(url)
                await append(writer, first + 5, first + 9)
            await take(follower, 1, 31)


async def test_what_was_written_while_the_line_was_cut_is_read_after_it(
    valkey_url: str, store: MatchStore, ticks: Ticks
) -> None:
    await store.create("m", 1, {}, b"1")
    with tempfile.TemporaryDirectory() as short:
        async with Wire(valkey_url, Path(short)) as wire, MatchStore(wire.url, sleep=ticks.sleep) as far:
            follower = far.follow("m", after=1)
            await settled(valkey_url, follower)
            waiting = asyncio.create_task(take(follower, 2, 4))
            await wire.cut()
            await append(store, 2, 3)
            await wire.restore()
            # Neither a message nor a comparison tells of these two: only that it has subscribed anew.
            await until(lambda: follower.version == 3)
            await append(store, 4, 4)
            await waiting


async def test_a_follower_is_told_of_changed_fields_and_after_each_subscription(
    valkey_url: str, store: MatchStore, ticks: Ticks
) -> None:
    await store.create("m", 1, {}, b"1")
    told: list[None] = []
    with tempfile.TemporaryDirectory() as short:
        async with Wire(valkey_url, Path(short)) as wire, MatchStore(wire.url, sleep=ticks.sleep) as far:
            follower = far.follow("m", 1, lambda: told.append(None))
            await settled(valkey_url, follower)
            await until(lambda: len(told) == 1)
            await store.put_meta("m", {"quiet": b"1"})
            await store.put_meta("m", {"loud": b"1"}, told=True)
            await until(lambda: len(told) == 2)
            await append(store, 2, 2)
            await take(follower, 2, 2)
            await wire.cut()
            await store.put_meta("m", {"loud": b"2"}, told=True)
            await wire.restore()
            await until(lambda: len(told) == 3)


async def test_a_log_that_has_become_shorter_is_not_followed(
    valkey_url: str, store: MatchStore, watching: MatchStore, ticks: Ticks
) -> None:
    await append(store, 2, 3)
    async with watching.follow("m", after=3) as follower:
        await settled(valkey_url, follower)
        with redis.Redis.from_url(valkey_url) as client:
            client.xdel("uf:{m}:log", "3-0")
        waiting = asyncio.create_task(_next(follower))
        ticks.tick()
        with pytest.raises(LogDamaged):
            await waiting


async def _next(follower: Follower) -> tuple[int, bytes]:
    async with asyncio.timeout(20):
        return await anext(follower)


async def test_an_archived_match_tells_its_followers(
    valkey_url: str, store: MatchStore, watching: MatchStore, ticks: Ticks
) -> None:
    async with watching.follow("m", after=1) as follower:
        await settled(valkey_url, follower)
        waiting = asyncio.create_task(_next(follower))
        await store.archive("m", 1, b"m.match")
        ticks.tick()
        with pytest.raises(MatchClosed):
            await waiting


async def test_closing_ends_the_iteration_and_the_subscription(valkey_url: str, watching: MatchStore) -> None:
    follower = watching.follow("m", after=1)
    waiting = asyncio.create_task(_collect(follower))
    await asyncio.sleep(0)
    follower.close()
    assert await waiting == []
    again = watching.follow("m")
    await take(again, 1, 1)
    await watching.close()
    assert await _collect(again) == []
    with redis.Redis.from_url(valkey_url) as client:
        assert client.pubsub_numsub("uf:{m}:live") == [(b"uf:{m}:live", 0)]


async def _collect(follower: Follower) -> list[tuple[int, bytes]]:
    return [entry async for entry in follower]


async def test_a_match_that_is_removed_while_its_log_is_checked_is_removed_and_not_damaged(
    store: MatchStore, watching: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await append(store, 2, 3)
    follower = watching.follow("m")
    await take(follower, 1, 3)
    check, checked = watching.check_open, asyncio.Event()

    async def check_and_wait(match: str) -> None:
        await check(match)
        if not checked.is_set():
            # It is there now, and gone when the length of its log is asked for.
            checked.set()
            await store.remove("m", 3)

    monkeypatch.setattr(watching, "check_open", check_and_wait)
    follower.offer(0, b"")
    with pytest.raises(MatchRemoved):
        await anext(follower)
    follower.close()
