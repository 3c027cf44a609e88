"""Matches whose log cannot be read, now or for good: what players are told, and what the operator is told."""

from __future__ import annotations

import asyncio
import logging

import pytest
import redis
from msgspec.structs import replace

from client_protocol.from_client import ExportText, ForkPoint, Recall, Replay, Report, Say, TakeSeat
from client_protocol.from_server import Accepted, MatchMade, Refused
from server.kernel.belief import SPECTATORS
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.store.errors import LogDamaged, StoreUnavailable
from server.store.store import Health, MatchStore
from tests.support.room import DUEL, made, rooms_on
from tests.support.valkey import until


async def room_in(rooms: Rooms, made: MatchMade) -> Room:
    room = await rooms.get(made.match)
    assert room is not None
    return room


def damage(url: str, match: str, how: str) -> None:
    """Damage a match's log in a way that no server does."""
    log, meta = f"uf:{{{match}}}:log", f"uf:{{{match}}}:meta"
    with redis.Redis.from_url(url) as client:
        if how == "a gap":
            client.xdel(log, "1-0")
        elif how == "garbage":
            client.xadd(log, {"e": b"\xc1 no entry"}, id="2-0")
        elif how == "no log":
            client.delete(log)
            client.set(log, "something else")
        elif how == "a torn entry":
            (entry,) = client.xrange(log, "1-0", "1-0")
            client.delete(log)
            client.xadd(log, {"e": entry[1][b"e"][:-7]}, id="1-0")
        else:
            client.hdel(meta, "secret")


@pytest.mark.parametrize("how", ["a gap", "garbage", "no log", "a torn entry", "no secret"])
async def test_a_damaged_log_is_reported_as_damaged_and_logged_once(
    store: MatchStore, valkey_url: str, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    caplog.set_level(logging.WARNING)
    async with rooms_on(store) as before:
        match = (await made(before, replace(DUEL, mine=("red",)))).match
    damage(valkey_url, match, how)
    async with rooms_on(store) as rooms:
        for _ in range(3):
            with pytest.raises(LogDamaged):
                await rooms.get(match)
            await rooms.tick(match)
            refused = await rooms.take_seat(TakeSeat("an-id-of-some-length", match, "blue", "Bob"))
            assert isinstance(refused, Refused)
            assert refused.code == "damaged"
            assert "tell the server's operator" in refused.sentence
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert said[0].startswith(f"The log of match {match} is damaged: ")
    assert "restore its data from a backup" in said[0]
    assert not any(record.exc_info for record in caplog.records)


async def test_a_log_damaged_during_play_is_reported_as_damaged(
    store: MatchStore, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with rooms_on(store) as rooms:
        match = await made(rooms, DUEL)
        room = await room_in(rooms, match)
        with redis.Redis.from_url(valkey_url) as client:
            client.xadd(f"uf:{{{match.match}}}:log", {"e": b"\xc1 no entry"}, id="99-0")
        for number in range(3):
            refused = await room.say("red", "", Say(f"say-{number:08}", "Hello?"))
            assert isinstance(refused, Refused)
            assert refused.code == "match_not_running"
            assert "its log is damaged on the server" in refused.sentence
        for reply in (
            await room.report("red", Report("report-00", 1, "rude")),
            await room.queries.export_text("red", ExportText("t")),
            await room.queries.replay("red", Replay("r", "red", -1)),
        ):
            assert isinstance(reply, Refused)
            assert reply.code == "damaged"
    said = [record.getMessage() for record in caplog.records if "damaged" in record.getMessage()]
    assert len(said) == 1
    assert not any(record.exc_info for record in caplog.records)


async def test_every_request_that_needs_an_unreadable_entry_reports_the_damage(
    store: MatchStore, valkey_url: str
) -> None:
    async with rooms_on(store) as rooms:
        match = await made(rooms, DUEL)
        room = await room_in(rooms, match)
        token = next(row.token for row in match.passes if row.seat == "red")
        for number in range(2):
            await room.say("red", "", Say(f"say-{number:08}", "Hello?"))
        with redis.Redis.from_url(valkey_url) as client:
            client.xadd(f"uf:{{{match.match}}}:log", {"e": b"\xc1 no entry"}, id=f"{room.length + 1}-0")
        for reply in (
            await room.queries.export_text("red", ExportText("t")),
            await room.report("red", Report("report-00", 99, "rude")),
            await rooms.make(replace(DUEL, id="make-2", fork=ForkPoint(match.match, "red", 1, token))),
        ):
            assert isinstance(reply, Refused), reply
            assert reply.code == "damaged", reply
        story = await room.queries.recall("red", Recall("r", 99))
        assert (story.frames, story.more) == ((), True)


async def test_requests_that_need_the_log_are_refused_while_the_database_is_away(store: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        match, other = await made(rooms, DUEL), await made(rooms, replace(DUEL, id="make-2"))
        room = await room_in(rooms, match)
        said = await room.say("red", "", Say("say-00000001", "Hello?"))
        assert isinstance(said, Accepted)
        await rooms._close(other.match)
        store.block("It is gone.")
        for reply in (
            await room.report("blue", Report("report-00", said.seq, "rude")),
            await room.queries.export_text("red", ExportText("t")),
            await rooms.take_seat(TakeSeat("an-id-of-some-length", other.match, "blue", "Bob")),
            await rooms.make(replace(DUEL, id="make-3")),
        ):
            assert isinstance(reply, Refused), reply
            assert reply.code == "database_away"
        with pytest.raises(StoreUnavailable):
            await rooms.get(other.match)
        # A token that this server does not know may still be right.
        with pytest.raises(StoreUnavailable):
            await room.admit("given-out-elsewhere")
        assert await room.admit("") is SPECTATORS


async def test_appends_queued_behind_a_failed_one_are_refused_without_a_try(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.matches.writer.WAIT_SECONDS", 0.0)
    async with rooms_on(store) as rooms:
        room = await room_in(rooms, await made(rooms, DUEL))
        tried: list[int] = []
        waiting = asyncio.Event()

        async def hung(*_: object, **__: object) -> None:
            tried.append(1)
            await waiting.wait()
            store._redis.health = Health(up=False, since_ms=0, reason="It gives no sign of life.")
            raise StoreUnavailable("It gives no sign of life.")

        monkeypatch.setattr(store, "append", hung)
        lines = [asyncio.create_task(room.say("red", "", Say(f"say-{n:08}", "Hello?"))) for n in range(4)]
        await until(lambda: bool(tried))
        waiting.set()
        replies = await asyncio.gather(*lines)
        assert [getattr(reply, "code", "") for reply in replies] == ["database_away"] * 4
        assert len(tried) == 1
