"""File descriptors: as many as the operating system allows this process, and a reserve for what must not fail.

Every connection takes one, and so does restoring the database.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator

MOST = 1 << 20
"""The highest limit requested: some systems report no limit, and some programs iterate over all possible descriptors."""
SPARE = 96
"""Descriptors that are not for connections: the database's, logs, match files, those of libraries."""


def raise_limit() -> int:
    """Raise the limit of open files to the highest that this process may set on its own.

    Returns:
        The limit from now on.
    """
    soft, ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if ceiling == resource.RLIM_INFINITY else min(ceiling, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # macOS reports no limit, and then refuses more than its own.
        for attempt in (wanted, 10_240):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, attempt), ceiling))
                break
    return limit()


def limit() -> int:
    """Return how many files this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else soft


def connections(files: int, wanted: int) -> int:
    """Return how many connections there may be at once.

    Args:
        files: how many files this process may have open.
        wanted: how many connections there should be, if there are files enough.
    """
    return min(wanted, max(files - SPARE, files // 4))


class Reserve:
    """Descriptors that are held in reserve, until something that must not fail needs some.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: list[int] = []

    def fill(self) -> None:
        """Open the whole reserve, or as much of it as possible."""
        with contextlib.suppress(OSError):
            while len(self._held) < self._count:
                self._held.append(os.open(os.devnull, os.O_RDONLY))

    def empty(self) -> None:
        """Close the whole reserve."""
        while self._held:
            os.close(self._held.pop())

    @contextlib.contextmanager
    def spent(self) -> Iterator[None]:
        """Free the reserve for the block, and refill it afterwards."""
        self.empty()
        try:
            yield
        finally:
            self.fill()
