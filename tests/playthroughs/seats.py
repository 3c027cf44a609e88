"""Seats that play like a person who has read no rules but has understood the aim: come near, shoot, charge what is weak.

They answer from the choices alone, as every other opponent does: a choice that points at an enemy is an attack, one that moves
the own unit leads to the objective.
"""

from __future__ import annotations

import random

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Candidate,
    Choice,
    PathParameter,
    PathsDeclared,
    Picked,
    PointParameter,
    StopParameter,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.answers.check import Asked, check, check_path
from server.kernel.answers.sampling import sample_choice
from server.kernel.bodies import is_vehicle, pose, riders
from server.kernel.finding.formation import shifted
from server.kernel.space.geometry import centroid, direction, distance, moved
from server.kernel.state import State, Unit
from tests.playthroughs.indoors import room_at, way_in

ATTACK, MOVE, NEITHER = 6, 3, 1
"""How often a choice is taken, against the others that may be."""
SURELY = 30
"""So is what a flyer came for: to set its squad down near the aim, once it is there."""
NEAR = 9_000
"""How near to the aim that is, in mil."""
ERRANDS = ("scoot", "strafe")
"""Choices of moves that flyers alone have."""


def sensible(believed: State, asked: Asked, chance: random.Random) -> Picked:
    """An answer to `asked`."""
    if not asked.unit:
        # Not about a unit's action: whom to activate, where to deploy, whether to agree.
        return _one_of(asked, chance) or asked.default
    open_choices = [choice for choice in asked.choices if choice.why is None]
    (choice,) = chance.choices(open_choices, [_taste(believed, asked, choice) for choice in open_choices])
    if choice.key == asked.default.choice and len(asked.choices) == 1:
        return asked.default
    picked = _picked(believed, asked, choice, chance)
    return picked if picked is not None and check(believed, asked, picked) is None else asked.default


def _taste(believed: State, asked: Asked, choice: Choice) -> int:
    unit = believed.units[asked.unit]
    if unit.profile.get("mobility") == "fly" and choice.key.startswith((*ERRANDS, "let-off:")):
        return _errand(believed, unit, choice)
    for parameter in choice.parameters:
        if isinstance(parameter, UnitParameter):
            foes = [believed.units[row.unit] for row in parameter.candidates if row.why is None]
            weak = min((foe.strength for foe in foes), default=9)
            return ATTACK if weak < unit.strength else NEITHER
        if isinstance(parameter, AssignmentParameter | StopParameter | PointParameter):
            return ATTACK
        if isinstance(parameter, PathParameter):
            return MOVE
    return NEITHER


def _errand(believed: State, unit: Unit, choice: Choice) -> int:
    """Taste of what flyers alone do: with a squad aboard to the aim and set it down, without one shoot on the way."""
    own = pose(unit).at
    there = any(distance(own, objective.at) <= NEAR for objective in believed.objectives.values())
    carries = bool(riders(believed, unit.id))
    if choice.key == "strafe":
        return NEITHER if carries else ATTACK
    return SURELY if carries and there != (choice.key == "scoot") else 0


def _one_of(asked: Asked, chance: random.Random) -> Picked | None:
    """One of the units that the default is about, or, where it is about none, one that another choice lets act."""
    choice = asked.choice(asked.default.choice)
    if choice is None:
        return None
    offered = [choice] if choice.parameters else asked.choices
    named = [
        (one.key, row.unit)
        for one in offered
        if one.why is None and len(one.parameters) == 1 and isinstance(one.parameters[0], UnitParameter)
        for row in one.parameters[0].candidates
        if row.why is None
    ]
    if not named:
        return None
    key, unit = chance.choice(named)
    return Picked(key, (UnitNamed(unit),))


def _picked(believed: State, asked: Asked, choice: Choice, chance: random.Random) -> Picked | None:
    values: list[Value] = []
    for parameter in choice.parameters:
        if isinstance(parameter, UnitParameter):
            allowed: list[Candidate] = [row for row in parameter.candidates if row.why is None]
            values.append(UnitNamed(chance.choice(allowed[:2]).unit))
        elif isinstance(parameter, PathParameter) and not parameter.ends:
            way = _towards(believed, parameter)
            if way is None:
                return None
            values.append(way)
        elif isinstance(parameter, AssignmentParameter):
            values.append(Assigned(parameter.suggested))
        else:
            return (
                asked.default if asked.default.choice == choice.key else sample_choice(believed, asked, choice, chance)
            )
    return Picked(choice.key, tuple(values))


def _towards(believed: State, parameter: PathParameter) -> PathsDeclared | None:
    """The whole unit towards the objective, or the nearest enemy, as far as that is legal."""
    unit = believed.units[parameter.unit]
    own = centroid([at for at, _ in unit.places()])
    goals = [objective.at for objective in believed.objectives.values()]
    goals = goals or [centroid([at for at, _ in foe.places()]) for foe in _foes(believed, unit)]
    if not goals:
        return None
    goal = min(goals, key=lambda at: distance(own, at))
    room = None if parameter.jump or is_vehicle(unit) else room_at(believed, goal)
    if room is not None and (inside := way_in(believed, parameter, room, goal)) is not None:
        return inside
    ahead = direction(own, goal)
    for tenth in (10, 8, 6, 4, 2):
        length = min(parameter.allowance - 1, round(distance(own, goal))) * tenth / 10
        for bend in (0, 2000, -2000, 4500, -4500):
            dx, dy = moved((0, 0), ahead + bend, length)
            way = shifted(unit, dx, dy)
            if way.paths and check_path(believed, parameter, way) is None:
                return way
    return None


def _foes(believed: State, unit: Unit) -> list[Unit]:
    return [foe for foe in believed.enemies_of(unit.side) if foe.on_table]
