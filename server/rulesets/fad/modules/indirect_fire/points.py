"""The point that a choice of indirect fire suggests."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from client_protocol.choices import PointParameter, PointTaken
from server.kernel.answers.points import check_point
from server.kernel.space.geometry import Point
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.ranging import struck

TRIED = 12
"""How many points are tried, the most promising first."""


def suggested(rules: FadRules, state: State, parameter: PointParameter, spotters: Iterable[Unit]) -> PointParameter:
    """Return `parameter` with a legal point on a figure of an enemy that one of these units sees: with the most enemies in the
    circle, and no friends. There is none where none sees an enemy.
    """
    side = state.units[parameter.unit].side
    looking = [unit for unit in spotters if unit.on_table]
    seen = [
        enemy
        for enemy in state.enemies_of(side)
        if enemy.on_table and any(rules.sees(state, unit, enemy) for unit in looking)
    ]
    places = [at for enemy in seen for at, _ in enemy.places()]
    for at in sorted(places, key=lambda at: -_worth(state, side, at, parameter.radius))[:TRIED]:
        if check_point(state, parameter, PointTaken(at)) is None:
            return replace(parameter, suggested=at)
    return parameter


def _worth(state: State, side: str, at: Point, radius: int) -> int:
    caught = struck(state, at, radius)
    return sum(len(inside) if unit.side != side else -2 * len(inside) for unit, inside in caught)
