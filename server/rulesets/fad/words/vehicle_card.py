"""A vehicle's card, and its weapons in words."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.view import CardLine, MountView
from server.kernel.bodies import riders
from server.kernel.notes import words
from server.kernel.ruleset import Gear
from server.kernel.space.geometry import inches_text
from server.kernel.state import Mount, State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import BANDS, band_limits
from server.rulesets.fad.vehicles.characteristics import FACINGS, PINTLE, mobility
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance
from server.rulesets.fad.vehicles.fire_control import control
from server.rulesets.fad.vehicles.transport import seats_free


def card(rules: FadRules, state: State, vehicle: Unit) -> Iterator[CardLine]:
    """Yield the lines of a vehicle's card, as it stands."""
    quality, row = rules.quality(vehicle), mobility(rules, vehicle)
    damage, *others = rules.vehicles.card(rules, state, vehicle)
    yield damage
    yield CardLine("Crew", f"{quality.name} ({quality.need}+)", "quality.table")
    yield from others
    ratings = (f"{facing} {rules.vehicles.rating(rules, state, vehicle, facing)}" for facing in FACINGS)
    yield CardLine("Armour", ", ".join(ratings), "tech.vehicle-armour")
    far, slow = (inches_text(allowance(rules, state, vehicle.id, speed).value) for speed in (STANDARD, CAUTIOUS))
    yield CardLine("Move", f"{row.name}, {slow} cautious, {far} standard", row.rule)
    own = control(rules, vehicle)
    if own is not None:
        yield CardLine("Fire control", f"{own.name}: {own.text}", own.rule)
    for key, mount in vehicle.mounts.items():
        weapon = rules.mounted(vehicle, key)
        limits = band_limits(rules, vehicle, rules.mounted(vehicle, key))
        bonus = f", Fire Effect +{weapon.fire_effect}" if weapon.fire_effect else ""
        blast = f', blast {weapon.blast:g}"' if weapon.blast else ""
        ranges = f"close {inches_text(limits['close'])}, long {inches_text(limits['long'])}"
        lost = ", lost" if mount.lost else ""
        if rules.book.tables.vehicles.rated_only:
            # fad5/damage.vehicle-needs-anti-tank
            rated = "not at vehicles" if weapon.anti_tank is None else f"anti-tank +{weapon.anti_tank}"
            bonus = f"{bonus}, {rated}"
        if key in words(vehicle.profile, PINTLE):
            lost = f", pintle{lost}"
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


_ON_THE_GROUND = "grounded"


def gear(rules: FadRules, vehicle: Unit) -> Gear:
    """Return what a vehicle is drawn on."""
    moves = mobility(rules, vehicle)
    return Gear(sign=_ON_THE_GROUND if moves.flies and not rules.airborne(vehicle) else moves.sign)


def mount(rules: FadRules, vehicle: Unit, mounted: Mount) -> MountView:
    """Return a vehicle's weapon as the table shows it, with its range."""
    key = next(key for key, own in vehicle.mounts.items() if own is mounted)
    reach = band_limits(rules, vehicle, rules.mounted(vehicle, key))[BANDS[-1]]
    return MountView(rules.mounted(vehicle, key).name, mounted.middle, mounted.spread, reach, mounted.lost)
