"""Findings about a vehicle and its enemy as they stand: the range and the fire of each of its weapons."""

from __future__ import annotations

from client_protocol.choices import Why
from server.kernel.ruleset import Finding
from server.kernel.space.geometry import about
from server.kernel.state import State, Unit
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import Shot, aim, band_limits, band_of
from server.rulesets.fad.vehicles.characteristics import weapons
from server.rulesets.fad.vehicles.firing import RULE, unfit
from server.rulesets.shared.distances import apart
from server.rulesets.shared.previews.findings import measured

RANGE = "shoot.range-bands"


def in_range(rules: FadRules, vehicle: Unit, target: Unit) -> Finding:
    """Return how far the target is away, and in which range of each weapon."""
    mil = apart(vehicle, target)
    parts = []
    for mount in weapons(vehicle):
        band = band_of(band_limits(rules, vehicle, rules.mounted(vehicle, mount)), mil)
        where = f"in {band} range" if band else "beyond long range"
        parts.append(Finding(f"It is {where} of the {rules.mounted(vehicle, mount).name.lower()}.", RANGE))
    sentence = f"{target.name} is {about(mil)} away from {vehicle.name}."
    return Finding(sentence, RANGE, numbers=(measured(mil, RANGE),), parts=tuple(parts))


def fire(rules: FadRules, state: State, vehicle: Unit, target: Unit) -> Finding:
    """Return whether the vehicle may fire any of its weapons at the target, and why each other one may not be fired."""
    crippled = rules.vehicles.crippled(vehicle)
    if crippled is not None:
        return Finding(crippled.sentence, crippled.rule, holds=False)
    parts = []
    for mount in weapons(vehicle):
        name = rules.mounted(vehicle, mount).name
        candidate = next(row for row in targets(rules, state, vehicle.id, mount) if row.unit == target.id)
        why = candidate.why or unfit(rules, state, vehicle, mount, target)
        if why is None:
            parts.append(Finding(f"{name}: {candidate.note}.", RULE, holds=True))
        else:
            parts.append(Finding(f"{name}: {why.sentence}", why.rule, holds=False))
    may = any(part.holds for part in parts)
    sentence = f"{vehicle.name} {'may fire' if may else 'cannot fire'} at {target.name}."
    return Finding(sentence, RULE, holds=may, parts=tuple(parts))


def any_shot(rules: FadRules, state: State, vehicle: Unit, target: Unit) -> Shot | Why:
    """Return the shot of the first weapon that can be aimed at the target, or why none can."""
    why = Why(f"{vehicle.name} has no weapon.", RULE)
    for mount in weapons(vehicle):
        shot = aim(rules, state, vehicle.id, target.id, mount=mount)
        if isinstance(shot, Shot):
            return shot
        why = shot
    return why
