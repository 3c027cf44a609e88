"""A disk that fills up: a small file system where one can be mounted, and everywhere the largest size that a file may have."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = "1500m"


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount a small file system at `folder`, and say whether that could be done: only root may."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "none", str(folder)]
    try:
        mounted = subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def fill(folder: Path, left: int) -> Path:
    """Fill the disk up to the last `left` bytes; gives the file that fills it."""
    filler = folder / "filler"
    with filler.open("wb") as file:
        free = os.statvfs(folder)
        with contextlib.suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, max(1, free.f_bavail * free.f_bsize - left))
    return filler


def largest_file(pids: list[int], size: int) -> None:
    """Let these processes write no file beyond `size` bytes; -1: as large as may be. Processes that they start inherit it."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if size < 0 else size, hard))
