"""FAD 5's shock vehicles, which drive into infantry and strike at it (fad5/assault.shock-vehicle)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from client_protocol.choices import (
    Candidate,
    Choice,
    FiguresParameter,
    FiguresPicked,
    Picked,
    UnitNamed,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel import traits
from server.kernel.answers.check import Asked
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.facts import Declared, Rolled
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import total
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import about, beyond, inches, inches_text
from server.kernel.standing import TOUCH, hulls, nearest
from server.kernel.state import State, Unit
from server.rulesets.fad import allocation, assault, damage
from server.rulesets.fad.chapters import AtVehicles
from server.rulesets.fad.fad5.vehicle_assault import blows, foretell, free_shot, nerve, rated, strike
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.melee import DRAW, DeflectNumber
from server.rulesets.fad.module import Act
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.assault import ASSAULT, ASSAULT_AT_SPEED, BY_VEHICLE, ram
from server.rulesets.fad.vehicles.characteristics import SHOCK, mobility
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance
from server.rulesets.fad.vehicles.fire_control import Pace, control
from server.rulesets.fad.vehicles.firing import offer_fire
from server.rulesets.shared.distances import enemies_by_distance
from server.rulesets.shared.previews import odds
from server.rulesets.shared.targets import target_choice
from server.rulesets.shared.words.chances import chance_line, expected_line

RETURN = "assault.shock-vehicle-return"
REACH = "assault.shock-vehicle-reach"
_SPEEDS = {ASSAULT: CAUTIOUS, ASSAULT_AT_SPEED: STANDARD}


def dice_of(vehicle: Unit) -> int:
    """Return how many dice a shock vehicle rolls; 0 for others."""
    number = traits.of(vehicle).get(SHOCK, 0)
    return number if isinstance(number, int) else 0


def _need(rules: FadRules) -> Explained:
    # fad5/assault.shock-vehicle: as after a draw
    number = rules.book.tables.close_combat_kill.of(DRAW)
    return total([Line("SET", number, "each die of a shock vehicle", BY_VEHICLE)])


# --- the choice ---------------------------------------------------------------------------------------------------------


def charges(rules: FadRules, state: State, vehicle: str) -> Iterator[Choice]:
    """Yield the choices of a shock vehicle to drive into infantry, at each speed."""
    unit = state.units[vehicle]
    if not dice_of(unit):
        return
    said = "Engage the Enemy: drive into infantry at cautious speed and strike at it; fire afterwards."
    yield target_choice(
        ASSAULT, "Drive into them", BY_VEHICLE, said, _victims(rules, state, unit, CAUTIOUS), BY_VEHICLE
    )
    if mobility(rules, unit).standard is not None:
        said = "Move Out: drive into infantry at standard speed and strike at it."
        found = _victims(rules, state, unit, STANDARD)
        yield target_choice(ASSAULT_AT_SPEED, "Move Out into them", BY_VEHICLE, said, found, BY_VEHICLE)


def _victims(rules: FadRules, state: State, unit: Unit, speed: str) -> tuple[Candidate, ...]:
    """Return the enemy units, nearest first, each with why the vehicle cannot drive into it."""
    reach = allowance(rules, state, unit.id, speed).value
    # fad5/move.vehicle-formations
    barred = rules.vehicles.stuck(unit) or squads.held(rules, state, unit)
    found = []
    for near in enemies_by_distance(state, unit):
        enemy = state.units[near.unit]
        why = barred or rules.spared(state, enemy)
        if why is None and rules.airborne(unit):
            why = Why(f"{unit.name} is in the air.", "move.flyer-airborne")
        if why is None and is_vehicle(enemy):
            why = Why(f"{enemy.name} is a vehicle: shock vehicles strike at infantry.", BY_VEHICLE)
        if why is None and near.distance > reach:
            far = f"{enemy.name} is {beyond(near.distance, reach)} away; {unit.name} drives {inches_text(reach)}."
            why = Why(far, BY_VEHICLE)
        found.append(Candidate(enemy.id, about(near.distance), why))
    return tuple(found)


# --- what it does -------------------------------------------------------------------------------------------------------


def charge(game: FadGame, vehicle: str, picked: Picked) -> Steps[None]:
    """Drive into a squad, strike at it, let it strike back, and fire as the speed allows. The squad has no free shot, is not
    marked and does not fall back.
    """
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    speed = _SPEEDS[picked.choice]
    yield Declared(vehicle, "assault", BY_VEHICLE, named.unit)
    rammed = yield from ram(game, vehicle, named.unit, speed)
    if rammed.touches:
        yield from _strike(game, vehicle, named.unit)
    if game.unit(vehicle).left:
        return
    own = control(game.rules, game.unit(vehicle))
    if speed == CAUTIOUS:
        yield from offer_fire(game, vehicle, pace=rammed.pace)
    elif own is not None and own.standard:
        # fad5/move.vehicle-fire-at-standard
        yield from offer_fire(game, vehicle, pace=Pace.STANDARD)


def _strike(game: FadGame, vehicle: str, target: str) -> Steps[None]:
    need = _need(game.rules)
    faces = yield from roll(dice_of(game.unit(vehicle)), purpose="shock")
    marks = tuple("kill" if face >= need.value else "fail" for face in faces)
    touching, near = _within(game.rules, game.state, target, vehicle)
    # fad5/assault.shock-vehicle-reach: what is more is lost
    kills = min(marks.count("kill"), len(touching) + len(near))
    side = game.unit(vehicle).side
    yield Rolled("shock", BY_VEHICLE, faces, 6, marks, (need,), str(kills), side, vehicle, target)
    kills = yield from assault.deflected(game, target, vehicle, kills)
    dead = yield from _fallen(game, target, touching, near, kills)
    if dead:
        yield from damage.lose(game, target, dead, "assault", REACH)
    unit = game.unit(target)
    if not unit.left and game.rules.barred(game.state, unit, Act.STRIKE_BACK) is None:
        standing = [key for group in _within(game.rules, game.state, target, vehicle) for key in group]
        if any(rated(game.rules, unit, key) for key in standing):
            yield Declared(target, "strikes-back", RETURN, vehicle)
            yield from blows(game, target, vehicle, standing)


def _within(rules: FadRules, state: State, unit: str, vehicle: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the figures of a squad that touch the vehicle, and the others that are near enough to fall."""
    sides = hulls(state, only=[vehicle])
    reach = inches(rules.book.tables.vehicles.shock_reach)
    far = {key: nearest(own, (), sides) for key, own in bodies(state.units[unit]).items()} if sides else {}
    touching = tuple(key for key, mil in far.items() if mil <= TOUCH)
    # fad5/assault.losses: the nearest first, unless their owner picks others
    return touching, tuple(sorted((key for key, mil in far.items() if TOUCH < mil <= reach), key=far.__getitem__))


