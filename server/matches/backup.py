"""Backing up all matches of a database into one file, and restoring them into an empty one.

The file holds what players hide from each other, and the secrets of their seats and their dice: it is for the operator
alone. It is a gzip stream of records, each a length (8 bytes, big-endian) and a struct as MessagePack: a header, a record for
each match, what belongs to no match, and an end that says how many matches there were.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO, cast

import msgspec
from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.matches.archive_folder import ArchiveFolder, save_surely
from server.matches.kept_leagues import KeptLeague, leagues, put_leagues
from server.matches.kept_players import KeptPlayer, players, push_key, put_players, put_push_key
from server.matches.kept_sanctions import KeptSanction, put_sanctions, sanctions
from server.matches.log import match_file
from server.matches.projections import reports
from server.store.errors import REMOVED, LogDamaged, StoreError, UnknownMatch
from server.store.key_names import DEADLINES, UP, answers_key, meta_key
from server.store.outcomes import Listing
from server.store.replies import pairs
from server.store.scanning import scanned
from server.store.store import MatchStore

FORMAT = 1
PAGE = 500
"""How many matches of the index are read at once."""
LARGEST_RECORD = 1 << 31
"""A record that claims to be longer, in bytes, is none of ours."""
QUICKLY = 6
"""The level of compression."""


class BackupError(ValueError):
    """The file cannot be used as a backup, or not here; the message is a sentence."""


class Header(Struct, frozen=True, tag="header"):
    """The beginning: the format, the software that wrote it, and when (ms since 1970)."""

    format: int
    version: str
    at: int


class Kept(Struct, frozen=True, tag="match"):
    """A match: when it was made (ms since 1970), its private fields, its log, the versions of answers by their ids, and when
    something is due in it (ms of up-time; None: never). `tombstone` is the note of a match that was archived or removed, and
    `file` the file of an archived one.
    """

    match: str
    made: int
    meta: dict[str, bytes]
    entries: tuple[bytes, ...] = ()
    answers: dict[str, int] = {}
    due: int | None = None
    tombstone: bytes = b""
    file: bytes = b""


class Common(Struct, frozen=True, tag="common"):
    """What belongs to no match: the up-time (ms), by which clocks run, the public halves of the signing keys, reports, which
    matches are exhibitions, players, the key for push services, leagues, and bans and mutes.
    """

    up: int
    signers: tuple[str, ...]
    reports: tuple[bytes, ...]
    exhibits: tuple[str, ...]
    players: tuple[KeptPlayer, ...] = ()
    push_key: bytes = b""
    leagues: tuple[KeptLeague, ...] = ()
    sanctions: tuple[KeptSanction, ...] = ()


class End(Struct, frozen=True, tag="end"):
    """The end of a backup that is whole."""

    matches: int


Record = Header | Kept | Common | End


class Checked(Struct, frozen=True):
    """A backup that is whole, and how many matches it holds; see `check`."""

    path: Path
    matches: int


class Done(Struct, frozen=True):
    """How many matches were written or restored: with a log, archived, removed; and those whose log is `damaged`, by id."""

    live: int = 0
    archived: int = 0
    removed: int = 0
    damaged: tuple[str, ...] = ()

    @property
    def matches(self) -> int:
        """All matches."""
        return self.live + self.archived + self.removed

    def with_one(self, kept: Kept) -> Done:
        """Count a match, too."""
        if not kept.tombstone:
            return msgspec.structs.replace(self, live=self.live + 1)
        if kept.tombstone == REMOVED:
            return msgspec.structs.replace(self, removed=self.removed + 1)
        return msgspec.structs.replace(self, archived=self.archived + 1)


# --- backing up -------------------------------------------------------------------------------------------------------


async def back_up(
    store: MatchStore,
    files: ArchiveFolder | None,
    path: Path,
    version: str,
    now_ms: int,
    progress: Callable[[], None] = lambda: None,
) -> Done:
    """Write a backup, while servers run or not. Each match is in it as it stood at one moment.

    Args:
        store: an open store.
        files: the archive folder, if there is one.
        path: the file. It is there when it is whole, and not before; an older one is replaced.
        version: of the software.
        now_ms: milliseconds since 1970.
        progress: called after each match.

    Raises:
        StoreUnavailable: Redis does not answer.
        OSError: the file cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with gzip.GzipFile("", "wb", QUICKLY, file, mtime=0) as packed:
                done = await _write(store, files, cast("IO[bytes]", packed), Header(FORMAT, version, now_ms), progress)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return done


