"""How far a figure comes straight towards a place."""

from __future__ import annotations

import math

from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Point, between, distance, to_mil, to_point
from server.kernel.space.values import Obstacles
from server.kernel.space.walking import walk_fault


class Reach:
    """How far an allowance takes figures on bases straight towards places, up to what stops them. It remembers what it was asked.

    Args:
        allowance: how much movement they have, in mil.
        costs: what the ground costs.
        around: what they may not enter.
    """

    def __init__(self, allowance: int, costs: Costs, around: Obstacles) -> None:
        self._allowance = allowance
        self._costs = costs
        self._around = around
        self._known: dict[tuple[Point, Point, int], Point] = {}

    def towards(self, start: Point, end: Point, radius: int) -> Point:
        """Return how far a figure whose base has this radius (mil) comes from `start` on its way to `end`."""
        asked = (start, end, radius)
        found = self._known.get(asked)
        if found is None:
            found = self._known[asked] = self._stop(start, end, radius)
        return found

    def _stop(self, start: Point, end: Point, radius: int) -> Point:
        part = 1.0 if self._affords(start, end, 1.0) else self._last_part(start, end)
        goal = to_point(between(start, end, part))
        fault = walk_fault((start, goal), radius, self._around)
        return goal if fault is None else fault.at

    def _affords(self, start: Point, end: Point, part: float) -> bool:
        return to_mil(self._costs.leg(start, to_point(between(start, end, part)))) <= self._allowance

    def _last_part(self, start: Point, end: Point) -> float:
        """Return how much of a way that costs too much the allowance pays for: where halving it again and again leads to, down
        to a mil.
        """
        whole = distance(start, end)
        step = 0.5 ** math.ceil(math.log2(whole)) if whole > 1 else 1.0
        # Mostly one can tell, but for what is rounded, and needs not halve it.
        low = math.floor(self._costs.part_within(start, end, self._allowance + 0.5) / step) * step
        if low < 1 and self._affords(start, end, low) and not self._affords(start, end, low + step):
            return low
        low, high = 0.0, 1.0
        while (high - low) * whole > 1:
            middle = (low + high) / 2
            if self._affords(start, end, middle):
                low = middle
            else:
                high = middle
        return low
