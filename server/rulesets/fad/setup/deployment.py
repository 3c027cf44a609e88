"""Deployment: the loser of a roll first, one unit in turn, or all units at once and unseen (fad4/setup.victory)."""

from __future__ import annotations

from functools import partial

from server.kernel.bodies import is_vehicle
from server.kernel.state import State, Unit
from server.rulesets.fad import attached
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.movement import CoherencyDistance, crew_bonds
from server.rulesets.fad.posts import at_openings
from server.rulesets.fad.setup import forces, points
from server.rulesets.fad.vehicles.driving import closed
from server.rulesets.fad.vehicles.transport import RULE as RIDING
from server.rulesets.fad.vehicles.transport import carriers
from server.rulesets.shared.setup.deployment import Deployment, crowding
from server.rulesets.shared.setup.muster import Mustering

RULE = "setup.victory"


def mustering(rules: FadRules) -> Mustering:
    """Return how forces that players bring get onto the roster (fad4/force.building)."""
    return Mustering(
        rule=points.RULE,
        units_of=lambda force, side: forces.units_of(rules.book, force, side),
        crowded=lambda state, side: crowding(state, side, deployment(rules, state)),
    )


def deployment(rules: FadRules, state: State) -> Deployment:
    """Return how the sides deploy in this match."""

    def gap(state: State, unit: Unit) -> int:
        return 0 if is_vehicle(unit) else rules.advisers.answer(state, CoherencyDistance(unit.id)).value

    def barred(state: State, unit: Unit) -> tuple[str, ...]:
        return tuple(closed(rules, state, unit.id)) if is_vehicle(unit) else on_foot(rules, state).closed

    return Deployment(
        RULE,
        "coherency.distance",
        gap,
        barred,
        blind=state.options.get("deployment") == "blind",
        carriers=partial(carriers, rules),
        riding=RIDING,
        hosts=partial(attached.hosts, rules),
        attaching=attached.rule_of,
        bonds=partial(crew_bonds, rules),
        spots=partial(at_openings, rules),
    )
