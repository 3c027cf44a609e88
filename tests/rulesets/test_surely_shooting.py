"""A shot that a squad surely has is one of those that it is offered: the choices of such a question can be made later."""

from __future__ import annotations

from itertools import product

import pytest

from server.kernel.bodies import is_vehicle
from server.opponents.simulation import play
from server.rulesets.fad.fire_priority import surely_shoots, targets
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.library import editions

SEEDS = (11, 12, 13)


@pytest.mark.parametrize("edition", [name for name, rules in editions().items() if isinstance(rules, FadRuleset)])
def test_a_squad_that_surely_shoots_has_a_target_that_may_be_shot_at(edition: str) -> None:
    of = editions()[edition]
    assert isinstance(of, FadRuleset)
    rules = of.rules
    sure = 0
    for scenario, seed in product(of.info.scenarios, SEEDS):
        for played in play(of, of.open(scenario.id, {}), seed):
            state = played.after
            for unit in state.units.values():
                if unit.on_table and not is_vehicle(unit) and surely_shoots(rules, state, unit.id):
                    assert any(row.why is None for row in targets(rules, state, unit.id)), unit.name
                    sure += 1
    assert sure > len(of.info.scenarios), "the test looks at something"
