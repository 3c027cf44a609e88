"""What a declared path costs: what it uses up of a move allowance on ground of all kinds, and over walls and streams.

The browser computes the same (`paths.ts`); `tests/vectors/paths.json` holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, final

from server.kernel.space.areas import Area
from server.kernel.space.geometry import Outline, Point, Span, crossings, distance
from server.kernel.space.terrain import Terrain

WHOLE: Final = 100
"""Percent: open ground costs its length."""


@final
class _Priced:
    """A piece that costs something, and its number."""

    def __init__(self, piece: Terrain, number: int) -> None:
        self.number = number
        self.linear = piece.linear
        self.area = Area(piece.outline)
        self._outline = piece.outline

    def met(self, a: Point, b: Point) -> list[float]:
        """Return where the straight way from `a` to `b` meets the line."""
        return _met(a, b, self._outline)

    def spans(self, a: Point, b: Point) -> list[Span]:
        """Return the stretches of the straight way from `a` to `b` inside the area."""
        return self.area.spans(a[0], a[1], b[0], b[1], border=False)


@final
class Costs:
    """What ground costs, prepared for many paths.

    Each of the `pieces` comes with its number. For an area that is the cost of its ground in percent (200 = double); where areas
    overlap the highest counts, they do not multiply, and what runs along a border is outside. For a linear piece it is a toll
    in mil for each time the path meets it (0 = none); starting on it is free, ending on it is not. Outside the areas each mil
    costs `ground` percent.
    """

    def __init__(self, pieces: Sequence[tuple[Terrain, int]], ground: int = WHOLE) -> None:
        self.pieces = pieces
        self._ground = ground
        self._priced: list[_Priced] = []
        for piece, number in pieces:
            if number > 0 if piece.linear else number > WHOLE or ground > WHOLE:
                self._priced.append(_Priced(piece, number))

    def path(self, path: Sequence[Point]) -> float:
        """Return what a path uses up, in mil; never less than its length."""
        total = 0.0
        for i in range(1, len(path)):
            total = self._with(total, path[i - 1], path[i])
        return total

    def leg(self, a: Point, b: Point) -> float:
        """Return what `path` does for the straight way from `a` to `b`."""
        return self._with(0.0, a, b)

    def _with(self, total: float, a: Point, b: Point) -> float:
        """Return a total with what the straight way from `a` to `b` uses up."""
        length = distance(a, b)
        if length == 0:
            return total
        ax, ay, bx, by = float(a[0]), float(a[1]), float(b[0]), float(b[1])
        dear: list[tuple[Span, int]] = []
        for priced in self._priced:
            if priced.area.missed(ax, ay, bx, by):
                continue
            if priced.linear:
                total += priced.number * len(priced.met(a, b))
            else:
                for span in priced.spans(a, b):
                    dear.append((span, priced.number))  # noqa: PERF401 - a plain loop is compiled to one
        return total + length * (_mean_factor(dear, self._ground) / WHOLE)

    def part_within(self, a: Point, b: Point, allowance: float) -> float:
        """Return how much of the straight way from `a` to `b` (0 to 1) costs no more than the allowance (mil), as closely as
        fractions tell.
        """
        length = distance(a, b)
        dear: list[tuple[Span, int]] = []
        tolls: list[tuple[float, int]] = []
        for priced in self._priced:
            if priced.linear:
                tolls += [(met, priced.number) for met in priced.met(a, b)]
            else:
                dear += [(span, priced.number) for span in priced.spans(a, b)]
        cuts = sorted({0.0, 1.0, *[end for span, _ in dear for end in span], *[met for met, _ in tolls]})
        left = allowance
        for start, end in pairwise(cuts):
            cost = (end - start) * length * (_factor(dear, (start + end) / 2) or self._ground) / WHOLE
            if cost > left:
                return start + (end - start) * (left / cost)
            left -= cost + sum([number for met, number in tolls if met == end])
            if left < 0:
                return end
        return 1.0


def _mean_factor(dear: list[tuple[Span, int]], ground: int) -> float:
    """Return the mean percent of a segment of which the given stretches cost other than `ground`."""
    # Only the difference is summed up, so that plain ground costs exactly its length.
    if not dear:
        return ground
    if len(dear) == 1:
        (low, high), number = dear[0]
        return ground + (high - low) * ((number or ground) - ground)
    mean = 0.0
    cuts = sorted({0.0, 1.0, *[end for span, _ in dear for end in span]})
    for i in range(1, len(cuts)):
        start, end = cuts[i - 1], cuts[i]
        mean += (end - start) * ((_factor(dear, (start + end) / 2) or ground) - ground)
    return ground + mean


def _factor(dear: list[tuple[Span, int]], part: float) -> int:
    """Return the highest number of the given stretches that hold this part of a segment; 0 outside all of them."""
    factor = 0
    for (low, high), number in dear:
        if low <= part <= high and number > factor:
            factor = number
    return factor


def _met(a: Point, b: Point, line: Outline) -> list[float]:
    """Return where (0 to 1) the straight way from `a` to `b` meets a line, but for its start: a corner that two sides share is
    found twice and counts once.
    """
    length = distance(a, b)
    met: list[float] = []
    for t in crossings(a, b, line, linear=True):
        if t > 0 and (not met or (t - met[-1]) * length >= 0.5):
            met.append(t)
    return met


def crossed(path: Sequence[Point], pieces: Sequence[Terrain]) -> tuple[str, ...]:
    """Return the ids of the pieces, in their order, that a path leads through or over, as `Costs` has it."""
    found: list[str] = []
    for piece in pieces:
        area = Area(piece.outline)
        for a, b in pairwise(path):
            inside = not piece.linear and area.spans(a[0], a[1], b[0], b[1], border=False)
            if inside or (piece.linear and _met(a, b, piece.outline)):
                found.append(piece.id)
                break
    return tuple(found)
