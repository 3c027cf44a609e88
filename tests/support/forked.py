"""`underfire` in processes that are forked from one which has imported it: they start in a fraction of the time.

They run what the command line runs, with its arguments, environment and output; only the interpreter's start, the imports and
the reading of the rules are shared. The tests start hundreds of servers.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.support.imported"])
_ALONE = threading.Lock()
"""Two threads that ask the same process at once for its exit code would each read half of it."""


class Forked:
    """`underfire ...` in a process of its own, with what tests use of `subprocess.Popen`.

    Args:
        arguments: what stands after `underfire`.
        environment: its whole environment.
        output: the file to which its standard output and its errors are added.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], output: Path) -> None:
        self._process = _FORKING.Process(
            target=_run, args=(list(arguments), dict(environment), str(output)), daemon=True
        )
        with _ALONE:
            self._process.start()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        with _ALONE:
            return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, timeout: float) -> int:
        """Wait until it has ended, and return the exit code.

        Raises:
            subprocess.TimeoutExpired: it still runs, after this many seconds.
        """
        multiprocessing.connection.wait([self._process.sentinel], timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("underfire", timeout)
        return code


def _run(arguments: list[str], environment: dict[str, str], output: str) -> None:
    from tests.support.imported import main  # noqa: PLC0415 - in the process that is forked, not in that of the tests

    os.environ.clear()
    os.environ.update(environment)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(written, 1)
    os.dup2(written, 2)
    os.close(written)
    sys.argv = ["underfire", *arguments]
    sys.exit(main(arguments))
