"""Deployment: the loser of a roll first, one unit in turn, or all units at once and unseen (fad4/setup.victory)."""

from __future__ import annotations

from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.movement import CoherencyDistance
from server.rulesets.shared.setup.deployment import Deployment

RULE = "setup.victory"


def deployment(rules: FadRules, state: State) -> Deployment:
    """Return how the sides deploy in this match."""

    def gap(state: State, unit: Unit) -> int:
        return rules.advisers.answer(state, CoherencyDistance(unit.id)).value

    def barred(state: State, _: Unit) -> tuple[str, ...]:
        return rules.pieces_with(state, "impassable")

    return Deployment(RULE, "coherency.distance", gap, barred, blind=state.options.get("deployment") == "blind")
