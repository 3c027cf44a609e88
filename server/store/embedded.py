"""The embedded Valkey, for hosts without a Redis: started in the data directory, shared by all servers that use it.

Locks (`flock`) coordinate the servers. They are released when the processes that hold them end, so nothing has to be
cleaned up after a crash.

- The data directory itself and `valkey.lock` in it are locked by Valkey. The server that starts it takes the locks first
  and passes the descriptors to it, so they live exactly as long as Valkey does. Two servers can therefore never start two
  over the same data, not even when files were deleted: a server that finds both locks free, and gets no answer on the socket,
  starts Valkey; all others connect. Every server keeps trying; if Valkey is killed, one of them starts the next.
- `users.lock`: every server holds it shared. A stopping server tries to get it exclusively; if it can, it was the last and
  shuts Valkey down. If the last server is killed instead, Valkey goes on, and the next server finds it. Valkey runs in a
  session of its own, so a Ctrl-C meant for the server does not reach it.
- `valkey.socket`: where Valkey listens, if not at `valkey.sock` in the directory: a socket's path may have some 100 bytes
  only, so a data directory with a long name needs a place elsewhere.

Valkey writes every change to its append-only file and to the disk before it acknowledges it (`appendfsync always`), opens
no TCP port, and answers only processes of the same user. If the directory is deleted, moved or replaced, the matches will be
lost sooner or later: this is detected and reported, and from then on nothing more is accepted (`watch_trouble`).

Everything that may block, on a disk, a process or an answer, runs in a thread of its own and never on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import platform
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import quote

from server.complaints import complaint
from server.descriptors import Reserve
from server.store.data_folder import LOG_DIR, DataFolder, release
from server.store.errors import EmbeddedError
from server.store.launching import ValkeyProcess, listed, server_binary
from server.store.probing import Found, probe

__all__ = ["EmbeddedError", "EmbeddedValkey", "data_lies_in", "default_data_dir", "server_binary"]

log = logging.getLogger(__name__)

T = TypeVar("T")

POLL_SECONDS = 0.02
"""Seconds between two checks whether the Valkey that is being started answers."""
VALKEY = "valkey-server"
"""The name of Valkey's process."""
DESCRIPTORS = 12
"""The descriptors that starting Valkey needs: two locks, a probe, its log, a pipe, the manifest; and some spare."""


