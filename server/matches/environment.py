"""The environment of a match on its server: clocks, counters, policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from server.matches.play.abandonment import Abandonment

Count = Callable[[str], None]
"""Counts the outcomes of appends: "appended", "duplicates" or "conflicts"."""


NEVER = Abandonment()


def _nothing(_what: str) -> None:
    """Count nothing."""


@dataclass(frozen=True)
class Environment:
    """`now_ms` gives milliseconds since 1970, `up_ms` the up-time in milliseconds (see `uptime`), `count` counts outcomes of
    appends, `abandonment` is the operator's policy for stalled matches without a clock.
    """

    now_ms: Callable[[], int]
    up_ms: Callable[[], int]
    count: Count = _nothing
    abandonment: Abandonment = NEVER
