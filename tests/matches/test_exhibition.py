"""The exhibition of a server: two programs play for those who look at a start page, and for nobody else."""

from __future__ import annotations

import asyncio

import pytest

from client_protocol.from_client import AskExhibition, MakeMatch
from client_protocol.from_server import EditionInfo, Exhibition, MatchMade, ProgramInfo, Refused, ScenarioInfo
from server.matches.exhibition import Exhibitions
from server.matches.machines import Machines
from server.matches.rooms import Rooms
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreError
from server.store.store import MatchStore
from tests.matches.test_unattended import Process, Steps, default
from tests.support.playing import Listener
from tests.support.room import eventually, rooms_on
from tests.support.toy_rules import ToyRules

PROGRAMS = tuple(ProgramInfo(one, one.title(), "") for one in ("weak", "good", "best"))
ASK = AskExhibition("1")


def scenario(name: str, minutes: int, *seats: str) -> ScenarioInfo:
    return ScenarioInfo(name, name, "", minutes, tuple((seat, seat) for seat in seats))


EDITIONS = (
    EditionInfo("a", "A", (), (scenario("long", 60, "x", "y"), scenario("short", 10, "x", "y"))),
    EditionInfo("b", "B", (), (scenario("crowd", 5, "p", "q", "r"), scenario("duel", 20, "p", "q"))),
    EditionInfo("c", "C", (), (scenario("crowd", 5, "p", "q", "r"),)),
)


class House:
    """Makes matches by number, and notes what is made and removed."""

    def __init__(self) -> None:
        self.made: list[MakeMatch] = []
        self.removed: list[str] = []
        self.noted: list[str] = []
        self.over = False

    async def make(self, message: MakeMatch) -> MatchMade | Refused:
        self.made.append(message)
        self.over = False
        return MatchMade(message.id, f"m{len(self.made)}", ())

    async def room(self, _match: str) -> House:
        return self

    async def remove(self, match: str) -> None:
        self.removed.append(match)

    async def exhibit(self, match_id: str) -> None:
        self.noted.append(match_id)

    async def exhibits(self) -> list[str]:
        return list(self.noted)

    async def forget_exhibit(self, match_id: str) -> None:
        self.noted.remove(match_id)


async def test_the_two_strongest_play_each_editions_shortest_duel_in_turn_and_change_sides() -> None:
    house = House()
    shown = Exhibitions(EDITIONS, PROGRAMS, house.make, house.room, house.remove, house)
    for number in range(1, 4):
        assert await shown.now(ASK) == Exhibition("1", f"m{number}")
        # As long as it is played, all are shown the same.
        assert await shown.now(ASK) == Exhibition("1", f"m{number}")
        assert shown.shows(f"m{number}")
        house.over = True
    assert [(one.edition, one.scenario, one.programs) for one in house.made] == [
        ("a", "short", {"x": "good", "y": "best"}),
        ("b", "duel", {"p": "good", "q": "best"}),
        ("a", "short", {"x": "best", "y": "good"}),
    ]
    assert not any(one.listed or one.mine for one in house.made)
    # What was shown before is not kept.
    assert house.removed == ["m1", "m2"]
    assert house.noted == ["m3"]


@pytest.mark.parametrize(("editions", "programs"), [((), PROGRAMS), (EDITIONS, ()), (EDITIONS[2:], PROGRAMS)])
async def test_without_a_battle_or_a_program_there_is_none(
    editions: tuple[EditionInfo, ...], programs: tuple[ProgramInfo, ...]
) -> None:
    house = House()
    reply = await Exhibitions(editions, programs, house.make, house.room, house.remove, house).now(ASK)
    assert isinstance(reply, Refused)
    assert reply.code == "no_exhibition"
    assert house.made == []


def opened(store: MatchStore, steps: Steps, *, exhibits: bool = True) -> Rooms:
    machines = Machines((ProgramInfo("weak", "Weak", ""),), default, Process(), steps.sleep)  # type: ignore[arg-type]
    return rooms_on(store, ToyRules(rounds=3), machines=machines, unattended=5, exhibits=exhibits)


async def test_it_is_played_while_someone_looks_and_the_next_one_takes_its_place(store: MatchStore) -> None:
    steps = Steps()
    async with opened(store, steps) as rooms:
        shown = await rooms.exhibition(ASK)
        assert isinstance(shown, Exhibition)
        # Although there are places for matches that no connection watches, it waits.
        room = await rooms.get(shown.match)
        assert room is not None
        await eventually(lambda: room.machine_turn() is not None)
        steps.free.set()
        length = room.length
        assert await rooms.tick(shown.match)
        await asyncio.sleep(0.05)
        assert room.length == length
        room.enter(await room.admit(""), -1, Listener().connection)  # type: ignore[arg-type]
        assert await rooms.listing() == ()
        await eventually(lambda: room.published)
        after = await rooms.exhibition(ASK)
        assert isinstance(after, Exhibition)
        assert after.match != shown.match
        with pytest.raises(MatchRemoved):
            await store.check_open(shown.match)


async def test_an_operator_may_switch_it_off(store: MatchStore) -> None:
    async with opened(store, Steps(), exhibits=False) as rooms:
        reply = await rooms.exhibition(ASK)
        assert isinstance(reply, Refused)
        assert reply.code == "no_exhibition"


async def test_a_server_removes_the_exhibition_of_the_server_before_it(store: MatchStore) -> None:
    async with opened(store, Steps()) as rooms:
        shown = await rooms.exhibition(ASK)
        assert isinstance(shown, Exhibition)
        others = await rooms.make(MakeMatch("1", "toy", "duel", "Ada", ("red",), listed=False))
        assert isinstance(others, MatchMade)
        assert await store.exhibits() == [shown.match]
    # Even if this one exhibits nothing.
    async with opened(store, Steps(), exhibits=False):
        for _ in range(500):
            if not await store.exhibits():
                break
            await asyncio.sleep(0.01)
        assert await store.exhibits() == []
        with pytest.raises(MatchRemoved):
            await store.check_open(shown.match)
        await store.check_open(others.match)


async def test_a_server_whose_exhibition_another_server_has_removed_begins_another(
    store: MatchStore, valkey_url: str
) -> None:
    async with opened(store, Steps()) as rooms, MatchStore(valkey_url) as second:
        shown = await rooms.exhibition(ASK)
        assert isinstance(shown, Exhibition)
        async with opened(second, Steps()) as others:
            await eventually(lambda: rooms._at_hand_of(shown.match) is None)
            with pytest.raises(MatchRemoved):
                await second.check_open(shown.match)
            after, theirs = await rooms.exhibition(ASK), await others.exhibition(ASK)
            assert isinstance(after, Exhibition)
            assert isinstance(theirs, Exhibition)
            assert len({shown.match, after.match, theirs.match}) == 3
            assert await store.exhibits() == sorted((after.match, theirs.match))


@pytest.mark.parametrize("error", [MatchRemoved("m1"), MatchClosed("m1"), LogDamaged("m1", "it is")])
async def test_an_exhibition_that_cannot_be_opened_any_more_is_followed_by_another(error: StoreError) -> None:
    house = House()

    async def room(_match: str) -> House:
        raise error

    shown = Exhibitions(EDITIONS, PROGRAMS, house.make, room, house.remove, house)
    assert [await shown.now(ASK) for _ in range(2)] == [Exhibition("1", "m1"), Exhibition("1", "m2")]
    assert house.noted == ["m2"]
