"""Seats that play as somebody might who has read the rules once: come near, shoot, and charge what is weak.

They answer from the choices alone, as every other opponent does.
"""

from __future__ import annotations

import random

from client_protocol.choices import (
    Candidate,
    Choice,
    PathParameter,
    PathsDeclared,
    Picked,
    UnitNamed,
    UnitParameter,
)
from server.kernel.formation import shifted
from server.kernel.geometry import centroid, direction, distance, moved
from server.kernel.prompts import Asked, check, check_path
from server.kernel.state import State, Unit

TASTES = {
    "open-fire": 6,
    "fire-move": 3,
    "move-fire": 3,
    "move-out": 2,
    "assault": 4,
    "fire": 9,
    "free-shot": 9,
    "fire-fall-back": 1,
    "fall-back": 3,
}
"""How often a choice is taken, against the others that may be; 0 for all that are not here, unless there is nothing else."""


def sensible(believed: State, asked: Asked, chance: random.Random) -> Picked:
    """An answer to `asked`."""
    open_choices = [choice for choice in asked.choices if choice.why is None and TASTES.get(choice.key)]
    if open_choices:
        (choice,) = chance.choices(open_choices, [_taste(believed, asked, choice) for choice in open_choices])
        picked = _picked(believed, asked, choice, chance)
        if picked is not None and check(believed, asked, picked) is None:
            return picked
    units = _activate(asked, chance)
    return units or asked.default


def _taste(believed: State, asked: Asked, choice: Choice) -> int:
    taste = TASTES[choice.key]
    foes = [
        row for parameter in choice.parameters if isinstance(parameter, UnitParameter) for row in parameter.candidates
    ]
    weak = min((believed.units[row.unit].strength for row in foes if row.why is None), default=9)
    if choice.key == "assault" and asked.unit:
        return 4 * taste if weak < believed.units[asked.unit].strength else 1
    return taste


def _activate(asked: Asked, chance: random.Random) -> Picked | None:
    choice = asked.choice("activate")
    if choice is None:
        return None
    (parameter,) = choice.parameters
    assert isinstance(parameter, UnitParameter)
    return Picked("activate", (UnitNamed(chance.choice(parameter.candidates).unit),))


def _picked(believed: State, asked: Asked, choice: Choice, chance: random.Random) -> Picked | None:
    values: list[UnitNamed | PathsDeclared] = []
    for parameter in choice.parameters:
        if isinstance(parameter, UnitParameter):
            allowed: list[Candidate] = [row for row in parameter.candidates if row.why is None]
            values.append(UnitNamed(chance.choice(allowed[:2]).unit))
        elif isinstance(parameter, PathParameter):
            if choice.key == "fall-back":
                return asked.default
            way = _towards(believed, parameter)
            if way is None:
                return None
            values.append(way)
        else:
            return asked.default if asked.default.choice == choice.key else None
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
