"""Obstacles: what paths may run into, and which unit or terrain piece that is.

`Obstacles` is one value for all paths of a unit. For a single path, `walking` and `driving` make of it a list of `Obstacle`, each
with what may not be covered and how far off one must keep. The browser's `obstacles.ts` has the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from operator import itemgetter

from server.kernel.space.geometry import (
    Outline,
    Place,
    Point,
    bounds,
    segment_point_distance,
    to_mil,
)
from server.kernel.space.hulls import enters, inside_table, off, outline_to_outline, runs_into
from server.kernel.space.paths import on_table
from server.kernel.space.plain import Border
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import PathFault

Box = tuple[int, int, int, int]
"""Left, bottom, right, top (mil)."""


# --- what is in the way of one path -----------------------------------------------------------------------------------


class Obstacle(ABC):
    """Something a path can come into conflict with: it must keep `needed` mil off the `outline` (a single point for a base; none
    for the table's edge, which it must keep inside), a closed one or an open line.

    A base is judged by its centre's way, so that its radius is part of `needed`; a hull by the ground that it covers.
    """

    def __init__(self, outline: Outline, needed: int, *, linear: bool) -> None:
        self.outline = outline
        self.needed = needed
        self.linear = linear
        self._border: Border | None = None

    def border(self) -> Border:
        """Return the outline, prepared for many ways."""
        if self._border is None:
            self._border = Border(self.outline, linear=self.linear)
        return self._border

    @abstractmethod
    def allows(self, a: Place, b: Place) -> bool:
        """Return whether the straight way of a base's centre from `a` to `b` is legal."""

    @abstractmethod
    def allows_hull(self, ground: Outline) -> bool:
        """Return whether a hull may cover this ground."""

    @abstractmethod
    def fault(self, at: Point, segment: int) -> PathFault:
        """Return the fault if it is not."""

    @abstractmethod
    def eased(self, needed: int) -> Obstacle:
        """Return the same obstacle where a base need only keep so many mil off it."""


class Edge(Obstacle):
    """The table's edge. A table is convex, so the end of a base's way tells; its beginning is not judged."""

    def __init__(self, table_size: tuple[int, int], needed: int) -> None:
        super().__init__((), needed, linear=True)
        self.table_size = table_size

    def allows(self, a: Place, b: Place) -> bool:  # noqa: ARG002 - the other obstacles need both ends
        return on_table(b, self.needed, self.table_size)

    def allows_hull(self, ground: Outline) -> bool:
        return inside_table(ground, self.table_size)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("table", at, segment)

    def eased(self, needed: int) -> Obstacle:
        return Edge(self.table_size, needed)


class Barred(Obstacle):
    """A barred piece. A hull may touch it and no more, whatever is `needed`."""

    def __init__(self, piece: Terrain, needed: int) -> None:
        super().__init__(piece.outline, needed, linear=piece.linear)
        self.piece = piece
        self._box = bounds(piece.outline)

    def allows(self, a: Place, b: Place) -> bool:
        # Far off, which is most often so, the boxes round both tell.
        left, bottom, right, top = self._box
        if max(a[0], b[0]) < left - self.needed or min(a[0], b[0]) > right + self.needed:
            return True
        if max(a[1], b[1]) < bottom - self.needed or min(a[1], b[1]) > top + self.needed:
            return True
        return self.border().keeps_off(a, b, self.needed)

    def allows_hull(self, ground: Outline) -> bool:
        return not enters(ground, self.piece)

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("impassable", at, segment, self.piece.id)

    def eased(self, needed: int) -> Obstacle:
        return Barred(self.piece, needed)


class Berth(Obstacle):
    """A base of `unit`, from whose centre to keep off."""

    def __init__(self, unit: str, centre: Point, needed: int) -> None:
        super().__init__((centre,), needed, linear=True)
        self.unit = unit
        self.centre = centre

    def allows(self, a: Place, b: Place) -> bool:
        return to_mil(segment_point_distance(a, b, self.centre)) >= self.needed

    def allows_hull(self, ground: Outline) -> bool:
        return to_mil(off(self.centre, ground)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("base", at, segment, self.unit)

    def eased(self, needed: int) -> Obstacle:
        return Berth(self.unit, self.centre, needed)


class Side(Obstacle):
    """The hull of `unit`."""

    def __init__(self, unit: str, outline: Outline, needed: int) -> None:
        super().__init__(outline, needed, linear=False)
        self.unit = unit

    def allows(self, a: Place, b: Place) -> bool:
        return self.border().keeps_off(a, b, self.needed)

    def allows_hull(self, ground: Outline) -> bool:
        if self.needed == 0:
            return not runs_into(ground, self.outline, linear=False)
        return to_mil(outline_to_outline(ground, self.outline)) >= self.needed

    def fault(self, at: Point, segment: int) -> PathFault:
        return PathFault("hull", at, segment, self.unit)

    def eased(self, needed: int) -> Obstacle:
        return Side(self.unit, self.outline, needed)


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
