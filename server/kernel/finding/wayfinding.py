"""Wayfinding: the shortest legal way of one base to its goal, around all obstacles.

A shortest way is a taut string: it turns only at the corners of what it goes around, which here are rounded by the base's
radius. So the search is among the points just outside these rounded corners (a visibility graph, `walks.Turns`), with what
the ground costs on each stretch. First it is made where one may come a little nearer to everything (`walks.Eased`): where no way
is found there, there is none. It is made again with finer points before it gives up. An existing way that is not found is longer
than the allowance by less than a thousandth, or narrower than 0.004".
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import count, pairwise

from server.kernel.finding.destinations import Goal
from server.kernel.finding.walks import COARSE, Turns, Walk
from server.kernel.space.geometry import Place, Point, distance, to_mil

FINE = 48
"""Points round a whole corner where only so many could make the difference."""
SLACK = 0.001
"""Mil by which sums of lengths may differ through rounding."""
_ASIDE = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))


Places = Callable[[float], Sequence[Point]]
"""Returns places in which a way may end, those at most so many mil from its start; asked only when no straight way does."""


def shortest_way(
    walk: Walk, goal: Goal, places: Places | None = None, *, quick: bool = False
) -> tuple[Point, ...] | None:
    """Return the cheapest legal way from where a base stands to the goal, its start left out; () where it stands there
    already, None where there is none.

    Args:
        walk: the obstacles and the ground.
        goal: where it is to end.
        places: returns places that are reached if one can go there; else only those are looked at that a straight way leads to.
        quick: whether to give up after a first look, where a way is wanted but may be missed.
    """
    if goal.reached(walk.start):
        return ()
    if goal.bound(walk.start) > walk.allowance:
        return None
    straight = _straight(walk, goal)
    if straight is not None:
        return (straight,)
    ends = () if places is None else places(walk.turns(COARSE).bound)
    for found in _ways(walk, goal, ends, quick=quick):
        tight = _tightened(walk, goal, found)
        if walk.legal(tight):
            return tight[1:]
    return None


def surely_none(walk: Walk, goal: Goal, places: Places) -> bool:
    """Return whether one soon sees that there is no way of a base to the goal, arguments as for `shortest_way`. If not, there may
    be one.
    """
    bound = goal.bound(walk.start)
    if bound > walk.allowance:
        return True
    if bound == 0 or _straight(walk, goal) is not None:
        # Within a goal's reach there may be places other than the ends.
        return False
    return _eased(walk, goal, places(walk.turns(COARSE).bound), _Ahead(goal)) is None


def _straight(walk: Walk, goal: Goal) -> Point | None:
    """Return where the shortest straight way leads that costs no more than its length; None if none does."""
    for end in goal.nearest(walk.start):
        plain = to_mil(walk.leg(walk.start, end)) == to_mil(distance(walk.start, end))
        if plain and goal.reached(end) and walk.legal((walk.start, end)):
            return end
    return None


def _ways(walk: Walk, goal: Goal, ends: Sequence[Point], *, quick: bool) -> Iterator[tuple[Point, ...]]:
    """Yield ways that are legal when they are drawn tight, or nearly so; each is only looked for when none before will do."""
    ahead = _Ahead(goal)
    # As in `surely_none`.
    if not quick and goal.bound(walk.start) > 0:
        found = _eased(walk, goal, ends, ahead)
        if found is None:
            return
        yield found
    for fineness in (COARSE,) if quick else (COARSE, FINE):
        # Between corners that crowd each other the coarse points may stand in each other's way.
        found = _Search(walk, goal, ends, walk.turns(fineness), ahead).run()
        if found is not None:
            yield found


def _eased(walk: Walk, goal: Goal, ends: Sequence[Point], ahead: _Ahead) -> tuple[Point, ...] | None:
    """Return the cheapest way where a base may come a little nearer to everything; None where there is none at all."""
    eased = walk.eased()
    return _Search(eased, goal, ends, eased.turns(COARSE), ahead).run()


# --- the search -----------------------------------------------------------------------------------------------------


class _Ahead:
    """How far it is at least from a place to the goal. It is asked of the same points again and again."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal
        self._known: dict[Point, float] = {}

    def of(self, p: Point) -> float:
        """Return what `Goal.bound` does."""
        known = self._known.get(p)
        if known is None:
            known = self._known[p] = self._goal.bound(p)
        return known


