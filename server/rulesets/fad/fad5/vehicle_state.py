"""How FAD 5 tells of a vehicle: its damage, and whether it bolsters infantry."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.view import CardLine
from server.kernel.state import State, Unit
from server.rulesets.fad.fad5.vehicle_damage import (
    BOGGED,
    EXTERNAL,
    IMMOBILISED,
    OUT_OF_ACTION,
    RESULTS,
    SHAKEN,
    SYSTEM,
)
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.vehicles.characteristics import FRONT, printed_armour, weapons

_WORDS = {
    OUT_OF_ACTION: ("out of action", RESULTS[SYSTEM]),
    IMMOBILISED: ("immobilised", EXTERNAL),
    BOGGED: ("bogged", "adv.bogging.bogged"),
    SHAKEN: ("crew must test its morale", "resolve.vehicle"),
}


def state(_rules: FadRules, vehicle: Unit) -> str:
    """Return the damage of a vehicle in words; "" if it has none."""
    return ", ".join(told for key, (told, _) in _WORDS.items() if key in vehicle.conditions)


def card(rules: FadRules, _state: State, vehicle: Unit) -> Iterator[CardLine]:
    """Yield the line of a vehicle's card on its damage."""
    worst = next((rule for key, (_, rule) in _WORDS.items() if key in vehicle.conditions), RESULTS[SYSTEM])
    yield CardLine("Damage", state(rules, vehicle) or "none", worst)


def tank(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether a vehicle is an armoured fighting vehicle that bolsters infantry: armoured in front, armed, and not out of
    action (fad5/morale.afv-bolster).
    """
    thick = printed_armour(vehicle, FRONT) >= rules.book.tables.vehicles.soft_below
    return thick and bool(weapons(vehicle)) and OUT_OF_ACTION not in vehicle.conditions
