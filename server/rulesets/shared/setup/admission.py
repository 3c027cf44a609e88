"""What a family asks of a position that comes from a file: words that it knows, and everybody where the phase wants them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from server.kernel.errors import RulesetError
from server.kernel.state import OVER, State
from server.rulesets.shared.turns import DEPLOYMENT


class Marks(Struct, frozen=True):
    """Which of a family's words are markers on units, which are markers on figures, and which say why a unit left the game.
    `noted` are markers on units that go with notes of the rules, so that nobody sets them by hand.
    """

    units: tuple[str, ...]
    figures: tuple[str, ...]
    left: tuple[str, ...]
    noted: tuple[str, ...] = ()


def admit(state: State, marks: Marks, covers: Mapping[str, str]) -> None:
    """Refuse a position with words that nobody knows, or with units that are nowhere. Raises `RulesetError`."""
    for piece in state.table.terrain:
        _known(f"the cover of {piece.name}", [piece.cover], covers)
    for unit in state.units.values():
        _known(f"the conditions of {unit.name}", unit.conditions, (*marks.units, *marks.noted))
        if unit.left:
            _known(f"why {unit.name} has left the game", [unit.left], marks.left)
        for key, figure in unit.figures.items():
            _known(f"the conditions of {unit.name}, figure {key}", figure.conditions, marks.figures)
        if state.turn.phase not in {DEPLOYMENT, OVER} and not (unit.on_table or unit.left or unit.aboard):
            raise RulesetError(f"{unit.name} is not on the table, and the deployment is over")
        carrier = state.units.get(unit.aboard)
        if state.turn.phase not in {DEPLOYMENT, OVER} and not unit.left and carrier and not carrier.on_table:
            raise RulesetError(f"{unit.name} is aboard {carrier.name}, which is not on the table")


def number(what: str, value: object, least: int, most: int) -> int:
    """A whole number of a setup, as it is or in words. Raises `RulesetError` when it is none, or out of bounds."""
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
                f"{what}: {word!r} is not one of {words}" if words else f"{what}: there are none here, so not {word!r}"
            )
