"""Where the rules think: of a usual position here and now, of a large one where nobody else waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from server.kernel.files.bounds import large
from server.kernel.state import State
from server.matches.play.referee import Referee
from server.work.desk import Work

T = TypeVar("T")


async def thinking(work: Work, state: State, thought: Callable[[], T]) -> T:
    """Do what the rules have to do about a position. Nothing of the match changes meanwhile but what `thought` changes."""
    return await work.think(thought) if large(state) else thought()


class Thinking:
    """Where the rules of one match think.

    Args:
        work: where what takes long is done.
        referee: the match.
    """

    def __init__(self, work: Work, referee: Referee) -> None:
        self._work = work
        self._referee = referee

    async def __call__(self, thought: Callable[[], T]) -> T:
        """Do what the rules have to do about the match as it stands. See `thinking`."""
        return await thinking(self._work, self._referee.fold.state, thought)
