"""Platoons, and the commanders under whom their units stand (fad5/unit.platoon-company)."""

from __future__ import annotations

from server.kernel.attaching import own_figures
from server.kernel.errors import RulesetError
from server.kernel.notes import word
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import LEADER

COMMANDER, COMPANY, VETERAN = "commander", "company_commander", "veteran_leader"
"""The traits of a unit that the commander of a platoon or of the whole company is with, and of a squad with a veteran leader."""
PLATOON = "platoon"
"""The key of a unit's profile under which its platoon stands. A unit without one supports all."""
RULE = "unit.platoon-company"


def platoon(unit: Unit) -> str:
    """Return the platoon of a unit; "" for one that supports all."""
    return word(unit.profile, PLATOON, "")


def commands(unit: Unit) -> bool:
    """Return whether a commander is, or was, with a unit."""
    return has(unit, COMMANDER) or has(unit, COMPANY)


def led(unit: Unit) -> bool:
    """Return whether a unit's leader is in the game: the figure with that role, or the unit itself where none has it."""
    figures = own_figures(unit).values()
    leaders = [figure for figure in figures if figure.role == LEADER]
    return not unit.left and (not leaders or any(not figure.fallen for figure in leaders))


def commanders(state: State, side: str) -> list[Unit]:
    """Return the units of a side with a commander who is in the game, in roster order."""
    return [unit for unit in state.units_of(side) if commands(unit) and led(unit)]


def veterans(state: State, side: str) -> list[Unit]:
    """Return the squads of a side that a veteran leads who is in the game, in roster order."""
    return [unit for unit in state.units_of(side) if has(unit, VETERAN) and led(unit)]


def under(state: State, commander: Unit) -> list[Unit]:
    """Return the units under a commander, in roster order: those of his platoon and those that support all
    (fad5/unit.support-attachment); of a company's commander all of his side.
    """
    own = platoon(commander)
    units = state.units_of(commander.side)
    if has(commander, COMPANY) or not own:
        return units
    return [unit for unit in units if platoon(unit) in {own, ""}]


def check(state: State) -> None:
    """Refuse commanders and veteran leaders that no squad could have. Raises `RulesetError`."""
    taken: dict[tuple[str, str], str] = {}
    for unit in state.units.values():
        what = "the commander" if commands(unit) else "a veteran leader" if has(unit, VETERAN) else ""
        figures = own_figures(unit)
        if what and len(figures) > 1 and all(figure.role != LEADER for figure in figures.values()):
            raise RulesetError(f"{unit.name} has {what}, and no figure that leads it: give one the role {LEADER!r}")
        if not has(unit, COMMANDER):
            continue
        other = taken.setdefault((unit.side, platoon(unit)), unit.name)
        if other != unit.name:
            whose = f"the platoon {platoon(unit)!r}" if platoon(unit) else "the same units"
            raise RulesetError(f"{other} and {unit.name} both have the commander of {whose}")
