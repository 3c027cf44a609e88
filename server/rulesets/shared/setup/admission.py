"""Checks of a position that comes from a file: it uses only words that the family knows, and every unit has its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from server.kernel.errors import RulesetError
from server.kernel.state import OVER, State, Unit
from server.rulesets.shared.turns import DEPLOYMENT


class Marks(Struct, frozen=True):
    """A family's markers on units, its markers on figures, and the reasons for which units leave the game.

    `noted` are markers on units that come with notes of the rules; a person cannot set them in a file's form.
    """

    units: tuple[str, ...]
    figures: tuple[str, ...]
    left: tuple[str, ...]
    noted: tuple[str, ...] = ()


def admit(state: State, marks: Marks, covers: Mapping[str, str], entering: Callable[[State, Unit], bool]) -> None:
    """Refuse a position that has unknown words, or units that are not on the table after the deployment. `entering` says
    whether a unit enters it later.

    Raises `RulesetError`.
    """
    for piece in state.table.terrain:
        _known(f"the cover of {piece.name}", [piece.cover], covers)
    for unit in state.units.values():
        _known(f"the conditions of {unit.name}", unit.conditions, (*marks.units, *marks.noted))
        if unit.left:
            _known(f"why {unit.name} has left the game", [unit.left], marks.left)
        for key, figure in unit.figures.items():
            _known(f"the conditions of {unit.name}, figure {key}", figure.conditions, marks.figures)
        off_table = not (unit.on_table or unit.left or unit.aboard or unit.attached)
        if state.turn.phase not in {DEPLOYMENT, OVER} and off_table and not entering(state, unit):
            raise RulesetError(f"{unit.name} is not on the table, and the deployment is over")
        carrier = state.units.get(unit.aboard)
        if state.turn.phase not in {DEPLOYMENT, OVER} and not unit.left and carrier and not carrier.on_table:
            raise RulesetError(f"{unit.name} is aboard {carrier.name}, which is not on the table")


def number(what: str, value: object, least: int, most: int) -> int:
    """Return a whole number of a setup, given as a number or as text. Raises `RulesetError` if it is neither or out of
    bounds.
    """
    try:
        found = int(str(value))
    except ValueError:
        raise RulesetError(f"{what}: {value!r} is no whole number") from None
    if not least <= found <= most:
        raise RulesetError(f"{what}: {found} is not between {least} and {most}")
    return found


def _known(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for word in given:
        if word not in known:
            words = ", ".join(known)
            raise RulesetError(
                f"{what}: {word!r} is not one of {words}"
                if words
                else f"{what}: this edition has none, so {word!r} is not allowed"
            )
