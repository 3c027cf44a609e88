"""Paths that the server finds: for defaults, and to tell whether something can be done at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path, end_places
from server.kernel.answers.paths import Around
from server.kernel.finding.destinations import Berths, Beyond, Near, TableEdge
from server.kernel.finding.formation import shifted
from server.kernel.finding.walks import COARSE, Walk, bound_of
from server.kernel.finding.wayfinding import shortest_way, surely_none
from server.kernel.space.geometry import Outline, Point, moved
from server.kernel.space.paths import on_table
from server.kernel.space.values import Base
from server.kernel.space.walking import box_round, in_the_way
from server.kernel.state import State, Unit


def legal_shifts(
    state: State, parameter: PathParameter, angles: Sequence[int], lengths: Sequence[int]
) -> list[PathsDeclared]:
    """Return the moves that `parameter` allows in which every figure goes by the same straight line.

    The moves tried are those in every direction of `angles` (hundredths of a degree) by every length of `lengths` (mil).
    """
    return list(_legal(state, parameter, each_shift(angles, lengths)))


def shifts_on_table(
    state: State, parameter: PathParameter, angles: Sequence[int], lengths: Sequence[int]
) -> list[PathsDeclared]:
    """Return the moves of `legal_shifts`, and those that `parameter` forbids, as far as they end on the table: for those who
    prefer some of them, and ask only of these whether they are allowed.
    """
    return list(_on_table(state, parameter, each_shift(angles, lengths)))


def first_legal_shift(
    state: State, parameter: PathParameter, shifts: Iterable[tuple[int, int]]
) -> PathsDeclared | None:
    """Return the first of the moves, each by an angle and a length as for `legal_shifts`, that `parameter` allows; None if it
    allows none of them.
    """
    return next(_legal(state, parameter, shifts), None)


def each_shift(angles: Sequence[int], lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield each angle with each length, all angles of a length before the next length."""
    return ((angle, length) for length in lengths for angle in angles)


def _legal(state: State, parameter: PathParameter, shifts: Iterable[tuple[int, int]]) -> Iterator[PathsDeclared]:
    """Return those of the moves, each by an angle and a length, that `parameter` allows."""
    # A way off the table is never allowed. Many lead there, and to say where they leave it would take long.
    return filter(allowing(state, parameter), _on_table(state, parameter, shifts))


def _on_table(state: State, parameter: PathParameter, shifts: Iterable[tuple[int, int]]) -> Iterator[PathsDeclared]:
    """Yield those of the moves on which all bases of the unit stay on the table; for a hull this says nothing."""
    unit = state.units[parameter.unit]
    size = (state.table.width, state.table.height)
    for angle, length in shifts:
        paths = allowed(parameter, shifted(unit, *moved((0, 0), angle, length)))
        if _stays_on(unit, paths, size):
            yield paths


def _stays_on(unit: Unit, paths: PathsDeclared, size: tuple[int, int]) -> bool:
    for key, path in paths.paths.items():
        figure = unit.figures[key]
        if figure.hull is None and not on_table(path[-1], figure.radius, size):
            return False
    return True


def allowing(state: State, parameter: PathParameter) -> Callable[[PathsDeclared], bool]:
    """Return what tells of paths whether `parameter` allows them."""
    return Finder(state, parameter).allows


def allowed(parameter: PathParameter, paths: PathsDeclared) -> PathsDeclared:
    """Return `paths` without those of figures that may not move."""
    if not parameter.figures:
        return paths
    return PathsDeclared({key: path for key, path in paths.paths.items() if key in parameter.figures})


def ends_of(unit: Unit, paths: PathsDeclared) -> list[tuple[Point, int]]:
    """Return where the unit's figures stand after `paths`, each as place and radius."""
    return list(end_places(unit, paths).values())


