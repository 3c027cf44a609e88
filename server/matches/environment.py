"""The environment of a match on its server: clocks, counters, policies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from server.matches.play.abandonment import Abandonment
from server.matches.projections.queries import Adviser

Count = Callable[[str], None]
"""Counts the outcomes of appends: "appended", "duplicates" or "conflicts"."""


NEVER = Abandonment()


def _nothing(_what: str) -> None:
    """Count nothing."""


async def _known() -> None:
    """Know the up-time at any time."""


@dataclass(frozen=True)
class Environment:
    """`now_ms` gives milliseconds since 1970, `up_ms` the up-time in milliseconds (see `uptime`), `count` counts outcomes of
    appends, `abandonment` is the operator's policy for stalled matches without a clock, `programs` are those that can play seats
    here, each with its name for players, and `adviser` is the job that says what a program would do (None: no advice).
    `refresh_up` makes sure that `up_ms` is right, however long this server stood still; it raises `StoreUnavailable`.
    """

    now_ms: Callable[[], int]
    up_ms: Callable[[], int]
    count: Count = _nothing
    abandonment: Abandonment = NEVER
    programs: Mapping[str, str] = field(default_factory=dict)
    adviser: Adviser | None = None
    refresh_up: Callable[[], Awaitable[None]] = _known
