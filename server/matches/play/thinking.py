"""Where the rules think: of a usual position here and now, of a large one where nobody else waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from server.kernel.files.bounds import large
from server.kernel.state import State
from server.work.desk import Work

T = TypeVar("T")


async def thinking(work: Work, state: State, thought: Callable[[], T]) -> T:
    """Do what the rules have to do about a position. Nothing of the match changes meanwhile but what `thought` changes."""
    return await work.think(thought) if large(state) else thought()