class Finder:
    """Finds paths for the figures of one unit on bases, within what a path parameter allows.

    Args:
        state: the state as the unit's seat believes it.
        parameter: how the unit may move.
    """

    def __init__(self, state: State, parameter: PathParameter) -> None:
        self.unit = state.units[parameter.unit]
        self._state, self._parameter = state, parameter
        self._around = Around(state, parameter)
        self._allowance = parameter.allowance
        self._walks: dict[tuple[str, int], Walk] = {}
        self._taken: dict[tuple[str, int], list[Base]] = {}

    def allows(self, paths: PathsDeclared) -> bool:
        """Return whether the parameter allows paths of the whole unit."""
        return check_path(self._state, self._parameter, paths, self._around) is None

    def walk(self, key: str, reach: int | None = None) -> Walk:
        """Return the limits of a path of figure `key`. `reach` (mil), if given, replaces the parameter's allowance."""
        reach = self._allowance if reach is None else reach
        known = self._walks.get((key, reach))
        if known is None:
            at, radius = self._base(key)
            obstacles = self._around.obstacles
            around = in_the_way(obstacles, at, radius, box_round(at, reach))
            known = Walk(at, radius, reach, obstacles.table_size, around, self._around.costs)
            self._walks[key, reach] = known
        return known

    def berths(self, key: str, own: Iterable[Base] = (), reach: int | None = None) -> Berths:
        """Return where figure `key` may end if bases of its own unit stand, or will stand, at `own`. `reach` is that of its
        `walk`.
        """
        obstacles = self._around.obstacles
        reach = self._allowance if reach is None else reach
        known = self._taken.get((key, reach))
        if known is None:
            (x, y), radius = self._base(key)
            # Most bases stand where no such way can lead.
            far = bound_of(reach, COARSE, costly=bool(self._around.costs.pieces)) + radius
            known = [
                (at, other)
                for at, other in obstacles.bases()
                if abs(at[0] - x) <= far + other and abs(at[1] - y) <= far + other
            ]
            self._taken[key, reach] = known
        return Berths(obstacles.table_size, self._base(key)[1], [*known, *own], obstacles.hulls())

    def near(
        self,
        key: str,
        bases: Sequence[Base],
        sides: Sequence[Outline],
        reach: int,
        own: Iterable[Base] = (),
        far: int = -1,
        *,
        quick: bool = False,
    ) -> tuple[Point, ...] | None:
        """Return the shortest path of figure `key` to within `reach` mil of one of these bases or hulls; () if it is there
        already, None if there is no path.

        It may not end on the bases `own` of its own unit. The path is at most `far` mil long (default: the allowance). A `quick`
        search may miss a path between corners that crowd each other.
        """
        walk = self.walk(key, None if far < 0 else far)
        goal = Near(self.berths(key, own), bases, sides, reach)
        return shortest_way(walk, goal, partial(goal.places, walk), quick=quick)

    def surely_not_near(
        self, key: str, bases: Sequence[Base], sides: Sequence[Outline], reach: int, own: Iterable[Base] = ()
    ) -> bool:
        """Return whether one soon sees that there is no path as for `near`. If not, there may be one."""
        walk = self.walk(key)
        goal = Near(self.berths(key, own), bases, sides, reach)
        return surely_none(walk, goal, partial(goal.places, walk))

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
        """Return the shortest path of figure `key` to more than `reach` mil from all of these bases and hulls; () if it is
        there already, None if there is no path.

        It may not end on the bases `own` of its own unit. A `quick` search looks at the likeliest places only and may miss a
        path.
        """
        walk = self.walk(key)
        goal = Beyond(self.berths(key, own), bases, sides, reach)
        rim = cache(lambda most: goal.places(walk, most))
        way = shortest_way(walk, goal, rim, quick=True)
        if way is None and not quick:
            way = shortest_way(walk, goal, lambda most: [*rim(most), *goal.every_place(walk)])
        return way

    def off_table(self, key: str) -> tuple[Point, ...] | None:
        """Return the shortest path of figure `key` to the table's edge, or None if there is none."""
        walk = self.walk(key)
        return shortest_way(walk, TableEdge(walk.size, walk.radius))

    def cost(self, key: str, way: Sequence[Point]) -> float:
        """Return how much of its allowance a path of figure `key` uses up, in mil."""
        return self._around.costs.path((self._base(key)[0], *way))

    def _base(self, key: str) -> Base:
        figure = self.unit.figures[key]
        assert figure.at is not None, "only figures on the table move"
        return figure.at, figure.radius
