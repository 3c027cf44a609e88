"""Places as plain numbers, for arithmetic that is done very often.

A point is a tuple of objects, which compiled code has to unpack each time; the fields of these classes it reads directly.
"""

from __future__ import annotations

import math
from typing import final

from server.kernel.space.geometry import Point


@final
class Corner:
    """A corner as two plain numbers, which compiled code reads without unpacking a tuple of objects."""

    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y


@final
class Spot:
    """Where a figure is, as plain numbers: the centre and the radius of its base, or how far its hull reaches."""

    def __init__(self, at: Point, radius: int) -> None:
        self.x = float(at[0])
        self.y = float(at[1])
        self.radius = float(radius)

    def gap(self, other: Spot) -> float:
        """Return what `geometry.gap` does."""
        dx, dy = other.x - self.x, other.y - self.y
        free = math.sqrt(dx * dx + dy * dy) - self.radius - other.radius
        return free if free > 0 else 0.0
