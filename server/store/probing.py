"""Asking whether a Valkey listens on a socket, and whose it is. Everything here waits: it belongs into a thread."""

from __future__ import annotations

import contextlib
import socket
import time
from dataclasses import dataclass
from pathlib import Path

ANSWER_SECONDS = 1.0
"""How long a Valkey may take to answer a question."""


@dataclass(frozen=True)
class Found:
    """What listens on a socket.

    Attributes:
        pid: its process id; 0 if it says nothing.
        folder: where it works, "" if it does not say.
        ready: whether it takes commands; one that loads its file does not yet.
    """

    pid: int = 0
    folder: str = ""
    ready: bool = False

    def works_in(self, folder: Path) -> bool:
        """Whether it works in this folder, or says nothing that speaks against it.

        Raises:
            OSError: it cannot be seen.
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
        What listens; None if nothing does. What listens and says nothing in time is there, too.

    Raises:
        OSError: there are no descriptors left to ask with.
    """
    deadline = time.monotonic() + seconds
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.settimeout(seconds)
            line.connect(str(path))
        except (TimeoutError, BlockingIOError):
            return Found()  # so many are waiting for it that there is no room for one more
        except OSError:
            return None
        reply = b""
        with contextlib.suppress(OSError):
            # What is asked last is answered with exactly one line, even while Valkey loads its file.
            line.sendall(b"INFO server\r\nCONFIG GET dir\r\nPING\r\n")
            while not reply.endswith(b"+PONG\r\n") and not _refused(reply):
                line.settimeout(max(0.001, deadline - time.monotonic()))
                more = line.recv(65536)
                if not more:
                    break
                reply += more
    return _read(reply)


def _refused(reply: bytes) -> bool:
    """Whether the last line is an error: PING gets one while Valkey loads its file."""
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
