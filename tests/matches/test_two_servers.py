"""A match on two servers at once, and after a crash of either server or of the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import pytest
import redis

from client_protocol.codec import pack
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.players import Webhook
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Rewound, Stepped, decode
from server.matches.log.fold import Fold
from server.matches.rooms import Rooms
from server.store.errors import StoreUnavailable
from server.store.store import MatchStore
from tests.support.room import AUDIENCES, Table, begun, entries_of, eventually, once_failing, rooms_on
from tests.support.toy_rules import ToyRules
from tests.support.valkey import kill, valkey


@pytest.fixture
def counted() -> list[str]:
    """The outcomes of the appends of `rooms`."""
    return []


@pytest.fixture
async def rooms(store: MatchStore, counted: list[str]) -> AsyncIterator[Rooms]:
    async with rooms_on(store, counted=counted) as opened:
        yield opened


@pytest.fixture
async def other(valkey_url: str, store: MatchStore, counted: list[str]) -> AsyncIterator[Rooms]:
    """The rooms of a second server on the same Valkey. (It requests `store` so that the database is emptied only before.)"""
    assert store.health.up
    async with MatchStore(valkey_url) as second, rooms_on(second, counted=counted) as opened:
        yield opened


async def test_two_servers_take_answers_for_one_match(rooms: Rooms, other: Rooms) -> None:
    here = await begun(rooms)
    room = await other.get(here.room.match)
    assert room is not None
    there = Table(room)
    tables = (here, there)
    turn = 0
    while here.room.summary().state != "over":
        table = tables[turn % 2]
        await eventually(lambda: here.room._referee.fold.number == there.room._referee.fold.number)
        if not table.asked:
            break
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        await table.give(seat, table.default(seat))
        turn += 1
    await eventually(lambda: here.room.published and there.room.published)
    await eventually(lambda: here.room._referee.fold.head == there.room._referee.fold.head)
    assert here.room._referee.fold.state == there.room._referee.fold.state
    for audience in AUDIENCES:
        # Listeners at either server get the same frames, to the byte, from the moment when both listen.
        frames = there.listeners[audience].frames[1:]
        assert frames
        assert frames == here.listeners[audience].frames[-len(frames) :]


async def test_a_server_goes_on_following_after_an_error_in_one_entry(
    rooms: Rooms, other: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    there = await other.get(table.room.match)
    assert there is not None
    await eventually(lambda: there.length == table.room.length)
    monkeypatch.setattr(there._writer, "_publish", once_failing(there._writer._publish))
    await table.play_out()
    await eventually(lambda: table.room.published and there.published)
    assert there._referee.fold.state == table.room._referee.fold.state


async def test_simultaneous_answers_at_two_servers_conflict_and_both_arrive(
    rooms: Rooms, other: Rooms, counted: list[str]
) -> None:
    here = await begun(rooms)
    room = await other.get(here.room.match)
    assert room is not None
    there = Table(room)
    red, blue = here.default("red"), there.default("blue")
    replies = await asyncio.gather(here.room.answer("red", red), there.room.answer("blue", blue))
    assert all(isinstance(reply, Accepted) for reply in replies)
    assert "conflicts" in counted
    await eventually(lambda: here.room.summary().turn == there.room.summary().turn == 1)
    # The same answer at both: the second server finds the first one's result.
    bid = here.choose("red", "2")
    first, second = await asyncio.gather(here.room.answer("red", bid), there.room.answer("red", bid))
    assert first == second


async def test_an_answer_to_a_prompt_closed_on_another_server_is_refused(rooms: Rooms, other: Rooms) -> None:
    here = await begun(rooms)
    room = await other.get(here.room.match)
    assert room is not None
    there = Table(room)
    await here.deploy()
    await eventually(lambda: there.room.summary().turn == 1)
    for seat in ("red", "blue"):
        await here.give(seat, here.choose(seat, "1"))
    await eventually(lambda: there.room._referee.fold.head == here.room._referee.fold.head)
    (seat,) = here.asked
    mine, theirs = here.default(seat), there.default(seat)
    replies = await asyncio.gather(here.room.answer(seat, mine), there.room.answer(seat, theirs))
    kinds = sorted(type(reply).__name__ for reply in replies)
    assert kinds == ["Accepted", "Refused"]


async def test_a_webhook_that_is_named_on_one_server_is_known_to_the_other(rooms: Rooms, other: Rooms) -> None:
    here = (await begun(rooms)).room
    there = await other.get(here.match)
    assert there is not None
    webhook = Webhook("https://example.org/hook")
    await here.set_webhook("red", webhook)
    await eventually(lambda: there.webhook("red") == webhook)
    assert there.webhooks == ("red",)
    await there.set_webhook("red", None)
    await eventually(lambda: here.webhooks == ())


async def deaf(rooms: Rooms, match: str) -> Table:
    """A table at a server that is told of nothing that others append any more, as when messages of the database are late."""
    room = await rooms.get(match)
    assert room is not None
    table = Table(room)
    following = room._writer._following
    assert following is not None
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    return table


async def test_an_answer_that_was_taken_is_acknowledged_by_a_server_that_has_not_heard_of_it(
    rooms: Rooms, other: Rooms
) -> None:
    here = await begun(rooms)
    await here.deploy()
    there = await deaf(other, here.room.match)
    bids = {seat: here.choose(seat, "1") for seat in ("red", "blue")}
    for seat, bid in bids.items():
        await here.give(seat, bid)
    (seat,) = here.asked
    answer = here.default(seat)
    accepted = await here.give(seat, answer)
    assert here.prompt(here.asked[0]).id != answer.prompt
    # Its prompt was never open there, and is open nowhere now.
    assert await there.room.answer(seat, answer) == accepted


async def test_a_server_that_is_behind_takes_an_answer_to_a_prompt_that_another_server_has_shown(
    rooms: Rooms, other: Rooms
) -> None:
    here = await begun(rooms)
    await here.deploy()
    there = await deaf(other, here.room.match)
    for seat in ("red", "blue"):
        await here.give(seat, here.choose(seat, "1"))
    (seat,) = here.asked
    await there.give(seat, here.default(seat))


# --- crashes ---------------------------------------------------------------------------------------------------------


async def test_after_a_crash_at_any_prompt_the_same_prompt_is_open(rooms: Rooms, valkey_url: str) -> None:
    table = await begun(rooms)
    while table.asked:
        async with MatchStore(valkey_url) as again, rooms_on(again) as fresh:
            room = await fresh.get(table.room.match)
            assert room is not None
            for audience in map(audience_of, AUDIENCES):
                assert pack(room.teller.snapshot(audience)) == pack(table.room.teller.snapshot(audience))
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        await table.give(seat, table.default(seat))


async def test_a_match_loaded_with_other_rules_is_rewound_and_says_so(
    rooms: Rooms, store: MatchStore, valkey_url: str
) -> None:
    table = await begun(rooms)
    await table.deploy()
    for seat in ("red", "blue"):
        await table.give(seat, table.choose(seat, "3"))
    async with MatchStore(valkey_url) as later, rooms_on(later, ToyRules(version="toy 2", bonus=5)) as newer:
        room = await newer.get(table.room.match)
        assert room is not None
        new = Table(room)
        await eventually(lambda: new.asked == ["red", "blue"])
        bodies = [decode(1, e).body for e in await entries_of(store, table.room.match)]
        assert isinstance(bodies[-2], Rewound)
        assert isinstance(bodies[-1], Stepped)
        assert bodies[-1].version == "toy 2"
        # The old server follows: it shows the rewind and takes no more answers.
        await eventually(lambda: table.room._referee.fold.head == room._referee.fold.head)
        told = [m for m in table.listeners["red"].messages if isinstance(m, Update)]
        assert any("rules" in story.text for m in told[-2:] for story in m.story)
        await new.play_out()


def killed(url: str) -> bool:
    """Kill the Valkey there, once it has come back from the last time."""
    try:
        kill(url)
    except redis.ConnectionError:
        return False
    return True


async def test_killing_valkey_during_an_append_neither_loses_nor_repeats_an_answer(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, MatchStore(url, wait_seconds=20) as store, rooms_on(store) as rooms:
        table = await begun(rooms)
        for turns in (1, 4, 7):
            seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
            sent = table.room.answer(seat, table.default(seat))
            for _ in range(turns):
                await asyncio.sleep(0)
            await eventually(lambda: killed(url))
            reply = await sent
            assert isinstance(reply, Accepted), reply
        await table.play_out()
        await eventually(lambda: table.room.published)
        entries = await entries_of(store, table.room.match)
        fold = Fold(entries[0])
        for entry in entries[1:]:
            fold.add(entry)
        assert fold.state == table.room._referee.fold.state
        answers = [b.answer for e in entries[1:] if isinstance(b := decode(1, e).body, Stepped)]
        assert len(answers) == len(set(answers))


async def test_answers_are_refused_while_the_database_is_away_and_accepted_later(
    store: MatchStore, rooms: Rooms
) -> None:
    table = await begun(rooms)
    answer = table.default("red")
    working = store.append

    async def away(*_: object, **__: object) -> Awaitable[object]:
        raise StoreUnavailable("away")

    store.append = away  # type: ignore[method-assign, assignment]
    refused = await table.room.answer("red", answer)
    assert isinstance(refused, Refused)
    assert refused.code == "database_away"
    assert not table.prompt("red").answered
    store.append = working  # type: ignore[method-assign]
    assert isinstance(await table.room.answer("red", answer), Accepted)
    await table.play_out()
