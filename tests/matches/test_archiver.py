"""Matches that ended long ago move into files, and are shown from there as before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client_protocol.from_client import AskLuckReport, ExportText, Recall, Replay, Say
from client_protocol.from_server import Exported, LuckReport, Refused, ReplayPart
from server.app import database, files_dir
from server.config import ConfigError, Settings, settings
from server.kernel.belief import SPECTATORS
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import DAY_MS, Archiver, ArchiveStore
from server.matches.verify.match_file import verify
from server.store.errors import LogDamaged, MatchClosed
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory as Log
from tests.support.playing import whole
from tests.support.room import Hands, Table, begun, entries_of, eventually, rooms_on
from tests.support.toy_rules import ToyRules

NOW = 40 * DAY_MS


@pytest.fixture
async def archive_store(valkey_url: str, tmp_path: Path) -> AsyncIterator[ArchiveStore]:
    async with ArchiveStore(valkey_url, ArchiveFolder(tmp_path)) as opened:
        yield opened


def putting_away(store: ArchiveStore, hands: Hands) -> Archiver:
    return Archiver(store, store.files, 30, lambda: hands.now)


async def played(store: MatchStore, hands: Hands) -> Table:
    """Play a match to its end by hand."""
    async with rooms_on(store, hands=hands) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        return table


async def test_only_matches_that_ended_long_ago_are_archived(archive_store: ArchiveStore) -> None:
    hands = Hands(now=NOW)
    old = (await played(archive_store, hands)).room.match
    hands.now += 20 * DAY_MS
    new = (await played(archive_store, hands)).room.match
    goes_on = Log(ToyRules())
    goes_on.seat_all()
    goes_on.begin()
    await archive_store.restore("m1", 1, {"secret": b"x"}, goes_on.entries, {})
    away = putting_away(archive_store, hands)
    assert await away.look() == 0
    hands.now += 10 * DAY_MS
    assert await away.look() == 1
    assert [archive_store.files.exists(match) for match in (old, new, "m1")] == [True, False, False]
    assert await away.look() == 0
    hands.now += 20 * DAY_MS
    assert await away.look() == 1
    assert archive_store.files.exists(new)
    assert await archive_store.length("m1") == len(goes_on.entries)


async def test_a_match_is_not_read_again_before_it_can_be_due_for_archiving(
    archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await archive_store.restore("m1", 1, {"secret": b"x"}, Log(ToyRules()).entries, {})
    await archive_store.restore("m2", 1, {"secret": b"x"}, whole(ToyRules()).entries, {})
    # The second match ended a moment after it was made.
    hands = Hands(now=1 + 30 * DAY_MS)
    away = putting_away(archive_store, hands)
    reads: list[str] = []
    read = archive_store.read

    async def counted(match: str, after: int = 0) -> list[tuple[int, bytes]]:
        reads.append(match)
        return await read(match, after)

    monkeypatch.setattr(archive_store, "read", counted)
    assert await away.look() == 0
    assert sorted(reads) == ["m1", "m2"]
    reads.clear()
    assert await away.look() == 0
    assert reads == []
    hands.now += 10_000
    assert await away.look() == 1
    assert set(reads) == {"m2"}


async def test_an_archived_match_is_shown_as_before_and_cannot_be_written(archive_store: ArchiveStore) -> None:
    hands = Hands(now=NOW)
    match = (await played(archive_store, hands)).room.match
    before = await entries_of(archive_store, match)
    hands.now += 31 * DAY_MS
    assert await putting_away(archive_store, hands).look() == 1
    assert await entries_of(archive_store, match) == before
    assert await archive_store.read(match, 3) == list(enumerate(before, 1))[3:]
    async with rooms_on(archive_store, hands=hands) as rooms:
        room = await rooms.get(match)
        assert room is not None
        assert room.published
        assert Table(room).listeners[""].frames
        part = await room.queries.replay(SPECTATORS, Replay("r", "*"))
        assert isinstance(part, ReplayPart)
        assert part.last == len(before) - 1
        assert isinstance(await room.queries.luck_report(AskLuckReport("l")), LuckReport)
        assert isinstance(await room.queries.export_text(SPECTATORS, ExportText("t")), Exported)
        assert (await room.queries.recall(SPECTATORS, Recall("h", 10_000))).frames
        data = await rooms.match_file(match)
        assert data is not None
        assert verify(data, lambda _edition: ToyRules()).ended
        assert [info.match for info in await rooms.listing()] == [match]
        refused = await room.say("red", "", Say("say-00001", "Hello?"))
        assert isinstance(refused, Refused)
        assert "archived" in refused.sentence
        again = await rooms.import_match("import", data)
        assert isinstance(again, Refused)
        assert again.code == "match_exists"


async def test_clients_with_the_match_open_can_go_on_reading_while_it_is_archived(archive_store: ArchiveStore) -> None:
    hands = Hands(now=NOW)
    async with rooms_on(archive_store, hands=hands) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        hands.now += 31 * DAY_MS
        assert await putting_away(archive_store, hands).look() == 1
        part = await table.room.queries.replay(SPECTATORS, Replay("r", "*"))
        assert isinstance(part, ReplayPart)
        assert isinstance(await table.room.say("red", "", Say("say-00001", "Hello?")), Refused)


async def test_a_damaged_or_missing_file_is_reported_and_not_shown_as_a_match(
    archive_store: ArchiveStore, tmp_path: Path
) -> None:
    hands = Hands(now=NOW)
    match = (await played(archive_store, hands)).room.match
    hands.now += 31 * DAY_MS
    assert await putting_away(archive_store, hands).look() == 1
    file = tmp_path / f"{match}.underfire"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LogDamaged, match="its file is"):
        await archive_store.read(match)
    file.unlink()
    with pytest.raises(MatchClosed):
        await archive_store.read(match)
    async with rooms_on(archive_store, hands=hands) as rooms:
        assert await rooms.get(match) is None


def test_archiving_with_an_external_database_needs_a_named_folder(tmp_path: Path) -> None:
    assert files_dir(Settings(data_dir=tmp_path)) == tmp_path / "matches"
    assert files_dir(Settings(redis_url="redis://db", data_dir=tmp_path)) == tmp_path / "matches"
    assert files_dir(Settings(redis_url="redis://db")) is None


def test_the_days_before_archiving_are_a_setting() -> None:
    assert settings({}).archive_after == 30
    assert settings({"UNDERFIRE_ARCHIVE_AFTER": "0"}).archive_after == 0
    with pytest.raises(ConfigError, match="0 to 36500"):
        settings({"UNDERFIRE_ARCHIVE_AFTER": "soon"})


async def test_without_a_folder_no_match_is_archived(valkey_url: str) -> None:
    async with database(Settings(redis_url=valkey_url)) as (store, _):
        assert not isinstance(store, ArchiveStore)
