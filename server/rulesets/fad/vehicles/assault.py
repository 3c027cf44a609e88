"""Close assaults on vehicles, and by vehicles on infantry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from client_protocol.choices import (
    Candidate,
    Choice,
    EndRule,
    EndsTouching,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.facts import Declared, Rolled
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import about, beyond, inches, inches_text
from server.kernel.standing import TOUCH, enemies, hulls, nearest
from server.kernel.state import State, Unit
from server.rulesets.fad import assault, damage
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.melee import DRAW, LOST, OVERRUN, WON, modifiers, outcomes
from server.rulesets.fad.movement import CHARGE
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.travel import arrive
from server.rulesets.fad.vehicles import squads
from server.rulesets.fad.vehicles.characteristics import weakest
from server.rulesets.fad.vehicles.driving import CAUTIOUS, allowance, drive, drive_parameter
from server.rulesets.fad.vehicles.fire_control import Pace, pace_of
from server.rulesets.fad.vehicles.retreat import retreat
from server.rulesets.shared.distances import enemies_by_distance
from server.rulesets.shared.ramming import straight_into_contact, surely_shut_out
from server.rulesets.shared.setup.book import ON

ASSAULT = "vehicle-assault"
ASSAULT_AT_SPEED = "vehicle-assault-standard"
ASSAULTS = (ASSAULT, ASSAULT_AT_SPEED)
"""The choices of a vehicle that drives into infantry."""
BY_VEHICLE = "assault.by-vehicle"
DAMAGE = "assault.vehicle-damage"
NERVE = "assault.vehicle-nerve"
LIMITS = "vehicle.damaged-limits"
GOES_IN, FALTERS = "goes_in", "falters"
VEHICLE_ASSAULTS = "vehicle_assaults"
"""The option that lets vehicles assault infantry."""
MODIFIERS = "vehicle_assault_modifiers"
TABLE_7 = "table7"
"""The option that says what adds to a squad's dice against a vehicle, and its value for all modifiers."""


class StrikeBonus(Question, frozen=True):
    """The number added to each die of the figures of `unit` that strike at the vehicle `vehicle`."""

    unit: str
    vehicle: str
    charging: bool


class WeakestArmour(Question, frozen=True):
    """The number added to the die of a vehicle that is assaulted."""

    vehicle: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(StrikeBonus, lambda state, q: _strike_lines(rules, state, q))
    rules.advisers.add(WeakestArmour, lambda state, q: _armour_lines(rules, state, q))


def _strike_lines(rules: FadRules, state: State, question: StrikeBonus) -> Iterator[Line]:
    unit, vehicle = state.units[question.unit], state.units[question.vehicle]
    yield Line("SET", 0, "each figure in contact", DAMAGE)
    if state.options.get(MODIFIERS, TABLE_7) == TABLE_7:
        # fad4/assault.outnumber: all who fight count, in contact or not
        fight = (len(fighters(rules, state, unit.id, vehicle.id)), 1)
        yield from modifiers(rules, state, unit, vehicle, fight, charging=question.charging)
    yield from rules.trait_lines("vehicle", unit)


def _armour_lines(rules: FadRules, state: State, question: WeakestArmour) -> Iterator[Line]:
    vehicle = state.units[question.vehicle]
    facing = weakest(rules, state, vehicle)
    yield Line("SET", rules.vehicles.rating(rules, state, vehicle, facing), f"{facing} armour", DAMAGE)


def fighters(rules: FadRules, state: State, unit: str, vehicle: str) -> tuple[str, ...]:
    """Return the figures of a squad that fight a vehicle."""
    return rules.chapters.fight.fighters(rules, state, unit, vehicle)


def in_contact(state: State, unit: Unit, vehicle: Unit) -> tuple[str, ...]:
    """Return the figures of a squad that touch a vehicle."""
    sides = hulls(state, only=[vehicle.id])
    return tuple(key for key, own in bodies(unit).items() if sides and nearest(own, (), sides) <= TOUCH)


