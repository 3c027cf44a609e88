"""A match that the operator removes is gone for all but the operator, wherever it was stored and whatever interrupts the
removal.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields

from client_protocol.from_client import ExportText, ForkPoint, Replay, Say, TakeSeat
from client_protocol.from_server import Goodbye, Refused
from server.kernel.belief import SPECTATORS
from server.matches import removal
from server.matches.archive_folder import IN_FILE, ArchiveFolder, archive, save_surely
from server.matches.archiver import ArchiveStore
from server.matches.deadlines import Deadlines
from server.matches.log.match_file import export, read
from server.matches.removal import Removal, about, remove
from server.matches.rooms import Rooms
from server.store.errors import MatchClosed, MatchExists, MatchRemoved, StoreError, UnknownMatch
from server.store.scripts import RESTORE_END
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory, whole
from tests.support.room import DUEL, Table, begun, entries_of, eventually, made, never, rooms_on
from tests.support.toy_rules import ToyRules

STATES = ("live", "over", "archived")


@pytest.fixture
async def archive_store(valkey_url: str, tmp_path: Path) -> AsyncIterator[ArchiveStore]:
    async with ArchiveStore(valkey_url, ArchiveFolder(tmp_path)) as opened:
        yield opened


@pytest.fixture
async def rooms(archive_store: ArchiveStore) -> AsyncIterator[Rooms]:
    async with rooms_on(archive_store) as opened:
        yield opened


@pytest.fixture
async def other(valkey_url: str, archive_store: ArchiveStore) -> AsyncIterator[Rooms]:
    """The rooms of a second server on the same database and folder."""
    async with ArchiveStore(valkey_url, archive_store.files) as second, rooms_on(second) as opened:
        yield opened


def files_in(folder: Path) -> list[Path]:
    return list(folder.rglob("*.underfire"))


async def stored(store: ArchiveStore, state: str) -> list[bytes]:
    """Store the match `m1` as a log, and return its entries."""
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    entries = in_memory.entries if state == "live" else whole(ToyRules()).entries
    await store.restore("m1", 1, {"secret": b"x"}, entries, {})
    await store.set_due("m1", 5)
    if state == "archived":
        assert await archive(store, store.files, "m1")
    return entries


async def assert_gone(store: ArchiveStore) -> None:
    """Check that nothing is left in the database except the note that the match was removed."""
    assert await store.matches() == []
    assert await store.due(1_000_000) == {}
    assert await store.length("m1") == 0
    for asking in (store.read("m1"), store.get_meta("m1"), store.put_meta("m1", {"summary": b"s"})):
        with pytest.raises(MatchRemoved):
            await asking
    with pytest.raises(MatchRemoved):
        await store.claim_meta("m1", "seat:red", b"t")
    with pytest.raises(MatchRemoved):
        await store.append("m1", 3, "", b"more")
    held = await store.command("HKEYS", b"uf:{m1}:meta")
    assert isinstance(held, list)
    assert {name for name in held if isinstance(name, bytes)} == {b":made", b":tombstone"}
    assert await store.command("EXISTS", b"uf:{m1}:answers") == 0
    assert not store.files.exists("m1")


@pytest.mark.parametrize("state", STATES)
async def test_a_removed_match_is_kept_for_the_operator_alone(
    archive_store: ArchiveStore, tmp_path: Path, state: str
) -> None:
    entries = await stored(archive_store, state)
    done = await remove(archive_store, archive_store.files, "m1")
    kept = tmp_path / "removed" / "m1.underfire"
    assert done == Removal(kept=kept)
    assert kept.read_bytes() == export(entries)
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    await assert_gone(archive_store)
    assert await remove(archive_store, archive_store.files, "m1") == Removal(before=True, kept=kept)
    assert kept.exists()


@pytest.mark.parametrize("state", STATES)
async def test_removal_with_forget_keeps_nothing(archive_store: ArchiveStore, tmp_path: Path, state: str) -> None:
    await stored(archive_store, state)
    assert await remove(archive_store, archive_store.files, "m1", forget=True) == Removal()
    assert files_in(tmp_path) == []
    await assert_gone(archive_store)


async def test_a_removed_match_that_was_kept_can_be_forgotten_later(
    archive_store: ArchiveStore, tmp_path: Path
) -> None:
    await stored(archive_store, "live")
    await remove(archive_store, archive_store.files, "m1")
    assert await remove(archive_store, archive_store.files, "m1", forget=True) == Removal(before=True, forgotten=True)
    assert await remove(archive_store, archive_store.files, "m1", forget=True) == Removal(before=True)
    assert files_in(tmp_path) == []


async def test_the_id_of_a_removed_match_cannot_be_used_again(archive_store: ArchiveStore, rooms: Rooms) -> None:
    entries = await stored(archive_store, "over")
    await remove(archive_store, archive_store.files, "m1", forget=True)
    for over_tombstone in (False, True):
        with pytest.raises(MatchRemoved):
            await archive_store.restore("m1", 1, {}, entries, {}, over_tombstone=over_tombstone)
    with pytest.raises(MatchExists):
        await archive_store.create("m1", 1, {}, entries[0])
    reply = await rooms.import_match("import-1", export(entries))
    assert isinstance(reply, Refused)
    assert (reply.code, reply.sentence) == (
        "removed",
        "The operator of this server has removed the match m1. It cannot be imported again.",
    )
    await assert_gone(archive_store)


async def test_an_import_under_way_does_not_bring_back_a_removed_match(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = await stored(archive_store, "archived")
    run = archive_store._commands.run

    async def removed_meanwhile(script: object, *rest: object) -> object:
        if script is RESTORE_END:
            await remove(archive_store, archive_store.files, "m1")
        return await run(script, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(archive_store._commands, "run", removed_meanwhile)
    with pytest.raises(MatchRemoved):
        await archive_store.restore("m1", 1, {}, entries, {}, over_tombstone=True)


# --- the servers that play it -----------------------------------------------------------------------------------------


async def test_players_are_told_on_every_server_and_their_rooms_are_closed(
    archive_store: ArchiveStore, rooms: Rooms, other: Rooms
) -> None:
    here = await begun(rooms)
    match = here.room.match
    room = await other.get(match)
    assert room is not None
    there = Table(room)
    looked: list[str] = []
    rooms.on_listing_change(lambda: looked.append("here"))
    other.on_listing_change(lambda: looked.append("there"))
    assert [info.match for info in await other.listing()] == [match]
    looked.clear()
    await remove(archive_store, archive_store.files, match)
    listeners = [*here.listeners.values(), *there.listeners.values()]
    await eventually(lambda: all(listener.closed for listener in listeners))
    for listener in listeners:
        assert listener.closed == 4010
        goodbye = listener.messages[-1]
        assert isinstance(goodbye, Goodbye)
        assert (goodbye.code, goodbye.again) == ("removed", False)
        assert goodbye.sentence == "The operator of this server has removed this match."
    assert {"here", "there"} <= set(looked)
    for server in (rooms, other):
        assert match not in server._rooms
        assert await server.listing() == ()
        assert await server.summaries([match]) == ()
    said = await here.room.say("red", "", Say("say-00001", "Hello?"))
    assert isinstance(said, Refused)
    assert "the operator of this server has removed it" in said.sentence


async def test_servers_are_told_of_a_removal_at_once(valkey_url: str, archive_store: ArchiveStore) -> None:
    entries = await stored(archive_store, "live")
    # This server never checks the log's length on its own.
    async with MatchStore(valkey_url, sleep=never) as store, store.follow("m1", len(entries)) as following:
        waiting = asyncio.ensure_future(anext(following))
        await asyncio.wait_for(store.check_open("m1"), 10)
        await eventually(lambda: following._doubted is False)
        await remove(archive_store, archive_store.files, "m1")
        with pytest.raises(MatchRemoved):
            await asyncio.wait_for(waiting, 10)


async def test_a_server_that_missed_the_notice_of_a_removal_finds_out_at_its_next_check(
    archive_store: ArchiveStore, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    (follower,) = next(iter(archive_store._redis.feed._followers.values()))
    monkeypatch.setattr(follower, "offer", lambda _version, _payload: None)
    await remove(archive_store, archive_store.files, table.room.match)
    follower.compare(follower.head, 0)
    await eventually(lambda: all(listener.closed for listener in table.listeners.values()))


async def test_every_way_into_a_removed_match_says_that_it_was_removed(
    archive_store: ArchiveStore, rooms: Rooms, other: Rooms
) -> None:
    new = await made(rooms, with_fields(DUEL, mine=("red",), listed=False))
    match = new.match
    (invite,) = [given.invite for given in new.passes if given.invite]
    assert await other.summaries([match])
    await remove(archive_store, archive_store.files, match)
    sentence = f"The operator of this server has removed the match {match}."
    await eventually(lambda: match not in rooms._rooms)
    for server in (rooms, other):
        assert await server.listing() == ()
        assert await server.summaries([match]) == ()
        with pytest.raises(MatchRemoved, match="has removed"):
            await server.get(match)
        with pytest.raises(MatchRemoved):
            await server.match_file(match)
        seat = await server.take_seat(TakeSeat("seat-1", match, "blue", "Bob", invite))
        assert isinstance(seat, Refused)
        assert (seat.code, seat.sentence) == ("removed", sentence)
        fork = await server.make(with_fields(DUEL, fork=ForkPoint(match, "", 0)))
        assert isinstance(fork, Refused)
        assert fork.sentence == sentence


async def test_the_cached_file_of_a_removed_match_is_not_given_again(
    archive_store: ArchiveStore, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stored(archive_store, "over")
    assert await rooms.match_file("m1")
    (follower,) = next(iter(archive_store._redis.feed._followers.values()))
    monkeypatch.setattr(follower, "offer", lambda _version, _payload: None)
    await remove(archive_store, archive_store.files, "m1")
    with pytest.raises(MatchRemoved):
        await rooms.match_file("m1")
    assert rooms._files.size == 0


async def test_a_server_that_does_not_know_of_a_removal_can_neither_write_nor_read_the_match(
    archive_store: ArchiveStore, rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    (follower,) = next(iter(archive_store._redis.feed._followers.values()))
    monkeypatch.setattr(follower, "offer", lambda _version, _payload: None)
    await remove(archive_store, archive_store.files, table.room.match)
    said = await table.room.say("red", "", Say("say-00001", "Hello?"))
    assert isinstance(said, Refused)
    assert said.code == "removed"
    for reply in (
        await table.room.queries.export_text(SPECTATORS, ExportText("t")),
        await table.room.queries.replay(SPECTATORS, Replay("r", "")),
    ):
        assert isinstance(reply, Refused)
        assert reply.code == "removed"
    with pytest.raises(MatchRemoved):
        await table.room.payloads()


async def test_a_deadline_that_a_server_set_meanwhile_is_cleared(archive_store: ArchiveStore, rooms: Rooms) -> None:
    match = (await begun(rooms)).room.match
    await remove(archive_store, archive_store.files, match)
    await eventually(lambda: match not in rooms._rooms)
    await archive_store.set_due(match, 5)

    class Up:
        def now(self) -> int:
            return 10

    deadlines = Deadlines(archive_store, Up(), rooms.tick, never)
    await deadlines.look()
    await deadlines.settle()
    assert await archive_store.due(1_000_000) == {}


async def test_entering_a_removed_match_while_its_room_closes_is_refused(
    archive_store: ArchiveStore, rooms: Rooms
) -> None:
    table = await begun(rooms)
    table.room._writer.removed = True
    with pytest.raises(MatchRemoved):
        await rooms.get(table.room.match)


# --- what can come between --------------------------------------------------------------------------------------------


async def test_an_answer_appended_while_the_file_is_written_is_kept_too(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entries = await stored(archive_store, "live")
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    in_memory.answer("red", in_memory.referee.ask.seats["red"].default)  # type: ignore[union-attr]
    later = in_memory.entries[-1]
    assert in_memory.entries[:-1] == entries
    saved: list[bytes] = []

    def slow(files: ArchiveFolder, match: str, data: bytes) -> None:
        saved.append(data)
        save_surely(files, match, data)
        if len(saved) == 1:
            asyncio.run_coroutine_threadsafe(archive_store.append("m1", len(entries), "", later), loop).result(10)

    loop = asyncio.get_running_loop()
    monkeypatch.setattr("server.matches.removal.save_surely", slow)
    await remove(archive_store, archive_store.files, "m1")
    assert len(saved) == 2
    assert read((tmp_path / "removed" / "m1.underfire").read_bytes()).entries == (*entries, later)


@pytest.mark.parametrize("state", STATES)
async def test_a_match_whose_file_cannot_be_written_is_not_removed(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    entries = await stored(archive_store, state)

    def full(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="full"):
        await remove(archive_store, archive_store.files, "m1")
    monkeypatch.undo()
    assert await entries_of(archive_store, "m1") == entries
    assert len(await archive_store.matches()) == 1


@pytest.mark.parametrize("state", STATES)
async def test_a_match_whose_kept_file_reads_back_differently_is_not_removed(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    entries = await stored(archive_store, state)
    load = ArchiveFolder.load
    monkeypatch.setattr(
        ArchiveFolder, "load", lambda self, match: b"" if self._folder.name == "removed" else load(self, match)
    )
    with pytest.raises(StoreError, match="not what was written"):
        await remove(archive_store, archive_store.files, "m1")
    monkeypatch.undo()
    assert await entries_of(archive_store, "m1") == entries


class Killed(BaseException):
    """The operator's command dies here."""


