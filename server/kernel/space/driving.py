"""Declared paths of vehicles: what a hull may not drive over, how it stands at the end, which ground it drives through.

The path is that of the hull's centre. On each leg the hull faces along the leg; it turns on the spot for nothing, and what a
turn sweeps is not checked, so of a leg only the ground ahead of its beginning counts. The browser computes the same while a
vehicle is dragged; `tests/vectors/drives.json` holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from server.kernel.space.geometry import Outline, Point, between, bounds, direction, distance, to_mil, to_point
from server.kernel.space.hulls import (
    Hull,
    Pose,
    ahead,
    enters,
    inside_table,
    off,
    outline,
    outline_to_outline,
    runs_into,
    smaller,
)
from server.kernel.space.paths import Base, PathFault
from server.kernel.space.terrain import Terrain

_HALVINGS = 20  # finds the place of a fault on any table to less than a mil


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
    grounds = [ground for _, _, ground in _legs(path, smaller(hull))]
    if len(path) > 1 or final_facing is not None:
        grounds.append(outline(end_pose(Pose(path[0], 0), path, final_facing), smaller(hull)))
    return tuple(piece.id for piece in pieces if any(enters(ground, piece) for ground in grounds))


def drive_faults(
    pose: Pose,
    path: Sequence[Point],
    final_facing: int | None,
    hull: Hull,
    table_size: tuple[int, int],
    barred: Sequence[Terrain],
    bases: Sequence[Base],
    hulls: Sequence[Outline],
    clear: int = 0,
    ends_off: Sequence[Base] = (),
    blocked_hulls: Sequence[Outline] = (),
) -> PathFault | None:
    """Return the first fault of a path (start included) for a hull that stands as `pose`, or None.

    On its way and at its end it must be wholly on the table, off `barred` pieces, off `bases` and `blocked_hulls` by `clear`
    mil, and off other `hulls`; off `ends_off`, bases that let it pass, only at its end. What it overlaps to begin with it may
    leave, and where it stands nearer than `clear` it may go away, not nearer; at its end it may in no case lie over a base or
    a hull. A path that leads nowhere turns on the spot, and then no clearance is needed.

    Where things go wrong at the same place, the table is named first, then terrain, bases and hulls, in order. In a fault the
    bases of `ends_off` are counted on after `bases`, the `blocked_hulls` after `hulls`.
    """
    if len(path) == 0 or (len(path) == 1 and final_facing is None):
        return None
    small = smaller(hull)
    start = outline(pose, small)
    legs = _legs(path, small)
    wide = clear if legs else 0
    sides = [(other, 0) for other in hulls] + [(other, wide) for other in blocked_hulls]
    way, end = _obstacles(path, start, hull, table_size, barred, bases, sides, wide)
    end += [_Berth(len(bases) + i, centre, radius) for i, (centre, radius) in enumerate(ends_off)]
    for index, direction_, ground in legs:
        first: tuple[float, _Obstacle] | None = None
        for obstacle in way:
            if not obstacle.allows(ground):
                t = _last_legal(path[index], path[index + 1], direction_, small, obstacle)
                if first is None or t < first[0]:
                    first = (t, obstacle)
        if first is not None:
            return first[1].fault(to_point(between(path[index], path[index + 1], first[0])), index)
    final = outline(end_pose(pose, path, final_facing), small)
    for obstacle in end:
        if not obstacle.allows(final):
            return obstacle.fault(path[-1], max(0, len(path) - 2))
    return None


class _Obstacle(Protocol):
    """Something a hull can come into conflict with."""

    def allows(self, ground: Outline) -> bool:
        """Return whether a hull may cover this ground."""

    def fault(self, at: Point, segment: int) -> PathFault:
        """Return the fault if it may not."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """The table's edge."""

    table_size: tuple[int, int]

    def allows(self, ground: Outline) -> bool:
        return inside_table(ground, self.table_size)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("table", at, segment)