async def _write(
    store: MatchStore,
    files: ArchiveFolder | None,
    out: IO[bytes],
    header: Header,
    progress: Callable[[], None],
) -> Done:
    done, damaged = Done(), list[str]()
    await asyncio.to_thread(_put, out, header)
    async for listing in _all(store):
        try:
            kept = await _kept(store, files, listing)
        except UnknownMatch:
            continue
        except LogDamaged:
            damaged.append(listing.match_id)
            continue
        await asyncio.to_thread(_put, out, kept)
        done = done.with_one(kept)
        progress()
    up = await store.command("HGET", UP, "ms")
    common = Common(
        int(up) if isinstance(up, bytes) else 0,
        tuple(await store.signers()),
        tuple(await store.reports()),
        tuple(await store.exhibits()),
        await players(store),
        await push_key(store),
        await leagues(store),
        await sanctions(store, header.at),
    )
    await asyncio.to_thread(_put, out, common)
    await asyncio.to_thread(_put, out, End(done.matches))
    return msgspec.structs.replace(done, damaged=tuple(damaged))


async def _all(store: MatchStore) -> AsyncIterator[Listing]:
    """Give every match, the oldest last; one that is made meanwhile may be missing."""
    offset, seen = 0, set[str]()
    while page := await store.matches(offset, PAGE):
        offset += len(page)
        for listing in page:
            # New matches push the others along.
            if listing.match_id not in seen:
                seen.add(listing.match_id)
                yield listing
    # Removed matches are in no index, and their ids must stay taken.
    async for key in scanned(store, b"uf:{*}:meta"):
        found = key[len(b"uf:{") : -len(b"}:meta")].decode()
        if found and found not in seen:
            made = await store.command("HGET", meta_key(found), ":made")
            yield Listing(found, int(made) if isinstance(made, bytes) else 0)


async def _kept(store: MatchStore, files: ArchiveFolder | None, listing: Listing) -> Kept:
    match = listing.match_id
    # The answers before the log: an answer that comes between is in neither, or in the log alone, where it is found again.
    answers = {
        name.decode(): int(version) for name, version in pairs(await store.command("HGETALL", answers_key(match)))
    }
    due = await store.command("ZSCORE", DEADLINES, match)
    private = pairs(await store.command("HGETALL", meta_key(match)))
    meta = {name.decode(): value for name, value in private if not name.startswith(b":")}
    tombstone = dict(private).get(b":tombstone", b"")
    if tombstone:
        found = None if files is None or tombstone == REMOVED else await asyncio.to_thread(files.load, match)
        return Kept(match, listing.made_ms, meta, tombstone=tombstone, file=found or b"")
    entries = tuple(payload for _, payload in await MatchStore.read(store, match))
    known = {name: version for name, version in answers.items() if version <= len(entries)}
    return Kept(match, listing.made_ms, meta, entries, known, None if not isinstance(due, bytes) else int(float(due)))


def _put(out: IO[bytes], record: Record) -> None:
    data = pack(record)
    out.write(len(data).to_bytes(8, "big"))
    out.write(data)


# --- restoring --------------------------------------------------------------------------------------------------------


