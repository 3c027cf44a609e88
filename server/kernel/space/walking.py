"""Declared paths of figures on round bases: what a base may not run into.

The path is the line that its centre follows. The browser computes the same while a figure is dragged (`walking.ts`);
`tests/vectors/paths.json` holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from server.kernel.space.geometry import INF, Point, between, bounds, distance, to_mil, to_point
from server.kernel.space.hulls import off
from server.kernel.space.obstacles import Barred, Berth, Box, Edge, Obstacle, Side, comes_near, first_stop
from server.kernel.space.values import Neighbour, Obstacles, PathFault

_HALVINGS: Final = 30  # finds the place of a fault on any table to far less than a mil


def walk_fault(path: Sequence[Point], radius: int, obstacles: Obstacles) -> PathFault | None:
    """Return the first fault of a path (start included) for a round base of this radius (mil), or None.

    The whole base must stay on the table, may not come nearer to a barred piece or a hull than its radius nor overlap a base of
    an avoided unit; touching is allowed. From avoided units it keeps `clear` mil away besides, and from those that are receding
    as far as it is from the nearest of them. A figure that stands illegally to begin with may leave, but not go deeper. On which
    bases it may not end is another question (`paths.overlaps`).

    Where things go wrong at the same place, the table is named first, then terrain, then bases, then hulls, in order, those of
    avoided units last. A path that leads over everything is stopped on its way by the table's edge alone; its end keeps off all
    that it would otherwise keep off, however near the figure stands to begin with.
    """
    if not path:
        return None
    if obstacles.over:
        return _over_fault(path, radius, obstacles)
    around = in_the_way(obstacles, path[0], radius, bounds(tuple(path)), far=False)
    for segment in range(len(path) - 1):
        a, b = path[segment], path[segment + 1]
        stopping = [obstacle for obstacle in around if not obstacle.allows(a, b)]
        if stopping:
            return _stopped(a, b, segment, stopping)
    return None


def _over_fault(path: Sequence[Point], radius: int, obstacles: Obstacles) -> PathFault | None:
    """Return what is wrong with a path that leads over everything: where it leaves the table, or at its end."""
    edge = Edge(obstacles.table_size, radius)
    for segment in range(len(path) - 1):
        a, b = path[segment], path[segment + 1]
        if not edge.allows(a, b):
            return _stopped(a, b, segment, [edge])
    end, kept = path[-1], radius + obstacles.clear
    found: list[Obstacle] = [Barred(piece, radius) for piece in obstacles.barred]
    found += [Berth(one.unit, at, kept + other) for one in obstacles.avoided for at, other in one.bases]
    found += [Side(one.unit, hull, radius) for one in obstacles.others for hull in one.hulls]
    found += [Side(one.unit, hull, kept) for one in obstacles.avoided for hull in one.hulls]
    for obstacle in found:
        if not obstacle.allows(end, end):
            return obstacle.fault(end, len(path) - 2)
    return None


def in_the_way(obstacles: Obstacles, start: Point, radius: int, box: Box, *, far: bool = True) -> list[Obstacle]:
    """Return the obstacles for a path from `start` that stays within `box`: see `walk_fault`. Without `far` barred pieces are
    left out that such a path does not come near to.
    """
    left, bottom, right, top = box
    found: list[Obstacle] = [Edge(obstacles.table_size, radius)]
    for piece in obstacles.barred:
        # A path keeps off a piece as far as it does now, and no farther than its radius.
        if comes_near(box, piece.outline, radius):
            found.append(Barred(piece, min(radius, to_mil(piece.distance(start)))))
        elif far:
            found.append(Barred(piece, radius))
    kept = radius + obstacles.clear
    for one in obstacles.avoided:
        off_it = kept
        if one.unit in obstacles.receding:
            off_it = radius + max(obstacles.clear, _apart(one, start, radius))
        for centre, other in one.bases:
            reach = off_it + other
            # Most bases are nowhere near the box round the path.
            if left - reach <= centre[0] <= right + reach and bottom - reach <= centre[1] <= top + reach:
                found.append(Berth(one.unit, centre, min(reach, to_mil(distance(start, centre)))))
        if off_it != kept:
            found += _sides((one,), start, off_it, box)
    found += _sides(obstacles.others, start, radius, box)
    found += _sides(obstacles.avoided, start, kept, box)
    return found


def _apart(one: Neighbour, start: Point, radius: int) -> int:
    """Return how far a base at `start` is from the nearest base or hull of a unit, in mil; 0 where it overlaps."""
    nearest = INF
    for centre, other in one.bases:
        nearest = min(nearest, distance(start, centre) - radius - other)
    for hull in one.hulls:
        nearest = min(nearest, off(start, hull) - radius)
    return max(0, to_mil(nearest)) if nearest < INF else 0


def box_round(start: Point, reach: int) -> Box:
    """Return the box within which a path from `start` stays that is no longer than `reach` mil."""
    x, y = start
    return (x - reach, y - reach, x + reach, y + reach)


def _sides(neighbours: Sequence[Neighbour], start: Point, reach: int, box: Box) -> list[Side]:
    """Return those of the hulls that a path from `start` within `box` could come nearer to than `reach` mil."""
    return [
        Side(one.unit, hull, min(reach, to_mil(off(start, hull))))
        for one in neighbours
        for hull in one.hulls
        if comes_near(box, hull, reach)
    ]


def _stopped(a: Point, b: Point, segment: int, stopping: Sequence[Obstacle]) -> PathFault:
    """Return where, and by which of these obstacles, the straight way from `a` to `b` is stopped."""

    def allows(obstacle: Obstacle, t: float) -> bool:
        return obstacle.allows(a, between(a, b, t))

    t, obstacle = first_stop(stopping, allows, _HALVINGS)
    return obstacle.fault(to_point(between(a, b, t)), segment)
