"""The past of a match is read once for all who replay it, and shown no further than the match itself has come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from client_protocol.from_client import AskLuckReport, Replay
from client_protocol.from_server import LuckReport, Refused, ReplayPart
from server.kernel.belief import SPECTATORS
from server.matches.log.fold import FOLDED_AT_ONCE
from server.matches.projections.playback import Playback
from server.matches.projections.replay import replay_part
from server.store.errors import StoreUnavailable
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory, whole
from tests.support.room import begun, eventually, rooms_on
from tests.support.toy_rules import ToyRules


class Log:
    """Entries that are read, and how far a match has taken them in."""

    def __init__(self, played: MatchInMemory) -> None:
        self.entries = played.entries
        self.taken = len(played.entries)
        self.read: list[int] = []

    async def __call__(self, after: int) -> list[bytes]:
        self.read.append(after)
        await asyncio.sleep(0)
        return self.entries[after:]


@pytest.fixture
def log() -> Log:
    return Log(whole(ToyRules(rounds=60)))


@pytest.fixture
def playback(log: Log) -> Playback:
    return Playback(ToyRules(), log, lambda: log.taken)


async def test_the_log_is_read_once_for_all_who_request_a_replay_at_once(log: Log, playback: Playback) -> None:
    assert len(log.entries) > FOLDED_AT_ONCE
    wanted = [Replay("r", view, after) for view in ("red", "blue", "") for after in (-1, 10, 60)]
    parts = await asyncio.gather(*(playback.part(message) for message in wanted))
    assert log.read == [0]
    assert parts == [replay_part(ToyRules(), log.entries, message) for message in wanted]


async def test_a_replay_reads_only_new_entries_and_shows_only_those_taken_in(log: Log, playback: Playback) -> None:
    log.taken = 20
    message = Replay("r", "")
    assert await playback.part(message) == replay_part(ToyRules(), log.entries[:20], message)
    assert await playback.part(message) == replay_part(ToyRules(), log.entries[:20], message)
    log.taken = 31
    assert await playback.part(message) == replay_part(ToyRules(), log.entries[:31], message)
    assert log.read == [0, 20]
    playback.forget()
    await playback.part(message)
    assert log.read == [0, 20, 0]


async def test_other_requests_are_served_while_a_long_part_of_a_replay_is_made(playback: Playback) -> None:
    part = asyncio.create_task(playback.part(Replay("r", "")))
    turns = 0
    while not part.done():
        turns += 1
        await asyncio.sleep(0)
    assert isinstance(await part, ReplayPart)
    assert turns > 10


async def test_a_replay_needs_the_database_unless_its_entries_are_known(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> Awaitable[object]:
        raise StoreUnavailable("away")

    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        read = store.read
        monkeypatch.setattr(store, "read", away)
        for reply in (
            await table.room.queries.replay(SPECTATORS, Replay("r", "")),
            await table.room.queries.luck_report(AskLuckReport("l")),
        ):
            assert isinstance(reply, Refused)
            assert reply.code == "database_away"
        monkeypatch.setattr(store, "read", read)
        assert isinstance(await table.room.queries.replay(SPECTATORS, Replay("r", "")), ReplayPart)
        # The entries have been read, so they are shown without the database.
        monkeypatch.setattr(store, "read", away)
        assert isinstance(await table.room.queries.replay("red", Replay("r", "*")), ReplayPart)
        assert isinstance(await table.room.queries.luck_report(AskLuckReport("l")), LuckReport)
