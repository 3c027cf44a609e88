"""Vehicles: driving and firing one weapon, halting and firing all, driving through cover, On Guard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from client_protocol.explained import Explained, Line
from server.kernel.bodies import pose
from server.kernel.facts import ConditionGained, Declared, UnitMoved, UnitNoted
from server.kernel.march import Stop
from server.kernel.procedure import Game, Steps, ask
from server.kernel.questions import Question
from server.kernel.space.geometry import FULL_TURN, inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fubar import aim, bail_out, fire, movement
from server.rulesets.fubar.game import ARMOUR, IMMOBILISED, MOVED, ON_GUARD, FubarGame, FubarRules
from server.rulesets.shared import driving

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
    under = driving.pieces_under(state, vehicle)
    if why is None and is_tank(rules, vehicle) and any(piece.cover == "moderate" for piece in under):
        sentence = (
            f"{vehicle.name} stands in moderate cover: it can only leave by driving through cover, without firing."
        )
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
    closed = {"hard"} if action == DRIVE_COVER else {"moderate", "hard"}
    terrain = state.table.terrain
    drive = driving.Drive(
        far=allowance(rules, state, unit_id, action).value,
        slow=allowance(rules, state, unit_id, action, "soft").value,
        closed={
            piece.id: _MODERATE if piece.cover in closed else "cover.movement"
            for piece in terrain
            if piece.cover in closed or "impassable" in piece.flags
        },
        slowing={piece.id for piece in terrain if piece.cover == "soft"},
        rule=_MODERATE if action == DRIVE_COVER else _OPEN,
        slow_rule=_SOFT,
        clear=inches(rules.book.tables.close_combat.clear),
        clear_rule="close.by-assault",
    )
    return driving.drive_parameter(state, unit_id, drive)


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
    gone = driving.way_gone(way, pose(game.unit(unit)).at)
    yield UnitNoted(unit, MOVED, driving.noted(game.state, gone))
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
