"""FAD 5's damage to vehicles: each hit against the armour of the facing that it strikes, and what it does if it penetrates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client_protocol.choices import Why
from client_protocol.explained import Explained, Line
from server.kernel import traits
from server.kernel.bodies import is_vehicle, pose
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import Place, distance, heading, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.cover import firing_places
from server.rulesets.fad.fad5.anti_tank import ratings
from server.rulesets.fad.game import BROKEN, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.shot import Shot
from server.rulesets.fad.vehicles import wrecks
from server.rulesets.fad.vehicles.characteristics import FRONT, MOST_SHOCK, REAR, SHOCK, SIDE, printed_armour
from server.rulesets.fad.vehicles.landing import come_down
from server.rulesets.fad.vehicles.passengers import Fate
from server.rulesets.shared.distances import apart

IMMOBILISED = "immobilised"
OUT_OF_ACTION = "out_of_action"
BOGGED = "bogged"
"""The marker of a vehicle that is stuck in the ground."""
SHAKEN = "crew_shaken"
"""The marker of a vehicle whose crew tests its morale at its next activation (fad5/resolve.vehicles)."""
THROUGH, FAILED = "hit", "fail"
KILL, SYSTEM, HARMLESS = "kill", "system_kill", "harmless"
UNHURT = "unhurt"

PENETRATION = "damage.vehicle-penetration"
EXTERNAL = "damage.external-immobilised"
RESULTS = {
    KILL: "damage.vehicle-kill",
    SYSTEM: "damage.vehicle-system-kill",
    HARMLESS: "damage.vehicle-nondamaging",
}
"""What a penetrating hit does, each by its rule."""
KILL_DICE = 2


class VehicleArmour(Question, frozen=True):
    """The number that a hit on the `facing` (front, side, rear) of the vehicle `unit` must reach."""

    unit: str
    facing: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(VehicleArmour, lambda state, q: _armour_lines(rules, state, q))


def _armour_lines(rules: FadRules, state: State, question: VehicleArmour) -> Iterator[Line]:
    value = rating(rules, state, state.units[question.unit], question.facing)
    yield Line("SET", value, f"{question.facing} armour", "tech.vehicle-armour")


def rating(rules: FadRules, _state: State, vehicle: Unit, facing: str) -> int:
    """Return the armour rating of one facing; any hit penetrates a soft skin (fad5/damage.vehicle-facing)."""
    printed = printed_armour(vehicle, facing)
    return printed if printed >= rules.book.tables.vehicles.soft_below else 0


# --- the facing that is struck ------------------------------------------------------------------------------------------


def facing_towards(rules: FadRules, state: State, vehicle: Unit, place: Place) -> str:
    """Return the facing of a vehicle that is struck from a place: front or rear within 45 degrees of straight ahead or back, else
    the side. Exactly on the border the better armour counts (fad5/damage.vehicle-facing).
    """
    stands = pose(vehicle)
    ux, uy = heading(stands.facing)
    dx, dy = place[0] - stands.at[0], place[1] - stands.at[1]
    along, across = dx * ux + dy * uy, abs(dy * ux - dx * uy)
    end = FRONT if along >= 0 else REAR
    if round(abs(along)) == round(across):
        return max((end, SIDE), key=lambda facing: rating(rules, state, vehicle, facing))
    return end if abs(along) > across else SIDE


def struck_facing(rules: FadRules, state: State, shot: Shot) -> str:
    """Return the facing that a shot strikes: the one towards the nearest figure that contributes to it
    (fad5/damage.vehicle-facing).
    """
    target = state.units[shot.target]
    if shot.origin is not None:
        return facing_towards(rules, state, target, shot.origin)
    there = pose(target).at
    nearest = min(
        firing_places(state, state.units[shot.shooter], shot.firing), key=lambda place: distance(place, there)
    )
    return facing_towards(rules, state, target, nearest)


# --- hits ---------------------------------------------------------------------------------------------------------------


def strike(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    """Resolve the hits of a shot at a vehicle (fad5/damage.vehicle-penetration)."""
    state = game.state
    facing = struck_facing(game.rules, state, shot)
    yield from resolve(game, shot.shooter, shot.target, ratings(game.rules, state, shot, hits), facing)


def resolve(
    game: FadGame,
    striker: str,
    vehicle: str,
    hits: Sequence[Explained],
    facing: str,
    *,
    fate: Fate = Fate.UNDER_FIRE,
) -> Steps[None]:
    """Resolve hits of `striker` on a facing of a vehicle, given the anti-tank rating of each, one after the other; once it is
    killed the rest are lost. `fate` is what a kill means for those aboard.
    """
    for hit in hits:
        if game.unit(vehicle).left:
            return
        armour = game.rules.advisers.answer(game.state, VehicleArmour(vehicle, facing))
        (face,) = yield from roll(1, purpose="penetration")
        # fad5/damage.vehicle-penetration: equal or over penetrates, and the defender does not roll
        mark = THROUGH if face + hit.value >= armour.value else FAILED
        yield Rolled(
            purpose="penetration",
            rule=PENETRATION,
            faces=(face,),
            marks=(mark,),
            numbers=(hit, armour),
            outcome=mark,
            side=game.unit(striker).side,
            unit=striker,
            target=vehicle,
        )
        if mark == THROUGH:
            yield from _penetrated(game, striker, vehicle, fate)
        else:
            yield from _external(game, striker, vehicle)


def result_of(faces: Sequence[int]) -> str:
    """Return what a hit that penetrates does, by how many of its dice show a 1."""
    return (KILL, SYSTEM, HARMLESS)[tuple(faces).count(1)]


def _penetrated(game: FadGame, striker: str, vehicle: str, fate: Fate) -> Steps[None]:
    faces = yield from roll(KILL_DICE, purpose="vehicle_kill")
    result = result_of(faces)
    yield Rolled(
        purpose="vehicle_kill",
        rule=RESULTS[result],
        faces=faces,
        marks=tuple(FAILED if face == 1 else THROUGH for face in faces),
        outcome=result,
        side=game.unit(striker).side,
        unit=striker,
        target=vehicle,
    )
    if result == KILL:
        yield from _kill(game, vehicle, fate)
        return
    if result == SYSTEM:
        flew = game.rules.airborne(game.unit(vehicle))
        yield from mark(game, vehicle, OUT_OF_ACTION, RESULTS[SYSTEM])
        if flew:
            # fad5/move.flyer-airborne
            yield from come_down(game, vehicle, RESULTS[SYSTEM])
    # fad5/damage.vehicle-nondamaging, fad5/resolve.vehicles: whatever the hit did, the crew tests its morale
    yield from mark(game, vehicle, SHAKEN, "resolve.vehicle")


def _kill(game: FadGame, vehicle: str, fate: Fate) -> Steps[None]:
    """Take a killed vehicle out of the game, and mark the infantry near by (fad5/damage.vehicle-kill,
    fad5/damage.vehicle-kill-shock).
    """
    killed = game.unit(vehicle)
    near = inches(game.rules.book.tables.vehicles.shock)
    yield from wrecks.remove(game, vehicle, "destroyed", RESULTS[KILL], fate)
    for unit in tuple(game.state.units.values()):
        if is_vehicle(unit) or not unit.on_table or apart(unit, killed) > near:
            continue
        if UNDER_FIRE not in unit.conditions and not game.rules.replaced(unit, UNDER_FIRE):
            yield ConditionGained(unit.id, UNDER_FIRE, "damage.vehicle-kill-shock")


def _external(game: FadGame, striker: str, vehicle: str) -> Steps[None]:
    """Roll for damage outside of the armour by a hit that did not penetrate (fad5/damage.external-immobilised)."""
    if IMMOBILISED in game.unit(vehicle).conditions:
        return
    (face,) = yield from roll(1, purpose="external_damage")
    stopped = face == 1
    yield Rolled(
        purpose="external_damage",
        rule=EXTERNAL,
        faces=(face,),
        marks=(THROUGH if stopped else FAILED,),
        outcome=IMMOBILISED if stopped else UNHURT,
        side=game.unit(striker).side,
        unit=striker,
        target=vehicle,
    )
    if stopped:
        yield from immobilise(game, vehicle, EXTERNAL)


def immobilise(game: FadGame, vehicle: str, rule: str) -> Steps[None]:
    """Immobilise a vehicle for the rest of the game, which its crew must stand; a flyer in the air comes down where it is
    (fad5/damage.external-immobilised).
    """
    flew = game.rules.airborne(game.unit(vehicle))
    yield from mark(game, vehicle, IMMOBILISED, rule)
    if flew:
        yield from come_down(game, vehicle, rule)
    yield from mark(game, vehicle, SHAKEN, "resolve.vehicle")


def penetrate(game: FadGame, vehicle: str, _rule: str) -> Steps[None]:
    """Roll for what a hit does that penetrates without a roll of its own."""
    yield from _penetrated(game, game.state.turn.unit or vehicle, vehicle, Fate.UNDER_FIRE)


def mark(game: FadGame, vehicle: str, condition: str, rule: str) -> Steps[None]:
    """Place a marker of damage on a vehicle that does not have it, by a rule."""
    if condition not in game.unit(vehicle).conditions:
        yield ConditionGained(vehicle, condition, rule)


# --- what a damaged vehicle may do --------------------------------------------------------------------------------------


def crippled(vehicle: Unit) -> Why | None:
    """Return why a vehicle that is out of action does nothing; None if it is not (fad5/damage.vehicle-system-kill)."""
    if OUT_OF_ACTION not in vehicle.conditions:
        return None
    return Why(f"{vehicle.name} is out of action.", RESULTS[SYSTEM])


def stuck(vehicle: Unit) -> Why | None:
    """Return why a vehicle may neither drive nor turn: it is out of action, or immobilised (fad5/damage.external-immobilised)."""
    if IMMOBILISED in vehicle.conditions:
        return Why(f"{vehicle.name} is immobilised: it neither drives nor turns.", EXTERNAL)
    if BOGGED in vehicle.conditions:
        return Why(f"{vehicle.name} is bogged: it does not drive until it is free.", "adv.bogging.bogged")
    return crippled(vehicle)


def immobile(vehicle: Unit) -> bool:
    """Return whether a vehicle is immobilised by damage: one that is bogged is not (fad5/adv.bogging.bogged)."""
    return not {IMMOBILISED, OUT_OF_ACTION}.isdisjoint(vehicle.conditions)


def admit(_rules: FadRules, vehicle: Unit) -> None:
    """Refuse a crew that is Broken: it tests its morale when it must, and is never broken in a lasting sense
    (fad5/resolve.vehicles). Raises `RulesetError`.
    """
    number = traits.of(vehicle).get(SHOCK, 1)
    if not isinstance(number, int) or not 1 <= number <= MOST_SHOCK:
        # fad5/assault.shock-vehicle
        raise RulesetError(f"{vehicle.name} is a shock vehicle with {number} dice; it may have 1 to {MOST_SHOCK}")
    if BROKEN in vehicle.conditions:
        raise RulesetError(f"{vehicle.name} is a vehicle, and its crew is never marked Broken. Take the marker off")
