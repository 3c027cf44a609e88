"""When a unit on its way reaches a piece of terrain, and which of its figures are in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.kernel.bodies import is_vehicle, pose
from server.kernel.march import on_the_way
from server.kernel.space.geometry import Point, distance, to_mil
from server.kernel.space.hulls import enters, outline, smaller
from server.kernel.space.paths import path_length
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit

_STEP = 250
"""How far, in mil, a unit goes at most from one place that is looked at to the next."""
_HALVINGS = 8

Paths = Mapping[str, tuple[Point, ...]]


def reaches(unit: Unit, piece: Terrain) -> bool:
    """Return whether a base of a unit touches a piece, or its hull enters it."""
    if is_vehicle(unit):
        hull = next(iter(unit.figures.values())).hull
        assert hull is not None, "a vehicle has a hull"
        return enters(outline(pose(unit), smaller(hull)), piece)
    return any(to_mil(piece.distance(at)) <= radius for at, radius in unit.places())


def inside(unit: Unit, piece: Terrain) -> tuple[str, ...]:
    """Return the living figures of a unit whose centres lie in a piece."""
    return tuple(key for key, figure in unit.living.items() if figure.at is not None and piece.holds(figure.at))


def first(state: State, unit: str, paths: Paths, there: Callable[[Unit], bool], after: float = 0.0) -> float | None:
    """Return the least t after another one at which it is so `there` with a unit on its declared paths; None if it never is."""
    far = longest(state.units[unit], paths)
    count = max(1, -(-far // _STEP))
    before = after
    for step in range(1, count + 1):
        t = step / count
        if t <= after:
            continue
        if there(at(state, unit, paths, t)):
            return _between(state, unit, paths, there, before, t)
        before = t
    return None


def at(state: State, unit: str, paths: Paths, t: float) -> Unit:
    """Return a unit where it is at t on its declared paths."""
    return on_the_way(state, unit, paths, t).units[unit]


def longest(unit: Unit, paths: Paths) -> int:
    """Return the length of the longest path, in mil."""
    lengths = [
        path_length((figure.at, *paths[key]))
        for key, figure in unit.living.items()
        if figure.at is not None and paths.get(key)
    ]
    return to_mil(max(lengths, default=0))


def near(unit: Unit, paths: Paths, piece: Terrain, margin: int = 0) -> bool:
    """Return whether a unit may come to a piece on its paths, or within a margin of it, in mil: cheaply, and with certainty if it
    does not.
    """
    for key, figure in unit.living.items():
        if figure.at is None:
            continue
        reach = figure.radius if figure.hull is None else figure.hull.length + figure.hull.width
        way = (figure.at, *paths.get(key, ()))
        for place, end in zip(way, (*way[1:], way[-1]), strict=True):
            if piece.distance(place) <= reach + margin + distance(place, end):
                return True
    return False


def _between(state: State, unit: str, paths: Paths, there: Callable[[Unit], bool], before: float, then: float) -> float:
    low, high = before, then
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if there(at(state, unit, paths, middle)) else (middle, high)
    return high