# --- infantry against a vehicle -------------------------------------------------------------------------------------


def assault_vehicle(game: FadGame, attacker: str, vehicle: str, manner: str = CHARGE) -> Steps[None]:
    """Let a squad assault a vehicle: nerve, charge, and the dice of those in contact (fad4/assault.vehicle-charge).

    The vehicle has no free shot, and afterwards neither side falls back.
    """
    yield Declared(attacker, "assault", "assault.declare", vehicle)
    close = game.rules.vehicles.close
    assert close is not None, "only vehicles that may be assaulted are offered"
    dice, needed = close.nerve(game.rules, game.unit(vehicle))
    if dice:
        # fad4/assault.vehicle-nerve
        passes = yield from quality_test(
            game, attacker, "nerve", NERVE, lambda count: GOES_IN if count >= needed else FALTERS, dice=dice
        )
        if passes < needed:
            yield Declared(attacker, "falters", NERVE, vehicle)
            return
    if close.free_shot is not None:
        yield from close.free_shot(game, vehicle, attacker)
        if game.unit(attacker).left:
            return
    if (yield from assault.charge(game, attacker, vehicle, manner)):
        yield from close.strike(game, attacker, vehicle)


def strike(game: FadGame, unit: str, vehicle: str, *, charging: bool) -> Steps[None]:
    """Roll a die for each figure of a squad in contact with a vehicle, against one die for the vehicle
    (fad4/assault.vehicle-damage).
    """
    state = game.state
    able = fighters(game.rules, state, unit, vehicle)
    figures = tuple(key for key in in_contact(state, state.units[unit], state.units[vehicle]) if key in able)
    if not figures:
        return
    armour = game.rules.advisers.answer(state, WeakestArmour(vehicle))
    bonus = game.rules.advisers.answer(state, StrikeBonus(unit, vehicle, charging))
    (face,) = yield from roll(1, purpose="vehicle_defence")
    defence = face + armour.value
    side = state.units[vehicle].side
    yield Rolled("vehicle_defence", DAMAGE, (face,), numbers=(armour,), outcome=str(defence), side=side, unit=vehicle)
    faces = yield from roll(len(figures), purpose="vehicle_strike")
    marks = tuple("hit" if own + bonus.value >= defence else "fail" for own in faces)
    penetrating = marks.count("hit")
    yield Rolled(
        purpose="vehicle_strike",
        rule=DAMAGE,
        faces=faces,
        marks=marks,
        numbers=(bonus, Explained(defence, (Line("SET", defence, "the vehicle's die and armour", DAMAGE),))),
        outcome=str(penetrating),
        side=state.units[unit].side,
        unit=unit,
        target=vehicle,
    )
    if penetrating:
        yield from game.rules.vehicles.assaulted(game, vehicle, penetrating)


# --- a vehicle against infantry -------------------------------------------------------------------------------------


def ram_parameter(rules: FadRules, state: State, vehicle: str, target: str, speed: str = CAUTIOUS) -> PathParameter:
    """Return the path parameter of a vehicle that drives into a squad, by default at cautious speed."""
    why = Why(f"{state.units[vehicle].name} must end touching {state.units[target].name}.", BY_VEHICLE)
    touch = EndRule((EndsTouching((target,)),), why)
    drawn = drive_parameter(rules, state, vehicle, speed, (touch,), may_stay=False)
    return replace(drawn, clear=0, avoid=tuple([enemy.id for enemy in enemies(state, state.units[vehicle].side)]))