@pytest.mark.parametrize("where", ["before", "after"])
@pytest.mark.parametrize("state", STATES)
async def test_an_interrupted_removal_is_finished_by_the_next_one(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, state: str, where: str
) -> None:
    entries = await stored(archive_store, state)
    removing = archive_store.remove

    async def dies(match: str, expected: int) -> None:
        if where == "after":
            await removing(match, expected)
        raise Killed

    monkeypatch.setattr(archive_store, "remove", dies)
    with pytest.raises(Killed):
        await remove(archive_store, archive_store.files, "m1")
    monkeypatch.undo()
    if where == "before":
        assert await entries_of(archive_store, "m1") == entries
    else:
        with pytest.raises(MatchRemoved):
            await archive_store.read("m1")
    kept = tmp_path / "removed" / "m1.underfire"
    assert await remove(archive_store, archive_store.files, "m1") == Removal(before=where == "after", kept=kept)
    assert kept.read_bytes() == export(entries)
    await assert_gone(archive_store)


async def test_a_removal_waits_for_a_server_that_archives_matches(archive_store: ArchiveStore) -> None:
    await stored(archive_store, "live")
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with archive_store.files.held(), pytest.raises(StoreError, match="Try again"):
        await remove(archive_store, archive_store.files, "m1", sleep=sleep)
    assert len(waited) == removal.ATTEMPTS
    assert (await remove(archive_store, archive_store.files, "m1", sleep=sleep)).kept is not None


