"""What a vehicle is made of: its mobility, its armour on each facing, its weapons."""

from __future__ import annotations

from server.kernel import traits
from server.kernel.bodies import pose
from server.kernel.notes import number, word, words
from server.kernel.space.geometry import Place, heading
from server.kernel.state import State, Unit
from server.rulesets.fad.game import MOBILITY, FadRules
from server.rulesets.fad.setup.book import Mobility

FRONT, SIDE, REAR = "front", "side", "rear"
FACINGS = (FRONT, SIDE, REAR)
"""The facings of a vehicle."""


PINTLE = "pintle"
"""The key of a vehicle's profile under which the mounts stand that are pintles, served from outside."""
OPEN_TOPPED = "open_topped"
"""The trait of a vehicle whose weapons are all served from outside."""
SHOCK = "shock"
"""The trait of a shock vehicle, with how many dice it rolls."""
MOST_SHOCK = 6
"""The most dice that a shock vehicle rolls."""


def printed_armour(vehicle: Unit, facing: str) -> int:
    """Return the armour rating of a facing as the technology tables print it."""
    return number(vehicle.profile, armour_key(facing))


def armour_key(facing: str) -> str:
    """Return the key of a vehicle's profile under which the armour rating of a facing stands."""
    return f"armour_{facing}"


def mobility(rules: FadRules, vehicle: Unit) -> Mobility:
    """Return how a vehicle moves."""
    return rules.book.mobilities[word(vehicle.profile, MOBILITY)]


def weapons(vehicle: Unit) -> tuple[str, ...]:
    """Return the mounts whose weapons still fire, in their order."""
    return tuple(key for key, mount in vehicle.mounts.items() if not mount.lost)


def outside(vehicle: Unit, mount: str) -> bool:
    """Return whether a weapon is served from outside (fad5/under-fire.vehicles)."""
    return traits.has(vehicle, OPEN_TOPPED) or mount in words(vehicle.profile, PINTLE)


# --- armour ---------------------------------------------------------------------------------------------------------


def weakest(rules: FadRules, state: State, vehicle: Unit) -> str:
    """Return the facing with the least armour, the first of equals (fad4/assault.vehicle-damage)."""
    return min(FACINGS, key=lambda facing: rules.vehicles.rating(rules, state, vehicle, facing))


def armoured(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether any facing has armour; a vehicle without is soft-skinned (fad4/transport.soft-skin-fire)."""
    return any(printed_armour(vehicle, facing) >= rules.book.tables.vehicles.soft_below for facing in FACINGS)


def facing_towards(vehicle: Unit, place: Place) -> str:
    """Return the facing of a vehicle in whose quadrant a place lies, by the corners of the hull (fad4/damage.vehicle-damaged).

    On the line through a corner the front counts before the side, and the side before the rear.
    """
    hull = next(iter(vehicle.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    stands = pose(vehicle)
    ux, uy = heading(stands.facing)
    dx, dy = place[0] - stands.at[0], place[1] - stands.at[1]
    along, across = dx * ux + dy * uy, abs(dy * ux - dx * uy)
    if abs(along) * hull.width < across * hull.length:
        return SIDE
    return FRONT if along >= 0 else REAR
