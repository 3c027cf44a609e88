"""Open files: as many as the operating system lets this process have, and some kept back for what must not fail.

Every connection takes one, and so does everything that is needed to bring the database back.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator

MOST = 1 << 20
"""More is never asked for: some systems name a limit without end, and some programs walk over all there could be."""
SPARE = 96
"""Descriptors that are no connection's: the database's, logs, files of matches, what libraries hold."""


def raise_limit() -> int:
    """Raise the limit of open files to the highest that this process may set by itself.

    Returns:
        The limit that holds now.
    """
    soft, ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if ceiling == resource.RLIM_INFINITY else min(ceiling, MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # macOS says that there is no limit, and then refuses more than its own.
        for attempt in (wanted, 10_240):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, attempt), ceiling))
                break
    return limit()


def limit() -> int:
    """How many files this process may have open."""
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
    """Descriptors that are held for nothing, until something that must not fail needs some.

    Args:
        count: how many.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: list[int] = []

    def fill(self) -> None:
        """Hold as many as there should be, or as many as there are."""
        with contextlib.suppress(OSError):
            while len(self._held) < self._count:
                self._held.append(os.open(os.devnull, os.O_RDONLY))

    def empty(self) -> None:
        """Hold none."""
        while self._held:
            os.close(self._held.pop())

    @contextlib.contextmanager
    def spent(self) -> Iterator[None]:
        """Let the block have what is held, and take it back afterwards."""
        self.empty()
        try:
            yield
        finally:
            self.fill()
