"""Obstacles: what paths may run into, and which unit or terrain piece that is.

`Obstacles` is one value for all paths of a unit. For a single path, `walking` and `driving` make of it a list of `Obstacle`, each
with what may not be covered and how far off one must keep. The browser's `obstacles.ts` has the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal, Protocol

from msgspec import Struct

from server.kernel.space.geometry import (
    Outline,
    Place,
    Point,
    bounds,
    segment_distance_to_outline,
    segment_distance_to_terrain,
    segment_point_distance,
    to_mil,
)
from server.kernel.space.hulls import enters, inside_table, off, outline_to_outline, runs_into
from server.kernel.space.paths import Base, on_table
from server.kernel.space.terrain import Terrain

Box = tuple[int, int, int, int]
"""Left, bottom, right, top (mil)."""


class Neighbour(Struct, frozen=True):
    """Another unit on the table, by its id, with its bases or its hull."""

    unit: str
    bases: tuple[Base, ...] = ()
    hulls: tuple[Outline, ...] = ()


class Obstacles(Struct, frozen=True):
    """What the paths of a unit may run into.

    Args:
        table_size: the table's width and height, in mil; bases and hulls stay wholly on it.
        barred: the terrain pieces that may not be entered.
        avoided: the units of which neither bases nor hulls may be passed through, and which are kept `clear` of.
        others: the units whose bases may be passed, but not ended on, and whose hulls may not be passed through.
        clear: how far to keep away from those that are avoided, edge to edge, in mil.
    """

    table_size: tuple[int, int]
    barred: tuple[Terrain, ...] = ()
    avoided: tuple[Neighbour, ...] = ()
    others: tuple[Neighbour, ...] = ()
    clear: int = 0

    def bases(self) -> list[Base]:
        """Return the bases on which no path may end, those of avoided units first."""
        return [base for one in (*self.avoided, *self.others) for base in one.bases]

    def hulls(self) -> list[Outline]:
        """Return the hulls in which no path may end, those of avoided units last."""
        return [hull for one in (*self.others, *self.avoided) for hull in one.hulls]


class PathFault(Struct, frozen=True):
    """The first thing wrong with a path.

    `kind`: "table" the base or hull leaves the table, "impassable" it enters a barred piece, "base" it passes through a base,
    or nearer than it may, or a hull ends on one; "hull" likewise a hull. `at` is the last legal place rounded, on the segment
    that begins at `path[segment]`. `what` is the id of the terrain piece or of the unit in the way; empty for the table.
    """

    kind: Literal["table", "impassable", "base", "hull"]
    at: Point
    segment: int
    what: str = ""


# --- what is in the way of one path -----------------------------------------------------------------------------------


class Obstacle(Protocol):
    """Something a path can come into conflict with: it must keep `needed` mil off the `outline` (a single point for a base; none
    for the table's edge, which it must keep inside).

    A base is judged by its centre's way, so that its radius is part of `needed`; a hull by the ground that it covers.
    """

    @property
    def needed(self) -> int: ...

    @property
    def outline(self) -> Outline: ...

    @property
    def linear(self) -> bool: ...

    def allows(self, a: Place, b: Place) -> bool:
        """Return whether the straight way of a base's centre from `a` to `b` is legal."""

    def allows_hull(self, ground: Outline) -> bool:
        """Return whether a hull may cover this ground."""

    def fault(self, at: Point, segment: int) -> PathFault:
        """Return the fault if it is not."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The table's edge. A table is convex, so the end of a base's way tells; its beginning is not judged."""

    table_size: tuple[int, int]
    needed: int
    outline: Outline = ()
    linear: bool = True

    def allows(self, a: Place, b: Place) -> bool:  # noqa: ARG002 - the other obstacles need both ends
        return on_table(b, self.needed, self.table_size)

    def allows_hull(self, ground: Outline) -> bool:
        return inside_table(ground, self.table_size)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("table", at, segment)


@dataclass(frozen=True, slots=True)
class Barred:
    """A barred piece. A hull may touch it and no more, whatever is `needed`."""

    piece: Terrain
    needed: int

    @property
    def outline(self) -> Outline:
        return self.piece.outline

    @property
    def linear(self) -> bool:
        return self.piece.linear

    def allows(self, a: Place, b: Place) -> bool:
        # Far off, which is most often so, the boxes round both tell.
        left, bottom, right, top = bounds(self.piece.outline)
        if max(a[0], b[0]) < left - self.needed or min(a[0], b[0]) > right + self.needed:
            return True
        if max(a[1], b[1]) < bottom - self.needed or min(a[1], b[1]) > top + self.needed:
            return True
        return to_mil(segment_distance_to_terrain(a, b, self.piece)) >= self.needed

    def allows_hull(self, ground: Outline) -> bool:
        return not enters(ground, self.piece)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("impassable", at, segment, self.piece.id)


@dataclass(frozen=True, slots=True)
class Berth:
    """A base of `unit`, from whose centre to keep off."""

    unit: str
    centre: Point
    needed: int
    linear: bool = True

    @property
    def outline(self) -> Outline:
        return (self.centre,)

    def allows(self, a: Place, b: Place) -> bool:
        return to_mil(segment_point_distance(a, b, self.centre)) >= self.needed

    def allows_hull(self, ground: Outline) -> bool:
        return to_mil(off(self.centre, ground)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("base", at, segment, self.unit)


@dataclass(frozen=True, slots=True)
class Side:
    """The hull of `unit`."""

    unit: str
    outline: Outline
    needed: int
    linear: bool = False

    def allows(self, a: Place, b: Place) -> bool:
        return to_mil(segment_distance_to_outline(a, b, self.outline, linear=False)) >= self.needed

    def allows_hull(self, ground: Outline) -> bool:
        if self.needed == 0:
            return not runs_into(ground, self.outline, linear=False)
        return to_mil(outline_to_outline(ground, self.outline)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("hull", at, segment, self.unit)


def comes_near(box: Box, outline: Outline, reach: int) -> bool:
    """Return whether the box round an outline comes within `reach` mil of another box: most obstacles are nowhere near a path."""
    left, bottom, right, top = bounds(outline)
    return box[0] - reach <= right and left <= box[2] + reach and box[1] - reach <= top and bottom <= box[3] + reach


# --- where it stops a path --------------------------------------------------------------------------------------------


def first_stop(
    stopping: Iterable[Obstacle], allows: Callable[[Obstacle, float], bool], halvings: int
) -> tuple[float, Obstacle]:
    """Return how far along a straight way (0 to 1) one may go, and which of these obstacles stops one there: of several at the
    same place the first. `allows` says whether an obstacle lets one go so far; once it does not, it does not farther on
    either, so the place is found by halving the way so often.
    """
    return min(((_last_legal(one, allows, halvings), one) for one in stopping), key=itemgetter(0))


def _last_legal(obstacle: Obstacle, allows: Callable[[Obstacle, float], bool], halvings: int) -> float:
    low = 0.0
    high = 1.0
    for _ in range(halvings):
        middle = (low + high) / 2
        if allows(obstacle, middle):
            low = middle
        else:
            high = middle
    return low
