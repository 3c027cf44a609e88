"""The process that runs jobs, one after the other: `python -m server.work.child`.

It reads jobs from its standard input and writes their results to its standard output. It ends when its input is closed, even
during a job, so that it never outlives the server; and by an alarm if a job runs on.
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
"""The length of the message that follows."""
NICE = 5
"""The niceness of the process, so that the server itself goes first."""
ALARM_AFTER = 5
"""Seconds after a job's own limit at which the process ends itself, if the server has not ended it."""


def written(value: object) -> bytes:
    """Return a value as bytes for the other process."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(data)) + data


def _listen(inward: BinaryIO, jobs: queue.SimpleQueue[bytes]) -> None:
    """Read jobs, and end the process when the input is closed."""
    while len(head := inward.read(HEAD.size)) == HEAD.size:
        jobs.put(inward.read(HEAD.unpack(head)[0]))
    os._exit(0)


def _done(data: bytes) -> bytes:
    """Run a job; return its result, or its error."""
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
    """Run jobs until the server closes the input."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    outward = os.fdopen(os.dup(1), "wb")
    # Printed text must not mix with the results.
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        result = _done(jobs.get())
        try:
            outward.write(result)
            outward.flush()
        except BrokenPipeError:
            # The server ended during the job, and the end of the input has not been read yet.
            os._exit(0)


if __name__ == "__main__":
    main()
