"""What a tank near by does for the morale of a squad (fad4/morale.tank-nearby)."""

from __future__ import annotations

from client_protocol.explained import Line
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.vehicles.characteristics import armoured, mobility, weapons
from server.rulesets.shared.distances import apart, stand

RULE = "morale.tank-nearby"


def tank_nearby(rules: FadRules, state: State, unit: Unit) -> Line | None:
    """Return the pass that a tank or walker of its side gives a squad for its Morale Test; None if there is none near by."""
    place = stand(state, unit)
    reach = inches(rules.book.tables.vehicles.bolsters)
    for other in state.units_of(unit.side):
        if is_vehicle(other) and other.on_table and is_tank(rules, other) and apart(place, other) <= reach:
            return Line("SET", 1, f"{other.name} near by", RULE)
    return None


def is_tank(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether a vehicle is a tank or walker: armoured, armed, on tracks or legs."""
    return armoured(rules, vehicle) and bool(weapons(vehicle)) and mobility(rules, vehicle).bolsters