async def restore(
    store: MatchStore,
    files: ArchiveFolder | None,
    backup: Checked,
    progress: Callable[[], None] = lambda: None,
) -> Done:
    """Restore a backup into an empty database, and compare every match with what was written.

    Args:
        store: an open store without matches.
        files: the archive folder; archived matches need one.
        backup: the backup; it was read through once, so that a damaged one restores nothing.
        progress: called after each match.

    Raises:
        BackupError: there are matches already, or there is no folder for archived ones.
        StoreUnavailable, StoreError: the database cannot be written, or gave back something else.
        OSError: a file cannot be read or written.
    """
    if await store.matches(0, 1):
        raise BackupError(
            "There are matches in this database already: restore a backup into an empty data directory or database."
        )
    done = Done()
    for record in _records(backup.path):
        if isinstance(record, Kept):
            if record.file and files is None:
                raise BackupError("The backup holds archived matches: name the folder for them with --data-dir.")
            await _restore(store, files, record)
            await _compare(store, record)
            done = done.with_one(record)
            progress()
        elif isinstance(record, Common):
            await _restore_common(store, record)
    return done


def check(path: Path) -> Checked:
    """Read through a backup.

    Raises:
        BackupError: it is no whole backup.
        OSError: it cannot be read.
    """
    matches, record = 0, None
    for record in _records(path):
        matches += isinstance(record, Kept)
    if not isinstance(record, End) or record.matches != matches:
        raise BackupError(f"{path} is not whole: it ends too early.")
    return Checked(path, matches)


def _records(path: Path) -> Iterator[Record]:
    try:
        with gzip.open(path) as file:
            first = True
            while head := file.read(8):
                size = int.from_bytes(head, "big")
                data = file.read(size) if size <= LARGEST_RECORD else b""
                if len(head) < 8 or len(data) < size:
                    raise BackupError(f"{path} is not whole: it ends too early.")
                record = cast("Record", unpack(data, Record))
                if first and not isinstance(record, Header):
                    raise BackupError(f"{path} is no backup of Underfire.")
                if isinstance(record, Header) and record.format != FORMAT:
                    raise BackupError(f"{path} was written by a newer version of Underfire ({record.version}).")
                first = False
                yield record
    except (gzip.BadGzipFile, EOFError, zlib.error, CodecError):
        raise BackupError(f"{path} is no backup of Underfire, or is damaged.") from None


async def _restore(store: MatchStore, files: ArchiveFolder | None, kept: Kept) -> None:
    if kept.tombstone == REMOVED:
        # Its id is never used again, here too.
        await store.create(kept.match, kept.made, {}, b"removed")
        await store.remove(kept.match, 1)
        return
    entries, answers = kept.entries, kept.answers
    if kept.tombstone:
        entries = match_file.read(kept.file).entries if kept.file else (b"archived elsewhere",)
        answers = {}
    await store.restore(kept.match, kept.made, kept.meta, entries, answers)
    if kept.tombstone:
        if files is not None and kept.file:
            await asyncio.to_thread(save_surely, files, kept.match, kept.file)
        await store.archive(kept.match, len(entries), kept.tombstone)
    elif kept.due is not None:
        await store.set_due(kept.match, kept.due)


async def _compare(store: MatchStore, kept: Kept) -> None:
    """Read a restored match, and compare it with what was written: the log and the private fields."""
    if kept.tombstone == REMOVED or (kept.tombstone and not kept.file):
        return
    entries = tuple(payload for _, payload in await store.read(kept.match))
    due = match_file.read(kept.file).entries if kept.tombstone else kept.entries
    # What a log folds into follows from its bytes.
    if entries != tuple(due) or await store.get_meta(kept.match) != kept.meta:
        raise StoreError(f"Match {kept.match} came back from the database as something else.")


async def _restore_common(store: MatchStore, found: Common) -> None:
    await store.command("HSET", UP, "ms", found.up)
    if found.signers:
        current, *older = found.signers
        await store.claim_signer(current, older)
    for entry in reversed(found.reports):
        await store.report(entry, reports.about(reports.read(entry)))
    for match in found.exhibits:
        await store.exhibit(match)
    await put_players(store, found.players)
    await put_push_key(store, found.push_key)
    await put_leagues(store, found.leagues)
    await put_sanctions(store, found.sanctions)
