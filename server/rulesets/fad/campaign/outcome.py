"""What a battle did to the units of a force (fad5/campaign.scope)."""

from __future__ import annotations

from client_protocol.forces import Force, ForceUnit
from server.kernel.attaching import figures_anywhere
from server.kernel.campaigns.outcomes import Damage, UnitOutcome
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.campaign.hands import hands
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import VEHICLE
from server.rulesets.shared.campaigns.outcomes import brought


def outcome(own: Terms, state: State, seat: str, force: Force) -> tuple[UnitOutcome, ...]:
    """Return what a match did to each unit of a force, in the force's order.

    Untreated wounded and captured figures are lost; stabilised wounded and units that have fled return, unless the campaign's
    settings say otherwise (fad5/campaign.scope).

    Args:
        own: the terms of the campaign.
        state: the match at its end.
        seat: the seat that brought the force.
        force: the force, as it was brought.

    Raises:
        ValueError: the seat plays no side, or a unit of the force was never on the roster.
    """
    return tuple(
        _of(own, state, place, one, unit) for place, (one, unit) in enumerate(brought(own.form, state, seat, force))
    )


def _of(own: Terms, state: State, place: int, one: ForceUnit, unit: Unit) -> UnitOutcome:
    strength = len(hands(one))
    if one.kind == VEHICLE:
        damage = _damage(own, unit)
        return UnitOutcome(place, strength, (1,) if damage == "lost" else (), damage, unit.left)
    figures = figures_anywhere(state, unit)
    lost = tuple(each for each in range(1, strength + 1) if _is_lost(own, unit, figures.get(str(each))))
    return UnitOutcome(place, strength, lost, left=unit.left)


def _is_lost(own: Terms, unit: Unit, figure: Figure | None) -> bool:
    table, settings = own.table, own.settings
    if figure is None or not figure.fallen:
        gone = unit.left in table.destroyed or (unit.left in table.routed and not settings.routed_return)
        return figure is None or gone
    if table.captured in figure.conditions:
        return True
    back = {*table.unhurt, *table.treated} if settings.stabilised_return else set(table.unhurt)
    return back.isdisjoint(figure.conditions)


def _damage(own: Terms, vehicle: Unit) -> Damage:
    """Return what happened to a vehicle (fad5/campaign.vehicle-replacements): killed, or damaged, or abandoned at the end."""
    table = own.table
    fallen = all(figure.fallen for figure in vehicle.figures.values())
    fled = vehicle.left in table.routed and not own.settings.routed_return
    if fallen or vehicle.left in table.destroyed or fled:
        return "lost"
    hurt = set(table.damaged).intersection(vehicle.conditions) or any(mount.lost for mount in vehicle.mounts.values())
    return "damaged" if hurt or vehicle.left in table.abandoned else ""
