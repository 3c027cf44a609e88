"""Where the rules run: usual positions here and now, large ones where other matches need not wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from server.kernel.files.bounds import large, many_corners, many_figures
from server.kernel.state import State, Table, Unit
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
        busy: whether the server has enough to do for other matches while an entry goes to the log.
    """

    def __init__(self, work: Work, referee: Referee, busy: Callable[[], bool]) -> None:
        self._work = work
        self._busy = busy
        self._referee = referee
        self._table: Table | None = None
        self._cornered = False
        self._units: dict[str, Unit] | None = None
        self._crowded = False

    async def __call__(self, thought: Callable[[], T]) -> T:
        """Run `thought` on the match as it stands. See `thinking`."""
        state = self._referee.fold.state
        if state.table is not self._table:
            # The terrain hardly ever changes, and this is asked for every answer.
            self._table, self._cornered = state.table, many_corners(state.table)
        if state.units is not self._units:
            self._units, self._crowded = state.units, many_figures(state)
        elsewhere = self._cornered or self._crowded
        # What a decision has looked at lies near at hand for the next question. Nothing is gained by making that later where the
        # processor would not rest meanwhile.
        self._referee.at_once = elsewhere or self._busy()
        return await self._work.think(thought) if elsewhere else thought()