@dataclass(frozen=True, slots=True)
class _Ground:
    """A barred piece."""

    piece: Terrain

    def allows(self, ground: Outline) -> bool:
        return not enters(ground, self.piece)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("impassable", at, segment, piece=self.piece.id)


@dataclass(frozen=True, slots=True)
class _Berth:
    """A base and how far (mil) the hull must keep off its centre."""

    index: int
    centre: Point
    needed: int

    def allows(self, ground: Outline) -> bool:
        return to_mil(off(self.centre, ground)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("base", at, segment, base=self.index)


@dataclass(frozen=True, slots=True)
class _Side:
    """Another hull and how far (mil) to keep off it."""

    index: int
    outline: Outline
    needed: int

    def allows(self, ground: Outline) -> bool:
        if self.needed == 0:
            return not runs_into(ground, self.outline, linear=False)
        return to_mil(outline_to_outline(ground, self.outline)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("hull", at, segment, hull=self.index)


def _obstacles(
    path: Sequence[Point],
    start: Outline,
    hull: Hull,
    table_size: tuple[int, int],
    barred: Sequence[Terrain],
    bases: Sequence[Base],
    sides: Sequence[tuple[Outline, int]],
    clear: int,
) -> tuple[list[_Obstacle], list[_Obstacle]]:
    """Return what a hull that covers `start` must keep off on its way, and what at its end."""
    reach = hull.length + hull.width  # surely more than it reaches from its centre
    left, right = min(x for x, _ in path) - reach, max(x for x, _ in path) + reach
    bottom, top = min(y for _, y in path) - reach, max(y for _, y in path) + reach
    edge = _Edge(table_size)
    way: list[_Obstacle] = [edge] if edge.allows(start) else []
    end: list[_Obstacle] = [edge]

    def far(box: tuple[int, int, int, int]) -> bool:
        return box[2] < left or box[0] > right or box[3] < bottom or box[1] > top

    for piece in barred:
        ground = _Ground(piece)
        if not far(bounds(piece.outline)) and ground.allows(start):
            way.append(ground)
            end.append(ground)
    for number, (centre, radius) in enumerate(bases):
        wide = radius + clear
        if far((centre[0] - wide, centre[1] - wide, centre[0] + wide, centre[1] + wide)):
            continue
        free = to_mil(off(centre, start))
        if free >= radius:
            way.append(_Berth(number, centre, wide if free >= wide else radius))
        end.append(_Berth(number, centre, max(radius, min(wide, free))))
    for number, (other, berth) in enumerate(sides):
        box = bounds(other)
        if far((box[0] - berth, box[1] - berth, box[2] + berth, box[3] + berth)):
            continue
        if _Side(number, other, 0).allows(start):
            free = to_mil(outline_to_outline(start, other)) if berth else 0
            way.append(_Side(number, other, berth if free >= berth else 0))
            end.append(_Side(number, other, min(berth, free)))
        else:
            end.append(_Side(number, other, 0))
    return way, end


Leg = tuple[int, tuple[float, float], Outline]
"""A leg of a path: its number, its unit vector, the ground it drives over."""


def _legs(path: Sequence[Point], hull: Hull) -> list[Leg]:
    """Return the legs of a path that lead anywhere."""
    legs: list[Leg] = []
    for index, (a, b) in enumerate(pairwise(path)):
        length = distance(a, b)
        if length > 0:
            way = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
            legs.append((index, way, ahead(a, way, length, hull)))
    return legs


def _last_legal(a: Point, b: Point, way: tuple[float, float], hull: Hull, obstacle: _Obstacle) -> float:
    """Return how far along an illegal leg one may drive: halved again and again, for once illegal it stays illegal."""
    low = 0.0
    high = 1.0
    length = distance(a, b)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if obstacle.allows(ahead(a, way, middle * length, hull)):
            low = middle
        else:
            high = middle
    return low
