"""Rooms on a real Valkey: answers, other servers' answers, crashes, and what each audience is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import pytest
import redis
from msgspec.structs import replace

from client_protocol.codec import pack
from client_protocol.messages import (
    Accepted,
    Answer,
    CommitRandomness,
    ExportSetup,
    Look,
    MakeMatch,
    Recall,
    Refused,
    RevealRandomness,
    Say,
    SeatTaken,
    Snapshot,
    TakeSeat,
    Update,
)
from server.gateway.connection import frame_of
from server.kernel.procedure import Run
from server.matches.archive import export
from server.matches.entries import Rewound, Stepped, decode
from server.matches.errors import StoreUnavailable
from server.matches.log import Fold
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.matches.store import MatchStore
from server.matches.verify import verify
from server.matches.world import World
from tests.support.playing import SHARES, Listener, digest_of
from tests.support.room import AUDIENCES, DUEL, THREE_WAY, Table, begun, entries_of, eventually, made, ready, rooms_on
from tests.support.toy_rules import ToyRules
from tests.support.valkey import kill, valkey

RED = replace(DUEL, mine=("red",))


@pytest.fixture
def counted() -> list[str]:
    """What became of the appends of `rooms`."""
    return []


@pytest.fixture
async def rooms(store: MatchStore, counted: list[str]) -> AsyncIterator[Rooms]:
    async with rooms_on(store, counted=counted) as opened:
        yield opened


# --- one room --------------------------------------------------------------------------------------------------------


async def test_a_match_is_played_to_its_end_and_the_secret_is_published(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    await eventually(lambda: table.room.published)
    for audience, listener in table.listeners.items():
        seqs = listener.seqs
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), audience
        snapshot = table.room._teller.snapshot(audience)
        assert listener.view() == telling_view(snapshot)
    assert table.room.info().state == "over"


def telling_view(snapshot: Snapshot) -> object:
    listener = Listener()
    listener.publish(frame_of(snapshot))
    return listener.view()


async def test_no_die_falls_before_all_seats_have_revealed(rooms: Rooms, store: MatchStore) -> None:
    match = await made(rooms, RED)
    room = await rooms.get(match.match)
    assert room is not None
    invite = next(given.invite for given in match.passes if given.seat == "blue")
    early = await room.reveal("red", RevealRandomness("r", SHARES["red"].hex()))
    assert isinstance(early, Refused)
    assert early.code == "not_yet"
    taken = await rooms.take_seat(TakeSeat("t", match.match, "blue", "Bob", invite))
    assert isinstance(taken, SeatTaken)
    for seat in room.seats:
        await room.commit(seat, CommitRandomness("c", digest_of(SHARES[seat])))
    other = await room.reveal("red", RevealRandomness("r", SHARES["blue"].hex()))
    assert isinstance(other, Refused)
    assert other.code == "wrong_randomness"
    for share in (b"x" * 32, SHARES["red"]):
        assert isinstance(await room.commit("red", CommitRandomness("c", digest_of(share))), Accepted)
    for seat in room.seats:
        assert not any(isinstance(decode(1, e).body, Stepped) for e in await entries_of(store, match.match))
        await room.reveal(seat, RevealRandomness("r", SHARES[seat].hex()))
        late = await room.commit("blue", CommitRandomness("c", digest_of(b"x" * 32)))
        assert isinstance(late, Refused)
        assert late.code == "committed"
    table = Table(room)
    await eventually(lambda: bool(table.asked))


async def test_an_answer_sent_twice_gets_its_first_result(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    answer = table.default("red")
    first = await table.give("red", answer)
    await table.play_out()
    await eventually(lambda: table.room.published)
    length = await store.length(table.room.match)
    assert await table.room.answer("red", answer) == first
    assert await store.length(table.room.match) == length


@pytest.mark.parametrize(
    ("seat", "change", "code"),
    [
        ("red", {"prompt": "999"}, "prompt_closed"),
        ("red", {"choice": "fly"}, "no_such_choice"),
        ("red", {"values": ()}, "values"),
    ],
)
async def test_what_cannot_be_taken_is_refused_and_changes_nothing(
    rooms: Rooms, store: MatchStore, seat: str, change: dict[str, object], code: str
) -> None:
    table = await begun(rooms)
    length = await store.length(table.room.match)
    answer = table.default(seat)
    fields = {name: getattr(answer, name) for name in answer.__struct_fields__}
    refused = await table.room.answer(seat, Answer(**{**fields, **change}))
    assert isinstance(refused, Refused)
    assert refused.code == code
    assert await store.length(table.room.match) == length
    await table.give(seat, answer)


async def test_a_seat_that_is_not_asked_is_told_so(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    for seat in ("red", "blue"):
        await table.give(seat, table.choose(seat, "1"))
    (asked,) = table.asked
    other = "red" if asked == "blue" else "blue"
    refused = await table.room.answer(other, Answer("12345678", table.prompt(asked).id, "stop"))
    assert isinstance(refused, Refused)
    assert refused.code == "not_your_prompt"


async def test_rules_that_stumble_leave_the_match_as_it_was(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await begun(rooms)
    with monkeypatch.context() as patch:
        patch.setattr(Run, "answer", _stumble)
        with pytest.raises(ZeroDivisionError):
            await table.room.answer("red", table.default("red"))
    await table.play_out()
    assert table.room.info().state == "over"


def _stumble(*_: object) -> None:
    raise ZeroDivisionError


async def test_who_comes_back_gets_what_was_missed_and_who_comes_late_gets_everything(rooms: Rooms) -> None:
    table = await begun(rooms)
    red = table.listeners["red"]
    table.room.leave(red.connection)
    seen = len(red.frames)
    await table.deploy()
    table.room.enter("red", red.seqs[-1], red.connection)
    assert len(red.frames) == seen + 2
    late = Listener()
    table.room.enter("red", -1, late.connection)
    assert late.view() == red.view()
    assert late.seqs == red.seqs[-1:]


async def test_what_is_recalled_is_what_was_told(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    await eventually(lambda: table.room.published)
    for audience, listener in table.listeners.items():
        told = {m.seq: m.story for m in listener.messages if isinstance(m, Update)}
        history = await table.room.onlooking.recall(audience, Recall("h", 10_000))
        assert {frame.seq: frame.story for frame in history.frames if frame.seq in told} == told
        assert not history.more


async def test_watchers_talk_and_names_are_shown_without_tricks(rooms: Rooms) -> None:
    table = await begun(rooms)
    before = len(table.listeners["red"].messages)
    await table.room.say("", "E\u202eve\n", Say("say-0001", "  hello \x07 there ", "watchers"))
    last = table.listeners[""].messages[-1]
    assert isinstance(last, Update)
    (told,) = last.story
    assert (told.name, told.text, told.speaker, told.channel) == ("Eve", "hello there", "", "watchers")
    assert len(table.listeners["red"].messages) == before, "players hear nothing of it"
    assert table.asked == ["red", "blue"]


async def test_one_looks_and_exports(rooms: Rooms) -> None:
    table = await begun(rooms)
    assert isinstance(table.room.onlooking.look("red", Look("l", "red-1", "blue-1")), Refused)
    await table.deploy()
    sight = table.room.onlooking.look("", Look("l", "red-1", "blue-1"))
    assert not isinstance(sight, Refused)
    assert sight.distance == 9000
    assert len(sight.rays) == 9
    assert all(ray.start == (2000 * int(ray.figure), 1000) for ray in sight.rays)
    exported = table.room.onlooking.export_setup("", ExportSetup("e"))
    assert not isinstance(exported, Refused)
    assert '"edition": "toy"' in exported.text


async def test_of_three_who_play_one_goes_and_comes_back(rooms: Rooms, store: MatchStore) -> None:
    match = (await made(rooms, replace(THREE_WAY, mine=("red",)))).match
    room = await rooms.get(match)
    assert room is not None
    for number, seat in enumerate(("blue", "green")):
        assert (room.info().state, len(room.info().seats)) == ("open", 3)
        assert isinstance(await rooms.take_seat(TakeSeat(f"t{number}", match, seat, seat.title())), SeatTaken)
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    assert (room.info().state, room.info().deciding) == ("running", ("red", "blue", "green"))
    green, rounds = table.listeners["green"], 0
    while table.asked:
        # Two are told what happens, the third comes back to it, now with frames that were missed, now with all of it.
        room.leave(green.connection)
        seen, last = len(green.frames), green.seqs[-1]
        for seat in [seat for seat in table.asked if not table.prompt(seat).answered]:
            await table.give(seat, table.default(seat))
        room.enter("green", last if rounds % 2 else -1, green.connection)
        kinds = {type(message) for message in green.messages[seen:]}
        assert kinds == ({Update} if rounds % 2 else {Snapshot})
        assert green.view() == telling_view(room._teller.snapshot("green"))
        rounds += 1
    await eventually(lambda: room.published)
    assert rounds > 4
    assert green.view() == table.listeners["red"].view() == table.listeners[""].view()
    report = verify(export(await entries_of(store, match)), lambda _edition: ToyRules())
    assert report.ended
    assert report.replayed == report.steps


# --- seats -----------------------------------------------------------------------------------------------------------


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
    # The answer was lost, the same message comes again: the same token. Anybody else is too late.
    assert await take(long_id, invite) == taken
    late = await take("another-random-id-of-sixteen", invite)
    assert isinstance(late, Refused)
    assert late.code == "seat_taken"
    room = await rooms.get(match.match)
    assert room is not None
    assert await room.admit(taken.token) == "blue"
    assert await room.admit("wrong") is None
    assert await room.admit("") == ""


async def test_of_two_who_take_an_open_seat_at_once_one_gets_it(rooms: Rooms) -> None:
    match = await made(rooms, RED)
    replies = await asyncio.gather(*(rooms.take_seat(TakeSeat(str(n), match.match, "blue", f"P{n}")) for n in range(8)))
    assert sum(isinstance(reply, SeatTaken) for reply in replies) == 1


async def test_tokens_and_invites_are_stored_nowhere(rooms: Rooms, store: MatchStore) -> None:
    match = await made(rooms, RED)
    stored = b"".join((await store.get_meta(match.match)).values()) + b"".join(await entries_of(store, match.match))
    for given in match.passes:
        assert (given.token or given.invite).encode() not in stored


async def test_a_match_that_cannot_be_made_is_refused(rooms: Rooms) -> None:
    for message in (
        MakeMatch("m", "nowhere", "duel", "Ada", ()),
        MakeMatch("m", "toy", "nothing", "Ada", ()),
        MakeMatch("m", "toy", "duel", "Ada", ("green",)),
        MakeMatch("m", "toy", "duel", "\u200b ", ()),
    ):
        assert isinstance(await rooms.make(message), Refused)
    assert await rooms.get("nosuchmatch") is None
    assert await rooms.get("../meta") is None


async def test_the_list_shows_listed_matches_and_what_becomes_of_them(rooms: Rooms, store: MatchStore) -> None:
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
        # Somebody looks at the start page there; nothing tells when the first server has noted the end.
        elsewhere.on_listing_change(calls.clear)
        async with asyncio.timeout(10):
            while (await elsewhere.listing())[0].state != "over":  # noqa: ASYNC110 - no event comes from there
                await asyncio.sleep(0.002)


async def test_a_room_in_which_nobody_has_been_for_a_while_is_closed(store: MatchStore) -> None:
    now = 0.0
    ticks: asyncio.Queue[None] = asyncio.Queue()

    async def tick(_seconds: float) -> None:
        await ticks.get()

    rooms = Rooms(
        store, {"toy": ToyRules()}, version="0", world=World(lambda: 1000, lambda: 0), clock=lambda: now, sleep=tick
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
        assert pack(again._teller.snapshot("red")) == pack(table.room._teller.snapshot("red"))


# --- two servers -----------------------------------------------------------------------------------------------------


@pytest.fixture
async def other(valkey_url: str, store: MatchStore, counted: list[str]) -> AsyncIterator[Rooms]:
    """The rooms of a second server on the same Valkey. (It asks for `store` so that the database is emptied only before.)"""
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
    while here.room.info().state != "over":
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
        # Whoever listens at either server gets the same frames, to the byte, from where they both listened on.
        frames = there.listeners[audience].frames[1:]
        assert frames
        assert frames == here.listeners[audience].frames[-len(frames) :]


async def test_answers_at_two_servers_at_once_conflict_and_both_arrive(
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
    await eventually(lambda: here.room.info().turn == there.room.info().turn == 1)
    # The same answer at both: the second finds the first one's result.
    bid = here.choose("red", "2")
    first, second = await asyncio.gather(here.room.answer("red", bid), there.room.answer("red", bid))
    assert first == second


async def test_a_closed_prompt_is_refused_though_the_server_has_not_heard_of_it(rooms: Rooms, other: Rooms) -> None:
    here = await begun(rooms)
    room = await other.get(here.room.match)
    assert room is not None
    there = Table(room)
    await here.deploy()
    await eventually(lambda: there.room.info().turn == 1)
    for seat in ("red", "blue"):
        await here.give(seat, here.choose(seat, "1"))
    await eventually(lambda: there.room._referee.fold.head == here.room._referee.fold.head)
    (seat,) = here.asked
    mine, theirs = here.default(seat), there.default(seat)
    replies = await asyncio.gather(here.room.answer(seat, mine), there.room.answer(seat, theirs))
    kinds = sorted(type(reply).__name__ for reply in replies)
    assert kinds == ["Accepted", "Refused"]


# --- crashes ---------------------------------------------------------------------------------------------------------


async def test_after_a_crash_at_any_prompt_the_same_prompt_is_open(rooms: Rooms, valkey_url: str) -> None:
    table = await begun(rooms)
    while table.asked:
        async with MatchStore(valkey_url) as again, rooms_on(again) as fresh:
            room = await fresh.get(table.room.match)
            assert room is not None
            for audience in AUDIENCES:
                assert pack(room._teller.snapshot(audience)) == pack(table.room._teller.snapshot(audience))
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        await table.give(seat, table.default(seat))


async def test_with_other_rules_a_loaded_match_goes_back_openly(
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
        # The old server does not fight over it: it tells the rewind and takes no more answers.
        await eventually(lambda: table.room._referee.fold.head == room._referee.fold.head)
        told = [m for m in table.listeners["red"].messages if isinstance(m, Update)]
        assert any("rules" in story.text for m in told[-2:] for story in m.story)
        await new.play_out()


def killed(url: str) -> bool:
    """Kill the Valkey there, if it has come back from the last time."""
    try:
        kill(url)
    except redis.ConnectionError:
        return False
    return True


async def test_killing_valkey_in_mid_append_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, MatchStore(url, wait_seconds=20) as store, rooms_on(store) as rooms:
        table = await begun(rooms)
        for turns in (1, 4, 7):
            seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
            sent = asyncio.create_task(table.room.answer(seat, table.default(seat)))
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


async def test_while_the_database_is_away_answers_are_refused_and_later_taken(store: MatchStore, rooms: Rooms) -> None:
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
