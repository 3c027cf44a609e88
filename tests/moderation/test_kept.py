"""Bans and mutes are in a backup, each until it ends."""

from __future__ import annotations

from pathlib import Path

from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import ArchiveStore
from server.matches.backup import back_up, check, restore
from server.moderation.sanctions import Sanctions
from server.moderation.subjects import AddressSubject, SeatSubject
from server.store.connections import wall_ms
from server.store.store import MatchStore
from tests.support.room import never
from tests.support.valkey import valkey

BANNED, MUTED, FORGIVEN = AddressSubject("192.0.2.7"), SeatSubject("m1", "red"), AddressSubject("192.0.2.8")
HOUR = 3_600_000


async def test_bans_and_mutes_come_back_from_a_backup_until_they_end(store: MatchStore, tmp_path: Path) -> None:
    now = wall_ms()
    async with Sanctions(store, lambda: now, never) as book:
        ever = await book.impose("ban", BANNED)
        hour = await book.impose("mute", MUTED, HOUR)
        await book.impose("ban", FORGIVEN)
        await book.lift("ban", FORGIVEN)
        await back_up(store, None, tmp_path / "all.backup", "7", now)
    async with valkey(tmp_path / "v") as url, ArchiveStore(url, ArchiveFolder(tmp_path / "archive")) as empty:
        await restore(empty, empty.files, check(tmp_path / "all.backup"))
        async with Sanctions(empty, lambda: now, never) as book:
            assert set(book.standing) == {ever, hour}
        async with Sanctions(empty, lambda: now + 2 * HOUR, never) as later:
            assert later.standing == (ever,)


async def test_a_ban_that_has_ended_since_the_backup_does_not_come_back(store: MatchStore, tmp_path: Path) -> None:
    before = wall_ms() - 2 * HOUR
    async with Sanctions(store, lambda: before, never) as book:
        await book.impose("mute", MUTED, HOUR)
        await back_up(store, None, tmp_path / "all.backup", "7", before)
    async with valkey(tmp_path / "v") as url, ArchiveStore(url, ArchiveFolder(tmp_path / "archive")) as empty:
        await restore(empty, empty.files, check(tmp_path / "all.backup"))
        async with Sanctions(empty, lambda: before, never) as book:
            assert book.standing == ()
