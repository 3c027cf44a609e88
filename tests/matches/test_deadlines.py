"""Deadlines: set with the entry that causes them, found by any server that polls, postponed if settling changes nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.matches.deadlines import AT_ONCE, FAILED_MS, STILL_DUE_MS, Deadlines
from server.store.errors import LogDamaged, MatchClosed, StoreError, StoreUnavailable
from server.store.key_names import log_key
from server.store.store import Appended, Conflict, Duplicate, MatchStore
from tests.support.room import made, rooms_on

FIRST = b"pinned"


class Time:
    """An up-time that the test sets."""

    def __init__(self) -> None:
        self.ms = 1000

    def now(self) -> int:
        return self.ms


Fire: TypeAlias = Callable[[str], Awaitable[None]]


async def never(_seconds: float) -> None:
    await asyncio.Event().wait()


async def due_at(store: MatchStore, match: str, due: int | None) -> None:
    """Make a match of two entries with this deadline."""
    await store.create(match, 1, {}, FIRST)
    assert await store.append(match, 1, "", b"x", due=due) == Appended(2)


async def test_an_entry_sets_the_deadline_and_the_next_one_sets_another(store: MatchStore) -> None:
    await due_at(store, "m", 700)
    await due_at(store, "n", 500)
    await due_at(store, "never", None)
    assert await store.due(499) == {}
    assert list((await store.due(700)).items()) == [("n", 500), ("m", 700)]
    assert await store.due(700, count=1) == {"n": 500}
    assert await store.append("n", 2, "", b"y", due=900) == Appended(3)
    assert await store.append("m", 2, "", b"y") == Appended(3)
    assert await store.due(10**15) == {"n": 900}


async def test_an_entry_that_is_not_appended_does_not_change_the_deadline(store: MatchStore) -> None:
    await due_at(store, "m", 500)
    assert await store.append("m", 2, "a:1", b"y", due=600) == Appended(3)
    assert await store.append("m", 2, "a:2", b"y", due=700) == Conflict(3)
    assert await store.append("m", 3, "a:1", b"y") == Duplicate(3)
    assert await store.due(10**15) == {"m": 600}


async def test_a_deadline_can_be_set_and_cleared_by_itself_and_is_removed_with_the_match(store: MatchStore) -> None:
    await due_at(store, "m", None)
    await store.set_due("m", 10**13 + 1)
    assert await store.due(10**14) == {"m": 10**13 + 1}
    await store.set_due("m", None)
    assert await store.due(10**14) == {}
    await store.set_due("m", 3)
    await store.archive("m", 2, b"file")
    assert await store.due(10**14) == {}
    with pytest.raises(ValueError, match="match's id"):
        await store.set_due("a}b", 1)


async def test_a_deadline_is_postponed_only_if_it_is_still_the_one_that_was_seen(store: MatchStore) -> None:
    await due_at(store, "m", 500)
    assert not await store.put_off("m", 499, 900)
    assert await store.put_off("m", 500, 900)
    assert await store.due(1000) == {"m": 900}
    await store.set_due("m", None)
    assert not await store.put_off("m", 900, 901)
    assert await store.due(1000) == {}


async def test_a_due_match_is_handled_once_by_each_server(store: MatchStore) -> None:
    time, seen, gate = Time(), list[str](), asyncio.Event()
    await due_at(store, "m", 900)
    await due_at(store, "later", 1001)

    async def fire(match: str) -> None:
        seen.append(match)
        await gate.wait()
        await store.append(match, 2, "clock:2", b"y", due=5000)

    ours, theirs = Deadlines(store, time, fire), Deadlines(store, time, fire)
    await ours.look()
    await ours.look()
    await theirs.look()
    gate.set()
    await ours.settle()
    await theirs.settle()
    assert seen == ["m", "m"]
    assert await store.length("m") == 3
    assert await store.due(10**6) == {"later": 1001, "m": 5000}
    time.ms = 1001
    await ours.look()
    await ours.settle()
    assert seen == ["m", "m", "later"]


async def test_a_match_that_is_still_due_after_settling_is_postponed(store: MatchStore) -> None:
    time, seen = Time(), list[str]()
    await due_at(store, "m", 900)

    async def fire(match: str) -> None:
        seen.append(match)

    deadlines = Deadlines(store, time, fire)
    for _ in range(2):
        await deadlines.look()
        await deadlines.settle()
    assert seen == ["m"]
    assert await store.due(10**6) == {"m": 1000 + STILL_DUE_MS}
    time.ms += STILL_DUE_MS
    await deadlines.look()
    await deadlines.settle()
    assert seen == ["m", "m"]


async def test_a_failed_settling_is_logged_and_postponed_and_delays_no_other_match(
    store: MatchStore, caplog: pytest.LogCaptureFixture
) -> None:
    time, seen = Time(), list[str]()
    await due_at(store, "bad", 1)
    await due_at(store, "good", 900)

    async def fire(match: str) -> None:
        seen.append(match)
        if match == "bad":
            raise RuntimeError("a bug")

    deadlines = Deadlines(store, time, fire)
    with caplog.at_level(logging.ERROR):
        await deadlines.look()
        await deadlines.settle()
    assert seen == ["bad", "good"]
    assert [record.getMessage() for record in caplog.records] == [
        "match bad has passed a deadline that could not be handled"
    ]
    assert await store.due(10**6) == {"good": 1000 + STILL_DUE_MS, "bad": 1000 + FAILED_MS}


async def test_an_archived_match_is_no_longer_due(store: MatchStore) -> None:
    await store.set_due("gone", 1)

    async def fire(match: str) -> None:
        raise MatchClosed(match)

    deadlines = Deadlines(store, Time(), fire)
    await deadlines.look()
    await deadlines.settle()
    assert await store.due(10**6) == {}


async def test_while_redis_is_away_polling_waits_and_postpones_nothing(store: MatchStore) -> None:
    await due_at(store, "m", 900)
    away = True

    async def fire(_match: str) -> None:
        if away:
            raise StoreUnavailable("away")

    deadlines = Deadlines(store, Time(), fire)
    await deadlines.look()
    await deadlines.settle()
    assert await store.due(1000) == {"m": 900}
    away = False
    await deadlines.look()
    await deadlines.settle()
    assert await store.due(1000) == {}


async def test_a_deadline_that_cannot_be_postponed_is_logged_and_settled_again(
    store: MatchStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    await due_at(store, "m", 900)
    seen = list[str]()

    async def fire(match: str) -> None:
        seen.append(match)

    async def refuse(*_args: object) -> bool:
        raise StoreError("no room left")

    monkeypatch.setattr(store, "put_off", refuse)
    deadlines = Deadlines(store, Time(), fire)
    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            await deadlines.look()
            await deadlines.settle()
    assert seen == ["m", "m"]
    assert {record.getMessage() for record in caplog.records} == {"the deadline of match m cannot be moved"}


async def test_a_match_that_cannot_be_opened_is_looked_at_once_a_minute_and_one_that_is_gone_no_more(
    store: MatchStore,
) -> None:
    async with rooms_on(store) as rooms:
        damaged, foreign, archived = [(await made(rooms)).match for _ in range(3)]
    await store.command("XDEL", log_key(damaged), "1-0")
    with pytest.raises(LogDamaged):
        await store.read(damaged)
    await store.archive(archived, await store.length(archived), b"file")
    for match in (damaged, foreign, archived, "unknown"):
        await store.set_due(match, 900)
    async with rooms_on(store) as rooms:
        rooms._rules_of = without_editions
        deadlines = Deadlines(store, Time(), rooms.tick)
        await deadlines.look()
        await deadlines.settle()
    assert await store.due(10**6) == {damaged: 1000 + FAILED_MS, foreign: 1000 + FAILED_MS}


def without_editions(edition: str) -> Ruleset:
    raise RulesetError(f"there is no edition {edition}")


async def test_many_due_matches_are_settled_a_few_at_a_time_and_none_is_missed(store: MatchStore) -> None:
    count = 3 * AT_ONCE
    await asyncio.gather(*(store.set_due(f"m{number}", number) for number in range(1, count)))
    gate, seen, inside, most = asyncio.Semaphore(0), set[str](), 0, 0

    async def fire(match: str) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await gate.acquire()
        inside -= 1
        seen.add(match)

    deadlines = Deadlines(store, Time(), fire)
    await deadlines.look()
    await store.set_due("m0", 0)  # it comes before the matches that are being settled
    await deadlines.look()
    gate.release()
    await _until_put_off(store, count - 1)
    await deadlines.look()
    for _ in range(count):
        gate.release()
    for _ in range(3):
        await deadlines.settle()
        await deadlines.look()
    await deadlines.settle()
    assert most == AT_ONCE
    assert len(seen) == count


async def _until_put_off(store: MatchStore, left: int) -> None:
    async with asyncio.timeout(30):
        while len(await store.due(1000, 10**6)) > left:
            pass


async def test_deadlines_are_polled_until_closed(store: MatchStore) -> None:
    looked, pauses = asyncio.Event(), list[float]()
    await due_at(store, "m", 1)

    async def fire(_match: str) -> None:
        looked.set()
        await asyncio.Event().wait()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await never(seconds)

    async with asyncio.timeout(30), Deadlines(store, Time(), fire, sleep) as deadlines:
        await looked.wait()
    assert pauses == [0.5]
    # Settling in progress is cancelled, and the match stays due for another server.
    await deadlines.settle()
    assert await store.due(1) == {"m": 1}
