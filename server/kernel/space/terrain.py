"""Terrain pieces: what lies on the table, where, and what it does to sight, cover and movement.

A piece states facts only (this blocks sight beyond so much depth, this gives the cover level of that name). The value of a
cover level and the effect of a flag are up to the rule set that reads it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from server.kernel.space.geometry import Outline, contains, distance_to_outline

Sight = Literal["clear", "depth", "depth_in_all", "depth_from_edge", "occupied", "solid"]

DEEP = ("depth", "depth_in_all", "depth_from_edge")
"""The kinds of sight that have a depth."""

NO_COVER = "none"


class Terrain(msgspec.Struct, frozen=True, gc=False):
    """One terrain piece.

    `kind` says how it is drawn ("woods", "wall", "stream" ...). `outline` is in mil: the closed border of an
    area, or, when `linear`, an open line without width. `cover` names a level of the rule set, "none" for no
    cover. `flags` are words the rule set reads ("difficult", "impassable" ...); people read them too, but for
    those with a colon. `sight` is what the piece does to a line of sight:

    - clear: nothing;
    - depth: blocks when more than `sight_depth` mil of the line lie inside, whether it looks in, out or
      through;
    - depth_in_all: as depth; and what lies inside several such pieces is added up, each as a share of its own `sight_depth`:
      more than the whole blocks;
    - depth_from_edge: as depth_in_all; and a line that enters and leaves the piece ends `sight_depth` behind the border at which
      it enters, seen from that end of the two from which it reaches farther;
    - occupied: blocks a line between two figures of which neither stands inside;
    - solid: blocks every line that enters the area, or that meets the line when linear.
    """

    id: str
    name: str
    kind: str
    outline: Outline
    linear: bool = False
    cover: str = NO_COVER
    flags: tuple[str, ...] = ()
    sight: Sight = "clear"
    sight_depth: int = 0

    def holds(self, p: tuple[float, float]) -> bool:
        """Return whether the place `p` (mil) lies in this piece. A linear piece holds nothing."""
        return not self.linear and contains(self.outline, p)

    def distance(self, p: tuple[float, float]) -> float:
        """Return the mil from the place `p` to this piece; 0 inside an area."""
        return distance_to_outline(p, self.outline, linear=self.linear)
