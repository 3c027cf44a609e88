"""The obstacles for the ways of one base, and what the searches for a way find out about the ground.

One walk serves many searches: how far one can go in that direction, where else one can end. Results are cached in the walk,
so that each stretch is judged once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from server.kernel.finding.waypoints import Circle, Line, borders, corners_of, offset_sides, outside_of, passages, rings
from server.kernel.space.geometry import INF, Point, bounds, distance, to_mil
from server.kernel.space.obstacles import Box, Obstacle
from server.kernel.space.paths import path_cost
from server.kernel.space.terrain import Terrain
from server.kernel.space.walking import box_round

COARSE: Final = 12
"""The fewest points round a whole corner."""
_BENT: Final = 1.03
"""How much longer a way may be that bends at the border of costly ground only at the points that are looked at."""
_ROUNDED: Final = 16
"""Mil by which a way may be longer because the points at which it turns are whole ones."""


class Walk:
    """What a way is checked against: `walking.in_the_way`, exactly as when a player draws it.

    Args:
        start: where it begins.
        radius: the base's, in mil.
        allowance: how much it may cost, in mil.
        size: the table's width and height, in mil.
        around: the obstacles (`walking.in_the_way`).
        costly: the ground that costs more (as for `path_cost`).
    """

    def __init__(
        self,
        start: Point,
        radius: int,
        allowance: int,
        size: tuple[int, int],
        around: Sequence[Obstacle],
        costly: Sequence[tuple[Terrain, int]] = (),
    ) -> None:
        self.start = start
        self.radius = radius
        self.allowance = allowance
        self.size = size
        self.around = around
        self.costly = costly
        self._boxed = [(_box(obstacle), obstacle) for obstacle in around]
        self._ground = [(bounds(one[0].outline), one) for one in costly]
        self._sides: list[Line] = []
        self._corners: list[Circle] = []
        self._clear: dict[tuple[Point, Point], bool] = {}
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
        known = self._clear.get((a, b))
        if known is None:
            known = self._clear[a, b] = self._judged(a, b)
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

    def stands(self, at: Point) -> bool:
        """Return whether the base can pass at `at`."""
        return self.clear(at, at)

    def cost(self, path: Sequence[Point]) -> float:
        """Return what a way uses up, in mil."""
        if not self.costly:
            return path_cost(path, self.costly)
        # Ground that no stretch comes to counts for nothing; mostly none is left.
        left, bottom, right, top = bounds(tuple(path))
        near = []
        for (west, south, east, north), costly in self._ground:
            if west <= right and east >= left and south <= top and north >= bottom:
                near.append(costly)
        return path_cost(path, near)

    def leg(self, a: Point, b: Point) -> float:
        """Return what the straight way from `a` to `b` uses up, in mil: `cost`, for what is asked most often."""
        if not self.costly:
            return distance(a, b)
        west, east = (a[0], b[0]) if a[0] < b[0] else (b[0], a[0])
        south, north = (a[1], b[1]) if a[1] < b[1] else (b[1], a[1])
        near = []
        for (left, bottom, right, top), costly in self._ground:
            if left <= east and right >= west and bottom <= north and top >= south:
                near.append(costly)
        return path_cost((a, b), near) if near else distance(a, b)

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
        return bound_of(self.allowance, fineness, costly=bool(self.costly))

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
        super().__init__(walk.start, walk.radius, walk.allowance, walk.size, around, walk.costly)

    def bound(self, fineness: int) -> float:  # noqa: ARG002 - no point here lies outside an arc
        """Return the most that a way can cost that is no longer than a legal one."""
        return self.allowance * (_BENT if self.costly else 1) + _ROUNDED

    def passages(self, corners: Sequence[Circle]) -> list[Point]:  # noqa: ARG002 - as in `Walk`
        """Return none: the rings leave every passage open through which one can go in the walk itself."""
        return []


class Turns:
    """The points at which a shortest way may turn.

    `rings` are those round each corner, `round` the circles in which these lie, `free` the others, `bound` as in `Walk.bound`.
    """

    def __init__(self, walk: Walk, fineness: int) -> None:
        self._walk = walk
        self.bound = walk.bound(fineness)
        corners = walk.corners()
        outside = outside_of(fineness)
        able = [
            (at, needed)
            for at, needed in corners
            if distance(walk.start, at) - (needed + 1) * outside - 2 <= self.bound
        ]
        near = [
            (corner, ring)
            for corner, ring in zip(able, rings(able, fineness), strict=True)
            if any(map(self._near, ring))
        ]
        self._corners = [corner for corner, _ in near]
        self.rings = [ring for _, ring in near]
        # Rounded, a point may lie a mil farther out than the first one.
        self.round = [(centre, distance(centre, ring[0]) + 2) for (centre, _), ring in near]
        free = (
            *walk.passages(corners),
            *borders([piece for piece, _ in walk.costly], walk.start, walk.allowance),
        )
        self.free = [at for at in dict.fromkeys(free) if self._near(at)]
        self._touched: dict[tuple[Point, int], list[Point]] = {}

    def _near(self, at: Point) -> bool:
        return distance(self._walk.start, at) <= self.bound

    def touched(self, p: Point, ring: int) -> list[Point]:
        """Return the points of ring number `ring` at which a string from `p` touches it and a base can pass; all of them for
        a `p` within.
        """
        known = self._touched.get((p, ring))
        if known is None:
            known = [at for at in _tangents(p, self._corners[ring], self.rings[ring]) if self._walk.stands(at)]
            self._touched[p, ring] = known
        return known


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


def _tangents(p: Point, corner: Circle, ring: Sequence[Point]) -> list[Point]:
    """Return the points of a ring round `corner` at which a string from `p` touches it; all of them for a `p` within."""
    (cx, cy), _ = corner
    count = len(ring)
    fx, fy = ring[0][0] - cx, ring[0][1] - cy
    across = math.sqrt(fx * fx + fy * fy)
    dx, dy = p[0] - cx, p[1] - cy
    apart = math.sqrt(dx * dx + dy * dy)
    if apart <= across + 1:
        # Within the circle through the points, or so near to it that rounding counts.
        return _seen_from_near(p, ring)
    towards, aside = math.atan2(dy, dx), math.acos(across / apart)
    found = []
    for side in (1, -1):
        # The string touches that circle here; of the two points next to it, the one that lies farther to this side.
        place = (towards + side * aside) * count / math.tau
        one, other = ring[math.floor(place) % count], ring[math.ceil(place) % count]
        turn = (one[0] - p[0]) * (other[1] - p[1]) - (one[1] - p[1]) * (other[0] - p[0])
        found.append(other if turn * side < 0 else one)
    return found


def _seen_from_near(p: Point, ring: Sequence[Point]) -> list[Point]:
    visible = []
    q = ring[-1]
    for r in ring:
        # Whether the side from q to r is seen from p, that is from without.
        visible.append((r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0]) <= 0)
        q = r
    # visible[i] is the side that ends at point i, visible[i + 1] the one that begins there.
    found = [at for i, at in enumerate(ring) if visible[i] != visible[(i + 1) % len(ring)] and at != p]
    return found or [at for at in ring if at != p]
