"""Assault: the enemies that can be reached, the charge and reactions to it, stepping up, and the first round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from client_protocol.choices import (
    Candidate,
    Choice,
    EndRule,
    EndsTouching,
    FiguresParameter,
    FiguresPicked,
    PathParameter,
    PathsDeclared,
    Picked,
    UnitNamed,
    Why,
)
from server.kernel.answers.check import Asked, check_path
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Declared
from server.kernel.finding.formation import contact_places
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Point, about, at_most, beyond, distance, gap, inches, inches_text
from server.kernel.space.paths import overlaps
from server.kernel.space.values import Base
from server.kernel.standing import bases, end_places, touches
from server.kernel.state import State
from server.rulesets.fubar import combat, fights, movement
from server.rulesets.fubar.contact import touching, unengaged, ways_in
from server.rulesets.fubar.game import FubarGame, FubarRules
from server.rulesets.shared.charging import way_into_contact
from server.rulesets.shared.distances import enemies_by_distance
from server.rulesets.shared.targets import target_choice

RULE = "action.assault"
MOVE_IN = "close.move-in"


# --- who may be assaulted -------------------------------------------------------------------------------------------


def charge_parameter(rules: FubarRules, state: State, attacker: str, target: str) -> PathParameter:
    """Return the path parameter of a charge: at least one figure must end in contact (fubar4/action.assault)."""
    sentence = f"At least one figure must end touching {state.units[target].name}."
    touch = EndRule((EndsTouching((target,)),), Why(sentence, RULE))
    return movement.path_parameter(rules, state, attacker, movement.ASSAULT, (touch,), may_stay=False)


def candidates(rules: FubarRules, state: State, unit_id: str) -> tuple[Candidate, ...]:
    """Return the enemy units, nearest first, each with why it cannot be assaulted.

    Vehicles never can, and at least one figure must be able to reach contact (fubar4/close.by-assault,
    fubar4/action.assault).
    """
    unit = state.units[unit_id]
    reach = movement.allowance(rules, state, unit_id, movement.ASSAULT).value
    found = []
    for nearest in enemies_by_distance(state, unit):
        enemy = state.units[nearest.unit]
        why = None
        if is_vehicle(enemy):
            why = Why(f"{enemy.name} is a vehicle, and vehicles are not assaulted.", "close.by-assault")
        elif nearest.distance > reach:
            far = beyond(nearest.distance, reach)
            why = Why(f"{enemy.name} is {far} away; an Assault goes {inches_text(reach)}.", RULE)
        elif way_into_contact(state, charge_parameter(rules, state, unit_id, enemy.id), enemy.id) is None:
            why = Why(f"No figure of {unit.name} finds a way into contact with {enemy.name}.", RULE)
        found.append(Candidate(enemy.id, about(nearest.distance), why))
    return tuple(found)


def choice(rules: FubarRules, state: State, unit_id: str) -> Choice:
    """Return the choice of the action Assault (fubar4/action.assault)."""
    consequence = "Charge into close combat; enemies On Guard may fire at it."
    foes = candidates(rules, state, unit_id)
    return target_choice("assault", "Assault", RULE, consequence, foes, when="close.by-assault")


# --- carrying it out ------------------------------------------------------------------------------------------------


def assault(game: FubarGame, unit: str, picked: Picked) -> Steps[None]:
    """Let `unit` assault the enemy that `picked` names: the charge, stepping up, and the first round."""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    target = named.unit
    yield Declared(unit, "assault", RULE, target)
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    parameter = charge_parameter(game.rules, state, unit, target)
    way = charge_way(state, parameter, target)
    assert way is not None, "only enemies that can be reached are offered"
    # fubar4/close.move-in
    charging = Choice(
        "charge", "Charge", MOVE_IN, "Every figure that touches an enemy fights.", (parameter,), preview=True
    )
    title = f"{state.units[unit].name} charges {state.units[target].name}"
    answer = yield from ask(seat, Asked(title, (charging,), Picked("charge", (way,)), MOVE_IN, unit))
    declared = answer.values[0]
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    yield from movement.go(game, unit, declared, movement.ASSAULT, MOVE_IN)
    yield from fight(game, unit, target)


def fight(game: FubarGame, unit: str, target: str) -> Steps[None]:
    """Fight the first round after a charge, also if the charge joins a fight: the units that were reached step up before it."""
    if game.unit(unit).left:
        return
    reached = met(game.state, unit, target)
    if not reached:
        # Fire has stopped the figures that would have reached contact.
        yield Declared(unit, "falls-short", MOVE_IN, target)
        return
    for enemy in reached:
        yield from step_up(game, enemy, unit)
    met_now = [(unit, enemy) for enemy in reached]
    met_now += combat.drawn_in(game.state, reached, met_now)
    # fubar4/close.continues: a unit that joins a fight fights its own first round
    yield from combat.round_(game, met_now)
    yield from combat.meet(game, [fights.pair(game.state, *both) for both in met_now])


def met(state: State, unit_id: str, target: str) -> list[str]:
    """Return the enemy units that `unit_id` touches, the `target` first, the others in roster order."""
    unit = state.units[unit_id]
    touched = {enemy for units in touching(unit, state.enemies_of(unit.side)).values() for enemy in units}
    return sorted(touched, key=lambda enemy: (enemy != target, list(state.units).index(enemy)))


def step_up(game: FubarGame, unit: str, attacker: str) -> Steps[None]:
    """Let the owner of `unit` move up figures that touch no enemy and have an assaulting figure near (fubar4/close.move-in)."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    reach = inches(game.rules.book.tables.close_combat.step_up)
    near = unengaged(state, unit, [attacker], reach)
    able = [key for key in near if ways_in(game.rules, state, unit, [key], [attacker], reach)]
    if not able:
        return
    own, other = state.units[unit], state.units[attacker]
    in_order = tuple(key for key in own.living if key in able)
    pick = FiguresParameter("Who steps up", unit, in_order, 0, len(in_order))
    consequence = f"Figures within {inches_text(reach)} of an assaulting figure may come into contact, and fight."
    stepping = Choice("step-up", "Step up", MOVE_IN, consequence, (pick,))
    default = Picked("step-up", (FiguresPicked(in_order),))
    title = f"{own.name} is assaulted by {other.name}: who steps up?"
    answer = yield from ask(seat, Asked(title, (stepping,), default, MOVE_IN, unit))
    value = answer.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    # The nearest figure goes first, in whatever order the owner named them.
    yield from combat.step_up(game, unit, [key for key in able if key in value.figures], [attacker])


