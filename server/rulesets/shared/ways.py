"""Ways that the server finds by itself, for defaults and for telling what can be done at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.destinations import Berths, Beyond, Near, TableEdge
from server.kernel.formation import shifted
from server.kernel.geometry import Outline, Point, moved
from server.kernel.hulls import Body
from server.kernel.moving import Around
from server.kernel.paths import Base, overlaps, path_cost
from server.kernel.prompts import check_path, end_places
from server.kernel.standing import TOUCH, bases, hulls, nearest
from server.kernel.state import State, Unit
from server.kernel.walks import Walk
from server.kernel.wayfinding import shortest_way


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


class Finder:
    """Finds ways for the figures of one unit that stands on bases, as a path parameter allows them.

    Args:
        state: the state as the unit's seat believes it.
        parameter: how the unit may move.
    """

    def __init__(self, state: State, parameter: PathParameter) -> None:
        self.unit = state.units[parameter.unit]
        self._around = Around(state, parameter)
        self._allowance = parameter.allowance
        self._walks: dict[tuple[str, int], Walk] = {}

    def walk(self, key: str, reach: int | None = None) -> Walk:
        """What a way of figure `key` is held against; `reach` (mil) in the place of the parameter's allowance, if given."""
        reach = self._allowance if reach is None else reach
        known = self._walks.get((key, reach))
        if known is None:
            at, radius = self._base(key)
            around = self._around
            known = Walk(at, radius, reach, around.size, around.obstacles(at, reach, radius), around.costly)
            self._walks[key, reach] = known
        return known

    def berths(self, key: str, own: Iterable[Base] = ()) -> Berths:
        """Where figure `key` may end, if bases of its own unit stand, or will stand, at `own`."""
        around = self._around
        taken = [*around.enemies, *around.friends, *own]
        return Berths(around.size, self._base(key)[1], taken, [*around.hulls, *around.enemy_hulls])

    def near(
        self,
        key: str,
        bases: Sequence[Base],
        sides: Sequence[Outline],
        reach: int,
        own: Iterable[Base] = (),
        far: int = -1,
    ) -> tuple[Point, ...] | None:
        """The shortest way of figure `key` to within `reach` of one of these bases or hulls, at most `far` mil long (default: the
        allowance); () where it is there, None where there is none.
        """
        walk = self.walk(key, None if far < 0 else far)
        goal = Near(self.berths(key, own), bases, sides, reach)
        return shortest_way(walk, goal, goal.places(walk.around, box_of(walk)))

    def beyond(
        self,
        key: str,
        bases: Sequence[Base],
        sides: Sequence[Outline],
        reach: int,
        own: Iterable[Base] = (),
        *,
        quick: bool = False,
    ) -> tuple[Point, ...] | None:
        """The shortest way of figure `key` to farther than `reach` from all of these bases and hulls; () where it is there, None
        where there is none, or where a `quick` look finds none.
        """
        walk = self.walk(key)
        goal = Beyond(self.berths(key, own), bases, sides, reach)
        box = box_of(walk)
        rim = goal.places(walk.around, box)
        way = shortest_way(walk, goal, rim, quick=True)
        if way is None and not quick:
            way = shortest_way(walk, goal, [*rim, *goal.every_place(walk.around, box)])
        return way

    def off_table(self, key: str) -> tuple[Point, ...] | None:
        """The shortest way of figure `key` to the table's edge; None where there is none."""
        walk = self.walk(key)
        return shortest_way(walk, TableEdge(walk.size, walk.radius))

    def cost(self, key: str, way: Sequence[Point]) -> float:
        """What a way of figure `key` uses up, in mil."""
        return path_cost((self._base(key)[0], *way), self._around.costly)

    def _base(self, key: str) -> Base:
        figure = self.unit.figures[key]
        assert figure.at is not None, "only figures on the table move"
        return figure.at, figure.radius


def box_of(walk: Walk) -> tuple[int, int, int, int]:
    """The box (left, bottom, right, top) within which a way can lead."""
    (x, y), reach = walk.start, walk.allowance
    return (x - reach, y - reach, x + reach, y + reach)


def way_into_contact(state: State, parameter: PathParameter, target: str) -> PathsDeclared | None:
    """Return a legal charge: the figure that has the shortest way into contact takes it, the others stay, or make room for it;
    None when no figure can reach contact with `target`.
    """
    unit = state.units[parameter.unit]
    foes, sides = bases(state, only=[target]), hulls(state, only=[target])
    able = parameter.figures or tuple(unit.living)
    own = {key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None}
    finder = Finder(state, parameter)
    nearest_first = sorted((apart_from(own[key], foes, sides), key) for key in own if key in able)
    # First ways to places that nobody has to clear, then those at which figures of the unit itself stand.
    for in_the_way in (own, {key: base for key, base in own.items() if key not in able}):
        best: tuple[float, str, tuple[Point, ...]] | None = None
        for free, key in nearest_first:
            if free > parameter.allowance + TOUCH or (best is not None and free > best[0] + TOUCH):
                break
            others = [base for other, base in in_the_way.items() if other != key]
            far = parameter.allowance if best is None else min(parameter.allowance, int(best[0]))
            way = finder.near(key, foes, sides, TOUCH, others, far)
            if way is not None and (best is None or finder.cost(key, way) < best[0]):
                best = (finder.cost(key, way), key, way)
        if best is not None:
            _, key, way = best
            end = way[-1] if way else own[key][0]
            paths = _with_room(finder, own, key, way, end)
            if paths is not None and check_path(state, parameter, paths) is None:
                return paths
    return None


def _with_room(
    finder: Finder, own: dict[str, Base], key: str, way: tuple[Point, ...], end: Point
) -> PathsDeclared | None:
    """The way of figure `key` to `end`, with ways aside for the figures of its own unit that stand there."""
    paths = {key: way}
    standing = {**own, key: (end, own[key][1])}
    for other, base in own.items():
        if other == key or not overlaps(end, own[key][1], [base]):
            continue
        others = [there for name, there in standing.items() if name != other]
        aside = finder.beyond(other, [standing[key]], (), 0, others)
        if not aside:
            return None
        paths[other] = aside
        standing[other] = (aside[-1], base[1])
    return PathsDeclared({name: path for name, path in paths.items() if path})


def apart_from(base: Base, bases: Sequence[Base], sides: Sequence[Outline]) -> int:
    """Mil from a base to the nearest of these bases and hulls, edge to edge."""
    return nearest(Body(*base), bases, sides)


def following(state: State, parameter: PathParameter, charge: PathsDeclared) -> PathsDeclared:
    """Return `charge` with the other figures after the first one that moves, by the same straight stretch, where all of it is
    legal; else as it is.
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
    together = _allowed(parameter, PathsDeclared({leader: path, **followers}))
    return together if check_path(state, parameter, together) is None else charge