def _fallen(
    game: FadGame, target: str, touching: tuple[str, ...], near: tuple[str, ...], kills: int
) -> Steps[tuple[str, ...]]:
    """Return which figures fall: those that touch the vehicle first, else as their owner picks."""
    if kills >= len(touching) + len(near):
        return (*touching, *near)
    sure, free = (touching, near) if kills > len(touching) else ((), touching)
    count = kills - len(sure)
    if count <= 0:
        return sure
    default = allocation.least_worth(game.rules, game.unit(target), count, free)
    if count == len(free):
        return (*sure, *free)
    name = game.unit(target).name
    parameter = FiguresParameter(f"{name} loses {count}", target, free, count, count)
    choice = Choice("losses", "These fall", REACH, "", (parameter,))
    title = f"Choose which {count} of {name} fall"
    asked = Asked(title, (choice,), Picked("losses", (FiguresPicked(default),)), REACH, target)
    picked = yield from ask(game.state.seat_of(target), asked)
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    return (*sure, *value.figures)


# --- what may come of it ------------------------------------------------------------------------------------------------


def foretell_charge(rules: FadRules, state: State, vehicle: str, target: str, _choice: str) -> Preview:
    """Return the odds of driving into a squad, all figures of which the vehicle may reach."""
    need = _need(rules)
    kills = odds.passes(dice_of(state.units[vehicle]), need.value)
    deflect = rules.advisers.answer(state, DeflectNumber(target, vehicle)).value
    lives = odds.at_least(deflect) if deflect else Fraction(0)
    strength = state.units[target].strength
    lost = odds.over(kills, lambda number: odds.successes([1 - lives] * min(number, strength)))
    names = state.units[vehicle].name, state.units[target].name
    reach = inches_text(inches(rules.book.tables.vehicles.shock_reach))
    return Preview(
        f"{names[0]} drives into {names[1]}",
        f"{dice_of(state.units[vehicle])}D6, each on its own",
        (("Each die kills on", need),),
        (
            expected_line("Expected losses of the target", odds.mean(lost)),
            chance_line("At least one loss", odds.chance(lost, bool)),
        ),
        (
            f"Only figures within {reach} of where the vehicle stops can fall.",
            "Survivors there strike back with their weapons against armour.",
        ),
    )


AT_VEHICLES = AtVehicles(
    nerve=nerve,
    strike=strike,
    foretell=foretell,
    charges=charges,
    charge=charge,
    foretell_charge=foretell_charge,
    free_shot=free_shot,
)
