"""The rooms of a server: making matches, taking seats, the list, and closing idle rooms."""

from __future__ import annotations

import asyncio
import gc
import weakref
from functools import partial

import pytest
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.from_client import MakeMatch, Say, TakeSeat
from client_protocol.from_server import Accepted, Refused, SeatTaken
from server.kernel.belief import SPECTATORS
from server.kernel.state import Result
from server.matches import rooms as rooms_module
from server.matches.environment import NEVER, Environment
from server.matches.log.secrets import Claim
from server.matches.play.due import due
from server.matches.play.presence import Presence
from server.matches.play.referee import Referee
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.matches.writer import Writer
from server.store.errors import LogDamaged
from server.store.store import MatchStore
from tests.support.playing import Listener
from tests.support.room import DUEL, begun, entries_of, eventually, made, rooms_on, under_way
from tests.support.toy_rules import ToyRules

RED = replace(DUEL, mine=("red",))


async def test_an_invite_takes_its_seat_once(rooms: Rooms) -> None:
    match = await made(rooms, replace(RED, listed=False))
    invite = next(given.invite for given in match.passes if given.seat == "blue")

    async def take(id_: str, invite: str, seat: str = "blue") -> SeatTaken | Refused:
        return await rooms.take_seat(TakeSeat(id_, match.match, seat, "Bob", invite))

    for refused, code in (
        (await take("a", ""), "wrong_invite"),
        (await take("a", "x" * 32), "wrong_invite"),
        (await take("a", invite, "red"), "wrong_invite"),
        (await take("a", invite, "green"), "no_seat"),
    ):
        assert isinstance(refused, Refused)
        assert refused.code == code
    long_id = "a-random-id-of-sixteen-or-more"
    taken = await take(long_id, invite)
    assert isinstance(taken, SeatTaken)
    # If the answer was lost and the same message comes again, it gets the same token. Any other player is too late.
    assert await take(long_id, invite) == taken
    late = await take("another-random-id-of-sixteen", invite)
    assert isinstance(late, Refused)
    assert late.code == "seat_taken"
    room = await rooms.get(match.match)
    assert room is not None
    assert await room.admit(taken.token) == "blue"
    assert await room.admit("wrong") is None
    assert await room.admit("") is SPECTATORS


async def test_a_repeated_take_seat_gets_the_same_reply_when_the_match_is_over(rooms: Rooms, store: MatchStore) -> None:
    match = await made(rooms, RED)
    take = TakeSeat("a-random-id-of-sixteen-or-more", match.match, "blue", "Bob")
    taken = await rooms.take_seat(take)
    assert isinstance(taken, SeatTaken)
    table = await under_way(rooms, match.match)
    await table.play_out()
    await eventually(lambda: table.room.published)
    before = await entries_of(store, match.match)
    assert await rooms.take_seat(take) == taken
    assert await entries_of(store, match.match) == before


async def test_a_seat_claimed_after_the_end_is_not_taken(rooms: Rooms, store: MatchStore) -> None:
    """Another server ends the match between the claim and the entry."""
    table = await begun(rooms, replace(DUEL, mine=("red", "blue")))
    fold = table.room._referee.fold
    desk = replace(fold.state.desk, players={"red": "Ada"}, secret=bytes(32).hex())
    over = replace(fold.state, result=Result("red", "So.", ""), desk=desk)
    fold._moment = replace(fold._moment, state=over)
    before = await entries_of(store, table.room.match)
    late = await table.room.sit_down("blue", Claim(b"", "Eve"), "id")
    assert isinstance(late, Refused)
    assert "This match is over" in late.sentence
    # No server that has the match loaded seats a player by that claim either.
    assert "blue" in table.room._secrets.keys.claims
    assert due(table.room._referee, table.room._secrets, Presence(), NEVER, lambda: 0) is None
    # A second claim does not give a seat another name either.
    assert isinstance(await table.room.sit_down("red", Claim(b"", "Eve"), "id"), Accepted)
    assert await entries_of(store, table.room.match) == before


async def test_only_one_of_two_players_who_take_a_seat_at_once_gets_it(rooms: Rooms) -> None:
    match = await made(rooms, RED)
    replies = await asyncio.gather(*(rooms.take_seat(TakeSeat(str(n), match.match, "blue", f"P{n}")) for n in range(8)))
    assert sum(isinstance(reply, SeatTaken) for reply in replies) == 1


async def test_tokens_and_invites_are_never_stored(rooms: Rooms, store: MatchStore) -> None:
    match = await made(rooms, RED)
    stored = b"".join((await store.get_meta(match.match)).values()) + b"".join(await entries_of(store, match.match))
    for given in match.passes:
        assert (given.token or given.invite).encode() not in stored


async def test_an_invalid_request_for_a_match_is_refused(rooms: Rooms) -> None:
    for message in (
        MakeMatch("m", "nowhere", "duel", "Ada", ()),
        MakeMatch("m", "toy", "nothing", "Ada", ()),
        MakeMatch("m", "toy", "duel", "Ada", ("green",)),
        MakeMatch("m", "toy", "duel", "\u200b ", ()),
    ):
        assert isinstance(await rooms.make(message), Refused)
    assert await rooms.get("nosuchmatch") is None
    assert await rooms.get("../meta") is None


