"""A vehicle's card, and its weapons in words."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.view import CardLine, MountView
from server.kernel.bodies import riders
from server.kernel.space.geometry import inches_text
from server.kernel.state import Mount, State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import BANDS, band_limits
from server.rulesets.fad.vehicles.characteristics import FACINGS, mobility
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance
from server.rulesets.fad.vehicles.transport import seats_free


def card(rules: FadRules, state: State, vehicle: Unit) -> Iterator[CardLine]:
    """Yield the lines of a vehicle's card, as it stands."""
    quality, resolve, row = rules.quality(vehicle), rules.resolve(vehicle), mobility(rules, vehicle)
    taken, most = rules.vehicles.damage(rules, vehicle)
    yield CardLine("Damaged", f"{taken} of {most} times", "damage.vehicle-record")
    yield CardLine("Crew", f"{quality.name} ({quality.need}+)", "quality.table")
    yield CardLine("Resolve", f"{resolve.name} (broken at {_hits(resolve.hits)})", "resolve.vehicle")
    ratings = (f"{facing} {rules.vehicles.rating(rules, state, vehicle, facing)}" for facing in FACINGS)
    yield CardLine("Armour", ", ".join(ratings), "tech.vehicle-armour")
    far, slow = (inches_text(allowance(rules, state, vehicle.id, speed).value) for speed in (STANDARD, CAUTIOUS))
    yield CardLine("Move", f"{row.name}, {slow} cautious, {far} standard", row.rule)
    for key, mount in vehicle.mounts.items():
        weapon = rules.mounted(vehicle, key)
        limits = band_limits(rules, vehicle, rules.mounted(vehicle, key))
        bonus = f", Fire Effect +{weapon.fire_effect}" if weapon.fire_effect else ""
        blast = f', blast {weapon.blast:g}"' if weapon.blast else ""
        ranges = f"close {inches_text(limits['close'])}, long {inches_text(limits['long'])}"
        lost = ", lost" if mount.lost else ""
        yield CardLine(
            "Weapon",
            f"{weapon.name}, damage +{weapon.damage}{bonus}{blast}, {ranges}{rules.book.footnotes(weapon)}{lost}",
            "tech.weapon-tables",
        )
    yield CardLine("Fire Priority", f"{rules.chapters.fire.priority(rules, vehicle)} closest", "shoot.fire-priority")
    if vehicle.seats:
        full = vehicle.seats - seats_free(rules, state, vehicle.id)
        yield CardLine("Seats", f"{full} of {vehicle.seats} taken", "transport.single-unit")
        for unit in riders(state, vehicle.id):
            yield CardLine("Aboard", unit.name, "transport.single-unit")


def _hits(count: int) -> str:
    return "1 hit" if count == 1 else f"{count} hits"


def mount(rules: FadRules, vehicle: Unit, mounted: Mount) -> MountView:
    """Return a vehicle's weapon as the table shows it, with its range."""
    key = next(key for key, own in vehicle.mounts.items() if own is mounted)
    reach = band_limits(rules, vehicle, rules.mounted(vehicle, key))[BANDS[-1]]
    return MountView(rules.mounted(vehicle, key).name, mounted.middle, mounted.spread, reach, mounted.lost)
