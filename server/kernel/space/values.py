"""The values of space that are kept and handed on: how hulls stand, what is in a path's way, what is wrong with it.

They are structs of msgspec, and stand apart from the arithmetic since that is compiled: a compiled class would lose what a struct
is declared with.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.kernel.space.geometry import Outline, Point
from server.kernel.space.terrain import Terrain

Base = tuple[Point, int]
"""A round base on the table: its centre and its radius (mil)."""


class Hull(Struct, frozen=True, gc=False):
    """The size of a vehicle: `length` along its facing and `width` across it, both in mil."""

    length: int
    width: int


class Pose(Struct, frozen=True, gc=False):
    """How a hull stands: its centre, and the direction it faces in hundredths of a degree."""

    at: Point
    facing: int


class Body(Struct, frozen=True, gc=False):
    """What a figure takes up on the table: a round base (centre, radius), or, when `outline` is not empty, a hull round the
    centre `at`; its `radius` is then the farthest that it reaches from there.
    """

    at: Point
    radius: int
    outline: Outline = ()


class Neighbour(Struct, frozen=True, gc=False):
    """Another unit on the table, by its id, with its bases or its hull."""

    unit: str
    bases: tuple[Base, ...] = ()
    hulls: tuple[Outline, ...] = ()


class Obstacles(Struct, frozen=True, gc=False):
    """What the paths of a unit may run into.

    Args:
        table_size: the table's width and height, in mil; bases and hulls stay wholly on it.
        barred: the terrain pieces that may not be entered.
        avoided: the units of which neither bases nor hulls may be passed through, and which are kept `clear` of.
        others: the units whose bases may be passed, but not ended on, and whose hulls may not be passed through.
        clear: how far to keep away from those that are avoided, edge to edge, in mil.
        over: whether paths lead over terrain and units, which then are in the way only at their ends.
        receding: the units, among those that are avoided, to which a base comes no nearer on its way than it began.
        jump: whether hulls get to their ends at once, so that nothing is in the way before, not even the table's edge.
    """

    table_size: tuple[int, int]
    barred: tuple[Terrain, ...] = ()
    avoided: tuple[Neighbour, ...] = ()
    others: tuple[Neighbour, ...] = ()
    clear: int = 0
    over: bool = False
    receding: tuple[str, ...] = ()
    jump: bool = False

    def bases(self) -> list[Base]:
        """Return the bases on which no path may end, those of avoided units first."""
        found: list[Base] = []
        for one in (*self.avoided, *self.others):
            found.extend(one.bases)
        return found

    def hulls(self) -> list[Outline]:
        """Return the hulls in which no path may end, those of avoided units last."""
        return [hull for one in (*self.others, *self.avoided) for hull in one.hulls]


class PathFault(Struct, frozen=True, gc=False):
    """The first thing wrong with a path.

    `kind`: "table" the base or hull leaves the table, "impassable" it enters a barred piece, "base" it passes through a base,
    or nearer than it may, or a hull ends on one; "hull" likewise a hull. `at` is the last legal place rounded, on the segment
    that begins at `path[segment]`. `what` is the id of the terrain piece or of the unit in the way; empty for the table.
    """

    kind: Literal["table", "impassable", "base", "hull"]
    at: Point
    segment: int
    what: str = ""


class SightLine(Struct, frozen=True, gc=False):
    """The answer to "who is in the way?".

    `line` is an unblocked line when `clear`, else the line of centres; `blocked_by` is then the id of the
    first piece, in the table's order, that blocks it (None when something other than terrain does).
    """

    clear: bool
    line: tuple[Point, Point]
    blocked_by: str | None = None