async def test_the_list_shows_listed_matches_and_their_results(rooms: Rooms, store: MatchStore) -> None:
    calls: list[int] = []
    rooms.on_listing_change(lambda: calls.append(1))
    table = await begun(rooms)
    await made(rooms, replace(DUEL, listed=False))
    (info,) = await rooms.listing()
    assert (info.match, info.state, info.turn) == (table.room.match, "running", 0)
    assert info.deciding == ("red", "blue")
    await table.play_out()
    assert calls
    async with rooms_on(store) as elsewhere:
        # A client opens the start page there; no event tells when the first server has stored the end.
        elsewhere.on_listing_change(calls.clear)
        async with asyncio.timeout(30):
            while (await elsewhere.listing())[0].state != "over":  # noqa: ASYNC110 - no event comes from there
                await asyncio.sleep(0.002)


async def test_an_idle_room_is_closed_after_a_while(store: MatchStore) -> None:
    now = 0.0
    ticks: asyncio.Queue[None] = asyncio.Queue()

    async def tick(_seconds: float) -> None:
        await ticks.get()

    rooms = Rooms(
        store,
        {"toy": ToyRules()},
        version="0",
        environment=Environment(lambda: 1000, lambda: 0),
        clock=lambda: now,
        sleep=tick,
    )
    async with rooms:
        table = await begun(rooms)
        match = table.room.match
        for listener in list(table.listeners.values())[1:]:
            table.room.leave(listener.connection)

        async def later(seconds: float) -> Room | None:
            nonlocal now
            now += seconds
            for _ in range(4):
                ticks.put_nowait(None)
            await eventually(ticks.empty)
            await asyncio.sleep(0)
            return rooms._at_hand().get(match)

        assert await later(1000) is table.room
        table.room.leave(table.listeners["red"].connection)
        assert await later(200) is table.room
        assert await later(200) is None
        again = await rooms.get(match)
        assert again is not None
        assert again is not table.room
        assert pack(again.teller.snapshot("red")) == pack(table.room.teller.snapshot("red"))


def _idle(writer: Writer) -> bool:
    return writer._worker is None


async def test_a_closed_room_is_freed_at_once(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.give("red", table.default("red"))
    match = table.room.match
    parts = {"room": table.room, "writer": table.room._writer, "referee": table.room._referee}
    parts |= {"past": table.room.queries, "teller": table.room.teller}
    left = {name: weakref.ref(part) for name, part in parts.items()}
    for listener in table.listeners.values():
        table.room.leave(listener.connection)
    await eventually(partial(_idle, table.room._writer))
    gc.collect()
    gc.disable()
    try:
        del table, parts, listener
        await rooms._close(match)
        # The event loop releases what was called last.
        await asyncio.sleep(0)
        assert [name for name, part in left.items() if part() is not None] == []
    finally:
        gc.enable()


async def test_what_comes_to_a_room_that_was_closed_is_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    answer = table.default("red")
    await rooms._close(table.room.match)
    reply = await table.room.answer("red", answer)
    assert isinstance(reply, Refused)
    assert reply.code == "database_away"


async def test_a_match_that_cannot_be_settled_as_it_is_loaded_is_followed_no_more(
    rooms: Rooms, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = (await made(rooms)).match
    await rooms._close(match)
    rebuild = Referee.rebuild

    def troubled(referee: Referee) -> None:
        rebuild(referee)
        referee.trouble = "other rules"

    async def append(_writer: Writer, _planned: object) -> bool:
        raise LogDamaged(match, "version 3 cannot be added")

    monkeypatch.setattr(Referee, "rebuild", troubled)
    monkeypatch.setattr(Writer, "_append", append)
    for _ in range(3):
        with pytest.raises(LogDamaged):
            await rooms.get(match)
    assert not store._redis.feed._followers


async def test_of_many_empty_rooms_those_empty_for_longest_are_closed(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms_module, "MOST_EMPTY", 3)
    kept = await begun(rooms)
    matches = [(await made(rooms)).match for _ in range(5)]
    await rooms.get(matches[0])
    await rooms._close_surplus()
    assert set(rooms._at_hand()) == {kept.room.match, matches[0], *matches[3:]}


async def test_a_room_that_is_entered_while_others_are_closed_stays_open(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms_module, "MOST_EMPTY", 1)
    first, entered, asked_for, _ = [(await made(rooms)).match for _ in range(4)]
    room, close, listener = rooms._at_hand()[entered], rooms._close, Listener()

    async def closed(match: str) -> None:
        await close(match)
        if match == first:
            assert await rooms.get(entered) is room
            room.enter(SPECTATORS, -1, listener.connection)
            await rooms.get(asked_for)

    monkeypatch.setattr(rooms, "_close", closed)
    await rooms._close_surplus()
    assert set(rooms._at_hand()) == {entered, asked_for}
    assert isinstance(await room.say(SPECTATORS, "Eve", Say("s", "Hello.", "spectators")), Accepted)
