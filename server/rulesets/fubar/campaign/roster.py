"""The roster of a force through a campaign: its units as they stand, and the next match's force."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Entries, Force, ForceUnit
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.rulesets.fubar.campaign import figures
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.fubar.game import LEADER, LEVEL
from server.rulesets.fubar.setup.forces import SAME, VEHICLE
from server.rulesets.shared.campaigns import rosters

LEADERS = "leader_level"
"""The field with the level of a leader."""


# --- a unit -----------------------------------------------------------------------------------------------------------


def joining(unit: ForceUnit) -> RosterUnit:
    """Return what the roster holds of a unit that joins, with every field filled in."""
    return RosterUnit(unit, len(figures.rows_of(unit)), unit.kind == VEHICLE)


def level(unit: RosterUnit) -> str:
    """Return the level of a unit."""
    return str(unit.fields[LEVEL])


def now(own: Terms, unit: RosterUnit) -> ForceUnit | None:
    """Return a unit as it stands now; None if no figure of it is left."""
    if not unit.strength:
        return None
    left = figures.without(replace(unit.started, fields=unit.fields), unit.missing)
    if _place(own, level(unit)) <= _place(own, str(unit.started.fields[LEVEL])):
        return left
    return replace(left, rows={key: tuple(_led(own, unit, row) for row in rows) for key, rows in left.rows.items()})


def _led(own: Terms, unit: RosterUnit, row: Entries) -> Entries:
    """Return a row of figures; a leader of a unit that has risen above his own level has the unit's."""
    behind = row.get(LEADER) and row[LEADERS] != SAME and _place(own, str(row[LEADERS])) < _place(own, level(unit))
    return {**row, LEADERS: SAME} if behind else row


def _place(own: Terms, of: str) -> int:
    return list(own.book.levels).index(of)


def enlist(own: Terms, force: Force) -> Roster:
    """Return the roster of a force that begins a campaign. Raises `ValueError`: the rules refuse the force; the text says why."""
    return rosters.enlist(own, force, joining)


# --- the next match ---------------------------------------------------------------------------------------------------


def sits_out(unit: RosterUnit) -> str:
    """Return why a unit does not fight in the next battle, as a sentence; "" if it does."""
    if unit.condition == "struck":
        return f"{unit.name} has been struck off."
    if unit.condition == "damaged":
        return f"{unit.name} is damaged, and sits out until it is repaired."
    return "" if unit.strength else f"{unit.name} has no figure left."


def fielded(roster: Roster) -> tuple[int, ...]:
    """Return the numbers of the units that fight in the next battle, in the order in which `force_of` has them."""
    return tuple(number for number, unit in enumerate(roster.units) if not sits_out(unit))


def force_of(own: Terms, roster: Roster) -> Force | None:
    """Return the force with which the next match is played; None if no unit can fight."""
    units = tuple(unit for number in fielded(roster) if (unit := now(own, roster.units[number])) is not None)
    return Force(FORCE_FORMAT, roster.edition, roster.name, units, roster.about) if units else None
