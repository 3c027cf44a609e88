"""The parts of the family's positions, and the checks of a position that comes from a file."""

from __future__ import annotations

from server.kernel.bodies import is_vehicle
from server.kernel.errors import RulesetError
from server.kernel.files.position_parts import Condition, Label
from server.kernel.state import State, Unit
from server.rulesets.fad.game import BROKEN, LEADER, FadRules
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.setup.book import Book
from server.rulesets.shared.setup.admission import Marks
from server.rulesets.shared.setup.deployment import NO_ROOM

LEFT = ("destroyed", "routed", "left_table", NO_ROOM)
"""The reasons for which units leave the game."""
VICTORY = (
    Condition(
        "kind",
        "How it is won",
        "choice",
        (
            Label(
                "break", "Break the enemy", "A side wins when half of the enemy's units are gone at the end of a turn."
            ),
            Label("objective", "Hold the objective", "The side that holds it at the end of the last turn wins."),
        ),
    ),
    Condition("objective", "The objective that decides", "objective"),
)


def marks(rules: FadRules) -> Marks:
    """Return the edition's markers, and the reasons for which its units leave the game."""
    return Marks(units=tuple(rules.conditions()), figures=(), left=LEFT)


def roles(book: Book) -> dict[str, str]:
    """Return the roles that a figure may have, by key."""
    weapons = book.support_weapons.items()
    return {LEADER: "Leader"} | {key: row.name for key, row in weapons if "powered_armour_only" not in row.traits}


def admit(state: State, rules: FadRules) -> None:
    """Refuse units that the family does not play, and markers that no game produces and no rule would remove.

    Raises `RulesetError`.
    """
    for unit in state.units.values():
        if is_vehicle(unit) or unit.mounts or unit.seats or unit.aboard:
            raise RulesetError(f"{unit.name}: no vehicles are played here")
        _check_broken(rules, unit)


def _check_broken(rules: FadRules, unit: Unit) -> None:
    """Refuse a unit that is marked Broken without the losses that break it (fad4/resolve.infantry).

    No rule would ever test it, so it would shoot at −3 for the rest of the game. Raises `RulesetError`.
    """
    if unit.left or BROKEN not in unit.conditions or casualties_break(rules, unit):
        return
    original = len(unit.figures)
    resolve = rules.resolve(unit)
    least = next(lost for lost in range(1, original + 1) if resolve.broken(lost, original))
    lost = original - unit.strength
    raise RulesetError(
        f"{unit.name} is marked Broken, but its losses do not break it: {resolve.name} squads of {original} break at {least} "
        f"fallen, and {lost} {'has' if lost == 1 else 'have'} fallen. Take the marker off, or let more figures fall"
    )
