"""A whole log at once: all of it, or nothing."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
import redis

from server.matches.projections.reports import ReportNote, about, note, read
from server.store import restoring
from server.store.errors import MatchClosed, MatchExists, StoreError, UnknownMatch
from server.store.redis_link import Word
from server.store.retrying import Commands
from server.store.scripts import RESTORE_END, RESTORE_PART, Script
from server.store.store import Appended, Duplicate, Listing, MatchStore
from server.store.wire import Reply
from tests.support.valkey import Wire

COUNT = 2 * restoring.PART_ENTRIES + 7
ENTRIES = [b"%d" % version for version in range(1, COUNT + 1)]
ANSWERS = {f"a:{version}": version for version in range(2, COUNT, 3)} | {"b:1": COUNT}
META = {"secret": b"\x00\xff"}


def lifetimes(url: str) -> dict[bytes, int]:
    """Every key there is, and after how many ms it vanishes; -1: never."""
    with redis.Redis.from_url(url) as client:
        keys: list[bytes] = client.keys()
        return {key: client.pttl(key) for key in keys}


async def restored(store: MatchStore) -> None:
    await store.restore("m", 1000, META, ENTRIES, ANSWERS)


async def check(store: MatchStore) -> None:
    assert await store.read("m") == list(enumerate(ENTRIES, 1))
    assert await store.get_meta("m") == META
    assert await store.matches() == [Listing("m", 1000)]
    for answer in ("a:2", "a:1001", "b:1"):
        assert await store.append("m", COUNT, answer, b"again") == Duplicate(ANSWERS[answer])
    assert await store.append("m", COUNT, "a:9999", b"next") == Appended(COUNT + 1)


async def test_a_restored_match_is_stored_like_one_that_was_played_here(valkey_url: str, store: MatchStore) -> None:
    await restored(store)
    await check(store)
    names = (b"uf:{m}:log", b"uf:{m}:answers", b"uf:{m}:meta", b"uf:matches")
    assert lifetimes(valkey_url) == dict.fromkeys(names, -1)


async def test_large_entries_go_in_parts_of_their_own(store: MatchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restoring, "PART_BYTES", 100)
    entries = [bytes([number]) * 70 for number in range(9)]
    await store.restore("m", 1, {}, entries, {})
    assert [payload for _, payload in await store.read("m")] == entries
    assert await store.append("m", 9, "a:1", b"x") == Appended(10)


@pytest.mark.parametrize("steps", [1, 2, 3])
async def test_an_interrupted_restore_leaves_no_match_behind(
    valkey_url: str, store: MatchStore, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    done = 0
    working = Commands.run

    async def dies(
        self: Commands, script: Script, keys: tuple[bytes, ...], words: Iterable[Word]
    ) -> tuple[Reply, bool]:
        nonlocal done
        if script in {RESTORE_PART, RESTORE_END}:
            if done == steps:
                raise KeyboardInterrupt
            done += 1
        return await working(self, script, keys, words)

    monkeypatch.setattr(Commands, "run", dies)
    with pytest.raises(KeyboardInterrupt):
        await restored(store)
    monkeypatch.undo()
    with pytest.raises(UnknownMatch):
        await store.read("m")
    with pytest.raises(UnknownMatch):
        await store.get_meta("m")
    assert await store.matches() == []
    left = lifetimes(valkey_url)
    assert len(left) == 2
    assert all(0 < lifetime <= restoring.LEFT_MS for lifetime in left.values())
    await restored(store)
    await check(store)


@pytest.mark.parametrize("lost", [b"entry 3", b"mark of the end"])
async def test_a_restore_survives_a_lost_reply(valkey_url: str, lost: bytes) -> None:
    entries, meta = [b"entry %d" % version for version in range(1, 5)], {"mark": b"mark of the end"}
    with tempfile.TemporaryDirectory() as short:
        async with Wire(valkey_url, Path(short)) as wire, MatchStore(wire.url, patience_seconds=0.2) as store:
            wire.cut_replies_to = lost
            await store.restore("m", 1, meta, entries, {"a:1": 4})
            assert wire.cut_replies_to == b""
            assert [payload for _, payload in await store.read("m")] == entries
            assert await store.get_meta("m") == meta


async def test_of_two_servers_restoring_one_match_only_one_succeeds(valkey_url: str, store: MatchStore) -> None:
    async with MatchStore(valkey_url) as other:
        ends = await asyncio.gather(restored(store), restored(other), return_exceptions=True)
    assert [type(end) for end in ends if end is not None] == [MatchExists]
    await check(store)


async def test_what_is_there_is_not_touched_and_a_tombstone_only_when_it_may_be(store: MatchStore) -> None:
    await store.create("m", 1, {"mine": b"x"}, b"pinned")
    for over in (False, True):
        with pytest.raises(MatchExists):
            await store.restore("m", 1000, META, ENTRIES, ANSWERS, over_tombstone=over)
    assert await store.read("m") == [(1, b"pinned")]
    await store.archive("m", 1, b"file")
    with pytest.raises(MatchExists):
        await restored(store)
    with pytest.raises(MatchClosed):
        await store.read("m")
    await store.restore("m", 1000, META, ENTRIES, ANSWERS, over_tombstone=True)
    await check(store)
    # And it can be archived again.
    await store.archive("m", COUNT + 1, b"file")
    with pytest.raises(MatchExists):
        await restored(store)


async def test_parts_that_redis_has_forgotten_make_no_match(
    valkey_url: str, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = restoring._parts

    def forgetful(entries: list[bytes]) -> Iterable[list[bytes]]:
        for part in parts(entries):
            yield part
            with redis.Redis.from_url(valkey_url) as client:
                client.flushall()

    monkeypatch.setattr(restoring, "_parts", forgetful)
    with pytest.raises(StoreError, match="0 entries are there"):
        await restored(store)
    with pytest.raises(StoreError, match="0 entries are there"):
        await store.restore("m", 1, {}, [b"one"], {})
    with pytest.raises(UnknownMatch):
        await store.read("m")


async def test_a_log_of_nothing_and_answers_to_nothing_are_mistakes(store: MatchStore) -> None:
    with pytest.raises(ValueError, match="no entries"):
        await store.restore("m", 1, {}, [], {})
    with pytest.raises(ValueError, match="no entries"):
        await store.restore("m", 1, {}, [b"x"], {"a:1": 2})


async def test_reports_are_kept_newest_first_each_once_and_not_for_ever(store: MatchStore) -> None:
    assert await store.reports() == []
    await asyncio.gather(*(store.report(b"%d" % number, f"m:{number}:red") for number in range(1002)))
    assert await store.report(b"last", "m:2000:red")
    assert not await store.report(b"last", "m:2000:red")
    assert not await store.report(b"again, in other words", "m:2000:red")
    kept = await store.reports()
    assert kept[:2] == [b"last", b"1001"]
    assert (len(kept), kept[-1]) == (1000, b"3")


async def test_a_report_whose_reply_was_lost_is_kept_once(valkey_url: str) -> None:
    with tempfile.TemporaryDirectory() as short:
        async with Wire(valkey_url, Path(short)) as wire, MatchStore(wire.url, patience_seconds=0.2) as store:
            wire.cut_replies_to = b"rude"
            await store.report(b"rude", "m:1:red")
            assert wire.cut_replies_to == b""
            assert await store.reports() == [b"rude"]


async def test_a_report_that_fell_off_the_end_can_be_made_again(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.store.metadata.MOST_REPORTS", 2)
    notes = [ReportNote("m", entry, "blue", "Bob", "You fool", 1, "red", "rude") for entry in (1, 2, 3)]
    for each in notes:
        assert await store.report(note(each), about(each))
    assert not await store.report(note(notes[1]), about(notes[1]))
    assert await store.report(note(notes[0]), about(notes[0]))
    assert [read(kept).entry for kept in await store.reports()] == [1, 3]
