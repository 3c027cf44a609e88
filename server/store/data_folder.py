"""The folder that the embedded Valkey keeps matches in: held by its inode, not by its name.

Names can be deleted, moved and given to something else while a server runs; inodes that are held open cannot. So the lock
that says "a Valkey works in this folder" is taken on the folder itself, and what lies under the names is compared, again and
again, with what is held.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from server.store.errors import EmbeddedError

LOG_DIR = "appendonlydir"
"""Where Valkey keeps its append-only files."""
MANIFEST = "appendonly.aof.manifest"
"""Which of them count, in `LOG_DIR`."""
LOCK = "valkey.lock"
USERS = "users.lock"

PROCESSES = Path("/proc")
"""Where Linux shows processes."""

_NO_LOCKS = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP}
"""How file systems say that folders cannot be locked there. NFS is one."""


class DataFolder:
    """A data folder, held open.

    Args:
        path: absolute.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._home: int | None = None
        self._log_dir: int | None = None
        self._files: dict[str, tuple[int, int]] = {}
        """The inode of each append-only file that was seen, by name. Valkey never gives a name to another file."""
        self._users: int | None = None
        self.in_use = False
        """Whether a Valkey has answered that works here: from then on its append-only files must be there."""

    def open(self) -> None:
        """Make the folder if it is missing, readable by its owner alone, and hold it.

        Raises:
            OSError: it cannot be used.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._home = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        self._users = self._lock_file(USERS)

    def close(self) -> None:
        """Let go of the folder, and of the lock of those who use it."""
        for held in (self._home, self._log_dir, self._users):
            if held is not None:
                os.close(held)
        self._home = self._log_dir = self._users = None

    @property
    def is_open(self) -> bool:
        """Whether the folder is held."""
        return self._home is not None

    # ------------------------------------------------------------------ what lies there, and what is held

    def trouble(self) -> str:
        """What is no longer where it was, as the subject of a sentence; empty while everything is there.

        Raises:
            OSError: it cannot be seen.
        """
        if not _is(self.path, self._held()):
            return f"The folder {self.path}, in which this server keeps its matches,"
        log_dir = self.path / LOG_DIR
        if self._log_dir is None:
            # Valkey has not made it yet, or it is seen for the first time.
            with contextlib.suppress(FileNotFoundError):
                self._log_dir = os.open(log_dir, os.O_RDONLY | os.O_DIRECTORY)
        there = not self.in_use if self._log_dir is None else _is(log_dir, self._log_dir) and self._whole(log_dir)
        if not there:
            return f"The folder {log_dir}, or a file of the database in it,"
        return ""

    def _whole(self, log_dir: Path) -> bool:
        """Whether the manifest is there, and all files that it names, and they are those that were seen before."""
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
            # Valkey changes the manifest before it deletes what it no longer names: look again, if it did.
            if manifest == before:
                return False

    def check_manifest(self) -> None:
        """See that Valkey will not take a log without its manifest for no log at all, and begin a new one.

        Raises:
            EmbeddedError: there are append-only files, and no manifest.
        """
        log_dir = self.path / LOG_DIR
        if log_dir.is_dir() and not (log_dir / MANIFEST).exists() and any(log_dir.glob("*.aof")):
            raise EmbeddedError(
                f"The database in {self.path} is not whole: its file {log_dir / MANIFEST} is missing. Put it back from a backup."
            )

    # ------------------------------------------------------------------ the lock that a Valkey of this folder holds

    def claim(self) -> list[int] | None:
        """Take the locks that a Valkey of this folder holds as long as it lives, to hand them down to one.

        Returns:
            Descriptors, to be closed by the caller; None if a Valkey, or a server that is about to start one, has them.

        Raises:
            OSError: they cannot be tried.
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
        """Whether no Valkey holds the lock of this folder any longer, wherever the folder is now.

        Raises:
            OSError: it cannot be tried.
        """
        taken: list[int] = []
        try:
            free = self._claim_folder(taken)
            # Where folders cannot be locked, only the file can tell, as long as it is there.
            return free and (bool(taken) or self._gone() or self._claim_file(taken))
        finally:
            release(taken)

    def _gone(self) -> bool:
        return not _is(self.path, self._held())

    def _claim_folder(self, taken: list[int]) -> bool:
        # Opened by what is held, so that it is the same folder even when another one has its name.
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
        # Servers from before the folder itself was locked know only this file.
        lock = self._lock_file(LOCK)
        taken.append(lock)
        return try_lock(lock, fcntl.LOCK_EX) and _is(self.path / LOCK, lock)

    def inhabitants(self, name: str) -> list[int] | None:
        """Return the processes of this name that work in the folder, wherever it is now; None where that cannot be seen.

        Args:
            name: a program's, as the system calls its process.
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
        """Be one of the servers that use the folder. If the lock file was deleted, the one that has its name now is taken.

        Returns:
            Whether it is so: not while a server that leaves is shutting Valkey down.

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
        """Whether this is the last server that uses the folder; no other one can join then, until `close`."""
        return self._users is not None and try_lock(self._users, fcntl.LOCK_EX)

    def _lock_file(self, name: str) -> int:
        """Open a file of the folder for locking. Children do not inherit the descriptor unless told so."""
        return os.open(name, os.O_RDWR | os.O_CREAT, 0o600, dir_fd=self._held())

    def _held(self) -> int:
        assert self._home is not None, "the folder is open"
        return self._home


def try_lock(descriptor: int, kind: int) -> bool:
    """Lock a file, if nobody else has it. Returns whether it is locked.

    Raises:
        OSError: this file cannot be locked at all.
    """
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def release(descriptors: list[int]) -> None:
    """Close descriptors. A lock goes on with the copy that a child has; unlocking would end both."""
    for descriptor in descriptors:
        os.close(descriptor)


def _is(path: Path, descriptor: int) -> bool:
    """Whether what has this name is what is held."""
    held = os.fstat(descriptor)
    return _inode(path) == (held.st_dev, held.st_ino)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _named(manifest: bytes) -> list[str]:
    """The files that a manifest names, but for those that are about to be deleted: `file NAME seq NUMBER type b`."""
    rows = (line.split() for line in manifest.decode(errors="replace").splitlines())
    return [row[1] for row in rows if len(row) == 6 and row[0] == "file" and row[5] != "h"]
