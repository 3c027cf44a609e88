"""The roster of a force through a campaign: its units as they stand, and the next match's force."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.rulesets.fad.campaign import hands
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.commanders import PLATOON
from server.rulesets.fad.game import QUALITY, RESOLVE, VEHICLE, WEAPON_TEAM
from server.rulesets.fad.setup import arming, chain_of_command
from server.rulesets.fad.setup.forces import ALONE, RECEIVER, WARPS
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.campaigns import rosters

# --- a unit ------------------------------------------------------------------------------------------------------------


def joining(unit: ForceUnit) -> RosterUnit:
    """Return what the roster holds of a unit that joins, with every field filled in."""
    return RosterUnit(unit, len(hands.hands(unit)), unit.kind == VEHICLE)


def quality(unit: RosterUnit) -> str:
    """Return the level of a unit's Quality."""
    return str(unit.fields[QUALITY])


def resolve(unit: RosterUnit) -> str:
    """Return the level of a unit's Resolve; "" for a vehicle of an edition in which crews have none."""
    return str(unit.fields.get(RESOLVE, ""))


def now(unit: RosterUnit) -> ForceUnit | None:
    """Return a unit as it stands now; None if no figure of it is left."""
    if not unit.strength:
        return None
    return hands.without(replace(unit.started, fields=unit.fields), unit.missing)


def closed_up(unit: RosterUnit, missing: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places that are missing when these figures are, once the survivors have closed up."""
    return hands.closed_up(unit.started, missing) if missing else ()


def enlist(own: Terms, force: Force) -> Roster:
    """Return the roster of a force that begins a campaign.

    Args:
        own: the terms of the campaign.
        force: the force.

    Raises:
        ValueError: the rules refuse the force. The text says why.
    """
    return rosters.enlist(own, force, joining)


# --- the next match ---------------------------------------------------------------------------------------------------


def sits_out(own: Terms, unit: RosterUnit) -> str:
    """Return why a unit does not fight in the next battle, as a sentence; "" if it does.

    A damaged vehicle sits out (fad5/campaign.vehicle-replacements), and so does a weapon that has too few men to serve it.
    """
    if unit.condition == "struck":
        return f"{unit.name} has been struck off."
    if unit.condition == "damaged":
        return f"{unit.name} is damaged, and sits out until it is repaired."
    left = now(unit)
    if left is None:
        return f"{unit.name} has no figure left."
    if left.kind == WEAPON_TEAM:
        weapon = own.book.heavy_weapons.get(arming.weapon(own.book, left.fields, "weapon"))
        if weapon is not None and int(left.fields[hands.CREW]) < weapon.crew:
            return f"{unit.name} has {unit.strength} left, and its weapon needs {weapon.crew}: it sits out."
    return ""


def fielded(own: Terms, roster: Roster) -> tuple[int, ...]:
    """Return the numbers of the units that fight in the next battle, in the order in which `force_of` has them."""
    return tuple(number for number, unit in enumerate(roster.units) if not sits_out(own, unit))


def force_of(own: Terms, roster: Roster) -> Force | None:
    """Return the force with which the next match is played; None if no unit can fight.

    Args:
        own: the terms of the campaign.
        roster: the roster between two battles.
    """
    units = [unit for number in fielded(own, roster) if (unit := now(roster.units[number])) is not None]
    if not units:
        return None
    fit = tuple(_with_few_receivers(_in_like_squads(own, units)))
    return Force(FORCE_FORMAT, roster.edition, roster.name, fit, roster.about)


def _in_like_squads(own: Terms, units: list[ForceUnit]) -> Iterator[ForceUnit]:
    """Yield the units; a vehicle that is no longer like the first of its squad drives alone, where squads are alike."""
    first: dict[str, ForceUnit] = {}
    for unit in units:
        squad = str(unit.fields.get(SQUAD, ALONE))
        leads = first.setdefault(squad, unit)
        alike = all(unit.fields.get(key) == leads.fields.get(key) for key in (QUALITY, RESOLVE))
        stays = squad == ALONE or alike or own.book.tables.vehicles.formations
        yield unit if stays else replace(unit, fields={**unit.fields, SQUAD: ALONE})


def _with_few_receivers(units: Iterator[ForceUnit]) -> Iterator[ForceUnit]:
    """Yield the units with as many warp receivers as there are squads that warp; the others are left behind."""
    all_of_them = list(units)
    left = sum(bool(unit.fields.get(WARPS)) for unit in all_of_them)
    for unit in all_of_them:
        if not unit.fields.get(RECEIVER):
            yield unit
        elif left:
            left -= 1
            yield unit
        else:
            yield replace(unit, fields={**unit.fields, RECEIVER: False})


def platoons(roster: Roster) -> int:
    """Return how many platoons a force has: at least one (fad5/campaign.experience)."""
    named = {str(roster.units[number].fields.get(PLATOON, chain_of_command.ALL)) for number in roster.there}
    return max(len(named - {chain_of_command.ALL}), 1)
