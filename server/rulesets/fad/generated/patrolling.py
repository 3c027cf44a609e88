"""What infantry contacts in the mission Patrol, at any moment and so on its way too (fad5/mission.patrol)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf
from typing import Any

from server.kernel import notes
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Fact, UnitMoved
from server.kernel.notes import secret
from server.kernel.procedure import Steps
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import Point, inches, segment_point_distance, to_mil
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated.missions import PATROL, far_objectives, middle_objectives
from server.rulesets.fad.generated.noting import DONE, MISSION, STEP, hide, known, uncontrolled

RULE = "scenario.mission-done"
TOUCHED = "touched"
"""The objectives that the infantry of a side has contacted."""


def patrolled(state: State) -> bool:
    """Return whether a side has the mission Patrol, and its troops are there."""
    return state.book.get(STEP) == DONE and any(known(state, side, MISSION) == PATROL for side in state.sides)


def watched(game: FadGame, steps: Steps[None]) -> Steps[None]:
    """Run a procedure, and note what infantry contacts as it moves."""
    answer = None
    while True:
        try:
            step: Any = steps.send(answer)
        except StopIteration:
            return
        before = game.state
        answer = yield step
        if isinstance(step, UnitMoved):
            yield from _passed(game, before.units[step.unit], step)


def _passed(game: FadGame, unit: Unit, moved: UnitMoved) -> Iterator[Fact]:
    state, side = game.state, unit.side
    if known(state, side, MISSION) == PATROL and not is_vehicle(unit) and not game.rules.bystander(state, unit):
        reach = inches(game.rules.book.tables.generating.touch)
        yield from contacted(game, side, lambda key: _off_way(unit, moved, state.objectives[key].at) <= reach)


def _off_way(unit: Unit, moved: UnitMoved, at: Point) -> float:
    """Return how near figures come to a place as they move, in mil."""
    nearest = inf
    for key, path in moved.paths.items():
        figure = unit.figures[key]
        assert figure.at is not None, "who moves is on the table"
        away = min(segment_point_distance(a, b, at) for a, b in pairwise((figure.at, *path)))
        nearest = min(nearest, to_mil(away) - figure.radius)
    return nearest


def contacted(game: FadGame, side: str, near: Callable[[str], bool]) -> Iterator[Fact]:
    """Yield which objectives the infantry of a side contacts for the first time: those that are `near`."""
    seen = touched(game.state, side)
    wanted = (*middle_objectives(game.state), *far_objectives(game.state, side))
    new = tuple(key for key in wanted if key not in seen and near(key))
    if new:
        yield hide(game.state, side, TOUCHED, (*seen, *new))
        if not uncontrolled(game.state, side):
            for key in new:
                yield SideDeclared(side, "touched", RULE, key)


def touched(state: State, side: str) -> tuple[str, ...]:
    """Return the objectives that the infantry of a side has contacted, as far as is known here."""
    return notes.words(state.book, secret(state.sides[side].seat, TOUCHED))
