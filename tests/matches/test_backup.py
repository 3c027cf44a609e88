"""A backup of a database, restored into an empty one: every match folds into the same, plays on, and keeps its secrets."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client_protocol.codec import pack
from client_protocol.from_client import Say
from client_protocol.from_server import Accepted
from client_protocol.players import NoticeSettings, Webhook
from server.matches.archive_folder import ArchiveFolder, archive
from server.matches.archiver import ArchiveStore
from server.matches.backup import BackupError, back_up, check, restore
from server.matches.log.fold import Fold
from server.matches.removal import remove
from server.notices.pushing import public_half, push_key
from server.players.registry import Registry
from server.store.errors import MatchRemoved
from server.store.key_names import UP
from server.store.store import MatchStore
from tests.support.player_keys import ADA, BO
from tests.support.room import Table, begun, made, ready, rooms_on
from tests.support.valkey import valkey

VERSION, NOW = "7", 5_000


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[ArchiveStore]:
    """Another database, with a folder of its own."""
    async with valkey(tmp_path / "v") as url, ArchiveStore(url, ArchiveFolder(tmp_path / "restored")) as store:
        yield store


async def folded(store: MatchStore, match: str) -> bytes:
    entries = [payload for _, payload in await store.read(match)]
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    return fold.head + pack(fold.state)


async def test_players_their_notices_and_the_key_for_push_services_come_back(
    store: MatchStore, tmp_path: Path, empty: ArchiveStore
) -> None:
    registry = Registry(store, lambda: NOW)
    wanted = NoticeSettings("day", Webhook("https://hooks.example.org/ada"))
    for key in (ADA, BO):
        await registry.introduce(key.key, "Ada")
    await registry.set_notices(ADA.key, wanted)
    await registry.add_seat(ADA.key, "m1", "red")
    public = public_half(await push_key(store))
    await back_up(store, None, tmp_path / "all.backup", VERSION, NOW)
    await restore(empty, empty.files, check(tmp_path / "all.backup"))
    back = Registry(empty, lambda: NOW)
    for key in (ADA, BO):
        assert await back.find(key.key) == await registry.find(key.key)
    assert await back.notices(ADA.key) == wanted
    assert await back.seats(ADA.key, 10) == [("m1", "red")]
    assert public_half(await push_key(empty)) == public


async def test_every_match_comes_back_and_plays_on(
    valkey_url: str, store: MatchStore, tmp_path: Path, empty: ArchiveStore
) -> None:
    files = ArchiveFolder(tmp_path / "archive")
    async with ArchiveStore(valkey_url, files) as full, rooms_on(full) as rooms:
        going, over, gone = await begun(rooms), await begun(rooms), await begun(rooms)
        await going.deploy()
        await over.play_out()
        assert await archive(full, files, over.room.match)
        await remove(full, files, gone.room.match, forget=True)
        match = going.room.match
        await full.set_due(match, 12_345)
        await full.command("HSET", UP, "ms", 777)
        done = await back_up(full, files, tmp_path / "all.backup", VERSION, NOW)
        assert (done.live, done.archived, done.removed, done.damaged) == (1, 1, 1, ())
        before = {one: await folded(full, one) for one in (match, over.room.match)}
        prompt = going.prompt(going.asked[0]).id
    assert await restore(empty, empty.files, check(tmp_path / "all.backup")) == done
    assert {one: await folded(empty, one) for one in before} == before
    assert await empty.get_meta(match) == await store.get_meta(match)
    assert await empty.due(1 << 40) == {match: 12_345}
    # Clocks run by the time in which a server was up.
    assert await empty.command("HGET", UP, "ms") == b"777"
    with pytest.raises(MatchRemoved):
        await empty.check_open(gone.room.match)
    async with rooms_on(empty) as again:
        room = await again.get(match)
        assert room is not None
        table = Table(room)
        assert table.prompt(table.asked[0]).id == prompt
        # What was answered before is known again.
        await table.give(table.asked[0], table.default(table.asked[0]))
        assert isinstance(await room.say(table.asked[0], "", Say("say-again", "Here again")), Accepted)


async def test_an_answer_that_was_acknowledged_before_is_not_applied_again(
    store: MatchStore, tmp_path: Path, empty: ArchiveStore
) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        seat = table.asked[0]
        answer = table.default(seat)
        accepted = await table.give(seat, answer)
        await back_up(store, None, tmp_path / "all.backup", VERSION, NOW)
    await restore(empty, empty.files, check(tmp_path / "all.backup"))
    async with rooms_on(empty) as again:
        room = await again.get(table.room.match)
        assert room is not None
        length = room.length
        assert await room.answer(seat, answer) == accepted
        assert room.length == length


async def test_a_backup_is_for_its_owner_alone_and_whole_or_not_there(store: MatchStore, tmp_path: Path) -> None:
    path = tmp_path / "all.backup"
    async with rooms_on(store) as rooms:
        await made(rooms)
    await back_up(store, None, path, VERSION, NOW)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not path.with_name("all.backup.part").exists()
    assert check(path).matches == 1


@pytest.mark.parametrize("harm", ["cut short", "a changed byte", "not ours", "newer"])
async def test_a_file_that_is_no_whole_backup_restores_nothing(
    store: MatchStore, tmp_path: Path, empty: ArchiveStore, harm: str
) -> None:
    path = tmp_path / "all.backup"
    async with rooms_on(store) as rooms:
        room = await rooms.get((await made(rooms)).match)
        assert room is not None
        await ready(room)
    await back_up(store, None, path, VERSION, NOW)
    data = path.read_bytes()
    match harm:
        case "cut short":
            records = gzip.decompress(data)
            path.write_bytes(gzip.compress(records[: len(records) - 20]))
        case "a changed byte":
            path.write_bytes(data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :])
        case "not ours":
            path.write_bytes(b"PK\x03\x04 something else")
        case "newer":
            path.write_bytes(gzip.compress(gzip.decompress(data).replace(b"\xa6format\x01", b"\xa6format\x02", 1)))
    with pytest.raises(BackupError, match=r"\.$"):
        await restore(empty, empty.files, check(path))
    assert not await empty.matches()


async def test_nothing_is_restored_over_other_matches(store: MatchStore, tmp_path: Path) -> None:
    async with rooms_on(store) as rooms:
        await made(rooms)
    await back_up(store, None, tmp_path / "all.backup", VERSION, NOW)
    with pytest.raises(BackupError, match="There are matches in this database already"):
        await restore(store, None, check(tmp_path / "all.backup"))
