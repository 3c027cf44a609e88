"""Who leads a unit from afar: officers in Command suits (fad4/tech.personal-armour)."""

from __future__ import annotations

from msgspec import Struct

from server.kernel.attaching import figures_of
from server.kernel.state import State, Unit

LENT = "command_suits.lent"
"""The note of a match that lists the officers who lead another unit than their own: the officer, the unit, the turn in which he
picked it.
"""


class Lent(Struct, frozen=True):
    """An officer who leads another unit than his own, since a turn."""

    officer: str
    unit: str
    turn: int


def lent(state: State) -> tuple[Lent, ...]:
    """Return who leads other units than their own. Raises `ValueError` if the note holds something else."""
    rows = state.book.get(LENT, ())
    if not isinstance(rows, tuple):
        raise ValueError(rows)  # noqa: TRY004 - the caller knows one kind of error for all notes that cannot be read
    return tuple(map(_row, rows))


def _row(row: object) -> Lent:
    match row:
        case (str(officer), str(unit), int(turn)):
            return Lent(officer, unit, turn)
        case _:
            raise ValueError(row)


def led_from_afar(state: State, unit: Unit) -> list[Unit]:
    """Return the officers who lead a unit without being with it, as long as they stand."""
    found = [state.units[row.officer] for row in lent(state) if row.unit == unit.id]
    return [one for one in found if not gone(state, one)]


def leads_others(state: State, officer: Unit) -> bool:
    """Return whether an officer leads another unit than the one that he is with."""
    return any(row.officer == officer.id for row in lent(state))


def gone(state: State, officer: Unit) -> bool:
    """Return whether an officer is out of the match, or has fallen."""
    figures = figures_of(state, officer) if officer.attached else officer.figures
    return bool(officer.left) or all(figure.fallen for figure in figures.values())
