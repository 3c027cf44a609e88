"""Distances between units, and the nearest enemies."""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter

from server.kernel.bodies import units_apart
from server.kernel.memory import PairMemory
from server.kernel.standing import enemies
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.shared.rules import MOST_PAIRS, B, Rules


class Nearest(Fixed, frozen=True):
    """An enemy unit and its distance, from nearest edge to nearest edge, in whole mil."""

    distance: int
    unit: str


_DISTANCE = attrgetter("distance")
_APART = PairMemory[int](MOST_PAIRS)


def apart(one: Unit, other: Unit) -> int:
    """Return the distance between the nearest living figures, bases or hulls of two units, edge to edge, in whole mil.

    It is remembered until one of the units moves or loses a figure.
    """
    known = _APART.get(one.figures, other.figures)
    return _APART.keep(one.figures, other.figures, units_apart(one, other)) if known is None else known


def stand(state: State, unit: Unit) -> Unit:
    """Return the unit from whose place `unit` sees and is measured: itself, or the vehicle that it rides in."""
    return state.units[unit.aboard] if unit.aboard else unit


def enemies_by_distance(state: State, unit: Unit, among: Collection[str] | None = None) -> list[Nearest]:
    """Return the enemy units on the table (those in `among`, if given), nearest first; equally near ones in roster order."""
    own = stand(state, unit)
    there = enemies(state, unit.side)
    found = [Nearest(apart(own, enemy), enemy.id) for enemy in there if among is None or enemy.id in among]
    found.sort(key=_DISTANCE)
    return found


def visible_enemies(rules: Rules[B], state: State, unit: Unit) -> list[Nearest]:
    """Return the enemy units that `unit` sees, nearest first."""
    own = stand(state, unit)
    return [n for n in enemies_by_distance(state, unit) if rules.sees(state, own, state.units[n.unit])]
