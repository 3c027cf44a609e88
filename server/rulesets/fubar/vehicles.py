"""Vehicles: driving and firing one weapon, halting and firing all, driving through cover, On Guard."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    GroundRule,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel.bodies import pose
from server.kernel.facts import ConditionGained, Declared, UnitMoved, UnitNoted
from server.kernel.march import Stop
from server.kernel.notes import pair
from server.kernel.procedure import Game, Steps, ask
from server.kernel.questions import Question
from server.kernel.space.geometry import FULL_TURN, Point, distance, inches, inches_text, segment_point_distance, to_mil
from server.kernel.space.hulls import enters, outline, smaller
from server.kernel.space.paths import path_length
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fubar import aim, bail_out, fire, movement
from server.rulesets.fubar.game import ARMOUR, IMMOBILISED, MOVED, ON_GUARD, FubarGame, FubarRules

DRIVE = "drive"
DRIVE_COVER = "drive-cover"
HALT = "halt"
GUARD = "on-guard"

_OPEN = "vehicle.move-open"
_SOFT = "vehicle.move-soft"
_MODERATE = "vehicle.move-moderate"
_STATIONARY = "vehicle.stationary"


class DriveAllowance(Question, frozen=True):
    """How far the vehicle `unit` may go by an action (drive, drive-cover) over ground of this cover level, in mil."""

    unit: str
    action: str
    cover: str = "none"


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(DriveAllowance, lambda _, q: _allowance_lines(rules, q), unit="mil")
    bail_out.register(rules)


def _allowance_lines(rules: FubarRules, question: DriveAllowance) -> Iterator[Line]:
    table = rules.book.tables.vehicles
    if question.action == DRIVE_COVER or question.cover == "moderate":
        # fubar4/vehicle.move-moderate
        yield Line("SET", inches(table.moderate), "through moderate cover", _MODERATE)
    elif question.cover == "soft":
        # fubar4/vehicle.move-soft
        yield Line("SET", inches(table.soft), "through soft cover", _SOFT)
    else:
        # fubar4/vehicle.move-open
        yield Line("SET", inches(table.open), "in the open", _OPEN)


def allowance(rules: FubarRules, state: State, unit: str, action: str, cover: str = "none") -> Explained:
    """Return the answer to `DriveAllowance`."""
    return rules.advisers.answer(state, DriveAllowance(unit, action, cover))


def is_tank(rules: FubarRules, vehicle: Unit) -> bool:
    """Return whether a vehicle may drive through moderate cover (fubar4/vehicle.move-moderate)."""
    return vehicle.profile[ARMOUR] in _tank_armour(rules)


def _tank_armour(rules: FubarRules) -> Sequence[str]:
    return rules.book.tables.vehicles.tank_armour


# --- choices --------------------------------------------------------------------------------------------------------


def choices(rules: FubarRules, state: State, unit_id: str) -> tuple[Choice, ...]:
    """Return the choices of a vehicle whose activation has succeeded, as far as the edition has the action
    (fubar4/vehicle.activation).
    """
    vehicle = state.units[unit_id]
    offered = {
        DRIVE: lambda: _drive_choice(rules, state, vehicle),
        DRIVE_COVER: lambda: _cover_choice(rules, state, vehicle),
        HALT: lambda: _halt_choice(rules, state, vehicle),
        GUARD: lambda: Choice(
            GUARD, "On Guard", "action.on-guard", "Stay, and fire once at an enemy that moves in sight this turn."
        ),
    }
    return tuple(offered[action]() for action in rules.book.edition.actions["vehicle"])


def _drive_choice(rules: FubarRules, state: State, vehicle: Unit) -> Choice:
    far, slow = (inches_text(allowance(rules, state, vehicle.id, DRIVE, cover).value) for cover in ("none", "soft"))
    consequence = f"Up to {far}, {slow} if any of the way is in soft cover, and fire one weapon on the way."
    why = _stuck(vehicle)
    if why is None and is_tank(rules, vehicle) and any(p.cover == "moderate" for p in _pieces_at(state, vehicle)):
        sentence = f"{vehicle.name} stands in moderate cover: it leaves it by driving through cover, without firing."
        why = Why(sentence, _MODERATE)
    return Choice(DRIVE, "Drive", _OPEN, consequence, (drive_parameter(rules, state, vehicle.id, DRIVE),), why)


def _cover_choice(rules: FubarRules, state: State, vehicle: Unit) -> Choice:
    far = inches_text(allowance(rules, state, vehicle.id, DRIVE_COVER).value)
    consequence = f"Up to {far}, also through moderate cover, without firing."
    why = _stuck(vehicle)
    if not is_tank(rules, vehicle):
        tanks = " or ".join(rules.book.vehicle_armours[key].name.lower() for key in _tank_armour(rules))
        sentence = f"Only vehicles with {tanks} drive through moderate cover; {vehicle.name} has less."
        why = Why(sentence, _MODERATE)
    parameter = drive_parameter(rules, state, vehicle.id, DRIVE_COVER)
    return Choice(DRIVE_COVER, "Drive through cover", _MODERATE, consequence, (parameter,), why)


def _halt_choice(rules: FubarRules, state: State, vehicle: Unit) -> Choice:
    # fubar4/vehicle.activation: turning is free; fubar4/vdamage.immobilised: a vehicle that cannot move cannot turn either
    parameters: tuple[PathParameter, ...] = ()
    if IMMOBILISED not in vehicle.conditions:
        ground = drive_parameter(rules, state, vehicle.id, DRIVE_COVER if is_tank(rules, vehicle) else DRIVE)
        # A path of no length that ends with a facing.
        parameters = (replace(ground, allowance=0, allowance_rule=_STATIONARY, limits=(), clear=0),)
    consequence = "Turn on the spot, and fire every weapon that the crew can serve."
    return Choice(HALT, "Halt and fire", _STATIONARY, consequence, parameters)


def _stuck(vehicle: Unit) -> Why | None:
    if IMMOBILISED in vehicle.conditions:
        # fubar4/vdamage.immobilised
        return Why(f"{vehicle.name} is immobilised; it can still fire.", "vdamage.immobilised")
    return None


def drive_parameter(rules: FubarRules, state: State, unit_id: str, action: str) -> PathParameter:
    """Return the path parameter of a vehicle that drives.

    No vehicle enters hard cover, and only tanks that do nothing else enter moderate cover (fubar4/vehicle.move-moderate).
    Soft cover anywhere on the path slows the whole move (fubar4/vehicle.move-soft).
    """
    vehicle = state.units[unit_id]
    closed = {"hard"} if action == DRIVE_COVER else {"moderate", "hard"}
    # A vehicle may stand in cover that it could not enter (rubble after a shot); it leaves that slowly.
    slowing = {piece.id for piece in _pieces_at(state, vehicle) if piece.cover in closed}
    slowing |= {piece.id for piece in state.table.terrain if piece.cover == "soft"}
    far = allowance(rules, state, unit_id, action).value
    slow = allowance(rules, state, unit_id, action, "soft").value
    barred = [p for p in state.table.terrain if p.cover in closed or "impassable" in p.flags]
    return PathParameter(
        unit=unit_id,
        allowance=far,
        barred=tuple(piece.id for piece in barred),
        avoid=tuple(enemy.id for enemy in state.enemies_of(vehicle.side) if enemy.on_table),
        allowance_rule=_MODERATE if action == DRIVE_COVER else _OPEN,
        clear=inches(rules.book.tables.close_combat.clear),
        clear_rule="close.by-assault",
        limits=tuple((p.id, slow) for p in state.table.terrain if p.id in slowing) if slow < far else (),
        limits_rule=_SOFT,
        grounds=tuple(GroundRule(p.id, _MODERATE if p.cover in closed else "cover.movement") for p in barred),
    )


def _pieces_at(state: State, vehicle: Unit) -> list[Terrain]:
    """Return the terrain pieces that a vehicle stands in, even with a corner only."""
    hull = next(iter(vehicle.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    ground = outline(pose(vehicle), smaller(hull))
    return [piece for piece in state.table.terrain if enters(ground, piece)]


# --- actions --------------------------------------------------------------------------------------------------------


def act(game: FubarGame, unit: str, picked: Picked) -> Steps[None]:
    """Carry out the one action of a vehicle."""
    action = picked.choice
    if action == GUARD:
        # fubar4/action.on-guard, fubar4/vehicle.activation
        yield Declared(unit, "on-guard", "action.on-guard")
        yield ConditionGained(unit, ON_GUARD, "action.on-guard")
        return
    declared = picked.values[0] if picked.values else PathsDeclared({})
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    if action == HALT:
        yield from _halt(game, unit, declared)
    elif action == DRIVE_COVER:
        # fubar4/vehicle.move-moderate: without firing
        yield Declared(unit, DRIVE_COVER, _MODERATE)
        yield from _drive(game, unit, declared, _MODERATE, None)
    else:
        # fubar4/vehicle.move-open: one weapon, at any one point of the move
        yield Declared(unit, DRIVE, _OPEN)
        own = yield from movement.fire_on_the_way(game, unit, declared, aim.DRIVE, _OPEN)
        yield from _drive(game, unit, declared, _OPEN, own)


def _drive(game: FubarGame, unit: str, declared: PathsDeclared, rule: str, own: Stop | None) -> Steps[None]:
    """Drive as declared, and note how far the vehicle went (fubar4/vehicle.transport)."""
    figure = next(iter(game.unit(unit).figures))
    start = pose(game.unit(unit)).at
    shot = None if own is None else _Shot(own)
    yield from movement.go(game, unit, declared, DRIVE, rule, None if shot is None else Stop(shot.own.t, shot.fire))
    if game.unit(unit).left:
        return
    way = (start, *declared.paths.get(figure, ()))
    yield UnitNoted(unit, MOVED, (game.state.turn.number, _gone(way, pose(game.unit(unit)).at)))
    if shot is not None and not shot.fired:
        # fubar4/vdamage.immobilised: it was stopped before it reached the place of its shot, and can still fire
        yield from shot.fire(game)


class _Shot:
    """The shot that a vehicle fires on its way, and whether it has been fired."""

    def __init__(self, own: Stop) -> None:
        self.own = own
        self.fired = False

    def fire(self, game: Game[Any]) -> Steps[bool]:
        """Fire from where the vehicle is now."""
        self.fired = True
        return (yield from self.own.happening(game))


def _gone(way: Sequence[Point], at: Point) -> int:
    """Return how far along its path a hull that stands at `at` has come, in mil."""
    if at == way[-1]:
        return to_mil(path_length(way))
    passed, nearest, gone = 0.0, math.inf, 0.0
    for a, b in pairwise(way):
        off = segment_point_distance(a, b, at)
        if off < nearest - 1:  # 1 mil for the rounding of places
            nearest, gone = off, passed + distance(a, at)
        passed += distance(a, b)
    return to_mil(gone)


def _halt(game: FubarGame, unit: str, declared: PathsDeclared) -> Steps[None]:
    """Turn, and fire all weapons, each at its own target (fubar4/vehicle.stationary)."""
    yield Declared(unit, HALT, _STATIONARY)
    figure = next(iter(game.unit(unit).figures))
    facing = declared.facing
    if facing is not None and facing % FULL_TURN != pose(game.unit(unit)).facing:
        yield UnitMoved(unit, "turn", {}, _STATIONARY, {figure: facing % FULL_TURN})
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    parameter = aim.fire_parameter(game.rules, state, unit, aim.HALT)
    if not isinstance(parameter, AssignmentParameter):
        return
    picked = yield from ask(seat, movement.fire_asked(state, unit, parameter, _STATIONARY))
    given = picked.values[0] if picked.values else None
    if isinstance(given, Assigned):
        yield from fire.fire(game, unit, aim.HALT, given.given)


# --- how far it has gone --------------------------------------------------------------------------------------------


def gone_this_turn(state: State, vehicle: Unit) -> int:
    """Return how far a vehicle has driven this turn, in mil."""
    noted = pair(vehicle.profile, MOVED)
    if noted is None:
        return 0
    turn, length = noted
    return length if turn == state.turn.number else 0
