"""The process in which jobs are done, one after the other: `python -m server.work.child`.

It reads jobs from its standard input and writes what came of them to its standard output. It ends when its input does, even in
the midst of a job, so that it never outlives the server; and by an alarm where a job goes on and on.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from typing import BinaryIO

from server.rulesets import library
from server.work.desk import Finding

HEAD = struct.Struct("!Q")
"""The length of what follows."""
NICE = 5
"""By how much it lets the server itself go first."""
ALARM_AFTER = 5
"""Seconds beyond a job's own after which it ends by itself, if the server has not ended it."""


def written(value: object) -> bytes:
    """A value as it goes from one process to the other."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


def _listen(inward: BinaryIO, jobs: queue.SimpleQueue[bytes]) -> None:
    """Take what comes, and end the process when nothing more can."""
    while len(head := inward.read(HEAD.size)) == HEAD.size:
        jobs.put(inward.read(HEAD.unpack(head)[0]))
    os._exit(0)


def _done(data: bytes) -> bytes:
    """Do a job; what came of it, or why nothing did."""
    try:
        seconds, job, args, kwargs = pickle.loads(data)  # noqa: S301 - it comes from the server that started us
        signal.alarm(int(seconds) + ALARM_AFTER)
        return written((True, job(library.edition, *args, **kwargs)))
    except Finding as finding:
        return written((False, finding))
    except Exception:  # noqa: BLE001 - the server tells of it
        return written((False, traceback.format_exc()))
    finally:
        signal.alarm(0)


def main() -> None:
    """Do jobs until the server hangs up."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    outward = os.fdopen(os.dup(1), "wb")
    # Whatever prints anything must not write between the answers.
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        outward.write(_done(jobs.get()))
        outward.flush()


if __name__ == "__main__":
    main()
