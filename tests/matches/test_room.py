"""A room on a real Valkey: the messages that it accepts, and what each audience is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import groupby

import pytest
from msgspec.structs import replace

from client_protocol.from_client import (
    Answer,
    CommitRandomness,
    ExportSetup,
    Look,
    Recall,
    RevealRandomness,
    Say,
    TakeSeat,
)
from client_protocol.from_server import Accepted, Refused, SeatTaken, Snapshot, Update
from server.gateway.connection import frame_of
from server.kernel.belief import SPECTATORS
from server.kernel.desk_facts import Said
from server.kernel.procedure import Run
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Aside, Stepped, decode
from server.matches.log.fold import Fold
from server.matches.log.match_file import export
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.matches.writer import FAILED
from server.store.store import MatchStore, Outcome
from tests.support import toy_rules
from tests.support.playing import SHARES, Listener, digest_of
from tests.support.room import DUEL, THREE_WAY, Table, begun, entries_of, eventually, made, once_failing, ready
from tests.support.toy_rules import ToyRules

RED = replace(DUEL, mine=("red",))


async def test_a_match_is_played_to_its_end_and_the_secret_is_published(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    await eventually(lambda: table.room.published)
    for audience, listener in table.listeners.items():
        seqs = listener.seqs
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), audience
        snapshot = table.room.teller.snapshot(audience_of(audience))
        assert listener.view() == telling_view(snapshot)
    assert table.room.summary().state == "over"


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


async def test_no_text_of_a_client_enters_the_derivation_of_dice(rooms: Rooms, store: MatchStore) -> None:
    """A share is logged as made from its bytes: with a trailing newline, for example, no check could derive the dice again."""
    room = await rooms.get((await made(rooms)).match)
    assert room is not None
    for seat in room.seats:
        message = CommitRandomness("c", digest_of(SHARES[seat]).upper() + "\n")
        for _ in range(2):
            assert isinstance(await room.commit(seat, message), Accepted)
    for seat in room.seats:
        reveal = RevealRandomness("r", SHARES[seat].hex() + "\n")
        assert isinstance(await room.reveal(seat, reveal), Accepted)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    await table.play_out()
    await eventually(lambda: room.published)
    report = verify(export(await entries_of(store, room.match)), lambda _edition: ToyRules())
    assert report.dice
    first, *others = await entries_of(store, room.match)
    fold = Fold(first)
    for payload in others:
        fold.add(payload)
    assert fold.state.desk.randomness == {seat: SHARES[seat].hex() for seat in room.seats}


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
async def test_an_illegal_answer_is_refused_and_changes_nothing(
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


async def test_an_answer_from_a_seat_that_is_not_asked_is_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()
    for seat in ("red", "blue"):
        await table.give(seat, table.choose(seat, "1"))
    (asked,) = table.asked
    other = "red" if asked == "blue" else "blue"
    refused = await table.room.answer(other, Answer("12345678", table.prompt(asked).id, "stop"))
    assert isinstance(refused, Refused)
    assert refused.code == "not_your_prompt"


async def test_an_error_in_the_rules_leaves_the_match_unchanged(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await begun(rooms)
    with monkeypatch.context() as patch:
        patch.setattr(Run, "answer", _stumble)
        with pytest.raises(ZeroDivisionError):
            await table.room.answer("red", table.default("red"))
    await table.play_out()
    assert table.room.summary().state == "over"


async def test_an_error_in_what_is_asked_takes_the_match_back_to_its_boundary(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    await table.deploy()
    with monkeypatch.context() as patch:
        patch.setattr(toy_rules, "losses", _stumble)
        await table.give("red", table.choose("red", "1"))
        with pytest.raises(ZeroDivisionError):
            await table.give("blue", table.choose("blue", "1"))
    await eventually(lambda: len(table.asked) == len(table.room.seats))
    for listener in table.listeners.values():
        assert FAILED in [
            line.text for update in listener.messages if isinstance(update, Update) for line in update.story
        ]
    await table.play_out()
    assert table.room.summary().state == "over"


async def test_the_writer_goes_on_after_an_error_in_what_it_appends_on_its_own(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    room, writer, length = table.room, table.room._writer, table.room.length
    due = [Aside((Said("red", "", "On its own.", "table"),), "red", "~due:1"), None]
    monkeypatch.setattr(writer, "_due", lambda _up: due.pop(0) if due else None)
    monkeypatch.setattr(writer, "_publish", once_failing(writer._publish))
    writer.nudge()
    async with asyncio.timeout(5):
        reply = await room.say("red", "", Say("s", "After it.", "table"))
    assert isinstance(reply, Accepted)
    assert room.length == length + 2


async def test_an_entry_whose_outcome_is_known_is_not_prepared_while_the_next_is_on_its_way(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    writer = table.room._writer
    append, sent, prepared = writer._store.append, list[bytes](), list[bytes]()

    async def appended(
        match: str, expected: int, answer_id: str, payload: bytes, *, due: int | None, written: Callable[[], None]
    ) -> Outcome:
        sent.append(payload)
        # A reply can overtake what was to be done while it was awaited.
        for one in reversed(sent):
            writer._meanwhile(one)
        return await append(match, expected, answer_id, payload, due=due, written=written)

    monkeypatch.setattr(writer._store, "append", appended)
    monkeypatch.setattr(writer, "_expect", prepared.append)
    for text in ("One.", "Two."):
        assert isinstance(await table.room.say("red", "", Say(text, text, "table")), Accepted)
    assert len(sent) == 2
    assert [one for one, _ in groupby(prepared)] == sent


async def test_the_other_player_is_told_of_an_entry_before_it_is_folded_and_once(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    await table.deploy()
    writer, seen = table.room._writer, dict[str, int]()
    take = writer._take

    def taken(payload: bytes, *, own: bool) -> None:
        seen.update({seat: listener.seqs[-1] for seat, listener in table.listeners.items()})
        take(payload, own=own)

    monkeypatch.setattr(writer, "_take", taken)
    before = {seat: listener.seqs[-1] for seat, listener in table.listeners.items()}
    await table.give("red", table.default("red"))
    assert seen == {**before, "blue": before["blue"] + 1}
    after = {seat: listener.seqs[-1] for seat, listener in table.listeners.items()}
    assert after == {seat: seq + 1 for seat, seq in before.items()}


async def test_an_error_in_telling_early_costs_nothing(rooms: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await begun(rooms)
    monkeypatch.setattr(table.room._writer, "_confirm", _stumble)
    await table.play_out()
    for listener in table.listeners.values():
        assert listener.seqs == list(range(listener.seqs[0], listener.seqs[0] + len(listener.seqs)))


def _stumble(*_: object) -> None:
    raise ZeroDivisionError


async def test_a_returning_client_gets_the_missed_updates_and_a_new_one_a_snapshot(rooms: Rooms) -> None:
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


async def test_recalled_frames_tell_the_same_story_as_before(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    await eventually(lambda: table.room.published)
    for audience, listener in table.listeners.items():
        told = {m.seq: m.story for m in listener.messages if isinstance(m, Update)}
        history = await table.room.queries.recall(audience_of(audience), Recall("h", 10_000))
        assert {frame.seq: frame.story for frame in history.frames if frame.seq in told} == told
        assert not history.more


async def test_spectators_can_chat_and_names_are_cleaned(rooms: Rooms) -> None:
    table = await begun(rooms)
    before = len(table.listeners["red"].messages)
    await table.room.say(SPECTATORS, "E\u202eve\n", Say("say-0001", "  hello \x07 there ", "spectators"))
    last = table.listeners[""].messages[-1]
    assert isinstance(last, Update)
    (told,) = last.story
    assert (told.name, told.text, told.speaker, told.channel) == ("Eve", "hello there", "", "spectators")
    assert len(table.listeners["red"].messages) == before, "players hear nothing of it"
    assert table.asked == ["red", "blue"]


async def test_a_room_answers_lines_of_sight_and_exports_its_position(rooms: Rooms) -> None:
    table = await begun(rooms)
    assert isinstance(table.room.queries.look("red", Look("l", "red-1", "blue-1")), Refused)
    await table.deploy()
    sight = table.room.queries.look(SPECTATORS, Look("l", "red-1", "blue-1"))
    assert not isinstance(sight, Refused)
    assert sight.distance == 9000
    assert len(sight.rays) == 9
    assert all(ray.start == (2000 * int(ray.figure), 1000) for ray in sight.rays)
    exported = table.room.queries.export_setup(SPECTATORS, ExportSetup("e"))
    assert not isinstance(exported, Refused)
    assert '"edition": "toy"' in exported.text


async def test_one_of_three_players_leaves_and_returns(rooms: Rooms, store: MatchStore) -> None:
    match = (await made(rooms, replace(THREE_WAY, mine=("red",)))).match
    room = await rooms.get(match)
    assert room is not None
    for number, seat in enumerate(("blue", "green")):
        assert (room.summary().state, len(room.summary().seats)) == ("open", 3)
        assert isinstance(await rooms.take_seat(TakeSeat(f"t{number}", match, seat, seat.title())), SeatTaken)
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    assert (room.summary().state, room.summary().deciding) == ("running", ("red", "blue", "green"))
    green, rounds = table.listeners["green"], 0
    while table.asked:
        # Two players receive what happens; the third comes back with either the missed frames or a snapshot.
        room.leave(green.connection)
        seen, last = len(green.frames), green.seqs[-1]
        for seat in [seat for seat in table.asked if not table.prompt(seat).answered]:
            await table.give(seat, table.default(seat))
        room.enter("green", last if rounds % 2 else -1, green.connection)
        kinds = {type(message) for message in green.messages[seen:]}
        assert kinds == ({Update} if rounds % 2 else {Snapshot})
        assert green.view() == telling_view(room.teller.snapshot("green"))
        rounds += 1
    await eventually(lambda: room.published)
    assert rounds > 4
    assert green.view() == table.listeners["red"].view() == table.listeners[""].view()
    report = verify(export(await entries_of(store, match)), lambda _edition: ToyRules())
    assert report.ended
    assert report.replayed == report.steps
