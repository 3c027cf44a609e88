"""How FAD 4 tells of a vehicle: how often it was damaged, when its crew is Broken, and whether it is a tank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from client_protocol.from_server import Chance
from client_protocol.view import CardLine
from server.kernel.state import State, Unit
from server.rulesets.fad.fad4.vehicle_damage import damage
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.vehicles.characteristics import armoured, mobility, weapons
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line


def state(rules: FadRules, vehicle: Unit) -> str:
    """Return how often a vehicle was damaged, in words; "" if it was not."""
    taken, most = damage(rules, vehicle)
    return f"damaged {taken} of {most} times" if taken else ""


def card(rules: FadRules, _state: State, vehicle: Unit) -> Iterator[CardLine]:
    """Yield the lines of a vehicle's card on its damage and its crew's Resolve."""
    taken, most = damage(rules, vehicle)
    resolve = rules.resolve(vehicle)
    hits = "1 hit" if resolve.hits == 1 else f"{resolve.hits} hits"
    yield CardLine("Damaged", f"{taken} of {most} times", "damage.vehicle-record")
    yield CardLine("Resolve", f"{resolve.name} (broken at {hits})", "resolve.vehicle")


def chances(rules: FadRules, vehicle: Unit, penetrating: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    """Return what hits that penetrate do to a vehicle, given how likely each number of them is."""
    taken, most = damage(rules, vehicle)
    return (
        chance_line("Damaged", odds.chance(penetrating, lambda number: number >= 1)),
        chance_line("Removed", odds.chance(penetrating, lambda number: taken + number >= most)),
    )


def tank(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether a vehicle is a tank or walker: armoured, armed, on tracks or legs (fad4/morale.tank-nearby)."""
    return armoured(rules, vehicle) and bool(weapons(vehicle)) and mobility(rules, vehicle).bolsters
