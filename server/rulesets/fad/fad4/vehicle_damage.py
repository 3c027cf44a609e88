"""FAD 4's damage to vehicles: each hit against the armour of the facing that it strikes, and tokens that add up."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Why
from client_protocol.explained import Line
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Rolled, UnitNoted
from server.kernel.notes import number
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import Point, distance
from server.kernel.state import State, Unit
from server.rulesets.fad.armour import base, pierced
from server.rulesets.fad.cover import firing_places
from server.rulesets.fad.damage import bonuses, damage_numbers, piercing
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.shot import Shot
from server.rulesets.fad.vehicles import wrecks
from server.rulesets.fad.vehicles.characteristics import REAR, facing_towards, printed_armour
from server.rulesets.fad.vehicles.passengers import Fate

DAMAGED = "vehicle_damaged"
CRITICAL = "critically_damaged"
TOKENS = "damage_tokens"
"""The note of a vehicle that counts how often it was damaged (fad4/damage.vehicle-record)."""
MOST_TOKENS = 60
STRIKES_TOP = "strikes_top"
"""The trait of rounds that strike the top armour of a vehicle: vehicles have none of their own, and it counts as the rear's."""
HIT, CRITICAL_HIT, FAILED = "hit", "critical", "fail"


class VehicleArmour(Question, frozen=True):
    """The number that a damage roll against the `facing` (front, side, rear) of the vehicle `unit` must reach. `piercing` is the
    weapon's AP, and `weapon` its name.
    """

    unit: str
    facing: str
    piercing: int = 0
    weapon: str = ""


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(VehicleArmour, lambda state, q: _armour_lines(rules, state, q))


def _armour_lines(rules: FadRules, state: State, question: VehicleArmour) -> Iterator[Line]:
    printed = rating(rules, state, state.units[question.unit], question.facing)
    yield Line("SET", printed, f"{question.facing} armour", "tech.vehicle-armour")
    # fad4/tech.ap-from-anti-tank: down to a soft skin
    lowered = pierced(rules, printed, question.piercing, rules.book.tables.armour.vehicle_floor)
    if lowered != printed:
        yield Line("ADD", lowered - printed, f"{question.weapon} AP {question.piercing}", "damage.armour-piercing")


def rating(rules: FadRules, state: State, vehicle: Unit, facing: str) -> int:
    """Return the armour rating of one facing: on the base of personal armour, to which a soft skin adds nothing
    (fad4/tech.vehicle-armour).
    """
    printed = printed_armour(vehicle, facing)
    return base(state) + (printed if printed >= rules.book.tables.vehicles.soft_below else 0)


def tokens(vehicle: Unit) -> int:
    """Return how often a vehicle was damaged; repairs do not lower that (fad4/damage.vehicle-record)."""
    return number(vehicle.profile, TOKENS, 0)


def damage(rules: FadRules, vehicle: Unit) -> tuple[int, int]:
    """Return how often a vehicle was damaged, and how often removes it (fad4/damage.vehicle-removed)."""
    return tokens(vehicle), rules.book.tables.vehicles.removed_at * rules.resolve(vehicle).hits


def struck_facing(state: State, shot: Shot) -> str:
    """Return the facing that a shot strikes: the one towards the nearest firing figure (fad4/damage.vehicle-damaged)."""
    target = state.units[shot.target]
    # adv.artillery-non-blast: the side towards the edge of the table from which the fire comes
    if shot.origin is not None:
        return facing_towards(target, shot.origin)
    there = next(figure.at for figure in target.figures.values())
    assert there is not None, "a target stands on the table"

    def far(place: Point) -> float:
        return distance(place, there)

    nearest = min(firing_places(state, state.units[shot.shooter], shot.firing), key=far)
    return facing_towards(target, nearest)


def armour(rules: FadRules, state: State, shot: Shot, armour_piercing: int, weapon: str) -> VehicleArmour:
    """Return the question for the armour that a hit of a shot must reach."""
    more = _more(rules, state, shot, weapon)
    return VehicleArmour(shot.target, facing_of(rules, state, shot), armour_piercing + more, weapon)


def facing_of(rules: FadRules, state: State, shot: Shot) -> str:
    """Return the facing that a shot strikes: the rear, in the place of the top and the bottom, with what always strikes those."""
    if shot.laid:
        # fad5/adv.mines.vs-vehicles: the bottom
        return REAR
    if shot.weapon and STRIKES_TOP in rules.book.heavy_weapons[shot.weapon].traits:
        return REAR
    return struck_facing(state, shot)


def _more(rules: FadRules, state: State, shot: Shot, weapon: str) -> int:
    """Return by how much a weapon's anti-tank rating is higher against the target of a shot than its row says."""
    fired = shot.weapon or (rules.mounted(state.units[shot.shooter], shot.joined).id if shot.joined else "")
    if not fired or rules.book.heavy_weapons[fired].name != weapon:
        return 0
    row, target = rules.book.heavy_weapons[fired], state.units[shot.target]
    ratings = [
        effect.anti_tank(rules, state, row, target) for effect in rules.effects(fired) if effect.anti_tank is not None
    ]
    return max(ratings, default=row.anti_tank or 0) - (row.anti_tank or 0)


