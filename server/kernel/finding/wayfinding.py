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
from itertools import pairwise
from typing import final

from server.kernel.finding.destinations import Goal
from server.kernel.finding.walks import COARSE, Ring, Turn, Turns, Walk
from server.kernel.space.geometry import Point, distance, to_mil

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
    return _eased(walk, goal, places(walk.turns(COARSE).bound)) is None


def _straight(walk: Walk, goal: Goal) -> Point | None:
    """Return where the shortest straight way leads that costs no more than its length; None if none does."""
    for end in goal.nearest(walk.start):
        plain = to_mil(walk.leg(walk.start, end)) == to_mil(distance(walk.start, end))
        if plain and goal.reached(end) and walk.legal((walk.start, end)):
            return end
    return None


def _ways(walk: Walk, goal: Goal, ends: Sequence[Point], *, quick: bool) -> Iterator[tuple[Point, ...]]:
    """Yield ways that are legal when they are drawn tight, or nearly so; each is only looked for when none before will do."""
    # As in `surely_none`.
    if not quick and goal.bound(walk.start) > 0:
        found = _eased(walk, goal, ends)
        if found is None:
            return
        yield found
    for fineness in (COARSE,) if quick else (COARSE, FINE):
        # Between corners that crowd each other the coarse points may stand in each other's way.
        found = _Search(walk, goal, ends, walk.turns(fineness)).run()
        if found is not None:
            yield found


def _eased(walk: Walk, goal: Goal, ends: Sequence[Point]) -> tuple[Point, ...] | None:
    """Return the cheapest way where a base may come a little nearer to everything; None where there is none at all."""
    eased = walk.eased()
    return _Search(eased, goal, ends, eased.turns(COARSE)).run()


# --- the search -----------------------------------------------------------------------------------------------------


@final
class _Stop:
    """A point to which a way may lead, and how far it is at least from there to the goal; once it is `settled`, also what the
    way there costs, and which stop comes before it.
    """

    def __init__(self, turn: Turn, ahead: float) -> None:
        self.turn = turn
        self.ahead = ahead
        self.settled = False
        self.cost = 0.0
        self.before: _Stop | None = None


@final
class _Round:
    """A ring in reach, and how far it is at least from its centre to the goal, less twice the ring's radius."""

    def __init__(self, ring: Ring, farther: float) -> None:
        self.ring = ring
        self.farther = farther


@final
class _Search:
    """A* over the corners, each stretch checked only when it is the cheapest that is left."""

    def __init__(self, walk: Walk, goal: Goal, places: Sequence[Point], turns: Turns) -> None:
        self._walk, self._goal, self._bound = walk, goal, turns.bound
        self._stops: dict[Turn, _Stop] = {}
        self._start = walk.turn(walk.start)
        self._rounds: list[_Round] = []
        for ring in turns.rings:
            farther = goal.bound((ring.x, ring.y)) - 2 * ring.across
            if self._start.off(ring.x, ring.y) + farther <= self._bound and any(map(self._near, ring.turns)):
                self._rounds.append(_Round(ring, farther))
        free = dict.fromkeys((*turns.free, *map(walk.turn, places)))
        self._free = [turn for turn in free if self._near(turn)]
        self._standing: list[Turn] | None = None

    def _near(self, turn: Turn) -> bool:
        left = self._bound - self._start.off(turn.x, turn.y)
        return left >= 0 and self._stop(turn).ahead <= left

    def _stop(self, turn: Turn) -> _Stop:
        known = self._stops.get(turn)
        if known is None:
            known = self._stops[turn] = _Stop(turn, self._goal.bound(turn.at))
        return known

    def run(self) -> tuple[Point, ...] | None:
        """Return the cheapest way, its start included; None where none is within the bound."""
        walk, start, bound = self._walk, self._stop(self._start), self._bound
        even = not walk.costs.pieces
        tick = 0
        waiting: list[tuple[float, int, float, _Stop, _Stop, bool]] = [(0.0, tick, 0.0, start, start, True)]
        while waiting:
            _, _, cost, stop, origin, exact = heapq.heappop(waiting)
            if stop.settled:
                continue
            if not exact:
                cost = origin.cost + walk.leg(origin.turn.at, stop.turn.at)
                least = cost + stop.ahead
                if least <= bound:
                    tick += 1
                    heapq.heappush(waiting, (least, tick, cost, stop, origin, True))
                continue
            if stop is not start and not walk.leads(origin.turn, stop.turn):
                continue
            stop.settled, stop.cost, stop.before = True, cost, None if stop is start else origin
            if self._goal.reached(stop.turn.at):
                return _traced(stop)
            for turn in self._onward(stop.turn, bound - cost + SLACK):
                there = self._stop(turn)
                if there.settled:
                    continue
                # Where no ground costs more, the length is the cost.
                length = cost + stop.turn.off(turn.x, turn.y)
                least = length + there.ahead
                if least <= bound:
                    tick += 1
                    heapq.heappush(waiting, (least, tick, length, there, stop, even))
        return None

    def _onward(self, turn: Turn, left: float) -> list[Turn]:
        """Return the points to which a taut way may lead on from `turn`, but not those that are certain to take it farther than
        the `left` mil.
        """
        walk, goal = self._walk, self._goal
        ends = [end for end in goal.nearest(turn.at) if distance(turn.at, end) <= left and goal.reached(end)]
        found = [walk.turn(end) for end in ends]
        for one in self._rounds:
            if turn.off(one.ring.x, one.ring.y) + one.farther <= left:
                found += one.ring.touched(walk, turn)
        if self._standing is None:
            self._standing = [there for there in self._free if walk.stands(there)]
        found += self._standing
        return found


def _traced(end: _Stop) -> tuple[Point, ...]:
    path: list[Point] = []
    stop: _Stop | None = end
    while stop is not None:
        path.append(stop.turn.at)
        stop = stop.before
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
