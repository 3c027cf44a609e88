"""Asking whether a Valkey listens on a socket, and in which folder. These calls block, so they belong in a thread."""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import dataclass
from pathlib import Path

ANSWER_SECONDS = 1.0
"""Seconds that a Valkey may take to answer."""


@dataclass(frozen=True)
class Found:
    """What listens on a socket.

    Attributes:
        pid: its process id; 0 if it did not say.
        folder: its working directory; "" if it did not say.
        ready: whether it takes commands; not while it loads its file.
    """

    pid: int = 0
    folder: str = ""
    ready: bool = False

    def works_in(self, folder: Path) -> bool:
        """Return whether it works in this folder, or at least does not say otherwise.

        Raises:
            OSError: the folder cannot be read.
        """
        if not self.folder:
            return True
        try:
            return Path(self.folder).samefile(folder)
        except FileNotFoundError:
            return False


def probe(path: Path, seconds: float = ANSWER_SECONDS) -> Found | None:
    """Ask what listens on a socket.

    Args:
        path: the socket's.
        seconds: how long all answers together may take.

    Returns:
        What listens; None if nothing does. A listener that does not answer in time counts, too.

    Raises:
        OSError: this process has no descriptors left.
    """
    deadline = time.monotonic() + seconds
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.settimeout(seconds)
            line.connect(str(path))
        except (TimeoutError, BlockingIOError):
            return Found()  # its queue of connections is full
        except OSError:
            return None
        reply = b""
        with contextlib.suppress(OSError):
            # The last command is answered with exactly one line, even while Valkey loads its file.
            line.sendall(b"INFO server\r\nCONFIG GET dir\r\nPING\r\n")
            while not reply.endswith(b"+PONG\r\n") and not _refused(reply):
                line.settimeout(max(0.001, deadline - time.monotonic()))
                more = line.recv(65536)
                if not more:
                    break
                reply += more
    return _read(reply)


def _refused(reply: bytes) -> bool:
    """Return whether the last line is an error: PING gets one while Valkey loads its file."""
    last = reply.rpartition(b"\r\n")[0].rpartition(b"\r\n")[2]
    return reply.endswith(b"\r\n") and last.startswith(b"-")


def _read(reply: bytes) -> Found:
    lines = reply.split(b"\r\n")
    pid = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"process_id:")), 0)
    folder = ""
    if b"dir" in lines:
        # `*2 $3 dir $length FOLDER`, each on a line of its own.
        at = lines.index(b"dir") + 2
        folder = lines[at].decode(errors="surrogateescape") if at < len(lines) else ""
    return Found(pid, folder, ready=b"+PONG" in lines)
