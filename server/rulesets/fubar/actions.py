"""The actions of an activated unit: one of seven for infantry, or those of a vehicle or its passengers."""

from __future__ import annotations

from functools import partial

from client_protocol.choices import Assigned, AssignmentParameter, Choice, PathsDeclared, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.facts import ConditionGained, Declared, UnitNoted
from server.kernel.notes import words
from server.kernel.procedure import Steps, ask_later
from server.kernel.space.geometry import inches
from server.kernel.space.sight import stands_in
from server.kernel.state import State, Unit
from server.rulesets.fubar import aim, assault, fire, movement, transport, vehicles
from server.rulesets.fubar.game import DUCKING, GONE_TO_GROUND, LYING, LYING_FIGURES, ON_GUARD, FubarGame, FubarRules

TABLE = "action.table"
VEHICLE = "vehicle.activation"


def act(game: FubarGame, unit: str) -> Steps[None]:
    """Let a unit whose activation has succeeded take its one action."""
    got_out = False
    if game.unit(unit).aboard:
        # fubar4/vehicle.transport
        got_out = yield from transport.ride(game, unit)
        if not got_out:
            return
    asked = partial(_asked, game.rules, unit, got_out=got_out)
    picked = yield from ask_later(game, game.state.seat_of(unit), asked)
    if is_vehicle(game.unit(unit)):
        yield from vehicles.act(game, unit, picked)
    else:
        yield from _carry_out(game, unit, picked)


def _asked(rules: FubarRules, unit: str, state: State, *, got_out: bool) -> Asked:
    own = state.units[unit]
    vehicle = is_vehicle(own)
    choices = vehicles.choices(rules, state, unit) if vehicle else _choices(rules, state, own, got_out=got_out)
    title = f"{own.name}: choose its action"
    # On Guard is the default when time runs out.
    return Asked(title, choices, Picked("on-guard"), VEHICLE if vehicle else TABLE, unit)


def _choices(rules: FubarRules, state: State, unit: Unit, *, got_out: bool) -> tuple[Choice, ...]:
    """Return the actions that infantry has in the edition (fubar4/action.table)."""
    aimed = aim.fire_parameter(rules, state, unit.id, aim.AIMED)
    charge = assault.choice(rules, state, unit.id)
    if got_out:
        why = Why(f"{unit.name} has just got out: it may take any action except Assault.", "vehicle.transport")
        charge = Choice(
            charge.key, charge.label, charge.rule, charge.consequence, charge.parameters, why, charge.preview
        )
    choices = (
        _moving(rules, state, unit, "walk", "Walk", "Move, and fire small arms or throw grenades once on the way."),
        _moving(rules, state, unit, "run", "Run", "Move twice as far, without firing."),
        _moving(
            rules, state, unit, "duck-and-weave", "Duck and Weave", "Move without firing; counts as in soft cover."
        ),
        Choice(
            "on-guard", "On Guard", "action.on-guard", "Stay, and fire once at an enemy that moves in sight this turn."
        ),
        _moving(
            rules,
            state,
            unit,
            "gone-to-ground",
            "Gone to Ground",
            "Drop into cover near by: it counts for one level more. In the open, lie down in soft cover.",
        ),
        Choice(
            "aimed-fire",
            "Aimed Fire",
            "action.aimed-fire",
            "Stay, and fire everything with +1.",
            (aimed,) if isinstance(aimed, AssignmentParameter) else (),
            None if isinstance(aimed, AssignmentParameter) else aimed,
            preview=True,
        ),
        charge,
    )
    offered = {choice.key: choice for choice in choices}
    return tuple(offered[action] for action in rules.book.edition.actions["infantry"])


def _moving(rules: FubarRules, state: State, unit: Unit, action: str, label: str, consequence: str) -> Choice:
    parameter = movement.path_parameter(rules, state, unit.id, action)
    return Choice(action, label, rules.book.moves[action].rule, consequence, (parameter,))


def _carry_out(game: FubarGame, unit: str, picked: Picked) -> Steps[None]:
    action = picked.choice
    if action == "assault":
        # fubar4/action.assault
        yield from assault.assault(game, unit, picked)
    elif action == "on-guard":
        # fubar4/action.on-guard
        yield Declared(unit, "on-guard", "action.on-guard")
        yield ConditionGained(unit, ON_GUARD, "action.on-guard")
    elif action == "aimed-fire":
        # fubar4/action.aimed-fire
        given = picked.values[0]
        assert isinstance(given, Assigned), "checked against the choice"
        yield Declared(unit, "aimed-fire", "action.aimed-fire")
        yield from fire.fire(game, unit, aim.AIMED, given.given)
    else:
        declared = picked.values[0]
        assert isinstance(declared, PathsDeclared), "checked against the choice"
        yield from _move(game, unit, action, declared)


def _move(game: FubarGame, unit: str, action: str, declared: PathsDeclared) -> Steps[None]:
    rule = game.rules.book.moves[action].rule
    yield Declared(unit, action, rule)
    own = None
    if action == "walk":
        # fubar4/action.walk
        own = yield from movement.fire_on_the_way(game, unit, declared, aim.WALK, rule)
    elif action == "duck-and-weave":
        # fubar4/action.duck-and-weave: it counts during the move already
        yield ConditionGained(unit, DUCKING, rule)
    sheltered = _cover_near(game.rules, game.state, game.unit(unit)) if action == "gone-to-ground" else set()
    yield from movement.go(game, unit, declared, action, rule, own)
    if game.unit(unit).left or not game.unit(unit).on_table:
        return
    if action == "gone-to-ground":
        yield from _drop(game, unit, sheltered)
    if action in {"walk", "run"}:
        # fubar4/vehicle.transport
        yield from transport.offer_seats(game, unit)


def _drop(game: FubarGame, unit_id: str, sheltered: set[str]) -> Steps[None]:
    """Mark a unit that has gone to ground: its figures in or near cover use that, the others lie in soft cover
    (fubar4/action.gone-to-ground).

    `sheltered` are the figures that could reach cover before the move.
    """
    unit, rule = game.unit(unit_id), game.rules.book.moves["gone-to-ground"].rule
    covered = sheltered | _in_cover(game.rules, game.state, unit)
    lying = [key for key in bodies(unit) if key not in covered]
    all_lie = len(lying) == len(bodies(unit))
    noted = () if all_lie else tuple(lying)
    if noted != words(unit.profile, LYING_FIGURES):
        yield UnitNoted(unit_id, LYING_FIGURES, noted)
    yield ConditionGained(unit_id, LYING if all_lie else GONE_TO_GROUND, rule)


def _cover_near(rules: FubarRules, state: State, unit: Unit) -> set[str]:
    """Return the figures that can reach cover when they drop down."""
    reach = inches(rules.book.moves["gone-to-ground"].length)
    pieces = [piece for piece in state.table.terrain if piece.cover != "none"]
    # An area covers those whose middle stands in it, a line those whose base is behind it.
    return {
        key
        for key, one in bodies(unit).items()
        if any(round(p.distance(one.at)) - (one.radius if p.linear else 0) <= reach for p in pieces)
    }


def _in_cover(rules: FubarRules, state: State, unit: Unit) -> set[str]:
    """Return the figures that stand in or behind cover."""
    reach = inches(rules.book.tables.cover.behind)
    pieces = [piece for piece in state.table.terrain if piece.cover != "none"]
    return {key for key, one in bodies(unit).items() if any(stands_in(one.at, one.radius, p, reach) for p in pieces)}
