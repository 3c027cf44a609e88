"""Ways that a unit could go: towards where it wants to be, into cover, around what stands in its way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.paths import Around, check_path
from server.kernel.finding.destinations import Berths, Near
from server.kernel.finding.formation import shifted
from server.kernel.finding.walks import Walk
from server.kernel.finding.wayfinding import shortest_way
from server.kernel.space.geometry import Point, distance
from server.kernel.space.walking import box_round, in_the_way
from server.kernel.standing import has_hull
from server.kernel.state import State, Unit
from server.opponents.outlook import middle

_SHARES = (0.99, 0.5)
"""How much of its way a unit goes, at first."""
_SHORTER = (1.0, 0.7, 0.4, 0.2)
"""How much of that it tries if it cannot go so far."""


def ways(believed: State, parameter: PathParameter, wanted: Sequence[Point], around_count: int) -> list[PathsDeclared]:
    """Return legal ways of a unit, to stay where it is among them if it may.

    Args:
        believed: the state as the seat may know it.
        parameter: what is asked.
        wanted: places to which it may want to go, the dearest first.
        around_count: how many other directions to try.
    """
    unit = believed.units[parameter.unit]
    around = Around(believed, parameter)
    found: dict[tuple[tuple[str, tuple[Point, ...]], ...], PathsDeclared] = {}
    if parameter.may_stay:
        found[()] = PathsDeclared({})
    for dx, dy in _shifts(unit, parameter.allowance, wanted, around_count):
        for part in _SHORTER:
            way = _way(unit, parameter, round(dx * part), round(dy * part))
            if not way.paths:
                break
            if check_path(believed, parameter, way, around) is None:
                found.setdefault(tuple(sorted(way.paths.items())), way)
                break
    return list(found.values())


def _shifts(unit: Unit, allowance: int, wanted: Sequence[Point], more: int) -> Iterator[tuple[float, float]]:
    """Yield how far to shift the unit's middle."""
    at = middle(unit)
    for place in wanted:
        far = distance(at, place)
        if far < 200:
            continue
        for share in _SHARES:
            length = min(far, allowance * share)
            yield (place[0] - at[0]) * length / far, (place[1] - at[1]) * length / far
    for index in range(more):
        angle = 2 * math.pi * index / more
        yield allowance * 0.97 * math.cos(angle), allowance * 0.97 * math.sin(angle)


def _way(unit: Unit, parameter: PathParameter, dx: int, dy: int) -> PathsDeclared:
    """Return the way on which all of a unit that may move is shifted by so much."""
    way = shifted(unit, dx, dy)
    if parameter.figures:
        return PathsDeclared({key: path for key, path in way.paths.items() if key in parameter.figures})
    return way


def along(believed: State, parameter: PathParameter, way: Sequence[Point]) -> PathsDeclared | None:
    """Return how a unit goes along the way of its middle, as far as it comes; None if it cannot so."""
    unit = believed.units[parameter.unit]
    if has_hull(unit) and (parameter.straight or parameter.jump):
        return None
    around = Around(believed, parameter)
    start = middle(unit)
    for share in (0.98, 0.8, 0.6, 0.4):
        points = _cut(start, way, parameter.allowance * share)
        if not points:
            continue
        paths: dict[str, tuple[Point, ...]] = {}
        for key, figure in unit.living.items():
            if figure.at is not None and (not parameter.figures or key in parameter.figures):
                dx, dy = figure.at[0] - start[0], figure.at[1] - start[1]
                paths[key] = tuple((x + dx, y + dy) for x, y in points)
        value = PathsDeclared(paths)
        if check_path(believed, parameter, value, around) is None:
            return value
    return None


def _cut(start: Point, way: Sequence[Point], length: float) -> list[Point]:
    """Return the points of a way, up to so many mil from its start."""
    found: list[Point] = []
    left = length
    for a, b in pairwise((start, *way)):
        far = distance(a, b)
        if far <= left:
            found.append(b)
            left -= far
            continue
        if left > 100:
            found.append((round(a[0] + (b[0] - a[0]) * left / far), round(a[1] + (b[1] - a[1]) * left / far)))
        break
    return found


def detour(believed: State, parameter: PathParameter, goal: Point) -> tuple[Point, ...] | None:
    """Return the shortest way of one figure to `goal` around what stands in its way, however long; None if none is found."""
    unit = believed.units[parameter.unit]
    if has_hull(unit) or not unit.on_table:
        return None
    at = middle(unit)
    start, radius = min(unit.places(), key=lambda place: distance(place[0], at))
    around = Around(believed, parameter)
    size = (believed.table.width, believed.table.height)
    reach = round(distance(start, goal) * 1.6) + 4_000
    obstacles = in_the_way(around.obstacles, start, radius, box_round(start, reach))
    walk = Walk(start, radius, reach, size, obstacles, around.costs)
    return shortest_way(walk, Near(Berths(size, radius, ()), [(goal, 1_500)], (), 3_000), quick=True)
