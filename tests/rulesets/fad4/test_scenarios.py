"""Scenarios: both sides of each cost about the same, though they are not alike."""

from __future__ import annotations

from collections import Counter

import pytest

from client_protocol.forces import Entries, ForceUnit
from server.kernel import traits
from server.kernel.bodies import is_vehicle
from server.kernel.state import Unit
from server.rulesets.fad.game import CHARACTER, LEADER, SNIPER, WEAPON_TEAM
from server.rulesets.fad.setup.forces import points
from tests.support.battlefield import fad4

APART = 5
"""By how many percent the dearer side may exceed the other."""


def cost(unit: Unit) -> int:
    """Return the points of a unit of a setup, in thousandths, as if a force had brought it."""
    fields: Entries = {key: value for key, value in unit.profile.items() if isinstance(value, str | int)}
    if is_vehicle(unit):
        fields["seats"] = unit.seats
        return _points("vehicle", unit, fields, "weapons", [{"weapon": gun.weapon} for gun in unit.mounts.values()])
    if traits.has(unit, WEAPON_TEAM):
        (weapon,) = (figure.role for figure in unit.figures.values() if figure.role)
        return _points(WEAPON_TEAM, unit, {**fields, "crew": len(unit.figures), "weapon": weapon}, "", [])
    if traits.has(unit, CHARACTER):
        return _points(CHARACTER, unit, fields, "", [])
    fields |= {"figures": len(unit.figures), **dict.fromkeys(unit.traits or (), True)}
    roles = [figure.role for figure in unit.figures.values() if figure.role not in {"", LEADER}]
    heavy = fad4().book.heavy_weapons
    fields["heavy_weapon"] = next((role for role in roles if role in heavy), "none")
    carried = Counter(role for role in roles if role not in heavy)
    return _points("infantry", unit, fields, "support", [{"weapon": key, "count": n} for key, n in carried.items()])


def _points(kind: str, unit: Unit, fields: Entries, rows: str, weapons: list[Entries]) -> int:
    return points(fad4().book, ForceUnit(kind, unit.name, fields, {rows: tuple(weapons)} if rows else {})).value


@pytest.mark.rule("fad4/force.building")
@pytest.mark.parametrize("scenario", [scenario.id for scenario in fad4().info.scenarios])
def test_the_sides_of_a_scenario_cost_about_the_same(scenario: str) -> None:
    state = fad4().open(scenario, {})
    one, other = (sum(cost(unit) for unit in state.units_of(side)) for side in state.sides)
    assert 0 < max(one, other) * 100 <= min(one, other) * (100 + APART)


@pytest.mark.rule("fad4/shoot.individuals")
def test_a_scenario_with_a_sniper_is_played_without_him_where_snipers_are_off() -> None:
    scenario = next(one for one in fad4().info.scenarios if one.id == "toll-bridge")
    assert scenario.defaults["snipers"] == "on"
    assert fad4().open("toll-bridge", {}).options["snipers"] == "on"
    without = fad4().open("toll-bridge", {"snipers": "off"})
    assert not any(traits.has(unit, SNIPER) for unit in without.units.values())
    assert without.units.keys() < fad4().open("toll-bridge", {}).units.keys()
