"""Losing heart: with half of a side's units gone all of it is less resolute, and again with three quarters gone."""

from __future__ import annotations

import math
from collections.abc import Iterator

from client_protocol.view import CardLine
from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Noted, UnitLeft
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.game import RESOLVE, FadGame, FadRules
from server.rulesets.fad.module import FadMarker, FadModule, Leaving

ID = "losing_heart"
RULE = "resolve.losing-heart"
ELIMINATION = "resolve.losing-heart-elimination"
STRUCTURES = "resolve.losing-heart-structures"

MARKERS = ("losing_heart", "heart_gone")
"""The markers of units whose side has lost so many units, one for each step; each lowers Resolve by a level."""
GONE = Leaving(
    "lost_heart",
    "Lost heart",
    "Too much of its side was gone for it to fight on.",
    ELIMINATION,
    "loses heart and leaves the game",
)
COUNTS = "counts_for:"
"""The flag of a structure that counts as a unit, followed by the side for which it does."""
COUNTED = "losing_heart.structures"
"""The note of a match that lists these structures as they were when a turn first began: side and piece."""


# --- what is counted ------------------------------------------------------------------------------------------------


def counted(rules: FadRules, state: State, side: str) -> tuple[int, int]:
    """Return how many of a side's units and structures are gone, and how many there are in all."""
    units = [unit for unit in state.units.values() if unit.side == side and not rules.bystander(state, unit)]
    standing, structures = _standing(state, side), _structures(state, side)
    gone = sum(bool(unit.left) for unit in units) + len(structures - standing)
    return gone, len(units) + len(structures)


def _standing(state: State, side: str) -> frozenset[str]:
    """Return the structures that count for a side and stand."""
    return frozenset(piece.id for piece in state.table.terrain if COUNTS + side in piece.flags)


def _structures(state: State, side: str) -> frozenset[str]:
    """Return all structures that count for a side, as they were when a turn first began, or as they are before that."""
    noted = state.book.get(COUNTED)
    return _standing(state, side) if noted is None else frozenset(piece for of, piece in _pairs(noted) if of == side)


def _pairs(note: object) -> list[tuple[str, str]]:
    """Return the sides and pieces of the note. Raises `ValueError` if it holds something else."""
    if not isinstance(note, tuple):
        raise ValueError(note)  # noqa: TRY004 - the value of a file is wrong, not a type of the program
    found: list[tuple[str, str]] = []
    for row in note:
        match row:
            case (str(side), str(piece)):
                found.append((side, piece))
            case _:
                raise ValueError(note)
    return found


def _due(rules: FadRules, state: State, side: str) -> int:
    """Return how many steps a side has come to."""
    gone, whole = counted(rules, state, side)
    return sum(gone * 100 >= whole * step for step in rules.book.tables.losing_heart.steps)


def _borne(unit: Unit) -> int:
    """Return how many of the markers a unit has."""
    return sum(marker in unit.conditions for marker in MARKERS)


# --- what follows ---------------------------------------------------------------------------------------------------


def _begin(game: FadGame) -> Steps[None]:
    # fad5/resolve.losing-heart-structures
    if COUNTED not in game.state.book:
        pairs = [(side, piece) for side in game.state.sides for piece in sorted(_standing(game.state, side))]
        if pairs:
            yield Noted(COUNTED, tuple(pairs))


def _after(game: FadGame, _unit: str) -> Steps[None]:
    yield from _settle(game)


def _settle(game: FadGame) -> Steps[None]:
    """Lower the Resolve of the sides that have lost so much, until no more units leave for that."""
    again = True
    while again:
        again = False
        # All that is due is due at once, whatever leaves of it.
        due = {side: _due(game.rules, game.state, side) for side in game.state.sides}
        for unit in list(game.state.units.values()):
            if not unit.left and not is_vehicle(unit) and RESOLVE in unit.profile:
                again = (yield from _lower(game, unit.id, due[unit.side])) or again


def _lower(game: FadGame, unit: str, due: int) -> Steps[bool]:
    """Let a unit bear so many markers; return whether it leaves the game for that."""
    for marker in MARKERS[_borne(game.unit(unit)) : due]:
        if game.rules.least_resolute(game.unit(unit)):
            # fad5/resolve.losing-heart-elimination
            yield UnitLeft(unit, GONE.id, ELIMINATION)
            return True
        # fad5/resolve.losing-heart
        yield ConditionGained(unit, marker, RULE)
    return False


# --- words and files ------------------------------------------------------------------------------------------------


def _card(rules: FadRules, state: State, unit: Unit) -> Iterator[CardLine]:
    gone, whole = counted(rules, state, unit.side)
    steps = [math.ceil(whole * step / 100) for step in rules.book.tables.losing_heart.steps]
    ahead = next((step for step in steps if step > gone), 0)
    told = f"{gone} of {whole} units of its side lost"
    yield CardLine("Heart", f"{told}; Resolve falls at {ahead}" if ahead else told, RULE)


def _lost(rules: FadRules, state: State) -> object:
    return [counted(rules, state, side) for side in state.sides]


def _inspect(rules: FadRules, state: State) -> None:
    try:
        _pairs(state.book.get(COUNTED, ()))
    except ValueError:
        raise RulesetError(f"the book's {COUNTED} are sides and pieces") from None
    for piece in state.table.terrain:
        for flag in piece.flags:
            side = flag.removeprefix(COUNTS)
            if flag.startswith(COUNTS) and side not in state.sides:
                raise RulesetError(f"{piece.name} counts as a unit of {side!r}, and there is no such side")
    for unit in state.units.values():
        borne = tuple(marker for marker in MARKERS if marker in unit.conditions)
        if not borne:
            continue
        name = rules.book.conditions[borne[-1]].name
        if state.options and not rules.plays(state, ID):
            raise RulesetError(f"{unit.name} is marked {name}: switch the option {ID} on, or take the marker off")
        if borne != MARKERS[: len(borne)] or len(borne) > _due(rules, state, unit.side):
            raise RulesetError(
                f"{unit.name} is marked {name}, but too few units of its side are gone. Take the marker off"
            )


LOSING_HEART = FadModule(
    id=ID,
    markers=tuple(FadMarker(id=marker, resolve=1) for marker in MARKERS),
    leaving=(GONE,),
    turning=_begin,
    ended=_after,
    ending=_settle,
    card=_card,
    card_tells_of=_lost,
    inspect=_inspect,
)
