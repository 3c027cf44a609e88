"""Areas: places and stretches of straight ways inside a closed outline."""

from __future__ import annotations

import math
from typing import final

from server.kernel.space.geometry import Outline, Span, bounds, meeting
from server.kernel.space.plain import Corner


@final
class Area:
    """A closed outline, prepared for many ways: its corners and its box as plain numbers, all in mil."""

    def __init__(self, outline: Outline) -> None:
        left, bottom, right, top = bounds(outline)
        self.left, self.bottom, self.right, self.top = float(left), float(bottom), float(right), float(top)
        self.corners = [Corner(float(x), float(y)) for x, y in outline]

    def holds(self, x: float, y: float) -> bool:
        """Return what `geometry.contains` does."""
        if x < self.left or x > self.right or y < self.bottom or y > self.top:
            return False
        inside = False
        p = self.corners[-1]
        for q in self.corners:
            if (p.y > y) != (q.y > y):
                side = (q.x - p.x) * (y - p.y) - (x - p.x) * (q.y - p.y)
                if side == 0:
                    return True
                if (side > 0) == (q.y > p.y):
                    inside = not inside
            elif y in (p.y, q.y):
                between = p.x <= x <= q.x or q.x <= x <= p.x
                if between and (q.x - p.x) * (y - p.y) == (x - p.x) * (q.y - p.y):
                    return True
            p = q
        return inside

    def missed(self, ax: float, ay: float, bx: float, by: float) -> bool:
        """Return whether the way from (ax, ay) to (bx, by) lies wholly on one side of the box."""
        if (ax < self.left and bx < self.left) or (ax > self.right and bx > self.right):
            return True
        return (ay < self.bottom and by < self.bottom) or (ay > self.top and by > self.top)

    def spans(self, ax: float, ay: float, bx: float, by: float, *, border: bool) -> list[Span]:
        """Return the stretches of the way from (ax, ay) to (bx, by) inside the area, in order.

        What runs along the border itself counts only with `border`. The way is cut wherever it meets an edge; the middle of each
        part tells whether the part is inside.
        """
        spans: list[Span] = []
        if self.missed(ax, ay, bx, by):
            return spans
        cuts = [0.0, 1.0]
        along_border: list[Span] = []
        p = self.corners[-1]
        for q in self.corners:
            first, last = meeting(ax, ay, bx, by, p.x, p.y, q.x, q.y)
            if first <= last:
                cuts.append(first)
                if first < last:
                    cuts.append(last)
                    along_border.append((first, last))
            p = q
        cuts.sort()
        start = 0.0
        for end in cuts:
            if start == end:
                continue
            t = (start + end) / 2
            inside = border if _within(along_border, t) else self.holds(ax + t * (bx - ax), ay + t * (by - ay))
            if inside and spans and spans[-1][1] == start:
                spans[-1] = (spans[-1][0], end)
            elif inside:
                spans.append((start, end))
            start = end
        return spans

    def length(self, ax: float, ay: float, bx: float, by: float, *, border: bool) -> float:
        """Return the mil of the way from (ax, ay) to (bx, by) inside the area, with `border` also what runs along it."""
        share = 0.0
        for start, end in self.spans(ax, ay, bx, by, border=border):
            share += end - start
        return share * math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


def _within(spans: list[Span], t: float) -> bool:
    """Return whether a place of a way lies in one of these stretches, their ends included."""
    for low, high in spans:  # noqa: SIM110 - a plain loop is compiled to one
        if low <= t <= high:
            return True
    return False
