"""Units that have Rushed: they fire no more that turn, not even in reaction (fad5/move.rush)."""

from __future__ import annotations

from client_protocol.choices import Why
from server.kernel.errors import RulesetError
from server.kernel.facts import Noted
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.sequence import by_expanded_cards

RUSHED = "cards.rushed"
"""The note of a match with a turn, and the units that have Rushed in it. It is kept where units may react."""


def note(game: FadGame, unit: str) -> Steps[None]:
    """Note that a unit has Rushed."""
    if by_expanded_cards(game.state):
        turn, units = _rushed(game.state)
        before = units if turn == game.state.turn.number else ()
        yield Noted(RUSHED, (game.state.turn.number, *before, unit))


def barred(state: State, unit: Unit) -> Why | None:
    """Return why a unit does not fire in reaction: it has Rushed this turn. None if it has not."""
    turn, units = _rushed(state)
    if turn != state.turn.number or unit.id not in units:
        return None
    return Why(f"{unit.name} has Rushed this turn, and does not fire.", "move.rush")


def check(state: State) -> None:
    """Refuse a note that holds something else. Raises `RulesetError`."""
    try:
        _rushed(state)
    except ValueError:
        raise RulesetError(f"the book's {RUSHED} are a turn and units") from None


def _rushed(state: State) -> tuple[int, tuple[str, ...]]:
    """Return the units that have Rushed, and in which turn. Raises `ValueError` if the note holds something else."""
    match state.book.get(RUSHED, ()):
        case ():
            return 0, ()
        case (int(turn), *units) if all(isinstance(unit, str) for unit in units):
            return turn, tuple([str(unit) for unit in units])
        case found:
            raise ValueError(found)
