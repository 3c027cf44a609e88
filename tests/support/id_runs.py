"""Ids as they stand in texts: runs of letters, points and dashes, which may go on after a point."""

from __future__ import annotations

import re
from collections.abc import Iterator

RUN = re.compile(r"[\w.-]+")


def beginnings(run: str) -> Iterator[str]:
    """Yield a run and its beginnings up to a point, the longest first: each may be an id."""
    parts = run.split(".")
    yield from (".".join(parts[:end]) for end in range(len(parts), 0, -1))
