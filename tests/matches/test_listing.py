"""Shared summaries of matches: what servers store for each other and how often; and the summaries of unlisted matches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from client_protocol.from_client import MoreMatches
from client_protocol.from_server import MatchPage, MatchSummary
from server.kernel.belief import SPECTATORS
from server.matches import listing, shared_summaries
from server.matches.environment import Environment
from server.matches.rooms import Rooms
from server.store.errors import MatchRemoved
from server.store.key_names import LISTED_INDEX, NOTES, meta_key
from server.store.store import MatchStore
from tests.support.playing import Listener
from tests.support.room import DUEL, begun, eventually, made, rooms_on
from tests.support.toy_rules import ToyRules

STANDING_CHORES = 2
"""The constant tasks of a server's rooms: checking for idle rooms, and reading the list."""


class Time:
    """A server's seconds: they pass when the test says so, and wake what waits for them."""

    def __init__(self) -> None:
        self.now = 100.0
        self._passed = asyncio.Event()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, _seconds: float) -> None:
        await self._passed.wait()

    def move(self, seconds: float) -> None:
        self.now += seconds
        self._passed.set()
        self._passed = asyncio.Event()


@pytest.fixture
def time() -> Time:
    return Time()


@asynccontextmanager
async def server(store: MatchStore, time: Time) -> AsyncIterator[Rooms]:
    environment = Environment(lambda: 1000, lambda: 0)
    async with Rooms(
        store, {"toy": ToyRules()}, version="0", environment=environment, clock=time, sleep=time.sleep
    ) as rooms:
        yield rooms


@pytest.fixture
async def rooms(store: MatchStore, time: Time) -> AsyncIterator[Rooms]:
    async with server(store, time) as opened:
        yield opened


async def noted(store: MatchStore, match: str) -> MatchSummary | None:
    """Return what another server reads about a match."""
    read = shared_summaries.SharedSummaries(store)
    await read.read()
    return (await read.of([match])).get(match)


async def count(store: MatchStore) -> int:
    held = await store.command("GET", NOTES)
    return int(held) if isinstance(held, bytes) else 0


async def settled(rooms: Rooms, store: MatchStore) -> int:
    """Return how often anything has been stored, once this server has nothing more to do at once."""
    await eventually(lambda: len(rooms._chores) == STANDING_CHORES)
    return await count(store)


async def test_the_stored_summary_follows_answers_at_intervals(rooms: Rooms, store: MatchStore, time: Time) -> None:
    table = await begun(rooms)
    match = table.room.match
    await eventually(lambda: table.room.summary().deciding == ("red", "blue"))
    before = await settled(rooms, store)
    for seat in ("red", "blue"):
        await table.give(seat, table.default(seat))
    assert table.room.summary().turn == 1
    await table.give("red", table.choose("red", "2"))
    assert table.room.summary().deciding == ("blue",)
    after = await settled(rooms, store)
    assert after == before + 1, "that a turn has begun is noted at once, and nothing else"
    time.move(3)
    await told(rooms, store, match)
    assert await count(store) == after + 1
    # No summary was stored for a while, so it is stored at once.
    time.now += 3
    await table.give("blue", table.default("blue"))
    await told(rooms, store, match)


async def told(rooms: Rooms, store: MatchStore, match: str) -> None:
    """Wait until the stored summary agrees with the match."""
    (summary,) = await rooms.summaries([match])
    async with asyncio.timeout(30):
        while await noted(store, match) != replace(summary, spectators=0):  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.002)


async def test_a_stopping_server_stores_the_summaries_of_its_matches(store: MatchStore, time: Time) -> None:
    async with server(store, time) as rooms:
        table = await begun(rooms)
        for seat in ("red", "blue", "red"):
            await table.give(seat, table.default(seat))
        summary = replace(table.room.summary(), spectators=0)
    assert summary.deciding == ("blue",)
    async with rooms_on(store) as elsewhere:
        assert await elsewhere.listing() == (summary,)


async def test_the_summary_of_an_unlisted_match_is_given_to_clients_that_name_it(
    rooms: Rooms, store: MatchStore
) -> None:
    hidden = (await made(rooms, replace(DUEL, listed=False))).match
    listed = (await made(rooms)).match
    asked = [hidden, "nosuchmatch", "../meta", "", listed]
    assert [summary.match for summary in await rooms.listing()] == [listed]
    assert [summary.match for summary in await rooms.summaries(asked)] == [hidden, listed]
    await settled(rooms, store)
    async with rooms_on(store) as elsewhere:
        assert [summary.match for summary in await elsewhere.listing()] == [listed]
        assert [summary.match for summary in await elsewhere.summaries(asked)] == [hidden, listed]
        assert elsewhere._at_hand() == {}, "no room is made for it"


async def test_other_servers_keep_the_summary_of_an_unlisted_match_up_to_date(rooms: Rooms, store: MatchStore) -> None:
    async with rooms_on(store) as elsewhere:
        table = await begun(rooms, replace(DUEL, listed=False))
        await elsewhere.listing()
        (before,) = await elsewhere.summaries([table.room.match])
        assert before.state == "running"
        await table.play_out()
        await settled(rooms, store)
        assert await elsewhere.listing() == ()
        (after,) = await elsewhere.summaries([table.room.match])
        assert after.state == "over"


