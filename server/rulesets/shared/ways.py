"""Ways that the server finds by itself, for defaults and for telling what can be done at all."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.formation import contact_places, shifted
from server.kernel.geometry import Point, between, distance, gap, moved, to_point
from server.kernel.prompts import check_path, end_places
from server.kernel.state import State, Unit
from server.rulesets.shared.distances import apart


def legal_shifts(
    state: State, parameter: PathParameter, angles: Sequence[int], lengths: Sequence[int]
) -> list[PathsDeclared]:
    """The moves of a unit in a straight line, everybody alike, by these angles and lengths, that `parameter` allows."""
    unit = state.units[parameter.unit]
    found = []
    for length in lengths:
        for angle in angles:
            paths = _allowed(parameter, shifted(unit, *moved((0, 0), angle, length)))
            if check_path(state, parameter, paths) is None:
                found.append(paths)
    return found


def _allowed(parameter: PathParameter, paths: PathsDeclared) -> PathsDeclared:
    """`paths` without those of figures that may not move."""
    if not parameter.figures:
        return paths
    return PathsDeclared({key: path for key, path in paths.paths.items() if key in parameter.figures})


def ends_of(unit: Unit, paths: PathsDeclared) -> list[tuple[Point, int]]:
    """Where the unit's figures stand after `paths`."""
    return list(end_places(unit, paths).values())


def straight_charge(state: State, parameter: PathParameter, target: str) -> PathsDeclared | None:
    """A legal charge: one figure by the shortest straight or once bent way into contact, the rest after it as far as that is
    legal; None when nobody can reach.
    """
    attacker, enemy = state.units[parameter.unit], state.units[target]
    if apart(attacker, enemy) > parameter.allowance:
        return None
    ways = sorted(
        (
            (distance(at, end), key, end)
            for key, figure in attacker.living.items()
            if (at := figure.at) is not None and key in (parameter.figures or attacker.living)
            for foe in enemy.places()
            if gap(at, figure.radius, *foe) <= parameter.allowance
            for end in contact_places(foe, figure.radius, 12)
        ),
        key=lambda way: (way[0], way[1]),
    )
    for _, key, end in ways[:60]:
        at = attacker.figures[key].at
        assert at is not None, "only figures on the table charge"
        for path in ((end,), *_bends(at, end)):
            alone = PathsDeclared({key: path})
            if check_path(state, parameter, alone) is None:
                return _together(state, parameter, attacker, key, path)
    return None


def _bends(start: Point, end: Point) -> list[tuple[Point, Point]]:
    """Ways around something in the middle: by a point to either side, near and farther."""
    middle = between(start, end, 0.5)
    dx, dy = end[0] - start[0], end[1] - start[1]
    return [(to_point((middle[0] - dy * bend, middle[1] + dx * bend)), end) for bend in (0.2, -0.2, 0.4, -0.4)]


def _together(
    state: State, parameter: PathParameter, attacker: Unit, leader: str, path: tuple[Point, ...]
) -> PathsDeclared:
    """The first figure's charge with the others following by the same straight stretch, where all of it is legal."""
    start = attacker.figures[leader].at
    assert start is not None, "a charging figure stands on the table"
    dx, dy = path[-1][0] - start[0], path[-1][1] - start[1]
    followers = {
        key: ((f.at[0] + dx, f.at[1] + dy),) for key, f in attacker.living.items() if f.at is not None and key != leader
    }
    together = _allowed(parameter, PathsDeclared({leader: path, **followers}))
    return together if check_path(state, parameter, together) is None else PathsDeclared({leader: path})
