"""Matches that only programs play go on while no one is there, as many at a time as the operator lets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from client_protocol.choices import Picked
from client_protocol.from_client import MakeMatch
from client_protocol.from_server import MatchMade, ProgramInfo
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.matches.deadlines import Deadlines
from server.matches.machines import PACE, Machines
from server.matches.play.machine_turns import LOOK_MS
from server.matches.rooms import Rooms
from server.matches.unattended import WAITS_MS, Unattended
from server.store.store import MatchStore
from server.work.desk import RulesOf
from tests.support.playing import Listener
from tests.support.room import Hands, eventually, rooms_on
from tests.support.toy_rules import ToyRules

PROGRAMS = (ProgramInfo("weak", "Weak", "It is weak."),)
MACHINES = MakeMatch("make-1", "toy", "duel", "Ada", (), programs={"red": "weak", "blue": "weak"})


@dataclass
class Room:
    unattended: bool


class Process:
    """Runs jobs at once."""

    async def do(self, _seconds: float, job: Callable[..., Picked], *args: object) -> Picked:
        return job(lambda _name: ToyRules(), *args)


def default(_rules: RulesOf, _edition: str, _program: str, _state: State, asked: Asked, *_more: str) -> Picked:
    return asked.default


class Steps:
    """A clock of a program that only moves when a test lets it."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self.free = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.free.wait()


def opened(store: MatchStore, steps: Steps, most: int, hands: Hands | None = None) -> Rooms:
    machines = Machines(PROGRAMS, default, Process(), steps.sleep)  # type: ignore[arg-type]
    return rooms_on(store, ToyRules(rounds=3), hands=hands, machines=machines, unattended=most)


async def _asked(rooms: Rooms, match: str) -> None:
    room = await rooms.get(match)
    assert room is not None
    await eventually(lambda: room.machine_turn() is not None)


async def made(rooms: Rooms) -> str:
    match = await rooms.make(MACHINES)
    assert isinstance(match, MatchMade)
    assert match.passes == ()
    return match.match


def test_as_many_matches_have_a_place_as_the_operator_says() -> None:
    places = Unattended(1)
    first, second = Room(unattended=True), Room(unattended=True)
    assert [places.admits("m1", first), places.admits("m2", second)] == [True, False]
    # Who is watched needs no place, and frees the one it had.
    first.unattended = False
    assert [places.admits("m1", first), places.admits("m2", second), places.holds("m2")] == [True, True, True]
    places.forget("m2")
    first.unattended = True
    assert places.admits("m1", first)


async def test_two_programs_play_a_match_to_its_end_though_no_connection_is_there(store: MatchStore) -> None:
    steps = Steps()
    async with opened(store, steps, 1) as rooms:
        match = await made(rooms)
        await eventually(lambda: bool(steps.slept))
        steps.free.set()
        room = await rooms.get(match)
        assert room is not None
        assert room.empty
        await eventually(lambda: room.published)
        # There is time to watch between two decisions.
        assert set(steps.slept) == {PACE}
        assert not room.unattended


async def test_a_match_without_a_place_waits_until_someone_watches(store: MatchStore) -> None:
    steps = Steps()
    async with opened(store, steps, 1) as rooms:
        first, second = await made(rooms), await made(rooms)
        await eventually(lambda: bool(steps.slept))
        assert await rooms.tick(first) is None
        assert await rooms.tick(second) == WAITS_MS
        assert len(steps.slept) == 1
        room = await rooms.get(second)
        assert room is not None
        room.enter(await room.admit(""), -1, Listener().connection)  # type: ignore[arg-type]
        await eventually(lambda: len(steps.slept) == 2)


async def test_another_server_goes_on_with_the_match_when_the_first_has_stopped(store: MatchStore) -> None:
    hands = Hands(up=1)
    async with opened(store, Steps(), 1, hands) as rooms:
        match = await made(rooms)
        await _asked(rooms, match)
    hands.move(LOOK_MS / 1000 + 1)
    steps = Steps()
    steps.free.set()
    async with opened(store, steps, 1, hands) as rooms:
        assert match in await store.due(hands.up)
        deadlines = Deadlines(store, type("Up", (), {"now": lambda _self: hands.up})(), rooms.tick)
        await deadlines.look()
        await deadlines.settle()
        room = await rooms.get(match)
        assert room is not None
        await eventually(lambda: room.published)


async def test_a_server_that_lets_none_go_on_plays_only_for_those_who_watch(store: MatchStore) -> None:
    steps = Steps()
    async with opened(store, steps, 0) as rooms:
        match = await made(rooms)
        assert await rooms.tick(match) == WAITS_MS
        assert steps.slept == []
