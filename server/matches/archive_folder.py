"""The folder of matches that are long over: one file each, and a tombstone in the store."""

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
"""What stands on the tombstone of a match that is in a file."""

STALE_SECONDS = 3600
"""A half-written file this old belongs to nobody any more."""


class MatchFiles:
    """A folder of match files, made if it is not there. Servers of one store share it.

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
        """Write a match's file, whole or not at all. When this returns it is on disk; another one of the id is replaced.

        Raises:
            ValueError: that is no match's id.
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
        # Else an outage could forget the name, after the log was deleted.
        self._sync()

    def delete(self, match_id: str) -> bool:
        """Delete a match's file, and return whether there was one.

        Raises:
            ValueError: that is no match's id.
            OSError: it cannot be deleted.
        """
        try:
            self._path(match_id).unlink()
        except FileNotFoundError:
            return False
        self._sync()
        return True

    def removed(self) -> MatchFiles:
        """Return the folder in this one in which the operator alone finds what was stored of removed matches."""
        folder = self._folder / REMOVED_FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        return MatchFiles(folder)

    def where(self, match_id: str) -> Path:
        """Return where a match's file is or would be. Raises `ValueError`: that is no match's id."""
        return self._path(match_id)

    def load(self, match_id: str) -> bytes | None:
        """A match's file; None if there is none.

        Raises:
            ValueError: that is no match's id.
            OSError: it cannot be read.
        """
        try:
            return self._path(match_id).read_bytes()
        except FileNotFoundError:
            return None

    def exists(self, match_id: str) -> bool:
        """Whether a match has a file. Before its tombstone stands that says nothing: the log may have gone on since.

        Raises:
            ValueError: that is no match's id.
        """
        return self._path(match_id).exists()

    @contextlib.contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the folder, unless it is held; gives whether it is held now. A crash lets it go."""
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
        """Bring the folder's names to the disk."""
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _path(self, match_id: str) -> Path:
        check_id(match_id)
        return self._folder / f"{match_id}{SUFFIX}"


async def put_away(store: MatchStore, files: MatchFiles, match_id: str, signing: Signing | None = None) -> bool:
    """Move a finished match from the store into its file. Whatever interrupts it, the match is in one of both, whole.

    Args:
        store: an open store.
        files: the folder.
        match_id: the match.
        signing: signs the file, if it is given.

    Returns:
        Whether it is put away now. False: somebody else holds the folder; try again later.

    Raises:
        StoreError: an entry came meanwhile; try again later.
        UnknownMatch: it was never made.
        LogDamaged, LogError: its log is none.
        StoreUnavailable: Redis does not answer.
        OSError: the file cannot be written.
    """
    # Between reading and burying nobody else may save: an older reading could come to stand over the one that was buried.
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
        await store.bury(match_id, last, IN_FILE)
    return True


def save_surely(files: MatchFiles, match_id: str, data: bytes) -> None:
    """Save a match's file and read it again. Raises `StoreError`: it is not what was written; and what `save` raises."""
    files.save(match_id, data)
    # The log is deleted next, and there is no other copy.
    if files.load(match_id) != data:
        raise StoreError(f"The file of match {match_id} is not what was written.")
