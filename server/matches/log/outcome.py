"""How a match ended, for those who keep results. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from server.kernel.state import State
from server.matches.log.fold import Fold


class MatchOutcome(Struct, frozen=True):
    """The winning seat ("": a draw), the reason in a sentence, the figures that each seat lost, the last entry of the log (its
    number and its hash, hexadecimal), and the state at the end.
    """

    winner: str
    reason: str
    losses: Mapping[str, int]
    entries: int
    head: str
    state: State


def outcome_of(fold: Fold) -> MatchOutcome | None:
    """Return how a match ended; None if it is not over."""
    state = fold.state
    if state.result is None:
        return None
    side = state.sides.get(state.result.winner)
    winner = "" if side is None else side.seat
    return MatchOutcome(winner, state.result.reason, losses(state), fold.number, fold.head.hex(), state)


def losses(state: State) -> dict[str, int]:
    """Return how many figures of each seat have fallen."""
    fallen = {side.seat: 0 for side in state.sides.values()}
    seats = {side.id: side.seat for side in state.sides.values()}
    for unit in state.units.values():
        seat = seats.get(unit.side)
        if seat is not None:
            fallen[seat] += sum(figure.fallen for figure in unit.figures.values())
    return fallen