def victims(rules: FadRules, state: State, vehicle: str) -> tuple[Candidate, ...]:
    """Return the enemy units, nearest first, each with why the vehicle cannot assault it (fad4/assault.by-vehicle).

    A way of a hull is not searched for: what is refused has none for sure (fad4/assault.declare).
    """
    unit = state.units[vehicle]
    reach = allowance(rules, state, vehicle, CAUTIOUS).value
    crippled = rules.vehicles.crippled(unit)
    found = []
    for near in enemies_by_distance(state, unit):
        enemy = state.units[near.unit]
        if crippled is not None:
            why: Why | None = crippled
        elif rules.airborne(unit):
            why = Why(f"{unit.name} is in the air.", "move.fly")
        elif is_vehicle(enemy):
            why = Why(f"{enemy.name} is a vehicle: vehicles assault only infantry.", BY_VEHICLE)
        elif near.distance > reach:
            sentence = f"{enemy.name} is {beyond(near.distance, reach)} away; {unit.name} drives {inches_text(reach)}."
            why = Why(sentence, "move.vehicle-cautious")
        elif (spared := rules.spared(state, enemy)) is not None:
            why = spared
        elif surely_shut_out(state, ram_parameter(rules, state, vehicle, enemy.id), enemy.id):
            why = Why(f"{unit.name} finds no way into contact with {enemy.name}.", "assault.declare")
        else:
            why = None
        found.append(Candidate(enemy.id, about(near.distance), why))
    return tuple(found)


def allowed(state: State) -> bool:
    """Return whether vehicles may assault in this match."""
    return state.options.get(VEHICLE_ASSAULTS, ON) == ON


def assault_infantry(game: FadGame, vehicle: str, target: str) -> Steps[None]:
    """Let a vehicle assault a squad: free shot, drive into contact, scores, losses, falling back (fad4/assault.by-vehicle)."""
    yield Declared(vehicle, "assault", BY_VEHICLE, target)
    yield from assault.free_shot(game, target, vehicle)
    if game.unit(vehicle).left:
        return
    if game.rules.vehicles.crippled(game.unit(vehicle)) is not None:
        yield Declared(vehicle, "falls-short", LIMITS, target)
        yield from _drive_instead(game, vehicle)
        return
    if not (yield from ram(game, vehicle, target)).touches:
        return
    if (yield from assault.overrun(game, target)):
        return
    own = yield from assault.score(game, vehicle, target, charging=True)
    other = yield from assault.score(game, target, vehicle, charging=False)
    won, lost = scored(game.rules, own.value, other.value)
    # Both sides strike at once: the vehicle's die falls before it can be destroyed.
    killed = yield from assault.kills(game, vehicle, target, won, lost, dice=1)
    yield from strike(game, target, vehicle, charging=False)
    yield from _lose(game, vehicle, target, killed, overrun=lost == OVERRUN)
    yield from _part(game, vehicle, target, won)


def _drive_instead(game: FadGame, vehicle: str) -> Steps[None]:
    """Let a vehicle drive that was damaged before it could assault, at cautious speed (fad4/vehicle.damaged-limits)."""
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    unit = state.units[vehicle]
    parameter = squads.keeping(game.rules, state, drive_parameter(game.rules, state, vehicle, CAUTIOUS))
    far = inches_text(parameter.allowance)
    choices = (
        Choice("drive", "Drive", LIMITS, f"Up to {far}: a damaged vehicle does no more.", (parameter,)),
        Choice("stay", "Stay", LIMITS, "It stays where it is."),
    )
    asked = Asked(f"{unit.name} is Damaged, and may only drive", choices, Picked("stay"), LIMITS, vehicle)
    picked = yield from ask(seat, asked)
    if picked.choice == "drive":
        way = picked.values[0]
        assert isinstance(way, PathsDeclared), "checked against the choice"
        yield from drive(game, vehicle, way, "drive", LIMITS)
        yield from arrive(game, vehicle)


def scored(rules: FadRules, own: int, other: int) -> tuple[str, str]:
    """Return the outcome of two scores, for the vehicle and for the squad."""
    won, lost = outcomes(rules, own, other)
    # fad4/assault.by-vehicle: a vehicle is not overrun
    return (LOST, WON) if won == OVERRUN else (won, lost)


class Rammed(NamedTuple):
    """Whether a vehicle got into contact, and how it has moved, at cautious speed."""

    touches: bool
    pace: Pace


