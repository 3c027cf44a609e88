"""What a tank near by does for the morale of a squad (fad4/morale.tank-nearby, fad5/morale.afv-bolster)."""

from __future__ import annotations

from client_protocol.explained import Line
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.shared.distances import apart, stand

RULE = "morale.tank-nearby"
OPTION = "afv_bolster_range"
"""The option that says how near such a vehicle must be, in editions that have it."""


def tank_nearby(rules: FadRules, state: State, unit: Unit) -> Line | None:
    """Return the pass that a tank or walker of its side gives a squad for its Morale Test; None if there is none near by."""
    place = stand(state, unit)
    set_to = state.options.get(OPTION, rules.book.tables.vehicles.bolsters)
    assert not isinstance(set_to, str), "it is a number of inches"
    reach = inches(set_to)
    for other in state.units_of(unit.side):
        if is_vehicle(other) and other.on_table and rules.vehicles.tank(rules, other) and apart(place, other) <= reach:
            return Line("SET", 1, f"{other.name} near by", RULE)
    return None
