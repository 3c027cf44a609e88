"""Declared paths of vehicles: what a hull may not drive over, how it stands at the end, which ground it drives through.

The path is that of the hull's centre. On each leg the hull faces along the leg; it turns on the spot for nothing, and what a
turn sweeps is not checked, so of a leg only the ground ahead of its beginning counts. The browser computes the same while a
vehicle is dragged (`driving.ts`); `tests/vectors/drives.json` holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from server.kernel.space.geometry import Outline, Point, between, direction, distance, to_mil, to_point
from server.kernel.space.hulls import ahead, enters, off, outline, outline_to_outline, smaller
from server.kernel.space.obstacles import Barred, Berth, Box, Edge, Obstacle, Side, comes_near, first_stop
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Hull, Obstacles, PathFault, Pose

_HALVINGS: Final = 20  # finds the place of a fault on any table to less than a mil


def end_pose(pose: Pose, path: Sequence[Point], final_facing: int | None) -> Pose:
    """Return how a hull stands that began as `pose`, after `path` (its start included): facing as said, else as its last leg
    ran.
    """
    facing = pose.facing
    for a, b in pairwise(path):
        if a != b:
            facing = direction(a, b)
    return Pose(path[-1] if path else pose.at, facing if final_facing is None else final_facing)


def entered(path: Sequence[Point], final_facing: int | None, hull: Hull, pieces: Sequence[Terrain]) -> tuple[str, ...]:
    """Return the ids of the pieces, in their order, whose ground a hull drives over or ends on; touching is not entering."""
    grounds = [leg.ground for leg in _legs(path, smaller(hull))]
    if len(path) > 1 or final_facing is not None:
        grounds.append(outline(end_pose(Pose(path[0], 0), path, final_facing), smaller(hull)))
    return tuple(piece.id for piece in pieces if any(enters(ground, piece) for ground in grounds))


def drive_fault(
    pose: Pose, path: Sequence[Point], final_facing: int | None, hull: Hull, obstacles: Obstacles
) -> PathFault | None:
    """Return the first fault of a path (start included) for a hull that stands as `pose`, or None.

    On its way and at its end it must be wholly on the table, off barred pieces and other hulls, and off the bases and hulls of
    avoided units by `clear` mil; off other bases, which let it pass, only at its end. What it overlaps to begin with it may
    leave, and where it stands nearer than `clear` it may go away, not nearer; at its end it may in no case lie over a base or
    a hull. A path that leads nowhere turns on the spot, and then no clearance is needed.

    Where things go wrong at the same place, the table is named first, then terrain, then bases, then hulls, in order, those of
    avoided units last; and at the end of all the bases that let it pass.
    """
    if len(path) == 0 or (len(path) == 1 and final_facing is None):
        return None
    small = smaller(hull)
    legs = _legs(path, small)
    kept = _kept_off(obstacles, outline(pose, small), _reached(path, hull), obstacles.clear if legs else 0)
    for leg in legs:
        stopping = [way for way, _ in kept if way is not None and not way.allows_hull(leg.ground)]
        if stopping:
            return _stopped(path, leg, small, stopping)
    final = outline(end_pose(pose, path, final_facing), small)
    for _, end in kept:
        if not end.allows_hull(final):
            return end.fault(path[-1], max(0, len(path) - 2))
    return None


def _reached(path: Sequence[Point], hull: Hull) -> Box:
    """Return a box outside which nothing is in the way of the hull."""
    reach = hull.length + hull.width  # surely more than it reaches from its centre
    xs, ys = [x for x, _ in path], [y for _, y in path]
    return (min(xs) - reach, min(ys) - reach, max(xs) + reach, max(ys) + reach)


_Kept = tuple[Obstacle | None, Obstacle]
"""What to keep off on the way, if anything, and what at the end, for one and the same reason."""


def _kept_off(obstacles: Obstacles, start: Outline, box: Box, clear: int) -> list[_Kept]:
    """Return what a hull that covers `start` and goes on within `box` must keep off."""
    left, bottom, right, top = box
    edge = Edge(obstacles.table_size, 0)
    kept: list[_Kept] = [(edge if edge.allows_hull(start) else None, edge)]
    grounds = (Barred(piece, 0) for piece in obstacles.barred if comes_near(box, piece.outline, 0))
    kept += [(ground, ground) for ground in grounds if ground.allows_hull(start)]
    for one in obstacles.avoided:
        for (x, y), radius in one.bases:
            wide = radius + clear
            if left - wide <= x <= right + wide and bottom - wide <= y <= top + wide:
                kept.append(_off_base(one.unit, ((x, y), radius), start, wide))
    for group, berth in ((obstacles.others, 0), (obstacles.avoided, clear)):
        for one in group:
            kept += [_off_hull(one.unit, hull, start, berth) for hull in one.hulls if comes_near(box, hull, berth)]
    for one in obstacles.others:
        kept += [(None, Berth(one.unit, centre, radius)) for centre, radius in one.bases]
    if obstacles.jump:
        return [(None, end) for _, end in kept]
    if obstacles.over:
        # Only the table's edge, which comes first, stops a flight on its way.
        return [*kept[:1], *((None, end) for _, end in kept[1:])]
    return kept


def _off_base(unit: str, base: Base, start: Outline, wide: int) -> _Kept:
    """Return how a hull that covers `start` keeps off an avoided base: `wide` mil from its centre, or as far as now."""
    centre, radius = base
    free = to_mil(off(centre, start))
    way = Berth(unit, centre, wide if free >= wide else radius) if free >= radius else None
    return way, Berth(unit, centre, max(radius, min(wide, free)))


def _off_hull(unit: str, hull: Outline, start: Outline, clear: int) -> _Kept:
    """Return how far a hull that covers `start` keeps off another one."""
    touching = Side(unit, hull, 0)
    if not touching.allows_hull(start):
        return None, touching
    free = to_mil(outline_to_outline(start, hull)) if clear else 0
    return Side(unit, hull, clear if free >= clear else 0), Side(unit, hull, min(clear, free))


class _Leg(NamedTuple):
    """A leg of a path: the segment's number, its unit vector, the ground it drives over."""

    segment: int
    way: tuple[float, float]
    ground: Outline


def _legs(path: Sequence[Point], hull: Hull) -> list[_Leg]:
    """Return the legs of a path that lead anywhere."""
    legs: list[_Leg] = []
    for segment, (a, b) in enumerate(pairwise(path)):
        length = distance(a, b)
        if length > 0:
            way = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
            legs.append(_Leg(segment, way, ahead(a, way, length, hull)))
    return legs


def _stopped(path: Sequence[Point], leg: _Leg, hull: Hull, stopping: Sequence[Obstacle]) -> PathFault:
    """Return where, and by which of these obstacles, a hull is stopped on a leg."""
    a, b = path[leg.segment], path[leg.segment + 1]
    length = distance(a, b)

    def allows(obstacle: Obstacle, t: float) -> bool:
        return obstacle.allows_hull(ahead(a, leg.way, t * length, hull))

    t, obstacle = first_stop(stopping, allows, _HALVINGS)
    return obstacle.fault(to_point(between(a, b, t)), leg.segment)