# --- a good charge --------------------------------------------------------------------------------------------------

_FOLLOWING = (100, 75, 50, 25)
"""How far a figure that reaches no enemy tries to follow, in percent of the foremost figure's path."""


def charge_way(state: State, parameter: PathParameter, target: str) -> PathsDeclared | None:
    """Return a legal charge that brings many figures into contact; the others follow. None if no figure can reach.

    The search is simple and may miss a charge with more figures in contact.
    """
    first = way_into_contact(state, parameter, target)
    if first is None:
        return None
    unit = state.units[parameter.unit]
    foes = state.units[target].places()
    leader = next(key for key, base in end_places(unit, first).items() if any(touches(base, f) for f in foes))
    chosen = dict(first.paths)
    rest = {
        key: (f.at, f.radius) for key, f in unit.living.items() if f.at is not None and key not in {leader, *chosen}
    }
    for key in sorted(rest, key=lambda key: min(gap(*rest[key], *foe) for foe in foes)):
        for end in _ends(state, parameter, key, foes, chosen, leader):
            if check_path(state, parameter, PathsDeclared({**chosen, key: (end,)})) is None:
                chosen[key] = (end,)
                break
    return PathsDeclared(chosen)


def _ends(
    state: State,
    parameter: PathParameter,
    key: str,
    foes: list[Base],
    chosen: Mapping[str, tuple[Point, ...]],
    leader: str,
) -> Iterator[Point]:
    """Yield places where `key` could end: in contact, the nearest place first, then some way behind the `leader`."""
    unit = state.units[parameter.unit]
    figure, front = unit.figures[key], unit.figures[leader].at
    at, radius = figure.at, figure.radius
    assert at is not None, "only figures on the table charge"
    assert front is not None, "only figures on the table charge"
    taken = bases(state, without=[unit.id])
    ends = end_places(unit, PathsDeclared(dict(chosen)))
    taken += [base for other, base in ends.items() if other != key]
    places = [place for foe in foes for place in contact_places(foe, radius)]
    for place in sorted(places, key=lambda place: distance(at, place)):
        if at_most(distance(at, place), parameter.allowance) and not overlaps(place, radius, taken):
            yield place
    ahead = chosen[leader][-1] if leader in chosen else front
    for percent in _FOLLOWING:
        end = (at[0] + (ahead[0] - front[0]) * percent // 100, at[1] + (ahead[1] - front[1]) * percent // 100)
        if not overlaps(end, radius, taken):
            yield end
