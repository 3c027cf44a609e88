"""The archive folder: one file for each match that ended long ago, and a tombstone in the store."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from server.matches.log import match_file
from server.matches.signing import Signing
from server.store.errors import MatchClosed, StoreError
from server.store.key_names import check_id
from server.store.store import MatchStore

SUFFIX = ".underfire"
PART = ".part"
LOCK = ".lock"
REMOVED_FOLDER = "removed"

IN_FILE = b"file"
"""The value of a tombstone whose match is in a file."""

STALE_SECONDS = 3600
"""A temporary file of this age was left by a crash, and is deleted."""


class ArchiveFolder:
    """A folder of match files, created if it does not exist. The servers of one store share it.

    Args:
        folder: the folder. Nothing else should be kept in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for part in folder.glob(f"*{PART}"):
            with contextlib.suppress(FileNotFoundError):
                if part.stat().st_mtime < time.time() - STALE_SECONDS:
                    part.unlink()

    def save(self, match_id: str, data: bytes) -> None:
        """Write a match's file atomically. When this returns, the file is on disk; an older file of the same id is replaced.

        Raises:
            ValueError: the id is not a match's id.
            OSError: it cannot be written.
        """
        path = self._path(match_id)
        part = self._folder / f"{match_id}.{secrets.token_hex(8)}{PART}"
        try:
            with part.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        # Without this, an outage could lose the file's name after the log was deleted.
        self._sync()

    def delete(self, match_id: str) -> bool:
        """Delete a match's file, and return whether there was one.

        Raises:
            ValueError: the id is not a match's id.
            OSError: it cannot be deleted.
        """
        try:
            self._path(match_id).unlink()
        except FileNotFoundError:
            return False
        self._sync()
        return True

    def removed(self) -> ArchiveFolder:
        """Return the subfolder with the stored data of removed matches, which only the operator reads."""
        folder = self._folder / REMOVED_FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        return ArchiveFolder(folder)

    def where(self, match_id: str) -> Path:
        """Return the path of a match's file, whether or not it exists. Raises `ValueError`: the id is not a match's id."""
        return self._path(match_id)

    def load(self, match_id: str) -> bytes | None:
        """Return a match's file, or None if there is none.

        Raises:
            ValueError: the id is not a match's id.
            OSError: it cannot be read.
        """
        try:
            return self._path(match_id).read_bytes()
        except FileNotFoundError:
            return None

    def exists(self, match_id: str) -> bool:
        """Return whether a match has a file. Before the match's tombstone is in the store, that says nothing: the log may
        have grown since.

        Raises:
            ValueError: the id is not a match's id.
        """
        return self._path(match_id).exists()

    @contextlib.contextmanager
    def held(self) -> Iterator[bool]:
        """Lock the folder, unless it is locked already; yield whether this call got the lock. A crash releases it."""
        descriptor = os.open(self._folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def _sync(self) -> None:
        """Flush the folder's entries to disk."""
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _path(self, match_id: str) -> Path:
        check_id(match_id)
        return self._folder / f"{match_id}{SUFFIX}"


async def archive(store: MatchStore, files: ArchiveFolder, match_id: str, signing: Signing | None = None) -> bool:
    """Archive an ended match: move it from the store into a file. After any interruption the match is whole in at
    least one of them.

    Args:
        store: an open store.
        files: the folder.
        match_id: the match.
        signing: signs the file, if given.

    Returns:
        Whether the match is archived now. False: another process has locked the folder; try again later.

    Raises:
        StoreError: an entry was appended meanwhile; try again later.
        UnknownMatch: there is no such match.
        LogDamaged, LogError: its log cannot be read.
        StoreUnavailable: Redis does not answer.
        OSError: the file cannot be written.
    """
    # No other process may save between the reading and the tombstone: an older copy could replace the archived one.
    with files.held() as held:
        if not held:
            return False
        try:
            entries = await store.read(match_id)
        except MatchClosed:
            return True
        payloads = [payload for _, payload in entries]
        data = match_file.export(payloads, await signing.of(match_id, payloads) if signing is not None else ())
        await asyncio.to_thread(save_surely, files, match_id, data)
        last, _ = entries[-1]
        await store.archive(match_id, last, IN_FILE)
    return True


def save_surely(files: ArchiveFolder, match_id: str, data: bytes) -> None:
    """Save a match's file and read it back. Raises `StoreError` if the file differs from what was written, and what `save`
    raises.
    """
    files.save(match_id, data)
    # The log is deleted next, so this is the only copy.
    if files.load(match_id) != data:
        raise StoreError(f"The file of match {match_id} is not what was written.")
