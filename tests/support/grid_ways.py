"""Paths found on a fine grid: slow and simple, as a reference. Whatever the grid finds, the real search must find."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from server.kernel.finding.walks import Walk
from server.kernel.space.geometry import Point

_STEPS = (
    *((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)),
    *((1, 2), (2, 1), (-1, 2), (2, -1), (-2, 1), (1, -2), (-1, -2), (-2, -1)),
)


def cheapest_on_grid(walk: Walk, ends: Callable[[Point], Point | None], step: int = 100) -> float | None:
    """Return the cost of the cheapest path over a grid of `step` mil, or None if there is none.

    `ends` says where a straight path from a grid point would end the whole, if it is near enough to try.
    """
    settled: set[Point] = set()
    waiting: list[tuple[float, Point]] = [(0.0, walk.start)]
    while waiting:
        cost, at = heapq.heappop(waiting)
        if at in settled:
            continue
        settled.add(at)
        end = ends(at)
        if end is not None and walk.clear(at, end):
            whole = cost + walk.cost((at, end))
            if whole <= walk.allowance:
                return whole
        for dx, dy in _STEPS:
            there = (at[0] + dx * step, at[1] + dy * step)
            if there not in settled and walk.clear(at, there):
                onward = cost + walk.cost((at, there))
                if onward <= walk.allowance:
                    heapq.heappush(waiting, (onward, there))
    return None
