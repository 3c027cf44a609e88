"""The obstacles for the ways of one base, and what the searches for a way find out about the ground.

One walk serves many searches: how far one can go in that direction, where else one can end. What they find out about the
points at which a way may turn is kept in the walk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, final

from server.kernel.finding.waypoints import Circle, Line, borders, corners_of, offset_sides, outside_of, passages, rings
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import INF, Place, Point, bounds, distance, to_mil
from server.kernel.space.obstacles import Box, Obstacle
from server.kernel.space.walking import box_round

COARSE: Final = 12
"""The fewest points round a whole corner."""
_BENT: Final = 1.03
"""How much longer a way may be that bends at the border of costly ground only at the points that are looked at."""
_ROUNDED: Final = 16
"""Mil by which a way may be longer because the points at which it turns are whole ones."""
_MANY: Final = 2**20
"""More points than a walk has."""


class Walk:
    """What a way is checked against: `walking.in_the_way`, exactly as when a player draws it.

    Args:
        start: where it begins.
        radius: the base's, in mil.
        allowance: how much it may cost, in mil.
        size: the table's width and height, in mil.
        around: the obstacles (`walking.in_the_way`).
        costs: what the ground costs.
    """

    def __init__(
        self,
        start: Point,
        radius: int,
        allowance: int,
        size: tuple[int, int],
        around: Sequence[Obstacle],
        costs: Costs,
    ) -> None:
        self.start = start
        self.radius = radius
        self.allowance = allowance
        self.size = size
        self.around = around
        self.costs = costs
        self._boxed = [(_box(obstacle), obstacle) for obstacle in around]
        self._sides: list[Line] = []
        self._corners: list[Circle] = []
        self._points: dict[Point, Turn] = {}
        self._leads: dict[int, bool] = {}
        self._turns: dict[int, Turns] = {}
        self._eased: Eased | None = None

    @property
    def box(self) -> Box:
        """The box (left, bottom, right, top) that no way can leave."""
        return box_round(self.start, self.allowance)

    def corners(self) -> list[Circle]:
        """Return the corners of what is around, each with the clearance that a way keeps from it."""
        if not self._corners:
            self._corners = corners_of(self.around)
        return self._corners

    def sides(self) -> list[Line]:
        """Return the lines along the sides of what is around, as far off as a way keeps, and a mil farther."""
        if not self._sides:
            for obstacle in self.around:
                if len(obstacle.outline) > 1 and obstacle.needed:
                    self._sides += offset_sides(obstacle.outline, obstacle.needed, linear=obstacle.linear)
                    self._sides += offset_sides(obstacle.outline, obstacle.needed + 1, linear=obstacle.linear)
        return self._sides

    def clear(self, a: Point, b: Point) -> bool:
        """Return whether the straight way from `a` to `b` is legal."""
        return self.leads(self.turn(a), self.turn(b))

    def leads(self, a: Turn, b: Turn) -> bool:
        """Return what `clear` does, between points of this walk."""
        stretch = a.number * _MANY + b.number
        known = self._leads.get(stretch)
        if known is None:
            known = self._leads[stretch] = self._judged(a.at, b.at)
        return known

    def _judged(self, a: Point, b: Point) -> bool:
        west, east = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
        south, north = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
        for (left, bottom, right, top), obstacle in self._boxed:
            if east < left or west > right or north < bottom or south > top:
                continue
            if not obstacle.allows(a, b):
                return False
        return True

    def turn(self, at: Point) -> Turn:
        """Return the point of this walk that lies there."""
        known = self._points.get(at)
        if known is None:
            known = self._points[at] = Turn(at, len(self._points))
        return known

    def stands(self, turn: Turn) -> bool:
        """Return whether the base can pass at a point."""
        return self.leads(turn, turn)

    def cost(self, path: Sequence[Point]) -> float:
        """Return what a way uses up, in mil."""
        return self.costs.path(path)

    def leg(self, a: Point, b: Point) -> float:
        """Return what the straight way from `a` to `b` uses up, in mil."""
        return self.costs.leg(a, b)

    def legal(self, path: Sequence[Point]) -> bool:
        """Return whether a way is legal."""
        return to_mil(self.cost(path)) <= self.allowance and all(self.clear(a, b) for a, b in pairwise(path))

    def turns(self, fineness: int) -> Turns:
        """Return where a way may turn, with so many points round a whole corner."""
        known = self._turns.get(fineness)
        if known is None:
            known = self._turns[fineness] = Turns(self, fineness)
        return known

    def bound(self, fineness: int) -> float:
        """Return the most (mil) that a way can cost, through so many points round a whole corner, that is worth drawing tight."""
        return bound_of(self.allowance, fineness, costly=bool(self.costs.pieces))

    def passages(self, corners: Sequence[Circle]) -> list[Point]:
        """Return the middles of narrow passages between these corners and what is around."""
        return passages(corners, self.around, self.start, self.allowance, self.radius, self.size)

    def eased(self) -> Eased:
        """Return the same walk where a base may come a little nearer to everything."""
        if self._eased is None:
            self._eased = Eased(self)
        return self._eased


class Eased(Walk):
    """A walk in which a base may come so much nearer to everything that the rings of `COARSE` points round the corners lie where
    it could not stand in the walk itself.

    So no legal way meets the polygons of these rings, and the shortest way that keeps off them, which turns at their points
    alone, is no longer than any legal one. Where there is none here, there is none.
    """

    def __init__(self, walk: Walk) -> None:
        share = math.cos(math.pi / COARSE)
        around = [one.eased(int(one.needed * share) - 3) for one in walk.around if one.needed * share > 3]
        super().__init__(walk.start, walk.radius, walk.allowance, walk.size, around, walk.costs)

    def bound(self, fineness: int) -> float:  # noqa: ARG002 - no point here lies outside an arc
        """Return the most that a way can cost that is no longer than a legal one."""
        return self.allowance * (_BENT if self.costs.pieces else 1) + _ROUNDED

    def passages(self, corners: Sequence[Circle]) -> list[Point]:  # noqa: ARG002 - as in `Walk`
        """Return none: the rings leave every passage open through which one can go in the walk itself."""
        return []


@final
class Turn:
    """A point at which a way may turn or end. `number` is its own in the walk."""

    def __init__(self, at: Point, number: int) -> None:
        self.at = at
        self.x, self.y = float(at[0]), float(at[1])
        self.number = number

    def off(self, x: float, y: float) -> float:
        """Return the mil from here to a place."""
        dx, dy = x - self.x, y - self.y
        return math.sqrt(dx * dx + dy * dy)


@final
class Ring:
    """The points just outside the clearance of a corner, counterclockwise.

    `x` and `y` are the corner's, `across` is how far off the points lie at most, all in mil.
    """

    def __init__(self, centre: Place, turns: list[Turn]) -> None:
        self.turns = turns
        self.x, self.y = float(centre[0]), float(centre[1])
        self._across = turns[0].off(self.x, self.y)
        # Rounded, a point may lie a mil farther out than the first one.
        self.across = self._across + 2
        self._touched: dict[int, list[Turn]] = {}

    def touched(self, walk: Walk, p: Turn) -> list[Turn]:
        """Return the points at which a string from `p` touches the ring and a base can pass; all of them for a `p` within."""
        known = self._touched.get(p.number)
        if known is None:
            known = self._touched[p.number] = [turn for turn in self._tangents(p) if walk.stands(turn)]
        return known

    def _tangents(self, p: Turn) -> list[Turn]:
        if p.off(self.x, self.y) <= self._across + 1:
            # Within the circle through the points, or so near to it that rounding counts.
            return self._seen_from_near(p)
        # From without, the points farthest to the left and to the right.
        left = right = self.turns[0]
        lx, ly = left.x - p.x, left.y - p.y
        rx, ry = lx, ly
        for turn in self.turns:
            x, y = turn.x - p.x, turn.y - p.y
            if lx * y - ly * x > 0:
                left, lx, ly = turn, x, y
            elif rx * y - ry * x < 0:
                right, rx, ry = turn, x, y
        return [right, left]

    def _seen_from_near(self, p: Turn) -> list[Turn]:
        seen: list[bool] = []
        q = self.turns[-1]
        for r in self.turns:
            # Whether the side from q to r is seen from p, that is from without.
            seen.append((r.x - q.x) * (p.y - q.y) - (r.y - q.y) * (p.x - q.x) <= 0)
            q = r
        # seen[i] is the side that ends at point i, the next one begins there.
        others = [i for i in range(len(seen)) if self.turns[i].at != p.at]
        found = [i for i in others if seen[i] != seen[(i + 1) % len(seen)]]
        return [self.turns[i] for i in found or others]


@final
class Turns:
    """The points at which a shortest way may turn.

    `rings` are those round each corner, `free` the others, `bound` as in `Walk.bound`.
    """

    def __init__(self, walk: Walk, fineness: int) -> None:
        self._start = walk.start
        self.bound = walk.bound(fineness)
        corners = walk.corners()
        outside = outside_of(fineness)
        able = [
            (at, needed)
            for at, needed in corners
            if distance(walk.start, at) - (needed + 1) * outside - 2 <= self.bound
        ]
        self.rings: list[Ring] = []
        for (centre, _), points in zip(able, rings(able, fineness), strict=True):
            if any(map(self._near, points)):
                self.rings.append(Ring(centre, [walk.turn(at) for at in points]))
        free = (
            *walk.passages(corners),
            *borders([piece for piece, _ in walk.costs.pieces], walk.start, walk.allowance),
        )
        self.free = [walk.turn(at) for at in dict.fromkeys(free) if self._near(at)]

    def _near(self, at: Point) -> bool:
        return distance(self._start, at) <= self.bound


def bound_of(allowance: int, fineness: int, *, costly: bool) -> float:
    """Return the most (mil) that a way through points round corners can cost that is within the allowance once it is drawn
    tight.
    """
    # Points outside the arcs make a way longer, up to so much.
    longer = math.tan(math.pi / fineness) * fineness / math.pi
    return allowance * longer * (_BENT if costly else 1) + 4


def _box(obstacle: Obstacle) -> tuple[float, float, float, float]:
    """Return the box (left, bottom, right, top) outside which a stretch is too far off the obstacle to be judged."""
    if not obstacle.outline:
        return (-INF, -INF, INF, INF)
    left, bottom, right, top = bounds(obstacle.outline)
    kept = obstacle.needed
    return (left - kept, bottom - kept, right + kept, top + kept)
