"""A scattered unit drawn together."""

from __future__ import annotations

from client_protocol.choices import PathsDeclared
from server.kernel.finding.reach import Reach
from server.kernel.space.geometry import Point, between, centroid, distance, gap, to_mil, to_point
from server.kernel.space.values import Base
from server.kernel.state import Unit


class Scattered:
    """A unit of figures on bases that may stand in several parts, the largest of which is its body.

    Args:
        unit: the unit, of which those figures count that stand on the table.
        limit: the widest gap, in mil, that there may be in a part.
    """

    def __init__(self, unit: Unit, limit: int) -> None:
        self._places = _standing(unit)
        self._parts = parts_of(self._places, limit)

    def middles(self) -> list[Point]:
        """Return the middle of each part, that of the body first."""
        return [centroid([self._places[key][0] for key in part]) for part in self._parts]

    def closing_up(self, gap_wanted: int, shift: Point, reach: Reach) -> PathsDeclared:
        """Return a move that draws the unit together. Its body moves by `shift`; one after the other, every other figure moves
        straight towards the nearest that has moved, up to `gap_wanted` mil from it. All go as far as `reach` lets them; their
        ends are not checked.
        """
        ends: dict[str, Base] = {}
        for key in self._parts[0]:
            (x, y), radius = self._places[key]
            ends[key] = (reach.towards((x, y), (x + shift[0], y + shift[1]), radius), radius)
        while len(ends) < len(self._places):
            key, mate = self._next(ends)
            (at, radius), (goal, other) = self._places[key], ends[mate]
            apart = distance(at, goal)
            wanted = max(0.0, apart - (radius + other + gap_wanted))
            end = reach.towards(at, to_point(between(at, goal, wanted / apart)), radius) if wanted else at
            ends[key] = (end, radius)
        return PathsDeclared({key: (end,) for key, (end, _) in ends.items() if end != self._places[key][0]})

    def _next(self, ends: dict[str, Base]) -> tuple[str, str]:
        """Return the figure that stands nearest to one of those that have moved, and that one; of several the first by name."""
        found, least = ("", ""), -1.0
        for key, (at, radius) in self._places.items():
            if key in ends:
                continue
            for mate, (goal, other) in ends.items():
                apart = gap(at, radius, goal, other)
                if least < 0 or apart < least or (apart == least and (key, mate) < found):
                    found, least = (key, mate), apart
        return found


def parts(unit: Unit, limit: int) -> list[list[str]]:
    """Return the figures of each part of the unit in which no gap is over `limit` mil, the largest part first, each in roster
    order.
    """
    return parts_of(_standing(unit), limit)


def parts_of(places: dict[str, Base], limit: int) -> list[list[str]]:
    """Return the parts of bases in which no gap is over `limit` mil, as `parts` does."""
    found: list[list[str]] = []
    unseen = list(places)
    while unseen:
        part = {unseen.pop(0)}
        grown = True
        while grown:
            near = [k for k in unseen if any(to_mil(gap(*places[k], *places[m])) <= limit for m in part)]
            part.update(near)
            unseen = [k for k in unseen if k not in part]
            grown = bool(near)
        found.append([key for key in places if key in part])
    return sorted(found, key=len, reverse=True)


def _standing(unit: Unit) -> dict[str, Base]:
    return {key: (f.at, f.radius) for key, f in unit.living.items() if f.at is not None}