def result_of(rules: FadRules, roll_and_bonus: int, needed: int) -> str:
    """Return what a damage roll does to a vehicle (fad4/damage.vehicle-damaged, fad4/damage.vehicle-critical)."""
    if roll_and_bonus >= needed + rules.book.tables.vehicles.critical_by:
        return CRITICAL_HIT
    return HIT if roll_and_bonus >= needed else FAILED


def strike(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    """Roll damage for each hit of `shot` at a vehicle, and mark it for those that penetrate."""
    if shot.joined:
        yield from _roll_damage(game, shot, hits, "joined_vehicle_damage")
    else:
        yield from _roll_damage(game, shot, hits, "vehicle_damage")


def _roll_damage(game: FadGame, shot: Shot, hits: int, purpose: str) -> Steps[None]:
    rules, state = game.rules, game.state
    added = bonuses(rules, state, shot, hits)
    ratings = [
        rules.advisers.answer(state, armour(rules, state, shot, ap, weapon))
        for ap, weapon in piercing(rules, state.units[shot.shooter], shot, hits)
    ]
    faces = yield from roll(hits, purpose=purpose)
    marks = tuple(
        result_of(rules, face + bonus.value, needed.value)
        for face, bonus, needed in zip(faces, added, ratings, strict=True)
    )
    penetrating = hits - marks.count(FAILED)
    rule = "damage.vehicle-critical" if CRITICAL_HIT in marks else "damage.vehicle-damaged"
    yield Rolled(
        purpose=purpose,
        rule=rule,
        faces=faces,
        marks=marks,
        numbers=damage_numbers(shot, added, ratings),
        outcome=str(penetrating),
        side=shot.by(state)[0],
        unit=shot.by(state)[1],
        target=shot.target,
    )
    if penetrating:
        yield from suffer(game, shot.target, penetrating, rule, critical=CRITICAL_HIT in marks)


def suffer(
    game: FadGame, vehicle: str, count: int, rule: str, *, critical: bool = False, fate: Fate = Fate.UNDER_FIRE
) -> Steps[None]:
    """Add tokens of damage to a vehicle. Enough of them remove it, and `fate` says what that means for those aboard."""
    before = game.unit(vehicle)
    yield UnitNoted(vehicle, TOKENS, tokens(before) + count)
    if DAMAGED not in before.conditions:
        yield ConditionGained(vehicle, DAMAGED, rule)
    if critical and CRITICAL not in before.conditions:
        yield ConditionGained(vehicle, CRITICAL, rule)
    taken, most = damage(game.rules, game.unit(vehicle))
    if taken >= most:
        yield from wrecks.remove(game, vehicle, "destroyed", "damage.vehicle-removed", fate)


def immobilise(game: FadGame, vehicle: str, rule: str) -> Steps[None]:
    """Mark a vehicle that a weapon stops: it is Damaged (fad4/tech.weapon-tables)."""
    yield from suffer(game, vehicle, 1, rule)


def penetrate(game: FadGame, vehicle: str, rule: str) -> Steps[None]:
    """Mark a vehicle whose armour is penetrated without a roll: it is Critically Damaged (fad4/tech.weapon-tables)."""
    yield from suffer(game, vehicle, 1, rule, critical=True)


def assaulted(game: FadGame, vehicle: str, penetrating: int) -> Steps[None]:
    """Add a token for each hit that penetrates in a close assault; none of them is critical (fad4/assault.vehicle-damage)."""
    yield from suffer(game, vehicle, penetrating, "assault.vehicle-damage", fate=Fate.KILLED)


def crippled(vehicle: Unit) -> Why | None:
    """Return why a damaged vehicle does nothing but drive cautiously; None if it is not damaged
    (fad4/vehicle.damaged-limits).
    """
    if DAMAGED not in vehicle.conditions:
        return None
    return Why(f"{vehicle.name} is Damaged: it only drives, at cautious speed.", "vehicle.damaged-limits")


def stuck(_vehicle: Unit) -> None:
    """Return why a vehicle may neither drive nor turn: none is ever stuck."""


def immobile(vehicle: Unit) -> bool:
    """Return whether a vehicle counts as immobilised: it does if it is damaged."""
    return DAMAGED in vehicle.conditions


def admit(rules: FadRules, vehicle: Unit) -> None:
    """Refuse markers of damage without tokens, and tokens that would have removed the vehicle. Raises `RulesetError`."""
    taken, most = damage(rules, vehicle)
    if taken >= most:
        raise RulesetError(
            f"{vehicle.name} was damaged {taken} times, and {most} remove it: say in `left` why it is gone"
        )
    for condition in (DAMAGED, CRITICAL):
        if condition in vehicle.conditions and not taken:
            name = rules.book.conditions[condition].name
            raise RulesetError(
                f"{vehicle.name} is marked {name}, and has no {TOKENS}. Take the marker off, or note how often it was damaged"
            )
