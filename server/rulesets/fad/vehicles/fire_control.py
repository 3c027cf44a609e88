"""Fire control: which weapons of a vehicle may be fired, and how many of them, by how it moves (fad5/shoot.vehicle-weapons)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import combinations

from server.kernel.notes import word
from server.kernel.space.geometry import Point, inches
from server.kernel.space.paths import path_length
from server.kernel.state import Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.setup.book import Book, HeavyWeapon
from server.rulesets.fad.setup.fire_controls import FireControl
from server.rulesets.fad.vehicles.characteristics import weapons

FIRE_CONTROL = "fire_control"
"""The key of a vehicle's profile under which its fire control stands, in editions that have it."""
RULE = "shoot.vehicle-weapons"
AT_STANDARD = "move.vehicle-fire-at-standard"


class Pace(StrEnum):
    """How a vehicle moves in the activation in which it fires."""

    STILL = "still"
    """It neither drives nor turns."""
    TURNED = "turned"
    """It turns on the spot."""
    SLOW = "slow"
    """It goes no faster than infantry."""
    CAUTIOUS = "cautious"
    STANDARD = "standard"


def control(rules: FadRules, vehicle: Unit) -> FireControl | None:
    """Return the fire control of a vehicle; None in an edition in which all weapons may be fired."""
    if not rules.book.fire_controls:
        return None
    return rules.book.fire_controls[word(vehicle.profile, FIRE_CONTROL)]


def pace_of(rules: FadRules, vehicle: Unit, path: Sequence[Point], facing: int | None) -> Pace:
    """Return how a vehicle has moved that drove along a path at cautious speed, and then faces so."""
    (figure,) = vehicle.figures.values()
    if not path:
        return Pace.STILL if facing in {None, figure.facing} else Pace.TURNED
    assert figure.at is not None, "a vehicle that drives is on the table"
    far = path_length((figure.at, *path))
    return Pace.SLOW if far <= inches(rules.book.tables.vehicles.slow) else Pace.CAUTIOUS


def pace_before(rules: FadRules, vehicle: Unit) -> Pace:
    """Return how a vehicle may still move that fires first. One that fires more in a slow move makes no other one then."""
    if rules.vehicles.stuck(vehicle) is not None:
        # fad5/adv.bogging.bogged, fad5/damage.external-immobilised: it is stationary
        return Pace.STILL
    own = control(rules, vehicle)
    return Pace.SLOW if own is not None and own.slow is not None else Pace.CAUTIOUS


def ready(rules: FadRules, vehicle: Unit, pace: Pace, fired: Collection[str] = ()) -> tuple[list[str], int]:
    """Return the mounts that may still be fired after those that have `fired`, and how many of them at once, whichever they
    are.
    """
    left = [mount for mount in weapons(vehicle) if mount not in fired]
    own = control(rules, vehicle)
    if own is None:
        return left, len(left)
    slots = slots_of(own, pace)

    def fit(more: Sequence[str]) -> bool:
        return _fit(rules.book, [rules.mounted(vehicle, mount) for mount in (*fired, *more)], slots)

    able = [mount for mount in left if fit([mount])]
    count = 1
    while count < len(able) and all(fit(some) for some in combinations(able, count + 1)):
        count += 1
    return able, count if able else 0


def slots_of(own: FireControl, pace: Pace) -> tuple[str, ...]:
    """Return the slots of a fire control at a pace."""
    if pace == Pace.STANDARD:
        # fad5/move.vehicle-fire-at-standard
        return own.standard
    # fad5/vehicle.fire-control: who turns on the spot is stationary, but not completely so
    standing = {Pace.STILL} if own.motionless else {Pace.STILL, Pace.TURNED}
    if own.still is not None and pace in standing:
        return own.still
    if pace in {Pace.STILL, Pace.TURNED, Pace.SLOW} and own.slow is not None:
        return own.slow
    return own.cautious


def all_fire(book: Book, own: FireControl, armed: Sequence[HeavyWeapon]) -> bool:
    """Return whether a fire control lets all of these weapons fire at cautious speed."""
    return _fit(book, armed, own.cautious)


def _fit(book: Book, fired: Sequence[HeavyWeapon], slots: Sequence[str]) -> bool:
    """Return whether weapons can be fired together in these slots."""
    if not fired:
        return True
    first, rest = fired[0], fired[1:]
    for place, slot in enumerate(slots):
        if _takes(book, slot, first):
            left = slots if slot in {"all", "lights"} else [*slots[:place], *slots[place + 1 :]]
            if _fit(book, rest, left):
                return True
    return False


def _takes(book: Book, slot: str, weapon: HeavyWeapon) -> bool:
    gun = weapon.id in book.tables.vehicles.machine_guns
    light = gun or weapon.name.startswith("Light ")
    return {"any": True, "all": True, "main": not gun, "gun": gun, "lights": light, "heavy": not light}[slot]
