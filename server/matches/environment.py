"""What a match needs of the server around it: clocks, counters, policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from server.matches.play.abandonment import Abandonment

Count = Callable[[str], None]
"""Told what became of an append: "appended", "duplicates" or "conflicts"."""


NEVER = Abandonment()


def _nothing(_what: str) -> None:
    """Nobody counts."""


@dataclass(frozen=True)
class World:
    """`now_ms` gives milliseconds since 1970, `up_ms` the up-time in milliseconds (see `uptime`), `count` is told what became of
    appends, `abandonment` is what becomes of matches in which nobody decides.
    """

    now_ms: Callable[[], int]
    up_ms: Callable[[], int]
    count: Count = _nothing
    abandonment: Abandonment = NEVER
