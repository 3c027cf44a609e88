"""One core for the servers that are measured, the other one for everything else, where the system lets one choose."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path


def split() -> bool:
    """Whether there are two cores that can be chosen."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def take_load_core() -> None:
    """Move this process, and all that it starts from now on, off the servers' core."""
    if sys.platform == "linux" and split():
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[1:])


def take_server_core(core: int) -> None:
    """Move this process onto the servers' core; -1 leaves it where it is."""
    if sys.platform == "linux" and core >= 0:
        os.sched_setaffinity(0, {core})


def server_core() -> int:
    """The core for servers; -1 where there is no choice. To be asked before `take_load_core`."""
    return min(os.sched_getaffinity(0)) if sys.platform == "linux" and split() else -1


def allow_many_files() -> None:
    """Raise the limit of open files as far as it goes: a thousand spectators are a thousand sockets."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def resident() -> int:
    """The memory that this process holds now, in bytes (where the system does not tell: the most it has held)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
