"""The start page's list: kept up to date, a few times a second at most, and silent about matches that are not listed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from msgspec.structs import replace

from client_protocol.from_server import Matches, MatchesChanged, MatchSummary
from server.gateway.lobby import Lobby
from tests.gateway.fakes import FakeRooms
from tests.support.playing import Listener
from tests.support.room import eventually


def info(match: str, turn: int = 0) -> MatchSummary:
    return MatchSummary(match, match.title(), "fake", "running", turn, 0, ())


class Pause:
    """A pause that ends when it is told to."""

    def __init__(self) -> None:
        self.waiting = 0
        self._over = asyncio.Event()

    async def __call__(self, _seconds: float) -> None:
        self.waiting += 1
        await self._over.wait()
        self.waiting -= 1

    async def end(self) -> None:
        self._over.set()
        await eventually(lambda: not self.waiting)
        self._over.clear()


@pytest.fixture
def rooms() -> FakeRooms:
    rooms = FakeRooms()
    rooms.matches = [info("listed")]
    rooms.unlisted = {"mine": info("mine"), "other": info("other")}
    return rooms


@pytest.fixture
def pause() -> Pause:
    return Pause()


@pytest.fixture
async def lobby(rooms: FakeRooms, pause: Pause) -> AsyncIterator[Lobby]:
    opened = Lobby(rooms, pause)
    yield opened
    opened.close()


async def entered(lobby: Lobby, *mine: str) -> Listener:
    listener = Listener()
    await lobby.enter(listener.connection, mine)
    return listener


def shown(listener: Listener) -> tuple[dict[str, int], dict[str, int]]:
    """The listed matches and one's own by all the frames so far, with their turns."""
    listed: dict[str, int] = {}
    mine: dict[str, int] = {}
    for message in listener.messages:
        if isinstance(message, Matches):
            listed, mine = ({info.match: info.turn for info in part} for part in (message.matches, message.mine))
            continue
        assert isinstance(message, MatchesChanged)
        for match in message.gone:
            assert (listed.pop(match, None) is None) != (mine.pop(match, None) is None), "what is gone was there"
        for into, other, part in ((listed, mine, message.changed), (mine, listed, message.mine)):
            for info in part:
                into[info.match] = info.turn
                other.pop(info.match, None)
    return listed, mine


async def settled(pause: Pause, holds: Callable[[], bool]) -> None:
    """Wait until it holds, and until the list has been told to all."""
    await eventually(lambda: holds() and pause.waiting > 0)


async def test_unlisted_matches_are_shown_only_to_connections_that_name_them(
    lobby: Lobby, rooms: FakeRooms, pause: Pause
) -> None:
    ann = await entered(lobby, "mine", "listed", "nonsense", "mine")
    bob, cat = await entered(lobby, "other"), await entered(lobby)
    assert shown(ann) == ({"listed": 0}, {"mine": 0})
    assert shown(bob) == ({"listed": 0}, {"other": 0})
    assert shown(cat) == ({"listed": 0}, {})
    rooms.unlisted["mine"] = info("mine", 1)
    rooms.changed()
    await settled(pause, lambda: len(ann.frames) == 2)
    assert shown(ann) == ({"listed": 0}, {"mine": 1})
    assert (len(bob.frames), len(cat.frames)) == (1, 1), "others do not learn that anything has happened"
    await pause.end()
    rooms.matches = [info("listed", 1)]
    rooms.changed()
    await settled(pause, lambda: len(cat.frames) == 2)
    assert [shown(one) for one in (ann, bob, cat)] == [
        ({"listed": 1}, {"mine": 1}),
        ({"listed": 1}, {"other": 0}),
        ({"listed": 1}, {}),
    ]


async def test_a_match_that_is_listed_is_not_told_twice(lobby: Lobby, rooms: FakeRooms, pause: Pause) -> None:
    ann = await entered(lobby, "listed")
    assert shown(ann) == ({"listed": 0}, {})
    rooms.matches = []
    rooms.unlisted["listed"] = info("listed")
    rooms.changed()
    await settled(pause, lambda: len(ann.frames) == 2)
    late = await entered(lobby, "listed")
    assert shown(late) == shown(ann) == ({}, {"listed": 0})


async def test_many_changes_are_told_together(lobby: Lobby, rooms: FakeRooms, pause: Pause) -> None:
    ann = await entered(lobby)
    for turn in range(1, 30):
        rooms.matches = [replace(info("listed"), turn=turn)]
        rooms.changed()
        if turn == 1:
            await settled(pause, lambda: len(ann.frames) == 2)
    assert shown(ann)[0] == {"listed": 1}
    await pause.end()
    await eventually(lambda: shown(ann)[0] == {"listed": 29})
    assert len(ann.frames) == 3


async def test_a_change_during_a_visitors_entry_is_not_missed(
    lobby: Lobby, rooms: FakeRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = rooms.listing

    async def slowly() -> tuple[MatchSummary, ...]:
        found = await read()
        if rooms.matches[0].turn == 0:
            rooms.matches = [info("listed", 1)]
            rooms.changed()
        return found

    monkeypatch.setattr(rooms, "listing", slowly)
    ann = await entered(lobby)
    await eventually(lambda: shown(ann)[0] == {"listed": 1})


async def test_a_slow_visitors_snapshot_holds_the_list_and_their_own_matches(
    lobby: Lobby, rooms: FakeRooms, pause: Pause
) -> None:
    ann, bob = await entered(lobby, "mine"), await entered(lobby)
    rooms.unlisted["mine"] = info("mine", 1)
    rooms.changed()
    await settled(pause, lambda: len(ann.frames) == 2)
    for listener in (ann, bob):
        assert listener.snapshot is not None
        fresh = Listener()
        fresh.connection.publish(listener.snapshot())
        assert shown(fresh) == shown(listener)
    lobby.leave(ann.connection)
    await pause.end()
    rooms.matches = []
    rooms.changed()
    await settled(pause, lambda: len(bob.frames) == 2)
    assert len(ann.frames) == 2


async def test_only_what_is_different_is_told(lobby: Lobby, rooms: FakeRooms, pause: Pause) -> None:
    rooms.matches = [info(f"match-{number:02}") for number in range(60)]
    ann = await entered(lobby)
    rooms.matches[7] = info("match-07", 3)
    del rooms.matches[50]
    rooms.matches.append(info("new"))
    rooms.more_listed = True
    rooms.changed()
    await settled(pause, lambda: len(ann.frames) == 2)
    assert ann.messages[-1] == MatchesChanged((info("match-07", 3), info("new")), ("match-50",), (), more=True)
    assert len(ann.frames[1]) < len(ann.frames[0]) / 10
    assert shown(ann)[0] == {one.match: one.turn for one in rooms.matches}
    assert shown(await entered(lobby)) == shown(ann)


async def test_a_second_visitor_is_served_without_reading_the_list_again(
    lobby: Lobby, rooms: FakeRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = rooms.listing

    async def counted() -> tuple[MatchSummary, ...]:
        reads.append(1)
        return await read()

    monkeypatch.setattr(rooms, "listing", counted)
    first = await entered(lobby)
    for _ in range(10):
        assert shown(await entered(lobby)) == shown(first)
    assert len(reads) == 1


async def test_the_list_is_read_anew_after_a_time_without_visitors(lobby: Lobby, rooms: FakeRooms) -> None:
    ann = await entered(lobby)
    lobby.leave(ann.connection)
    rooms.matches = [info("later")]
    rooms.changed()
    assert shown(await entered(lobby)) == ({"later": 0}, {})
