"""The charge that the server finds for a unit: whether any figure can reach contact, and by which path."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import EndsTouching, PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.space.geometry import Outline, Point
from server.kernel.space.paths import overlaps
from server.kernel.space.values import Base, Body
from server.kernel.standing import TOUCH, bases, hulls, nearest
from server.kernel.state import State
from server.rulesets.shared.ways import Finder, allowed

Way = tuple[Point, ...]


def way_into_contact(state: State, parameter: PathParameter, target: str) -> PathsDeclared | None:
    """Return a legal charge of the unit that `parameter` moves at the unit `target`, or None if no figure can reach contact.

    The figure with the shortest path into contact takes it. The others stay where they are, or step aside if they stand where
    that path ends.
    """
    charge = _Charge(state, parameter, target)
    shortest = charge.shortest(charge.rooted)
    if shortest is None:
        return None
    if charge.needs_room(*shortest):
        # Prefer a place that the unit's own figures need not clear.
        other = charge.shortest(charge.own)
        paths = None if other is None else charge.paths(*other)
        if paths is not None:
            return paths
    return charge.paths(*shortest)


class _Charge:
    """The paths of a unit's figures into contact. `own` holds the base of each figure, `rooted` those of figures that may not
    move.
    """

    def __init__(self, state: State, parameter: PathParameter, target: str) -> None:
        unit = state.units[parameter.unit]
        able = parameter.figures or tuple(unit.living)
        self._state, self._parameter = state, parameter
        self._foes, self._sides = bases(state, only=[target]), hulls(state, only=[target])
        self._finder = Finder(state, parameter)
        self._shut_out: dict[str, bool] = {}
        self.own = {key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None}
        self.rooted = {key: base for key, base in self.own.items() if key not in able}
        self._nearest_first = sorted(
            (apart_from(base, self._foes, self._sides), key) for key, base in self.own.items() if key in able
        )

    def shortest(self, standing: dict[str, Base]) -> tuple[str, Way] | None:
        """Return the figure with the shortest path, or one hardly longer, to a place that is clear of the bases `standing`, and
        that path; None if there is none. One may be missed where more than those that cannot move are to be kept clear of.
        """
        allowance = self._parameter.allowance
        best: tuple[float, str, Way] | None = None
        doubtful: list[str] = []
        for free, key in self._nearest_first:
            if free > allowance + TOUCH or (best is not None and free > best[0] + TOUCH):
                break
            if self._shut_out.get(key) or (best is None and standing is self.rooted and self._barred(key)):
                continue
            far = allowance if best is None else min(allowance, int(best[0]))
            way = self._path(key, standing, far, quick=True)
            if way is None:
                doubtful.append(key)
            elif best is None or self._finder.cost(key, way) < best[0]:
                best = (self._finder.cost(key, way), key, way)
        if best is not None:
            return best[1:]
        # Once there is a path, a hair's breadth may decide which of two is shorter; whether there is one is no such matter.
        found = ((key, self._path(key, standing, allowance)) for key in doubtful if standing is self.rooted)
        return next(((key, way) for key, way in found if way is not None), None)

    def _barred(self, key: str) -> bool:
        """Return whether one soon sees that a figure has no path, however its own unit makes room."""
        if key not in self._shut_out:
            others = [base for other, base in self.rooted.items() if other != key]
            self._shut_out[key] = self._finder.surely_not_near(key, self._foes, self._sides, TOUCH, others)
        return self._shut_out[key]

    def _path(self, key: str, standing: dict[str, Base], far: int, *, quick: bool = False) -> Way | None:
        others = [base for other, base in standing.items() if other != key]
        return self._finder.near(key, self._foes, self._sides, TOUCH, others, far, quick=quick)

    def needs_room(self, key: str, way: Way) -> bool:
        """Return whether this path ends where another figure of the unit stands."""
        end = way[-1] if way else self.own[key][0]
        return overlaps(end, self.own[key][1], [base for other, base in self.own.items() if other != key])

    def paths(self, key: str, way: Way) -> PathsDeclared | None:
        """Return this path together with those by which the figures at its end step aside, or None if that is not legal."""
        paths = self._with_room(key, way)
        return paths if paths is not None and check_path(self._state, self._parameter, paths) is None else None

    def _with_room(self, key: str, way: Way) -> PathsDeclared | None:
        end, radius = (way[-1] if way else self.own[key][0]), self.own[key][1]
        paths = {key: way}
        standing = {**self.own, key: (end, radius)}
        for other, base in self.own.items():
            if other == key or not overlaps(end, radius, [base]):
                continue
            others = [there for name, there in standing.items() if name != other]
            aside = self._finder.beyond(other, [standing[key]], (), 0, others)
            if not aside:
                return None
            paths[other] = aside
            standing[other] = (aside[-1], base[1])
        return PathsDeclared({name: path for name, path in paths.items() if path})


def apart_from(base: Base, bases: Sequence[Base], sides: Sequence[Outline]) -> int:
    """Return the distance from a base to the nearest of these bases and hulls, edge to edge, in mil."""
    return nearest(Body(*base), bases, sides)


def surrounding(state: State, parameter: PathParameter, charge: PathsDeclared) -> PathsDeclared:
    """Return `charge` with paths into contact for as many of the unit's other figures as find one; each keeps off the places of
    those before it.
    """
    touched = [
        id_ for rule in parameter.ends for end in rule.any_of if isinstance(end, EndsTouching) for id_ in end.units
    ]
    foes, sides = bases(state, only=touched), hulls(state, only=touched)
    finder, unit = Finder(state, parameter), state.units[parameter.unit]
    standing = {key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None}
    paths = dict(charge.paths)
    for key, path in paths.items():
        standing[key] = (path[-1], standing[key][1])
    for key in sorted(standing, key=lambda key: apart_from(standing[key], foes, sides)):
        if key in paths:
            continue
        others = [base for other, base in standing.items() if other != key]
        way = finder.near(key, foes, sides, TOUCH, others)
        if way:
            paths[key] = way
            standing[key] = (way[-1], standing[key][1])
    together = PathsDeclared(paths)
    return together if check_path(state, parameter, together) is None else charge


def following(state: State, parameter: PathParameter, charge: PathsDeclared) -> PathsDeclared:
    """Return `charge` with the unit's other figures moved by the same offset as the first one, if that is legal; else
    `charge`.
    """
    unit = state.units[parameter.unit]
    leader, path = next(iter(charge.paths.items()), ("", ()))
    start = unit.figures[leader].at if leader else None
    if start is None or len(charge.paths) > 1:
        return charge
    dx, dy = path[-1][0] - start[0], path[-1][1] - start[1]
    followers = {
        key: ((f.at[0] + dx, f.at[1] + dy),) for key, f in unit.living.items() if f.at is not None and key != leader
    }
    together = allowed(parameter, PathsDeclared({leader: path, **followers}))
    return together if check_path(state, parameter, together) is None else charge
