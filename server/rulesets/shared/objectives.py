"""Objectives: who is near, and so who holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from server.kernel.bodies import body
from server.kernel.facts import ObjectiveHeld
from server.kernel.procedure import Steps
from server.kernel.space.geometry import distance, to_mil
from server.kernel.space.hulls import Body, base_to_outline
from server.kernel.state import Figure, Objective, State, Unit

Counted = Callable[[Unit], Iterable[Figure]]
"""The figures of a unit that count for holding an objective."""


def standing(unit: Unit) -> Iterable[Figure]:
    """Every figure on the table that has not fallen."""
    return (figure for figure in unit.living.values() if figure.at is not None)


def near(state: State, objective: Objective, counted: Counted = standing) -> dict[str, int]:
    """How many figures of each side reach with their bases or hulls into the objective's radius."""
    return {
        side: sum(
            off(body(figure), objective) <= objective.radius
            for unit in state.units_of(side)
            for figure in counted(unit)
            if figure.at is not None
        )
        for side in state.sides
    }


def off(body: Body, objective: Objective) -> int:
    """How far (mil) a base or hull is from the middle of an objective; below 0 when a base stands over it."""
    if body.outline:
        return to_mil(base_to_outline(objective.at, 0, body.outline))
    return to_mil(distance(body.at, objective.at)) - body.radius


def most(count: Mapping[str, int]) -> str:
    """The side with the most; "" for nobody, or when it is even."""
    best = max(count.values())
    leaders = [side for side, figures in count.items() if figures == best]
    return leaders[0] if best and len(leaders) == 1 else ""


def alone(count: Mapping[str, int]) -> str:
    """The side that is there when no other is; "" for nobody, or when several are."""
    there = [side for side, figures in count.items() if figures]
    return there[0] if len(there) == 1 else ""


def see_who_holds(state: State, holder: Callable[[State, Objective], str]) -> Steps[None]:
    """Tell of each objective whose holder is another than before; `holder` gives the side that holds one now, "" for nobody."""
    for objective in state.objectives.values():
        side = holder(state, objective)
        if side != objective.held_by:
            yield ObjectiveHeld(objective.id, side)
