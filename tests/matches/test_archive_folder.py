"""Ended matches move into files, and none is lost on the way."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from server.matches import archive_folder
from server.matches.archive_folder import IN_FILE, ArchiveFolder, archive
from server.matches.log import match_file
from server.store.errors import MatchClosed, StoreError, UnknownMatch
from server.store.store import MatchStore
from tests.support.playing import press_on, whole
from tests.support.toy_rules import ToyRules


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    return whole(ToyRules(), press_on).entries


@pytest.fixture
def kept(tmp_path: Path) -> ArchiveFolder:
    return ArchiveFolder(tmp_path / "far" / "away")


async def played(store: MatchStore, entries: list[bytes]) -> bytes:
    """Return the file of a finished match `m` in the store."""
    await store.restore("m", 1, {"secret": b"x"}, entries, {})
    return match_file.export(entries)


def names(kept: ArchiveFolder) -> list[str]:
    return sorted(path.name for path in kept._folder.iterdir())


def test_a_saved_file_is_loaded_and_a_second_save_replaces_it(kept: ArchiveFolder) -> None:
    assert kept.load("m") is None
    assert not kept.exists("m")
    kept.save("m", b"one")
    kept.save("m", b"two")
    kept.save("M-_", b"three")
    assert (kept.load("m"), kept.load("M-_"), kept.exists("m")) == (b"two", b"three", True)
    assert names(kept) == ["M-_.underfire", "m.underfire"]


@pytest.mark.parametrize("bad", ["", "../m", "a/b", "a.b", "a\0b", "x" * 65])
def test_no_id_leads_out_of_the_folder(kept: ArchiveFolder, bad: str) -> None:
    for call in (lambda: kept.save(bad, b"x"), lambda: kept.load(bad), lambda: kept.exists(bad)):
        with pytest.raises(ValueError, match="match's id"):
            call()


@pytest.mark.parametrize("dies", ["fsync", "replace"])
def test_a_failed_save_leaves_the_older_file(kept: ArchiveFolder, monkeypatch: pytest.MonkeyPatch, dies: str) -> None:
    kept.save("m", b"one")

    def full(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", full) if dies == "fsync" else monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="full"):
        kept.save("m", b"two")
    monkeypatch.undo()
    assert kept.load("m") == b"one"
    assert names(kept) == ["m.underfire"]


def test_the_temporary_file_of_a_crashed_server_is_deleted_later(kept: ArchiveFolder) -> None:
    for name, age in (("m.aa.part", 2 * archive_folder.STALE_SECONDS), ("n.bb.part", 0)):
        path = kept._folder / name
        path.write_bytes(b"half")
        at = path.stat().st_mtime - age
        os.utime(path, (at, at))
    assert kept.load("m") is None
    ArchiveFolder(kept._folder)
    assert names(kept) == ["n.bb.part"]


async def test_an_archived_match_is_read_from_its_file(
    store: MatchStore, kept: ArchiveFolder, entries: list[bytes]
) -> None:
    data = await played(store, entries)
    assert await archive(store, kept, "m")
    assert kept.load("m") == data
    with pytest.raises(MatchClosed) as closed:
        await store.read("m")
    assert closed.value.note == IN_FILE
    assert await store.get_meta("m") == {"secret": b"x"}
    assert await archive(store, kept, "m")
    with pytest.raises(UnknownMatch):
        await archive(store, kept, "n")


class Killed(BaseException):
    """The server dies here."""


@pytest.mark.parametrize("step", ["read", "export", "save", "load", "archive", "archived"])
async def test_a_match_survives_a_kill_at_every_step_of_archiving_and_the_next_try_ends_it(
    store: MatchStore, kept: ArchiveFolder, entries: list[bytes], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    data = await played(store, entries)
    archiving = store.archive

    def die(*_: object) -> bytes:
        raise Killed

    async def dies(*words: object) -> None:
        if step == "archived":
            await archiving(*words)  # type: ignore[arg-type]
        raise Killed

    match step:
        case "read":
            monkeypatch.setattr(store, "read", dies)
        case "export":
            monkeypatch.setattr(match_file, "export", die)
        case "save":
            monkeypatch.setattr(Path, "replace", die)
        case "load":
            monkeypatch.setattr(ArchiveFolder, "load", die)
        case _:
            monkeypatch.setattr(store, "archive", dies)
    with pytest.raises(Killed):
        await archive(store, kept, "m")
    monkeypatch.undo()

    if step == "archived":
        assert kept.load("m") == data
        with pytest.raises(MatchClosed):
            await store.read("m")
    else:
        assert [payload for _, payload in await store.read("m")] == entries
    assert await archive(store, ArchiveFolder(kept._folder), "m")
    assert kept.load("m") == data


async def test_an_entry_appended_meanwhile_keeps_the_match_in_the_store(
    store: MatchStore, kept: ArchiveFolder, entries: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = await played(store, entries[:-1])
    assert data != match_file.export(entries)
    archiving = store.archive

    async def late(match_id: str, expected: int, note: bytes) -> None:
        await store.append(match_id, expected, "", entries[-1])
        await archiving(match_id, expected, note)

    monkeypatch.setattr(store, "archive", late)
    with pytest.raises(StoreError, match="exported up to"):
        await archive(store, kept, "m")
    monkeypatch.undo()
    assert [payload for _, payload in await store.read("m")] == entries
    assert await archive(store, kept, "m")
    assert kept.load("m") == match_file.export(entries)


async def test_a_file_that_reads_back_differently_keeps_the_match_in_the_store(
    store: MatchStore, kept: ArchiveFolder, entries: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(store, entries)
    monkeypatch.setattr(ArchiveFolder, "load", lambda *_: b"rotten")
    with pytest.raises(StoreError, match="not what was written"):
        await archive(store, kept, "m")
    assert [payload for _, payload in await store.read("m")] == entries


async def test_two_servers_never_archive_one_match_at_once(
    valkey_url: str, store: MatchStore, kept: ArchiveFolder, entries: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise an older copy of the log could replace the file of the archived one.
    data = await played(store, entries)
    reading, go = asyncio.Event(), asyncio.Event()
    read = store.read

    async def slow(match_id: str, after: int = 0) -> list[tuple[int, bytes]]:
        reading.set()
        await go.wait()
        return await read(match_id, after)

    monkeypatch.setattr(store, "read", slow)
    first = asyncio.create_task(archive(store, kept, "m"))
    await reading.wait()
    async with MatchStore(valkey_url) as other:
        assert not await archive(other, ArchiveFolder(kept._folder), "m")
    assert not kept.exists("m")
    go.set()
    assert await first
    assert kept.load("m") == data
