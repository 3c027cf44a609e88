"""Troops in vehicles: how many seats they take up, and that they are one unit with their vehicle
(fad4/transport.single-unit).
"""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from server.kernel import traits
from server.kernel.attaching import figures_of
from server.kernel.bodies import free_seats, is_vehicle, riders
from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.standing import TOUCH
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import CHARACTER, NEUTRAL, WEAPON_TEAM, FadRules
from server.rulesets.fad.sequence import by_cards
from server.rulesets.shared import boarding
from server.rulesets.shared.turns import waiting as not_activated

RULE = "transport.single-unit"
POWERED = "powered"
"""The trait of armour in which a figure takes up more than one seat."""
HEAVY = "heavy"
"""The trait of a support weapon that takes up seats in addition to those who serve it."""


# --- seats ----------------------------------------------------------------------------------------------------------


def seats_taken(rules: FadRules, unit: Unit) -> int:
    """Return how many seats a squad takes up: one for each living figure, more for bulky armour and heavy weapons."""
    if is_vehicle(unit):
        return 0
    table = rules.book.tables.transport
    # fad5/transport.capacity-powered, fad5/transport.capacity-heavy-weapon
    each = table.powered_seats if POWERED in rules.armour(unit).traits else 1
    weapons = (rules.support(figure.role) for figure in unit.living.values())
    heavy = sum(weapon is not None and HEAVY in weapon.traits for weapon in weapons)
    # fad5/adv.weapon-teams.unit: besides its crew, a team or a figure of the squad
    crewed = sum(bool(rules.heavy(figure.role)) for figure in unit.living.values())
    return unit.strength * each + (heavy + crewed) * table.heavy_seats


def has_team(unit: Unit) -> bool:
    """Return whether a unit is a weapons team."""
    return traits.has(unit, WEAPON_TEAM)


def seats_free(rules: FadRules, state: State, vehicle: str) -> int:
    """Return how many seats of a vehicle are free."""
    return free_seats(state, vehicle, partial(seats_taken, rules))


def carriers(rules: FadRules, state: State, unit: Unit) -> list[str]:
    """Return the vehicles of a squad's side that have seats for all of it and can take it on, in roster order."""
    if is_vehicle(unit):
        return []
    found = boarding.carriers(state, unit, partial(seats_taken, rules))
    able = [key for key in found if not in_the_air(rules, state.units[key])]
    if rules.book.tables.transport.together:
        return able
    # fad5/transport.boarding: not a vehicle that is out of action
    return [key for key in able if rules.vehicles.crippled(state.units[key]) is None]


def in_the_air(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether a vehicle flies, so that it takes on no troops and lets none off (fad4/move.fly), unless it has touched
    down (fad5/move.flyer-touchdown).
    """
    return vehicle.on_table and rules.out_of_reach(vehicle)


def contact(rules: FadRules) -> int:
    """Return how near to a vehicle a figure must end that gets in, in mil (fad4/transport.embark, fad5/transport.boarding)."""
    return inches(rules.book.tables.transport.contact) or TOUCH


def check_seats(rules: FadRules, state: State, vehicle: Unit) -> None:
    """Refuse a vehicle with too few seats for those aboard. Raises `RulesetError`."""
    if not vehicle.left and seats_free(rules, state, vehicle.id) < 0:
        taken = vehicle.seats - seats_free(rules, state, vehicle.id)
        raise RulesetError(f"{vehicle.name} has {vehicle.seats} seats, and those aboard take up {taken}")


# --- one unit -------------------------------------------------------------------------------------------------------


def waiting(state: State, side: str) -> list[Unit]:
    """Return the units of `side` that have not activated this turn, in roster order. Those aboard a vehicle wait for nothing of
    their own (fad4/transport.single-unit, fad5/transport.embarked-no-activation). Units that are attached to others wait with
    these; who may leave them to act on his own comes last.
    """
    found = [unit for unit in not_activated(state, side) if not unit.aboard and not has(unit, NEUTRAL)]
    return [*(unit for unit in found if not unit.attached), *(unit for unit in found if _may_leave(state, unit))]


def _may_leave(state: State, unit: Unit) -> bool:
    """Return whether a character may leave the unit that he is with by activating before it does; with cards his own is set
    aside (fad5/adv.characters.attach).
    """
    if not unit.attached or not traits.has(unit, CHARACTER) or by_cards(state):
        return False
    return may_part(state, unit)


def may_part(state: State, unit: Unit) -> bool:
    """Return whether a character who is with a unit can act before it does."""
    host = state.units[str(unit.attached)]
    if all(figure.fallen for figure in figures_of(state, unit).values()):
        return False
    return host.on_table and host.activated < state.turn.number and unit.activated < state.turn.number


def together(state: State) -> State:
    """Return a position in which vehicles and those aboard have activated in the same turn."""
    for vehicle in state.units.values():
        aboard = riders(state, vehicle.id)
        last = max((unit.activated for unit in (vehicle, *aboard)), default=0)
        for unit in (vehicle, *aboard) if aboard else ():
            if unit.activated != last:
                state = state.with_unit(replace(unit, activated=last))
    return state
