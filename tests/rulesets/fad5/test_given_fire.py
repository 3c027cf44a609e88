"""Fire at enemies that a rule gives: whether a unit has any is found out without making the whole choice."""

from __future__ import annotations

import random

import pytest

from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.state import State
from server.opponents.simulation import RandomDice
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.given_fire import given_fire, may_fire_at
from server.rulesets.shared.distances import visible_enemies
from tests.rulesets.fad5.battlefield import fad5

BANDS = [("base",), ("base", "close"), ("base", "close", "medium")]


def compared(rules: FadRules, state: State) -> list[bool]:
    """Return for each unit and each reach whether it has a shot, and check that the whole choice says the same."""
    found = []
    for unit in state.units.values():
        if not unit.on_table:
            continue
        seen = visible_enemies(rules, state, unit)
        for bands in BANDS:
            whole = given_fire(rules, state, unit, ("fire", "Fire"), "rule", [near.unit for near in seen], bands=bands)
            found.append(may_fire_at(rules, state, unit, "rule", seen, bands))
            assert found[-1] is (whole.why is None), f"{unit.name}, {bands}"
    return found


@pytest.mark.parametrize("options", [{}, {"los_mode": "squad_centre"}])
@pytest.mark.parametrize("scenario", ["two-orchards", "ferry-inn", "wire-pasture", "gravel-works"])
def test_whether_a_unit_may_fire_is_what_its_choice_says(scenario: str, options: dict[str, str]) -> None:
    edition, chance = fad5(), random.Random(scenario)
    run = Run(edition, edition.open(scenario, options), RandomDice(chance))
    run.begin()
    found = list[bool]()
    for number in range(120):
        if run.asked is None:
            break
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        known, asked = believed(run.state, seat), run.asked.seats[seat]
        if number % 20 == 19:
            found += compared(edition.rules, known)
        run.answer(seat, sample(known, asked, chance))
    assert {True, False} <= set(found)