def ram(game: FadGame, vehicle: str, target: str, speed: str = CAUTIOUS) -> Steps[Rammed]:
    """Let the owner drive into contact."""
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    if not state.units[target].on_table:
        return Rammed(touches=False, pace=Pace.STILL)
    parameter = ram_parameter(game.rules, state, vehicle, target, speed)
    way = straight_into_contact(state, parameter, target)
    name, other = state.units[vehicle].name, state.units[target].name
    choices = (
        Choice("ram", "Drive into them", BY_VEHICLE, "Ends in contact; then both sides fight.", (parameter,)),
        Choice("halt", "Stay", BY_VEHICLE, "The assault is called off."),
    )
    default = Picked("halt") if way is None else Picked("ram", (way,))
    picked = yield from ask(seat, Asked(f"{name} drives into {other}", choices, default, BY_VEHICLE, vehicle))
    if picked.choice == "halt":
        yield Declared(vehicle, "falls-short", BY_VEHICLE, target)
        return Rammed(touches=False, pace=Pace.STILL)
    declared = picked.values[0]
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    pace = pace_of(game.rules, game.unit(vehicle), next(iter(declared.paths.values()), ()), declared.facing)
    yield from drive(game, vehicle, declared, "charge", BY_VEHICLE)
    touches = not game.unit(vehicle).left and bool(in_contact(game.state, game.unit(target), game.unit(vehicle)))
    if not touches and not game.unit(vehicle).left:
        # It met something on the way that stopped it.
        yield Declared(vehicle, "falls-short", BY_VEHICLE, target)
    return Rammed(touches, pace)


def _lose(game: FadGame, vehicle: str, target: str, killed: int, *, overrun: bool) -> Steps[None]:
    """Take out the figure that the vehicle has killed, or a whole squad that is overrun."""
    if overrun:
        yield from damage.lose(game, target, tuple(game.unit(target).living), "assault", "assault.overrun")
        return
    dead = (yield from assault.pick_dead(game, {target: killed}, {target: vehicle}))[target]
    if dead:
        rule = "assault.kill-table" if len(dead) == game.unit(target).strength else "assault.select-losses"
        yield from damage.lose(game, target, dead, "assault", rule)


def _part(game: FadGame, vehicle: str, target: str, won: str) -> Steps[None]:
    table = game.rules.book.tables.close_assault
    pushed = None if won == LOST else (yield from assault.pushed_back(game, target, vehicle))
    if won == DRAW:
        length = inches(table.fall_back_draw)
        yield from _back_off(game, vehicle, target, pushed[0] if pushed else length)
        yield from assault.withdraw_from(game, target, vehicle, length, "assault.draw")
    elif won == LOST:
        yield from _back_off(game, vehicle, target, inches(table.fall_back_lost))
    else:
        length = inches(table.fall_back_lost)
        yield from assault.withdraw_from(game, target, vehicle, length, "assault.fall-back")
        if pushed is not None:
            yield from _back_off(game, vehicle, target, pushed[0])


def _back_off(game: FadGame, vehicle: str, enemy: str, length: int) -> Steps[None]:
    """Let a vehicle back off from a squad, if there is a way."""
    if game.unit(vehicle).left or not game.unit(enemy).on_table:
        return
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    drawn = drive_parameter(game.rules, state, vehicle, CAUTIOUS)
    drawn = replace(drawn, allowance=min(length, drawn.allowance), allowance_rule=BY_VEHICLE)
    parameter, way = retreat(game.rules, state, drawn, enemy, BY_VEHICLE)
    if way is not None:
        parameter = replace(parameter, may_stay=False)
    told = f"{inches_text(length)} away, or as far as it can."
    choice = Choice("fall-back", "Back off", BY_VEHICLE, told, (parameter,))
    default = Picked("fall-back", (way or PathsDeclared({}),))
    asked = Asked(f"{state.units[vehicle].name} backs off", (choice,), default, BY_VEHICLE, vehicle)
    picked = yield from ask(seat, asked)
    declared = picked.values[0]
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    yield from drive(game, vehicle, declared, "fall-back", BY_VEHICLE)
