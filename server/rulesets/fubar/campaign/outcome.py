"""What a battle did to the units of a force."""

from __future__ import annotations

from client_protocol.forces import Force, ForceUnit
from server.kernel.campaigns.outcomes import Damage, UnitOutcome
from server.kernel.state import State, Unit
from server.rulesets.fubar.campaign.figures import rows_of
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.fubar.game import IMMOBILISED
from server.rulesets.fubar.setup.forces import VEHICLE
from server.rulesets.fubar.setup.positions import DESTROYED
from server.rulesets.shared.campaigns.outcomes import brought


def outcome(own: Terms, state: State, seat: str, force: Force) -> tuple[UnitOutcome, ...]:
    """Return what a match did to each unit of a force, in the force's order.

    Figures that have fallen or left the table are lost. The crew of a destroyed vehicle is no unit of the force.

    Args:
        own: the terms of the campaign.
        state: the match at its end.
        seat: the seat that brought the force.
        force: the force, as it was brought.

    Raises:
        ValueError: the seat plays no side, or a unit of the force was never on the roster.
    """
    return tuple(_of(place, one, unit) for place, (one, unit) in enumerate(brought(own.form, state, seat, force)))


def _of(place: int, one: ForceUnit, unit: Unit) -> UnitOutcome:
    if one.kind == VEHICLE:
        damage = _damage(unit)
        return UnitOutcome(place, 1, (1,) if damage == "lost" else (), damage, unit.left)
    strength = len(rows_of(one))
    lost = tuple(figure for figure in range(1, strength + 1) if unit.figures[str(figure)].fallen)
    return UnitOutcome(place, strength, lost, left=unit.left)


def _damage(vehicle: Unit) -> Damage:
    if vehicle.left == DESTROYED:
        return "lost"
    hurt = IMMOBILISED in vehicle.conditions or any(mount.lost for mount in vehicle.mounts.values())
    return "damaged" if hurt else ""