# --- what cannot be removed, or only so -------------------------------------------------------------------------------


async def test_an_unknown_match_cannot_be_removed(archive_store: ArchiveStore) -> None:
    with pytest.raises(UnknownMatch):
        await remove(archive_store, archive_store.files, "m1", forget=True)
    with pytest.raises(ValueError, match="cannot be a match's id"):
        await remove(archive_store, archive_store.files, "../m1", forget=True)


async def test_without_a_folder_a_removed_match_cannot_be_kept(valkey_url: str, archive_store: ArchiveStore) -> None:
    entries = await stored(archive_store, "live")
    async with MatchStore(valkey_url) as bare:
        with pytest.raises(StoreError, match="--forget"):
            await remove(bare, None, "m1")
        assert await entries_of(bare, "m1") == entries
        assert await remove(bare, None, "m1", forget=True) == Removal()
        assert await remove(bare, None, "m1", forget=True) == Removal(before=True)


async def test_an_archived_match_is_not_removed_without_its_file(
    valkey_url: str, archive_store: ArchiveStore, tmp_path: Path
) -> None:
    await stored(archive_store, "archived")
    async with MatchStore(valkey_url) as bare:
        with pytest.raises(StoreError, match="--data-dir"):
            await remove(bare, None, "m1", forget=True)
    elsewhere = ArchiveFolder(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="--data-dir"):
        await remove(archive_store, elsewhere, "m1")
    with pytest.raises(MatchClosed) as still:
        await archive_store.check_open("m1")
    assert still.value.note == IN_FILE