class _Search:
    """A* over the corners, each stretch checked only when it is the cheapest that is left."""

    def __init__(self, walk: Walk, goal: Goal, places: Sequence[Point], turns: Turns, ahead: _Ahead) -> None:
        self._walk, self._goal, self._turns, self._ahead = walk, goal, turns, ahead
        self._standing: list[Point] | None = None
        self._rings: list[tuple[int, Place, float]] = []
        """The rings in reach: their numbers, their centres, and how far it is at least from there to the goal, less twice the
        ring's radius.
        """
        for index, (centre, across) in enumerate(turns.round):
            farther = goal.bound(centre) - 2 * across
            if distance(walk.start, centre) + farther <= turns.bound and any(map(self._near, turns.rings[index])):
                self._rings.append((index, centre, farther))
        self._free = [at for at in dict.fromkeys((*turns.free, *places)) if self._near(at)]

    def _near(self, at: Point) -> bool:
        left = self._turns.bound - distance(self._walk.start, at)
        return left >= 0 and self._ahead.of(at) <= left

    def run(self) -> tuple[Point, ...] | None:
        """Return the cheapest way, its start included; None where none is within the bound."""
        walk, goal, ahead, bound = self._walk, self._goal, self._ahead, self._turns.bound
        ticks = count()
        before: dict[Point, Point] = {}
        settled: dict[Point, float] = {}
        waiting: list[tuple[float, int, float, Point, Point, bool]] = [(0.0, 0, 0.0, walk.start, walk.start, True)]
        while waiting:
            _, _, cost, at, origin, exact = heapq.heappop(waiting)
            if at in settled:
                continue
            if not exact:
                cost = settled[origin] + walk.leg(origin, at)
                least = cost + ahead.of(at)
                if least <= bound:
                    heapq.heappush(waiting, (least, next(ticks), cost, at, origin, True))
                continue
            if at != walk.start and not walk.clear(origin, at):
                continue
            settled[at], before[at] = cost, origin
            if goal.reached(at):
                return _traced(before, walk.start, at)
            for there in self._onward(at, bound - cost + SLACK):
                # Where no ground costs more, the length is the cost.
                length = cost + distance(at, there)
                if length <= bound and there not in settled:
                    least = length + ahead.of(there)
                    if least <= bound:
                        heapq.heappush(waiting, (least, next(ticks), length, there, at, not walk.costly))
        return None

    def _onward(self, at: Point, left: float) -> list[Point]:
        """Return the points to which a taut way may lead on from `at`, but not those that are certain to take it farther than
        the `left` mil.
        """
        goal, walk, turns = self._goal, self._walk, self._turns
        found = [end for end in goal.nearest(at) if distance(at, end) <= left and goal.reached(end)]
        for ring, centre, farther in self._rings:
            if distance(at, centre) + farther <= left:
                found += turns.touched(at, ring)
        if self._standing is None:
            self._standing = [there for there in self._free if walk.stands(there)]
        found += self._standing
        return found


def _traced(before: dict[Point, Point], start: Point, end: Point) -> tuple[Point, ...]:
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return tuple(reversed(path))


# --- drawing it tight -----------------------------------------------------------------------------------------------


def _tightened(walk: Walk, goal: Goal, path: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return `path` without the points that it need not pass, each of the others where the way is cheapest."""
    path = _straightened(walk, path)
    if to_mil(walk.cost(path)) <= walk.allowance:
        return path
    step = 500
    while step >= 2 and to_mil(walk.cost(path)) > walk.allowance:
        better = _shifted(walk, goal, path, step)
        if better is None:
            step //= 2
        else:
            path = better
    return path


def _straightened(walk: Walk, path: tuple[Point, ...]) -> tuple[Point, ...]:
    points = list(path)
    index = 1
    while index < len(points) - 1:
        a, b, c = points[index - 1 : index + 2]
        if walk.cost((a, c)) <= walk.cost((a, b, c)) and walk.clear(a, c):
            del points[index]
            index = max(1, index - 1)
        else:
            index += 1
    return tuple(points)


def _shifted(walk: Walk, goal: Goal, path: tuple[Point, ...], step: int) -> tuple[Point, ...] | None:
    """Return `path` with one of its points so far aside that it is cheaper; None where none is."""
    for index in range(1, len(path)):
        x, y = path[index]
        around = path[index - 1 : index + 2]
        cost = walk.cost(around)
        for dx, dy in _ASIDE:
            there = (x + dx * step, y + dy * step)
            other = (around[0], there, *around[2:])
            # The rest of the way stays as it is.
            if walk.cost(other) > cost - 0.5 or (index == len(path) - 1 and not goal.reached(there)):
                continue
            if all(walk.clear(a, b) for a, b in pairwise(other)):
                return (*path[:index], there, *path[index + 1 :])
    return None
