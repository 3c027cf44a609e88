"""The store's contract, one Redis that is always there."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from pathlib import Path

import pytest
import redis

from server.store.errors import LogDamaged, MatchClosed, MatchExists, StoreError, UnknownMatch
from server.store.store import Appended, Conflict, Duplicate, Listing, MatchStore, Outcome


async def made(store: MatchStore, match_id: str = "m") -> MatchStore:
    await store.create(match_id, 1_700_000_000_000, {}, b"pinned")
    return store


async def test_versions_count_from_one_and_entries_come_back_as_they_went(store: MatchStore) -> None:
    await made(store)
    everything = bytes(range(256)) * 5000
    assert await store.append("m", 1, "a:1", everything) == Appended(2)
    assert await store.append("m", 2, "", b"") == Appended(3)
    assert await store.read("m") == [(1, b"pinned"), (2, everything), (3, b"")]
    assert await store.read("m", after=2) == [(3, b"")]
    assert await store.read("m", after=3) == []


async def test_who_appends_is_told_at_once_of_an_entry_that_is_in_the_log_and_of_no_other(store: MatchStore) -> None:
    await made(store)
    told: list[str] = []

    async def append(expected: int, answer_id: str) -> Outcome:
        appending = asyncio.ensure_future(
            store.append("m", expected, answer_id, b"entry", written=lambda: told.append("written"))
        )
        appending.add_done_callback(lambda _: told.append("done"))
        return await appending

    assert await append(1, "a:1") == Appended(2)
    assert told == ["written", "done"]
    told.clear()
    assert await append(1, "a:1") == Duplicate(2)
    assert await append(1, "a:2") == Conflict(2)
    assert told == ["done", "done"]


async def test_an_answer_that_comes_twice_finds_its_own_version_however_late(store: MatchStore) -> None:
    await made(store)
    await store.append("m", 1, "a:1", b"first")
    await store.append("m", 2, "a:2", b"second")
    assert await store.append("m", 1, "a:1", b"first") == Duplicate(2)
    assert await store.append("m", 3, "a:1", b"another") == Duplicate(2)
    assert await store.length("m") == 3


@pytest.mark.parametrize("expected", [0, 1, 3, 7])
async def test_only_the_last_version_can_be_followed_by_the_next(store: MatchStore, expected: int) -> None:
    await made(store)
    await store.append("m", 1, "a:1", b"first")
    assert await store.append("m", expected, "a:2", b"second") == Conflict(2)
    assert await store.read("m") == [(1, b"pinned"), (2, b"first")]
    # A refused answer is not remembered: it may come again with the right version.
    assert await store.append("m", 2, "a:2", b"second") == Appended(3)


async def test_two_writers_share_the_versions_and_each_is_given_once(valkey_url: str, store: MatchStore) -> None:
    await made(store)

    async def write(mine: MatchStore, name: str, count: int) -> dict[int, bytes]:
        known, written = 1, dict[int, bytes]()
        for number in range(count):
            payload = f"{name} {number}".encode()
            while not isinstance(outcome := await mine.append("m", known, f"{name}:{number}", payload), Appended):
                assert isinstance(outcome, Conflict)
                known = outcome.current
            known = outcome.version
            assert known not in written
            written[known] = payload
        return written

    async with MatchStore(valkey_url) as other:
        ours, theirs = await asyncio.gather(write(store, "we", 150), write(other, "they", 150))
    assert not ours.keys() & theirs.keys()
    assert dict(await store.read("m")) == {1: b"pinned"} | ours | theirs


async def test_a_thousand_matches_append_at_once(store: MatchStore) -> None:
    names = [f"m{number}" for number in range(1000)]
    await asyncio.gather(*(made(store, name) for name in names))
    outcomes = await asyncio.gather(*(store.append(name, 1, "a:1", name.encode()) for name in names))
    assert outcomes == [Appended(2)] * 1000
    assert [await store.read(name, after=1) for name in names[::100]] == [[(2, name.encode())] for name in names[::100]]


async def test_a_log_longer_than_a_chunk_is_read_whole(store: MatchStore) -> None:
    await made(store)
    for version in range(1, 2000):
        await store.append("m", version, f"a:{version}", b"%d" % version)
    assert [version for version, _ in await store.read("m")] == list(range(1, 2001))


async def test_a_match_is_made_once_and_listed_newest_first(store: MatchStore) -> None:
    await store.create("old", 1000, {"secret": b"\x00\xff"}, b"pinned")
    await store.create("new", 2000, {}, b"pinned")
    with pytest.raises(MatchExists):
        await store.create("old", 3000, {"secret": b"other"}, b"other")
    assert await store.read("old") == [(1, b"pinned")]
    assert await store.get_meta("old") == {"secret": b"\x00\xff"}
    assert await store.get_meta("new") == {}
    assert await store.matches() == [Listing("new", 2000), Listing("old", 1000)]
    assert await store.matches(offset=1, count=1) == [Listing("old", 1000)]


async def test_of_two_claims_to_a_seat_one_stands(valkey_url: str, store: MatchStore) -> None:
    await made(store)
    async with MatchStore(valkey_url) as other:
        stands = await asyncio.gather(store.claim_meta("m", "seat", b"we"), other.claim_meta("m", "seat", b"they"))
    assert len(set(stands)) == 1
    assert await store.claim_meta("m", "seat", b"late") == stands[0]
    await store.put_meta("m", {"seat": b"moved", "name": b"x"})
    assert await store.get_meta("m") == {"seat": b"moved", "name": b"x"}


async def test_a_match_that_was_never_made_is_refused_everywhere(store: MatchStore) -> None:
    for call in (
        store.append("m", 0, "a:1", b"x"),
        store.read("m"),
        store.get_meta("m"),
        store.put_meta("m", {"a": b"x"}),
        store.claim_meta("m", "a", b"x"),
        store.archive("m", 1, b"x"),
        anext(store.follow("m", after=0)),
    ):
        with pytest.raises(UnknownMatch):
            await asyncio.wait_for(call, 5)


async def test_a_tombstone_refuses_entries_and_says_where_the_log_went(store: MatchStore) -> None:
    await made(store)
    await store.append("m", 1, "a:1", b"last")
    with pytest.raises(StoreError, match="exported up to version 1"):
        await store.archive("m", 1, b"m.match")
    await store.archive("m", 2, b"m.match")
    await store.archive("m", 2, b"m.match")
    with pytest.raises(MatchClosed):
        await store.append("m", 2, "a:2", b"more")
    with pytest.raises(MatchClosed) as closed:
        await store.read("m")
    assert closed.value.note == b"m.match"
    with pytest.raises(MatchExists):
        await store.create("m", 1, {}, b"again")


async def test_a_log_that_others_had_their_hands_on_is_not_believed(valkey_url: str, store: MatchStore) -> None:
    with redis.Redis.from_url(valkey_url) as client:
        for name in ("hole", "foreign", "shape"):
            await made(store, name)
            for version in (1, 2):
                await store.append(name, version, f"a:{version}", b"x")
        client.xdel("uf:{hole}:log", "2-0")
        client.xadd("uf:{foreign}:log", {"e": b"x"}, id="3-1")
        client.xadd("uf:{shape}:log", {"e": b"x", "f": b"y"}, id="4-0")
        for name in ("hole", "foreign", "shape"):
            with pytest.raises(LogDamaged):
                await store.read(name)
        # The hole shows when something is to be added, too: the length is not the last version.
        with pytest.raises(LogDamaged):
            await store.append("hole", 2, "a:9", b"x")


async def test_ids_that_would_break_a_key_are_mistakes(store: MatchStore) -> None:
    for bad in ("", "a}b", "a:b", "ä", "x" * 65):
        with pytest.raises(ValueError, match="match's id"):
            await store.append(bad, 1, "a:1", b"x")
    with pytest.raises(ValueError, match="store's own"):
        await store.create("m", 1, {":made": b"x"}, b"x")


async def test_a_redis_that_could_lose_matches_is_found_out(valkey_url: str, store: MatchStore) -> None:
    assert await store.losses() == ""
    with redis.Redis.from_url(valkey_url) as client:
        try:
            client.config_set("appendfsync", "everysec")
            assert "last second" in await store.losses()
        finally:
            client.config_set("appendfsync", "always")


async def test_a_redis_does_as_well_as_a_valkey() -> None:
    with tempfile.TemporaryDirectory() as short:
        path = Path(short) / "r.sock"
        words = ["redis-server", "--port", "0", "--unixsocket", str(path), "--dir", short, "--appendonly", "yes"]
        server = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL)
        try:
            async with MatchStore(f"unix://{path}") as store:
                await made(store)
                assert await store.append("m", 1, "a:1", b"x") == Appended(2)
                assert await store.append("m", 1, "a:1", b"x") == Duplicate(2)
                assert await store.append("m", 1, "a:2", b"x") == Conflict(2)
                assert await store.claim_meta("m", "seat", b"we") == b"we"
                assert await anext(store.follow("m", after=1)) == (2, b"x")
                await store.set_due("m", 9)
                assert await store.put_off("m", 9, 10)
                assert await store.append("m", 2, "a:2", b"y", due=11) == Appended(3)
                assert await store.due(11) == {"m": 11}
                await store.archive("m", 3, b"file")
                assert await store.due(11) == {}
                await store.restore("m", 1, {}, [b"1", b"2"], {"a:1": 2}, over_tombstone=True)
                assert await store.append("m", 2, "a:1", b"x") == Duplicate(2)
                assert await store.beat() < 1000
                await store.report(b"rude", "m:1:red")
                await store.report(b"rude", "m:1:red")
                assert await store.reports() == [b"rude"]
                assert await store.losses()
        finally:
            server.kill()
            await server.wait()