async def test_a_log_with_any_content_is_removed_and_kept_unchanged(
    archive_store: ArchiveStore, tmp_path: Path
) -> None:
    await archive_store.restore("m1", 1, {}, [b"\xc1", b"no entry"], {})
    assert await about(archive_store, "m1") == "a match whose log cannot be played"
    await remove(archive_store, archive_store.files, "m1")
    assert read((tmp_path / "removed" / "m1.underfire").read_bytes()).entries == (b"\xc1", b"no entry")


async def test_a_damaged_log_is_removed_only_with_forget(archive_store: ArchiveStore) -> None:
    await stored(archive_store, "live")
    await archive_store.command("XDEL", b"uf:{m1}:log", b"3-0")
    assert await about(archive_store, "m1") == "a match whose log is damaged"
    with pytest.raises(StoreError, match="add --forget"):
        await remove(archive_store, archive_store.files, "m1")
    await remove(archive_store, archive_store.files, "m1", forget=True)
    await assert_gone(archive_store)


async def test_the_operator_is_shown_which_match_would_be_removed(archive_store: ArchiveStore) -> None:
    await stored(archive_store, "live")
    assert await about(archive_store, "m1") == "Duel, going on, with Red (red), Blue (blue)"
    await remove(archive_store, archive_store.files, "m1")
    with pytest.raises(MatchRemoved):
        await about(archive_store, "m1")