def default_data_dir() -> Path:
    """Return this user's data directory: `$XDG_DATA_HOME/underfire`, or the platform's equivalent.

    Raises:
        EmbeddedError: this user has no home directory.
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
    """Return whether a Valkey has ever stored anything in this directory.

    Raises:
        OSError: the directory cannot be read.
    """
    return (data_dir / LOG_DIR).is_dir()


class EmbeddedValkey:
    """The Valkey of a data directory: found or started, watched, and shut down by the last server that leaves.

    Args:
        data_dir: created if missing, readable by its owner alone. A relative path is resolved now.
        watch_seconds: the pause between two checks whether Valkey still lives.
        start_seconds: how long it may take to answer after a start; a long append-only file takes a while to load.
        socket_seconds: how long a Valkey may live without a socket; it creates one right after it is started.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        watch_seconds: float = 0.1,
        start_seconds: float = 60.0,
        socket_seconds: float = 2.0,
    ) -> None:
        # Valkey changes into this directory and is given its path too: a relative path would point inside it.
        self.data_dir = data_dir.absolute()
        self.trouble = ""
        """What happened to the data directory while it was in use, as a sentence; "" while it is intact."""
        self._watch_seconds = watch_seconds
        self._start_seconds = start_seconds
        self._socket_seconds = socket_seconds
        self._folder = DataFolder(self.data_dir)
        self._reserve = Reserve(DESCRIPTORS)
        self._thread: ThreadPoolExecutor | None = None
        self._process = ValkeyProcess(self.data_dir)
        self._unreachable: tuple[list[int], float] | None = None
        """The Valkey that lives without its socket, and since when it is known, by the monotonic clock."""
        self._watching: asyncio.Task[None] | None = None
        self._watchers: list[Callable[[str], None]] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def url(self) -> str:
        """The URL of Valkey's socket. It stays the same when Valkey is restarted."""
        return "unix://" + quote(str(self._process.socket()))

    def watch_trouble(self, watcher: Callable[[str], None]) -> None:
        """Call `watcher` with `trouble`, now if there is any, and at every change."""
        self._watchers.append(watcher)
        if self.trouble:
            watcher(self.trouble)

    async def start(self) -> str:
        """Find the directory's Valkey or start it, wait until it answers, and keep it running from now on.

        Returns:
            `url`.

        Raises:
            EmbeddedError: Valkey cannot be started, or does not answer in time.
            OSError: the directory cannot be used.
        """
        self._thread = ThreadPoolExecutor(1, "embedded valkey")
        deadline = time.monotonic() + self._start_seconds
        try:
            await self._in_thread(self._folder.open)
            self._reserve.fill()
            # A server that is shutting Valkey down holds this lock exclusively: wait until it is done.
            while not await self._in_thread(self._folder.join):
                await self._pause(deadline, "is being stopped by another server, which does not finish")
            while not await self._in_thread(self._answers):
                dead = self._process.died
                if dead:
                    deadline = 0.0  # it ended at once, and would do so again
                else:
                    await self._in_thread(self._start_if_needed)
                await self._pause(deadline, "did not start" if dead else "does not answer")
            self._folder.in_use = True
            await self._in_thread(self._check_whole)
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
        if self._thread is None:
            return
        try:
            if await self._in_thread(self._folder.leave):
                await self._shut_down()
        finally:
            self._release()

    def pid(self) -> int:
        """Return the process id of the Valkey that answers now.

        Raises:
            EmbeddedError: none does.
        """
        found = self._probe()
        if found is None or not found.pid:
            raise EmbeddedError("Valkey does not answer.")
        return found.pid

    # ------------------------------------------------------------------ inside

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run something that may block. Calls run one at a time, in order, also when the caller is cancelled."""
        assert self._thread is not None, "it was started"
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _pause(self, deadline: float, what: str) -> None:
        if time.monotonic() > deadline:
            raise EmbeddedError(self._process.complaint(what))
        await asyncio.sleep(POLL_SECONDS)

    async def _watch(self) -> None:
        """Check that the directory is intact, and restart Valkey whenever it has ended; less often if it ends at once."""
        pause = self._watch_seconds
        failed = ""
        while True:
            await asyncio.sleep(pause)
            try:
                trouble, started = await self._in_thread(self._look)
            except (OSError, EmbeddedError) as error:
                if failed != (failed := complaint(error)):
                    log.error("Valkey could not be checked: %s", failed)  # noqa: TRY400 - it is no mistake of ours
                pause = min(2 * pause, 5.0)
                continue
            failed = ""
            self._note(trouble)
            if started:
                log.warning(
                    "Valkey had ended and is started again. Its log ends with:%s", listed(self._process.last_lines())
                )
                pause = min(2 * pause, 5.0)
            else:
                pause = self._watch_seconds

    def _note(self, trouble: str) -> None:
        """Log that something happened to the directory, or that it is intact again, and call the watchers."""
        sentence = trouble and (
            f"{trouble} was deleted, moved or replaced while this server runs. The server accepts nothing until it is back in "
            "its place. If that cannot be, stop every server that uses it and start from a backup."
        )
        if sentence == self.trouble:
            return
        self.trouble = sentence
        if sentence:
            log.error("%s", sentence)
        else:
            log.warning("What was missing of %s is back in its place; the server goes on.", self.data_dir)
        for watcher in self._watchers:
            watcher(sentence)

    def _look(self) -> tuple[str, bool]:
        """Return what is wrong with the directory, and whether Valkey was dead and has been restarted."""
        try:
            return self._look_after()
        except OSError as error:
            if error.errno not in {errno.EMFILE, errno.ENFILE}:
                raise
            with self._reserve.spent():
                return self._look_after()
        finally:
            self._reserve.fill()

    def _look_after(self) -> tuple[str, bool]:
        if trouble := self._folder.trouble():
            # A Valkey started on the files that are there now would lack entries that this server has acknowledged.
            return trouble, False
        self._folder.join()
        if self._start_if_dead():
            return "", True
        self._mend_socket()
        return "", False

    def _mend_socket(self) -> None:
        """End a Valkey whose socket was deleted, so that it is unreachable: the next one creates a new socket."""
        path = self._process.socket()
        if path.exists() or self._folder.deserted():
            self._unreachable = None
            return
        pids = self._living()
        # It may just be starting, also after another server has ended the one before.
        if self._unreachable is None or self._unreachable[0] != pids:
            self._unreachable = pids, time.monotonic()
        elif time.monotonic() - self._unreachable[1] >= self._socket_seconds:
            self._unreachable = None
            log.warning("Valkey's socket %s was deleted: Valkey is ended, and started again.", path)
            _signal(pids, signal.SIGTERM)

    def _living(self) -> list[int]:
        """Return the process ids of the Valkey that holds the lock of the directory, wherever its socket is."""
        pids = self._folder.inhabitants(VALKEY)
        if pids is None:
            # Only for our own child it is certain that no other process has its id by now.
            child = self._process.child
            pids = [child.pid] if child is not None and child.poll() is None else []
        return pids

    def _check_whole(self) -> None:
        if trouble := self._folder.trouble():
            raise EmbeddedError(
                f"{trouble} was deleted, moved or replaced. Put it back from a backup, and start again."
            )

    def _start_if_needed(self) -> None:
        if not self._start_if_dead():
            self._mend_socket()

    def _start_if_dead(self) -> bool:
        """Start Valkey if its locks are free and nothing answers. Return whether it was started."""
        locks = self._folder.claim()
        if locks is None:
            return False
        try:
            if self._probe() is not None:
                return False  # an older server started it, and its lock file was deleted since
            # The locks are free, so it is dead or dying.
            if not self._process.reap():
                return False
            self._folder.check_manifest()
            self._process.spawn(locks)
            return True
        finally:
            release(locks)

    def _probe(self) -> Found | None:
        """Return what listens on the socket, if it works in this directory: the note in a copied directory leads to the
        original's Valkey.
        """
        found = probe(self._process.socket())
        return found if found is not None and found.works_in(self.data_dir) else None

    def _answers(self) -> bool:
        found = self._probe()
        return found is not None and found.ready

    async def _shut_down(self) -> None:
        """Ask Valkey to end, and wait until its lock is free: only then has it really ended."""
        deadline = time.monotonic() + self._start_seconds
        while not await self._in_thread(self._ended):
            await self._pause(deadline, "does not stop")
        await self._in_thread(lambda: self._process.reap(self._start_seconds))

    def _ended(self) -> bool:
        """Return whether Valkey has ended; if it has not, tell it to."""
        lost = bool(self.trouble or self._folder.trouble())
        if self._folder.deserted() and (lost or self._probe() is None):
            return True
        if lost:
            # An orderly shutdown would delete the socket at its path, where the Valkey of another directory may listen by now.
            # Everything that it has acknowledged is on disk, wherever that is.
            _signal(self._living(), signal.SIGKILL)
            return False
        found = self._probe()
        _signal([found.pid] if found is not None and found.pid else self._living(), signal.SIGTERM)
        return False

    def _release(self) -> None:
        self._folder.close()
        self._reserve.empty()
        if self._thread is not None:
            self._thread.shutdown(wait=False)
            self._thread = None
        self._process.let_go()

    async def _give_up(self) -> None:
        """Leave after a failed start, and end the Valkey that was started here if no other server uses it."""
        try:
            await self._in_thread(self._end_child)
        finally:
            self._release()

    def _end_child(self) -> None:
        if self._folder.is_open and self._folder.leave():
            self._process.end()


def _signal(pids: list[int], how: signal.Signals) -> None:
    """Send a signal to those of the processes that have not ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)
