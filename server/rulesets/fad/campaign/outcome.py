"""What a battle did to the units of a force (fad5/campaign.scope)."""

from __future__ import annotations

from client_protocol.forces import Force, ForceUnit
from server.kernel.attaching import figures_of, key_within, own_figures
from server.kernel.campaigns.outcomes import Damage, UnitOutcome
from server.kernel.files.forces import filled
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.campaign.hands import hands
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import VEHICLE


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
    whole = filled(own.form, force)
    keys = units_in(state, seat, force)
    return tuple(
        _of(own, state, key, place, unit) for place, (key, unit) in enumerate(zip(keys, whole.units, strict=True))
    )


def units_in(state: State, seat: str, force: Force) -> tuple[str, ...]:
    """Return the ids that the units of the force that a seat brought have in a match. Raises `ValueError`: it plays no side."""
    side = next((side.id for side in state.sides.values() if side.seat == seat), None)
    if side is None:
        raise ValueError(f"The seat {seat!r} plays no side of this match.")
    return tuple(f"{side}-{place + 1}" for place in range(len(force.units)))


def _of(own: Terms, state: State, key: str, place: int, brought: ForceUnit) -> UnitOutcome:
    unit = state.units.get(key)
    if unit is None:
        raise ValueError(f"{brought.name} was never on the roster of this match.")
    strength = len(hands(brought))
    if brought.kind == VEHICLE:
        damage = _damage(own, unit)
        return UnitOutcome(place, strength, (1,) if damage == "destroyed" else (), damage, unit.left)
    figures = _figures(state, unit)
    lost = tuple(one for one in range(1, strength + 1) if _is_lost(own, unit, figures.get(str(one))))
    return UnitOutcome(place, strength, lost, left=unit.left)


def _figures(state: State, unit: Unit) -> dict[str, Figure]:
    """Return the figures of a unit by their own ids, wherever they stand."""
    if not unit.attached:
        return own_figures(unit)
    prefix = key_within(unit.id, "")
    return {key.removeprefix(prefix): figure for key, figure in figures_of(state, unit).items()}


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
        return "destroyed"
    hurt = set(table.damaged).intersection(vehicle.conditions) or any(mount.lost for mount in vehicle.mounts.values())
    return "damaged" if hurt or vehicle.left in table.abandoned else ""