async def test_spectators_are_counted_on_their_server_and_not_stored(rooms: Rooms, store: MatchStore) -> None:
    calls: list[int] = []
    rooms.on_listing_change(lambda: calls.append(1))
    table = await begun(rooms)
    assert table.room.summary().spectators == 1
    before = await settled(rooms, store)
    calls.clear()
    late = Listener()
    table.room.enter(SPECTATORS, -1, late.connection)
    assert len(calls) == 1
    assert [summary.spectators for summary in await rooms.listing()] == [2]
    table.room.leave(late.connection)
    assert [summary.spectators for summary in await rooms.listing()] == [1]
    assert await settled(rooms, store) == before
    there = await noted(store, table.room.match)
    assert there is not None
    assert there.spectators == 0


async def test_a_match_that_changes_twice_in_a_turn_of_the_loop_is_stored_once(
    rooms: Rooms, store: MatchStore, time: Time
) -> None:
    table = await begun(rooms)
    await settled(rooms, store)
    time.now += 3
    before = set(rooms._chores)
    coming = Listener()
    table.room.enter(SPECTATORS, -1, coming.connection)
    table.room.leave(coming.connection)
    (chore,) = rooms._chores - before
    await chore


async def test_the_stored_summary_of_a_match_is_small(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.play_out()
    await settled(rooms, store)
    held = await store.command("HGET", meta_key(table.room.match), shared_summaries.LISTED)
    assert isinstance(held, bytes)
    assert len(held) < 600


# --- the index ------------------------------------------------------------------------------------------------------------


def standing(match: str, state: shared_summaries.State = "running", made_at: int = 1000) -> MatchSummary:
    return MatchSummary(match, match.title(), "toy", state, 0, made_at, ())


async def put(store: MatchStore, *summaries: MatchSummary, listed: bool = True) -> shared_summaries.SharedSummaries:
    """Store summaries of matches that another server has made."""
    found = shared_summaries.SharedSummaries(store)
    for summary in summaries:
        await store.create(summary.match, summary.made_at, {"secret": b"s"}, b"first")
        await found.put(summary, listed=listed)
    return found


async def pages(found: shared_summaries.SharedSummaries) -> list[list[str]]:
    """Return all pages of the list."""
    await found.read()
    page, more = found.listed, found.more
    every = [list(page)]
    while more:
        last = page[every[-1][-1]]
        page, more = await found.after(last.state, last.made_at, last.match)
        every.append(list(page))
    return every


async def test_matches_that_are_not_listed_do_not_push_out_those_that_are(rooms: Rooms, store: MatchStore) -> None:
    await put(store, standing("shown"))
    await put(store, *(standing(f"hidden-{number}", made_at=2000 + number) for number in range(102)), listed=False)
    assert [summary.match for summary in await rooms.listing()] == ["shown"]
    assert not rooms.more_listed


async def test_the_list_has_open_matches_first_and_pages(store: MatchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_summaries, "PAGE", 2)
    summaries = [standing("over", "over", 9), standing("old", "open", 1), standing("new", "open", 5)]
    summaries += [standing(match) for match in ("a", "b", "c", "d")]
    found = await put(store, *summaries)
    assert await pages(found) == [["new", "old"], ["d", "c"], ["b", "a"], ["over"]]
    await found.put(standing("new", "over", 5), listed=True)
    await found.drop("c")
    assert await pages(found) == [["old", "d"], ["b", "a"], ["over", "new"]]


async def test_a_match_that_is_removed_leaves_the_index_for_good(store: MatchStore) -> None:
    found = await put(store, standing("a"), standing("b"))
    await store.remove("a", await store.length("a"))
    assert await store.command("ZRANGE", LISTED_INDEX, 0, -1) == [b"b"]
    with pytest.raises(MatchRemoved):
        await found.put(standing("a"), listed=True)
    assert await store.command("ZRANGE", LISTED_INDEX, 0, -1) == [b"b"], "nor does a note that comes late bring it back"
    assert await pages(found) == [["b"]]


async def test_summaries_older_than_the_index_are_put_into_it_once(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_summaries, "MISSED", 3)
    await put(store, *(standing(f"m{number}", made_at=number + 1) for number in range(7)))
    await put(store, standing("hidden"), listed=False)
    await store.command("DEL", LISTED_INDEX)
    await store.command("DEL", shared_summaries.BUILT)
    assert await pages(shared_summaries.SharedSummaries(store)) == [["m6", "m5", "m4", "m3", "m2", "m1", "m0"]]
    await store.command("ZREM", LISTED_INDEX, "m3")
    assert await pages(shared_summaries.SharedSummaries(store)) == [["m6", "m5", "m4", "m2", "m1", "m0"]], (
        "and not again"
    )


async def test_a_page_shows_matches_of_this_server_as_they_are_now(
    rooms: Rooms, store: MatchStore, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_summaries, "PAGE", 1)
    monkeypatch.setattr(listing, "PAGE", 1)
    table = await begun(rooms)
    await settled(rooms, store)
    await put(store, standing("open", "open", 2_000))
    assert [summary.match for summary in await rooms.listing()] == ["open"]
    assert rooms.more_listed
    page = await rooms.more_matches(MoreMatches("m", "open", 2_000, "open"))
    assert page == MatchPage("m", (table.room.summary(),))
    assert table.room.summary().spectators == 1


async def test_of_a_match_whose_room_is_closed_the_summary_is_stored_and_nothing_is_kept(
    store: MatchStore, time: Time
) -> None:
    async with server(store, time) as rooms:
        table = await begun(rooms)
        await table.deploy()
        match, told = table.room.match, table.room.summary()
        for listener in table.listeners.values():
            table.room.leave(listener.connection)
        await rooms._close(match)
        await eventually(lambda: len(rooms._chores) == STANDING_CHORES)
        assert await rooms.summaries([match]) == (replace(told, spectators=0),)
        kept = rooms._list
        assert not any((kept._noted, kept._known, kept._glances, kept._stale, kept._waiting, kept._soon))
