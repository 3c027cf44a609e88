"""The data folder of the embedded Valkey, identified by its inode, not by its name.

Names can be deleted, moved and reused while a server runs; inodes that are held open cannot. So the lock that says "a Valkey
works in this folder" is taken on the folder itself, and the files under the names are compared regularly with the ones seen
before.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from server.store.errors import EmbeddedError

LOG_DIR = "appendonlydir"
"""The folder of Valkey's append-only files."""
MANIFEST = "appendonly.aof.manifest"
"""The file in `LOG_DIR` that lists the valid ones."""
LOCK = "valkey.lock"
USERS = "users.lock"

PROCESSES = Path("/proc")
"""Where Linux lists processes."""

_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP}
"""The error numbers of file systems that cannot lock folders. NFS is one."""


class DataFolder:
    """A data folder, held open by a descriptor.

    Args:
        path: its absolute path.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._home: int | None = None
        self._log_dir: int | None = None
        self._files: dict[str, tuple[int, int]] = {}
        """The inode of each append-only file that was seen, by name. Valkey never reuses a name for another file."""
        self._users: int | None = None
        self.in_use = False
        """Whether a Valkey that works here has answered: from then on its append-only files must be there."""

    def open(self) -> None:
        """Create the folder if it is missing, readable by its owner alone, and hold it open.

        Raises:
            OSError: the folder cannot be used.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._home = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        self._users = self._lock_file(USERS)

    def close(self) -> None:
        """Release the folder, and the lock of the servers that use it."""
        for held in (self._home, self._log_dir, self._users):
            if held is not None:
                os.close(held)
        self._home = self._log_dir = self._users = None

    @property
    def is_open(self) -> bool:
        """Whether the folder is held open."""
        return self._home is not None

    # ------------------------------------------------------------------ what lies there, and what is held

    def trouble(self) -> str:
        """Return what is no longer in its place, as the subject of a sentence; "" while everything is there.

        Raises:
            OSError: the folder cannot be read.
        """
        if not _is(self.path, self._held()):
            return f"The folder {self.path}, in which this server keeps its matches,"
        log_dir = self.path / LOG_DIR
        if self._log_dir is None:
            # Valkey has not created it yet, or it is seen for the first time.
            with contextlib.suppress(FileNotFoundError):
                self._log_dir = os.open(log_dir, os.O_RDONLY | os.O_DIRECTORY)
        there = not self.in_use if self._log_dir is None else _is(log_dir, self._log_dir) and self._whole(log_dir)
        if not there:
            return f"The folder {log_dir}, or a file of the database in it,"
        return ""

    def _whole(self, log_dir: Path) -> bool:
        """Return whether the manifest and all files that it names are there, with the inodes seen before."""
        manifest = b""
        while True:
            before = manifest
            try:
                manifest = (log_dir / MANIFEST).read_bytes()
            except FileNotFoundError:
                return not self._files and not self.in_use
            found = {name: _inode(log_dir / name) for name in _named(manifest)}
            seen = {name: inode for name, inode in found.items() if inode is not None}
            if seen == found and all(self._files.get(name, inode) == inode for name, inode in seen.items()):
                self._files = seen
                return True
            # Valkey changes the manifest before it deletes files that it no longer names: check again if it did.
            if manifest == before:
                return False

    def check_manifest(self) -> None:
        """Check that Valkey will not begin a new log because the manifest of an existing one is missing.

        Raises:
            EmbeddedError: there are append-only files, and no manifest.
        """
        log_dir = self.path / LOG_DIR
        if log_dir.is_dir() and not (log_dir / MANIFEST).exists() and any(log_dir.glob("*.aof")):
            raise EmbeddedError(
                f"The database in {self.path} is incomplete: its file {log_dir / MANIFEST} is missing. Put it back from a backup."
            )

    # ------------------------------------------------------------------ the lock that a Valkey of this folder holds

    def claim(self) -> list[int] | None:
        """Take the locks that a Valkey of this folder holds for its lifetime, to pass them to a new one.

        Returns:
            Descriptors, which the caller must close; None if a Valkey, or a server that is about to start one, has the locks.

        Raises:
            OSError: the locks cannot be tested.
        """
        taken: list[int] = []
        try:
            if self._claim_folder(taken) and self._claim_file(taken):
                return taken
        except OSError:
            release(taken)
            raise
        release(taken)
        return None

    def deserted(self) -> bool:
        """Return whether no Valkey holds the lock of this folder any longer, wherever the folder is now.

        Raises:
            OSError: the lock cannot be tested.
        """
        taken: list[int] = []
        try:
            free = self._claim_folder(taken)
            # Where folders cannot be locked, only the lock file can tell, as long as it exists.
            return free and (bool(taken) or self._gone() or self._claim_file(taken))
        finally:
            release(taken)

    def _gone(self) -> bool:
        return not _is(self.path, self._held())

    def _claim_folder(self, taken: list[int]) -> bool:
        # Opened through the held descriptor, so that it is the same folder even if another one has its name now.
        folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._held())
        try:
            locked = try_lock(folder, fcntl.LOCK_EX)
        except OSError as error:
            os.close(folder)
            if error.errno in _NO_LOCKS:
                return True
            raise
        if not locked:
            os.close(folder)
            return False
        taken.append(folder)
        return True

    def _claim_file(self, taken: list[int]) -> bool:
        # Servers older than the folder lock know only this file.
        lock = self._lock_file(LOCK)
        taken.append(lock)
        return try_lock(lock, fcntl.LOCK_EX) and _is(self.path / LOCK, lock)

    def inhabitants(self, name: str) -> list[int] | None:
        """Return the processes of this name that work in the folder, wherever it is now; None if that cannot be seen.

        Args:
            name: a program's name, as the system shows it for processes.
        """
        if not PROCESSES.is_dir():
            return None
        held, found = os.fstat(self._held()), []
        for process in PROCESSES.iterdir():
            with contextlib.suppress(OSError):
                if process.name.isdecimal() and (process / "comm").read_text().strip() == name:
                    works = (process / "cwd").stat()
                    if (works.st_dev, works.st_ino) == (held.st_dev, held.st_ino):
                        found.append(int(process.name))
        return found

    # ------------------------------------------------------------------ the lock of the servers that use it

    def join(self) -> bool:
        """Register as one of the servers that use the folder. If the lock file was deleted, the file that has its name now is
        taken.

        Returns:
            Whether it succeeded: not while a leaving server is shutting Valkey down.

        Raises:
            OSError: the lock file cannot be used.
        """
        if self._users is None or not _is(self.path / USERS, self._users):
            users = self._lock_file(USERS)
            if self._users is not None:
                os.close(self._users)
            self._users = users
        return try_lock(self._users, fcntl.LOCK_SH)

    def leave(self) -> bool:
        """Return whether this is the last server that uses the folder; no other one can join then, until `close`."""
        return self._users is not None and try_lock(self._users, fcntl.LOCK_EX)

    def _lock_file(self, name: str) -> int:
        """Open a file of the folder for locking. Child processes do not inherit the descriptor by default."""
        return os.open(name, os.O_RDWR | os.O_CREAT, 0o600, dir_fd=self._held())

    def _held(self) -> int:
        assert self._home is not None, "the folder is open"
        return self._home


def try_lock(descriptor: int, kind: int) -> bool:
    """Lock a file, if it is free. Return whether it is locked now.

    Raises:
        OSError: this file cannot be locked at all.
    """
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def release(descriptors: list[int]) -> None:
    """Close descriptors without unlocking: a lock lives on with the copy that a child has."""
    for descriptor in descriptors:
        os.close(descriptor)


def _is(path: Path, descriptor: int) -> bool:
    """Return whether this name leads to the file of the descriptor."""
    held = os.fstat(descriptor)
    return _inode(path) == (held.st_dev, held.st_ino)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _named(manifest: bytes) -> list[str]:
    """Return the files that a manifest names, except those about to be deleted: `file NAME seq NUMBER type b`."""
    rows = (line.split() for line in manifest.decode(errors="replace").splitlines())
    return [row[1] for row in rows if len(row) == 6 and row[0] == "file" and row[5] != "h"]
