"""Matches that are long over go into files, and are shown from there as before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client_protocol.from_client import ExportText, Ledger, Recall, Replay, Say
from client_protocol.from_server import Exported, LuckLedger, Refused, ReplayPart
from server.app import database, files_dir
from server.config import ConfigError, Settings, settings
from server.kernel.belief import SPECTATORS
from server.matches.archive_folder import MatchFiles
from server.matches.archiver import DAY_MS, PuttingAway, ShelvedStore
from server.matches.verify.match_file import verify
from server.store.errors import LogDamaged, MatchClosed
from server.store.store import MatchStore
from tests.support.playing import Ledger as Log
from tests.support.playing import whole
from tests.support.room import Hands, Table, begun, entries_of, eventually, rooms_on
from tests.support.toy_rules import ToyRules

NOW = 40 * DAY_MS


@pytest.fixture
async def shelved(valkey_url: str, tmp_path: Path) -> AsyncIterator[ShelvedStore]:
    async with ShelvedStore(valkey_url, MatchFiles(tmp_path)) as opened:
        yield opened


def putting_away(store: ShelvedStore, hands: Hands) -> PuttingAway:
    return PuttingAway(store, store.files, 30, lambda: hands.now)


async def played(store: MatchStore, hands: Hands) -> Table:
    """A match that was played to its end by hand."""
    async with rooms_on(store, hands=hands) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        return table


async def test_only_what_has_been_over_for_long_is_put_away(shelved: ShelvedStore) -> None:
    hands = Hands(now=NOW)
    old = (await played(shelved, hands)).room.match
    hands.now += 20 * DAY_MS
    new = (await played(shelved, hands)).room.match
    goes_on = Log(ToyRules())
    goes_on.seat_all()
    goes_on.begin()
    await shelved.restore("m1", 1, {"secret": b"x"}, goes_on.entries, {})
    away = putting_away(shelved, hands)
    assert await away.look() == 0
    hands.now += 10 * DAY_MS
    assert await away.look() == 1
    assert [shelved.files.exists(match) for match in (old, new, "m1")] == [True, False, False]
    assert await away.look() == 0
    hands.now += 20 * DAY_MS
    assert await away.look() == 1
    assert shelved.files.exists(new)
    assert await shelved.length("m1") == len(goes_on.entries)


async def test_what_was_looked_at_is_not_read_again_before_it_can_have_come_due(
    shelved: ShelvedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelved.restore("m1", 1, {"secret": b"x"}, Log(ToyRules()).entries, {})
    await shelved.restore("m2", 1, {"secret": b"x"}, whole(ToyRules()).entries, {})
    # The second one was over a moment after it was made.
    hands = Hands(now=1 + 30 * DAY_MS)
    away = putting_away(shelved, hands)
    reads: list[str] = []
    read = shelved.read

    async def counted(match: str, after: int = 0) -> list[tuple[int, bytes]]:
        reads.append(match)
        return await read(match, after)

    monkeypatch.setattr(shelved, "read", counted)
    assert await away.look() == 0
    assert sorted(reads) == ["m1", "m2"]
    reads.clear()
    assert await away.look() == 0
    assert reads == []
    hands.now += 10_000
    assert await away.look() == 1
    assert set(reads) == {"m2"}


async def test_a_match_that_was_put_away_is_shown_as_before_and_cannot_be_written(shelved: ShelvedStore) -> None:
    hands = Hands(now=NOW)
    match = (await played(shelved, hands)).room.match
    before = await entries_of(shelved, match)
    hands.now += 31 * DAY_MS
    assert await putting_away(shelved, hands).look() == 1
    assert await entries_of(shelved, match) == before
    assert await shelved.read(match, 3) == list(enumerate(before, 1))[3:]
    async with rooms_on(shelved, hands=hands) as rooms:
        room = await rooms.get(match)
        assert room is not None
        assert room.published
        assert Table(room).listeners[""].frames
        part = await room.onlooking.replay(SPECTATORS, Replay("r", "*"))
        assert isinstance(part, ReplayPart)
        assert part.last == len(before) - 1
        assert isinstance(await room.onlooking.ledger(Ledger("l")), LuckLedger)
        assert isinstance(await room.onlooking.export_text(SPECTATORS, ExportText("t")), Exported)
        assert (await room.onlooking.recall(SPECTATORS, Recall("h", 10_000))).frames
        data = await rooms.archive(match)
        assert data is not None
        assert verify(data, lambda _edition: ToyRules()).ended
        assert [info.match for info in await rooms.listing()] == [match]
        refused = await room.say("red", "", Say("say-00001", "Hello?"))
        assert isinstance(refused, Refused)
        assert "archived" in refused.sentence
        again = await rooms.import_match("import", data)
        assert isinstance(again, Refused)
        assert again.code == "match_exists"


async def test_who_has_the_match_open_meanwhile_goes_on_reading(shelved: ShelvedStore) -> None:
    hands = Hands(now=NOW)
    async with rooms_on(shelved, hands=hands) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        hands.now += 31 * DAY_MS
        assert await putting_away(shelved, hands).look() == 1
        part = await table.room.onlooking.replay(SPECTATORS, Replay("r", "*"))
        assert isinstance(part, ReplayPart)
        assert isinstance(await table.room.say("red", "", Say("say-00001", "Hello?")), Refused)


async def test_a_file_that_is_damaged_or_gone_is_not_taken_for_a_match(shelved: ShelvedStore, tmp_path: Path) -> None:
    hands = Hands(now=NOW)
    match = (await played(shelved, hands)).room.match
    hands.now += 31 * DAY_MS
    assert await putting_away(shelved, hands).look() == 1
    file = tmp_path / f"{match}.underfire"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LogDamaged, match="its file is"):
        await shelved.read(match)
    file.unlink()
    with pytest.raises(MatchClosed):
        await shelved.read(match)
    async with rooms_on(shelved, hands=hands) as rooms:
        assert await rooms.get(match) is None


def test_a_database_of_ones_own_needs_a_folder_that_is_named(tmp_path: Path) -> None:
    assert files_dir(Settings(data_dir=tmp_path)) == tmp_path / "matches"
    assert files_dir(Settings(redis_url="redis://db", data_dir=tmp_path)) == tmp_path / "matches"
    assert files_dir(Settings(redis_url="redis://db")) is None


def test_the_days_before_archiving_are_a_setting() -> None:
    assert settings({}).put_away == 30
    assert settings({"UNDERFIRE_PUT_AWAY": "0"}).put_away == 0
    with pytest.raises(ConfigError, match="0 to 36500"):
        settings({"UNDERFIRE_PUT_AWAY": "soon"})


async def test_without_a_folder_nothing_is_shelved(valkey_url: str) -> None:
    async with database(Settings(redis_url=valkey_url)) as (store, _):
        assert not isinstance(store, ShelvedStore)
