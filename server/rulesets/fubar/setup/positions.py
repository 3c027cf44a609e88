"""The parts of the family's positions, and the checks of a position that comes from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.files.bounds import FIGURES
from server.kernel.files.position_parts import Condition
from server.kernel.notes import Note, UnfitNoteError, words
from server.kernel.state import State, Unit
from server.rulesets.fubar.activation import INITIATIVE
from server.rulesets.fubar.fights import FIGHTS, pairs
from server.rulesets.fubar.game import (
    DUCKING,
    FIGHTING,
    GONE_TO_GROUND,
    IMMOBILISED,
    LYING,
    LYING_FIGURES,
    MOVED,
    ON_GUARD,
    REACTED,
    SET_UP,
    STUNNED,
    STUNS,
    SUPPRESSED,
    fighting,
)
from server.rulesets.fubar.guns import MOUNTED
from server.rulesets.fubar.setup.book import Book
from server.rulesets.shared.setup.admission import Marks, number
from server.rulesets.shared.setup.deployment import NO_ROOM

DESTROYED = "destroyed"
"""The reason for leaving of a unit without figures and of a destroyed vehicle."""
MARKS = Marks(
    units=(ON_GUARD, REACTED, DUCKING, GONE_TO_GROUND, LYING, STUNNED, IMMOBILISED),
    figures=(SUPPRESSED,),
    left=(DESTROYED, "left_table", NO_ROOM),
    noted=(FIGHTING,),
)
_MOST_ADDED = 6
"""The most that a scenario may add to a side's initiative rolls."""
VICTORY = (
    Condition(
        "initiative",
        "Added to the side's initiative rolls",
        "number",
        least=-_MOST_ADDED,
        most=_MOST_ADDED,
        per_side=True,
    ),
)
_FAR = 1_000_000
_STUNS = 20


def roles(book: Book) -> dict[str, str]:
    """Return the weapons that a figure may carry in addition to its small arm, by key."""
    return {key: row.name for key, row in book.weapons.items() if row.kind == "support"}


def notes(name: str, other: Mapping[str, object]) -> dict[str, Note]:
    """Return the notes of play in a unit's row of a setup. Older setups hold them as text, with spaces between the parts of a
    list. Raises `RulesetError` for what the rules could not read.
    """
    return {key: read(f"{name}: {key}", other[key]) for key, read in NOTES.items() if key in other}


def _parts(given: object) -> list[object]:
    if isinstance(given, str):
        return list(given.split(" ")) if given else []
    return list(given) if isinstance(given, list | tuple) else [given]


def _stuns(what: str, given: object) -> Note:
    return number(what, given, 0, _STUNS)


def _pair(what: str, given: object) -> Note:
    parts = _parts(given)
    if len(parts) != 2:
        raise RulesetError(f"{what} is two whole numbers, not {given!r}")
    return number(what, parts[0], -_FAR, _FAR), number(what, parts[1], -_FAR, _FAR)


def _figures(what: str, given: object) -> Note:
    parts = _parts(given)
    found = tuple(part for part in parts if isinstance(part, str))
    if len(found) < len(parts) or len(found) > FIGURES:
        raise RulesetError(f"{what} is a list of figures' ids, not {given!r}")
    return found


NOTES: dict[str, Callable[[str, object], Note]] = {
    SET_UP: _pair,
    STUNS: _stuns,
    MOVED: _pair,
    LYING_FIGURES: _figures,
}
"""What play itself notes in a unit's profile, and how a setup's value of it is read (what it is, for sentences; the value)."""


def begin(state: State) -> State:
    """Return the position with the notes that belong to its markers."""
    units = {unit.id: _noted(unit) for unit in state.units.values()}
    book = dict(state.book)
    fights = book.get(FIGHTS)
    if isinstance(fights, tuple):
        # Setups used to hold a pair as "unit unit".
        book[FIGHTS] = tuple(tuple(entry.split(" ")) if isinstance(entry, str) else entry for entry in fights)
    return replace(state, units=units, book=book)


def _noted(unit: Unit) -> Unit:
    if STUNNED in unit.conditions and STUNS not in unit.profile:
        return replace(unit, profile={**unit.profile, STUNS: 1})
    return unit


def admit(state: State, book: Book) -> None:
    """Refuse a position from which the rules could not go on. Raises `RulesetError`."""
    for piece in state.table.terrain:
        for flag in piece.flags:
            if flag.startswith(MOUNTED) and flag.removeprefix(MOUNTED) not in book.weapons:
                raise RulesetError(f"{piece.name}: there is no weapon {flag.removeprefix(MOUNTED)!r} to stand in it")
    for key, value in state.victory.items():
        if key.startswith("initiative."):
            number(f"victory, {key}", value, -_MOST_ADDED, _MOST_ADDED)
    try:
        words(state.book, INITIATIVE)
    except UnfitNoteError:
        raise RulesetError(f"the book's {INITIATIVE} is a list of sides") from None
    _check_fights(state)
    for unit in state.units.values():
        _check_marks(state, unit)


def _check_fights(state: State) -> None:
    """Refuse fights in the book between units that could not be in close combat. Raises `RulesetError`."""
    try:
        noted = pairs(state)
    except UnfitNoteError:
        raise RulesetError(f"the book's {FIGHTS} are a list of pairs of units") from None
    for both in noted:
        units = [state.units[word] for word in both if word in state.units]
        able = [unit for unit in units if unit.on_table and not is_vehicle(unit)]
        if len({unit.side for unit in able}) != 2:
            raise RulesetError(
                f"the book's {FIGHTS}: {' and '.join(both)} are not two enemy units that could fight each other"
            )


def _check_marks(state: State, unit: Unit) -> None:
    """Refuse markers and notes that no game produces and no rule would remove. Raises `RulesetError`."""
    if unit.left:
        return
    # fubar4/vdamage.table
    if IMMOBILISED in unit.conditions and not is_vehicle(unit):
        raise RulesetError(f"{unit.name} is marked immobilised, which only vehicles are. Take the marker off")
    # fubar4/vdamage.crew-stunned: the stuns are reset when the marker is removed, so they need it
    if STUNNED not in unit.conditions and unit.profile.get(STUNS, 0) != 0:
        raise RulesetError(f"{unit.name}: {STUNS} go with the condition {STUNNED}. Add it, or leave {STUNS} out")
    # fubar4/close.continues: a unit in close combat fights on and does nothing else until its pairs have ended
    if fighting(unit) and not any(unit.id in both for both in pairs(state)):
        raise RulesetError(
            f"{unit.name} is marked {FIGHTING}, but fights no unit in the book's {FIGHTS}. "
            "Take the marker off, or note the pair there"
        )
