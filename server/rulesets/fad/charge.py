"""Getting into contact: which enemies can be reached, the charge, and closing in."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from client_protocol.choices import Candidate, EndRule, EndsTouching, PathParameter, PathsDeclared, Why
from server.kernel.answers.check import bases, check_path, terrain_of
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.facts import UnitMoved
from server.kernel.finding.formation import closing, shifted
from server.kernel.finding.ground import Ground
from server.kernel.procedure import Steps
from server.kernel.space.geometry import about, between, beyond, distance, gap, inches, inches_text, to_point
from server.kernel.standing import TOUCH, end_bodies, hulls, nearest
from server.kernel.state import State
from server.rulesets.fad import movement
from server.rulesets.fad.drawn_together import Together
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act
from server.rulesets.fad.travel import go
from server.rulesets.shared.charging import way_into_contact
from server.rulesets.shared.distances import enemies_by_distance

LENGTHS: Final = (99, 66, 33)
"""How far those go who follow a charge to keep the squad together, in percent of its move: their player may draw a better way."""
BEND: Final = 1500
"""The angle between two of their directions, in hundredths of a degree."""


def charge_parameter(
    rules: FadRules, state: State, attacker: str, target: str, manner: str = movement.CHARGE
) -> PathParameter:
    """Return the path parameter of a charge: at least one figure must end in contact (fad4/assault.move-in)."""
    name = state.units[target].name
    touch = EndRule(
        (EndsTouching((target,)),), Why(f"At least one figure must end touching {name}.", "assault.move-in")
    )
    return movement.path_parameter(rules, state, attacker, manner, (touch,), may_stay=False)


def coming_up(
    rules: FadRules, state: State, attacker: str, enemy: str, manner: str = movement.CHARGE
) -> PathParameter | None:
    """Return how the others of a squad that touches an enemy come into contact with it too; None if none is near enough, or if
    it is no vehicle (fad5/assault.vehicle-nerve).
    """
    if not is_vehicle(state.units[enemy]):
        return None
    parameter = charge_parameter(rules, state, attacker, enemy, manner)
    sides = hulls(state, only=[enemy])
    away = {key: nearest(own, (), sides) for key, own in bodies(state.units[attacker]).items()}
    able = tuple([key for key, mil in away.items() if TOUCH < mil <= parameter.allowance])
    return replace(parameter, figures=able, may_stay=True) if able else None


def kept_together(
    rules: FadRules, state: State, parameter: PathParameter, way: PathsDeclared
) -> tuple[PathParameter, PathsDeclared]:
    """Return how a squad charges that keeps its coherency, or comes as near to it as a way is found, and that way. `way` is one
    that `parameter` allows; a charge that can reach contact remains one (fad5/move.coherency).
    """
    unit = state.units[parameter.unit]
    limit = rules.advisers.answer(state, movement.CoherencyDistance(unit.id)).value
    crew, bond = movement.crew_bond(rules, state, unit)
    together = Together(state, parameter, limit, crew, bond, LENGTHS, BEND)
    closest = together.closer(way)
    widest = together.gap(closest)
    rule = "coherency.distance" if widest == limit else "coherency.broken"
    ends = (*parameter.ends, *movement.crew_rules(rules, state, unit, closest))
    return replace(parameter, gap=widest, gap_rule=rule, ends=ends), closest


def candidates(rules: FadRules, state: State, attacker: str, manner: str = movement.CHARGE) -> tuple[Candidate, ...]:
    """Return the enemy units, nearest first, each with why it cannot be assaulted (fad4/assault.declare, fad5/assault.scope).

    Neither Fire Priority nor line of sight matters, but at least one figure must be able to reach contact.
    """
    unit = state.units[attacker]
    reach = movement.allowance(rules, state, attacker, manner).value
    barred = rules.barred(state, unit, Act.ASSAULT)
    found = []
    for near in enemies_by_distance(state, unit):
        enemy = state.units[near.unit]
        note = about(near.distance)
        if is_vehicle(enemy) and rules.out_of_reach(enemy):
            # fad4/move.fly, fad5/move.flyer-airborne
            why = Why(f"{enemy.name} is in the air: only a landed flyer can be assaulted.", "move.flyer-airborne")
        elif barred is not None:
            why = barred
        elif is_vehicle(enemy) and rules.vehicles.close is None:
            why = Why(f"{enemy.name} is a vehicle: vehicles are not assaulted here.", "assault.declare")
        elif (spared := rules.spared(state, enemy)) is not None:
            why = spared
        elif near.distance > reach:
            sentence = f"{enemy.name} is {beyond(near.distance, reach)} away; {unit.name} charges {inches_text(reach)}."
            why = Why(sentence, "move.charge-bonus")
        elif (
            near.distance > TOUCH
            and way_into_contact(state, charge_parameter(rules, state, attacker, enemy.id, manner), enemy.id) is None
        ):
            why = Why(f"No figure of {unit.name} finds a way into contact with {enemy.name}.", "assault.declare")
        else:
            found.append(Candidate(enemy.id, note))
            continue
        found.append(Candidate(enemy.id, note, why))
    return tuple(found)


def in_contact(state: State, attacker: str, target: str, way: PathsDeclared | None = None) -> bool:
    """Return whether a figure of `attacker` touches one of `target`, as they stand or after `way`."""
    near, sides = bases(state, only=[target]), hulls(state, only=[target])
    ends = end_bodies(state.units[attacker], way or PathsDeclared({})).values()
    return bool(near or sides) and any(nearest(end, near, sides) <= TOUCH for end in ends)


def advance(game: FadGame, attacker: str, target: str, manner: str = movement.CHARGE) -> Steps[None]:
    """Move the survivors of a failed charge as far as they can towards the target (fad4/assault.move-in)."""
    state = game.state
    unit = state.units[attacker]
    # fad5/move.no-overlap: it is no assault any more
    clear = inches(game.rules.book.tables.movement.clear)
    parameter = replace(movement.path_parameter(game.rules, state, attacker, manner), clear=clear)
    pairs = [(gap(a, ra, b, rb), a, b) for a, ra in unit.places() for b, rb in state.units[target].places()]
    _, start, goal = min(pairs)
    whole = distance(start, goal)
    for tenth in range(10, 0, -1):
        length = min(whole, parameter.allowance - 1) * tenth / 10
        end = to_point(between(start, goal, length / whole))
        paths = shifted(unit, end[0] - start[0], end[1] - start[1])
        if check_path(state, parameter, paths) is None:
            yield from go(game, attacker, paths, manner, "assault.move-in", target)
            return


def close_in(game: FadGame, attacker: str, target: str) -> Steps[None]:
    """Move all figures of both squads into base contact by the shortest free path, whatever the distance
    (fad4/assault.move-in).
    """
    for unit, other in ((attacker, target), (target, attacker)):
        state = game.state
        size = (state.table.width, state.table.height)
        barred = terrain_of(state, on_foot(game.rules, state).closed)
        ends = closing(
            state.units[unit], state.units[other].places(), Ground(size, barred, bases(state), hulls=hulls(state))
        )
        if ends:
            yield UnitMoved(unit, "contact", {key: (at,) for key, at in ends.items()}, "assault.move-in")
