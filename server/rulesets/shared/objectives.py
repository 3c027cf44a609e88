"""Objectives: which figures stand near them, and which side holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from server.kernel.bodies import body
from server.kernel.facts import ObjectiveHeld
from server.kernel.procedure import Steps
from server.kernel.space.geometry import distance, to_mil
from server.kernel.space.hulls import base_to_outline
from server.kernel.space.values import Body
from server.kernel.state import Figure, Objective, State, Unit

Counted = Callable[[Unit], Iterable[Figure]]
"""The figures of a unit that count for holding an objective."""


def standing(unit: Unit) -> Iterable[Figure]:
    """Return every figure on the table that has not fallen."""
    return (figure for figure in unit.living.values() if figure.at is not None)


def near(state: State, objective: Objective, counted: Counted = standing) -> dict[str, int]:
    """Return how many figures of each side reach into the objective's radius with their bases or hulls."""
    found = dict.fromkeys(state.sides, 0)
    for unit in state.units.values():
        if not unit.left:
            for figure in counted(unit):
                found[unit.side] += _reaches(figure, objective)
    return found


def _reaches(figure: Figure, objective: Objective) -> bool:
    if figure.at is None:
        return False
    if figure.hull is None:
        return to_mil(distance(figure.at, objective.at)) - figure.radius <= objective.radius
    return off(body(figure), objective) <= objective.radius


def off(body: Body, objective: Objective) -> int:
    """Return the distance from a base or hull to the middle of an objective, in mil; below 0 if a base stands over it."""
    if body.outline:
        return to_mil(base_to_outline(objective.at, 0, body.outline))
    return to_mil(distance(body.at, objective.at)) - body.radius


def most(count: Mapping[str, int]) -> str:
    """Return the side with the largest count, or "" if no side has any or two are level."""
    best = max(count.values())
    leaders = [side for side, figures in count.items() if figures == best]
    return leaders[0] if best and len(leaders) == 1 else ""


def alone(count: Mapping[str, int]) -> str:
    """Return the only side that has any, or "" if no side or several sides have some."""
    there = [side for side, figures in count.items() if figures]
    return there[0] if len(there) == 1 else ""


def see_who_holds(state: State, holder: Callable[[State, Objective], str]) -> Steps[None]:
    """Yield a fact for each objective that changes hands. `holder` returns the side that holds it now, or "" if none does."""
    for objective in state.objectives.values():
        side = holder(state, objective)
        if side != objective.held_by:
            yield ObjectiveHeld(objective.id, side)
