"""Where the rules run: usual positions here and now, large ones where other matches need not wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from server.kernel.files.bounds import large
from server.kernel.state import State
from server.matches.play.referee import Referee
from server.work.desk import Work

T = TypeVar("T")


async def thinking(work: Work, state: State, thought: Callable[[], T]) -> T:
    """Run `thought`, a computation of the rules about a position. Meanwhile only `thought` may change the match."""
    return await work.think(thought) if large(state) else thought()


class Thinking:
    """Runs the rules of one match.

    Args:
        work: runs long computations.
        referee: the match.
    """

    def __init__(self, work: Work, referee: Referee) -> None:
        self._work = work
        self._referee = referee

    async def __call__(self, thought: Callable[[], T]) -> T:
        """Run `thought` on the match as it stands. See `thinking`."""
        return await thinking(self._work, self._referee.fold.state, thought)
