"""Where an uncontrolled unit can go: towards a place, into cover, out of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.answers.paths import Around
from server.kernel.bodies import is_vehicle
from server.kernel.facts import UnitMoved
from server.kernel.finding.destinations import Near
from server.kernel.finding.formation import shifted
from server.kernel.finding.wayfinding import shortest_way
from server.kernel.space.geometry import FULL_TURN, Point, between, centroid, direction, distance, moved, to_point
from server.kernel.space.terrain import Terrain
from server.kernel.standing import end_places
from server.kernel.state import State
from server.rulesets.fad import movement
from server.rulesets.fad.cover import figures_in_cover
from server.rulesets.fad.game import FadRules
from server.rulesets.shared.ways import Finder, allowed

SHARES = (100, 85, 70, 50, 35, 20)
"""How much of a move is tried, in percent, the longest first."""
BENDS = (0, 2000, -2000, 4500, -4500, 7000, -7000, 9000, -9000)
"""How far a way bends from the straight one to its goal, in hundredths of a degree."""
SPOKES = 12
"""The directions in which cover is looked for."""
PROGRESS = 250
"""The least that a move brings a unit nearer to its goal, in mil."""

Way = PathsDeclared


class Ways:
    """The moves that a path parameter allows a unit, as its seat may know them."""

    def __init__(self, rules: FadRules, state: State, parameter: PathParameter) -> None:
        self._rules, self._state, self._parameter = rules, state, parameter
        self.unit = state.units[parameter.unit]
        self._around = Around(state, parameter)
        self._places = [at for at, _ in self.unit.places()]
        self._middle = centroid(self._places)
        self._routes: dict[tuple[Point, int], tuple[Point, ...] | None] = {}

    def legal(self, way: Way) -> bool:
        """Return whether the parameter allows a move."""
        return check_path(self._state, self._parameter, way, self._around) is None

    def ends(self, way: Way) -> list[tuple[Point, int]]:
        """Return where the unit's bases are after a move."""
        return list(end_places(self.unit, way).values())

    def left(self, way: Way, goal: Point) -> float:
        """Return how far the middle of the unit is from a goal after a move, in mil."""
        return distance(centroid([at for at, _ in self.ends(way)]), goal)

    def after(self, way: Way) -> State:
        """Return the state as it would be after a move."""
        paths = {key: path for key, path in way.paths.items() if path}
        facings: dict[str, int] = {}
        for key, path in paths.items():
            figure = self.unit.figures[key]
            if figure.hull is not None and figure.at is not None:
                leg = (figure.at, *path)[-2:]
                facings[key] = direction(*leg)
        return UnitMoved(self.unit.id, "", paths, facings=facings).fold(self._state)

    def covered(self, way: Way) -> bool:
        """Return whether the unit counts as in cover after a move."""
        ends = self.ends(way)
        found = figures_in_cover(self._rules, self._state, ends)
        return found * 100 >= self._rules.book.tables.cover.share * len(ends)

    # --- towards a place ----------------------------------------------------------------------------------------------

    def towards(self, goal: Point, suits: Callable[[Way], bool] | None = None) -> Way | None:
        """Return the move that brings the unit farthest on its way to a goal, if possible one that `suits`; None if there is
        none.
        """
        far = distance(self._middle, goal)
        if far <= PROGRESS:
            return None
        found: list[Way] = []
        length = min(self._parameter.allowance - 1, int(far))
        angle = direction(self._middle, goal)
        for share in SHARES:
            way = self._straight(angle, length * share // 100)
            if self.legal(way):
                found.append(way)
                break
        enough = found and self.left(found[0], goal) <= far - length * 0.8
        if not enough:
            found += self._around_things(goal, length)
            found += self._closing(goal)
        if not found:
            found += self._bent(angle, length)
        if suits is not None:
            # Shorter ways may suit where the longest does not.
            found += [way for share in SHARES if self.legal(way := self._straight(angle, length * share // 100))]
        routed = self._route_left(goal)
        able = [way for way in found if routed(way) < routed(PathsDeclared({})) - PROGRESS]
        fitting = [way for way in able if suits is None or suits(way)]
        return min(fitting or able, key=routed, default=None)

    def blocked(self, goal: Point, near: int) -> bool:
        """Return whether no way leads to within `near` mil of a goal, as far as the parameter keeps clear of others."""
        return self._route(goal, near) is None

    def _straight(self, angle: int, length: int) -> Way:
        return allowed(self._parameter, shifted(self.unit, *moved((0, 0), angle, length)))

    def _bent(self, angle: int, length: int) -> list[Way]:
        ways = (self._straight(angle + bend, length * share // 100) for share in SHARES[::2] for bend in BENDS[1:])
        return [way for way in ways if self.legal(way)]

    def _closing(self, goal: Point) -> list[Way]:
        """Return the moves by which a scattered squad closes up, since it may make no others."""
        if is_vehicle(self.unit) or not self._parameter.gap or movement.coherent(self._rules, self._state, self.unit):
            return []
        ways = movement.closing_ways(self._state, self._parameter)
        found = [way for way in ways if self.legal(way)]
        return sorted(found, key=lambda way: self.left(way, goal))[:1]

    def _route(self, goal: Point, near: int) -> tuple[Point, ...] | None:
        """Return the way of the figure nearest to a goal to within `near` mil of it; None if a first look finds none."""
        if is_vehicle(self.unit):
            return (goal,)
        if (goal, near) not in self._routes:
            finder = Finder(self._state, self._parameter)
            far = int(distance(self._middle, goal) * LONGER) + self._parameter.allowance
            lead = self._lead(goal)
            walk, end = finder.walk(lead, far), Near(finder.berths(lead, reach=far), [(goal, 0)], (), near)
            self._routes[goal, near] = shortest_way(walk, end, quick=True)
        return self._routes[goal, near]

    def _lead(self, goal: Point) -> str:
        able = self._parameter.figures or tuple(self.unit.living)
        places = {key: f.at for key, f in self.unit.living.items() if f.at is not None and key in able}
        return min(places, key=lambda key: (distance(places[key], goal), key))

    def _around_things(self, goal: Point, length: int) -> list[Way]:
        """Return the longest move along the way that the figure nearest to the goal would take around what is between."""
        route = self._route(goal, REACHED)
        if is_vehicle(self.unit) or not route:
            return self._bent(direction(self._middle, goal), length) if is_vehicle(self.unit) else []
        start = self.unit.living[self._lead(goal)].at
        assert start is not None, "it stands on the table"
        for share in SHARES:
            part = _cut((start, *route), self._parameter.allowance * share // 100 - 2)
            paths = {
                key: tuple((x + figure.at[0] - start[0], y + figure.at[1] - start[1]) for x, y in part)
                for key, figure in self.unit.living.items()
                if figure.at is not None
            }
            for way in (allowed(self._parameter, PathsDeclared(paths)), self._shift_to(start, part)):
                if self.legal(way):
                    return [way]
        return self._bent(direction(start, route[0]), length)

    def _shift_to(self, start: Point, part: Sequence[Point]) -> Way:
        end = part[-1] if part else start
        return allowed(self._parameter, shifted(self.unit, end[0] - start[0], end[1] - start[1]))

    def _route_left(self, goal: Point) -> Callable[[Way], float]:
        """Return a function that tells how far it is to the goal after a move."""
        route = None
        direct = self._straight(
            direction(self._middle, goal), min(self._parameter.allowance - 1, int(distance(self._middle, goal)))
        )
        if not is_vehicle(self.unit) and not self.legal(direct):
            route = self._route(goal, REACHED)
        if not route:
            return lambda way: self.left(way, goal)
        start = self.unit.living[self._lead(goal)].at
        assert start is not None, "it stands on the table"
        path = (start, *route)

        def left(way: Way) -> float:
            end = way.paths.get(self._lead(goal), (start,))[-1]
            # From the nearest point of the route on, along it.
            best, rest = INFINITE, 0.0
            for a, b in reversed(list(pairwise(path))):
                near = _nearest(end, a, b)
                best = min(best, distance(end, near) * 2 + distance(near, b) + rest)
                rest += distance(a, b)
            return best

        return left

    # --- cover --------------------------------------------------------------------------------------------------------

    def into_cover(self, pieces: Sequence[Terrain]) -> Iterator[Way]:
        """Yield moves after which the unit is in cover, the shortest first."""
        found: dict[tuple[tuple[str, tuple[Point, ...]], ...], Way] = {}
        far = self._parameter.allowance - 1
        near = [piece for piece in pieces if piece.distance(self._middle) <= far + 2 * ACROSS]
        if not near:
            return
        shifts = [
            moved((0, 0), spoke * FULL_TURN // SPOKES, far * share // 100)
            for share in (30, 60, 100)
            for spoke in range(SPOKES)
        ]
        for piece in near:
            at = _closest(piece, self._middle)
            inward = centroid(list(piece.outline))
            for goal in (at, to_point(between(at, inward, 0.5)), inward):
                away = distance(self._middle, goal)
                shifts += [
                    moved((0, 0), direction(self._middle, goal), min(far, away + more))
                    for more in (-ACROSS // 2, 0, ACROSS // 2)
                ]
        for dx, dy in sorted(shifts, key=lambda shift: distance((0, 0), shift)):
            way = allowed(self._parameter, shifted(self.unit, dx, dy))
            if way.paths and self.covered(way) and self.legal(way):
                found.setdefault(tuple(way.paths.items()), way)
        yield from found.values()

    def spread(self) -> Iterator[Way]:
        """Yield moves in all directions, the shortest first."""
        for share in (30, 60, 100):
            for spoke in range(SPOKES):
                way = self._straight(spoke * FULL_TURN // SPOKES, (self._parameter.allowance - 1) * share // 100)
                if self.legal(way):
                    yield way

    def fan(self, goal: Point) -> list[Way]:
        """Return moves towards a goal, bent to either side."""
        length = min(self._parameter.allowance - 1, int(distance(self._middle, goal)))
        ways = (
            self._straight(direction(self._middle, goal) + bend, length * share // 100)
            for bend in BENDS[:7]
            for share in (100, 85, 70)
        )
        return [way for way in ways if way.paths and self.legal(way)]


INFINITE = float("inf")
LONGER = 1.5
"""How much longer than the straight way a way around things may be."""
REACHED = 500
"""How near to its goal a route leads, in mil."""
ACROSS = 3000
"""How far figures of a unit are from its middle, about, in mil."""


def _cut(path: Sequence[Point], length: int) -> tuple[Point, ...]:
    """Return the points of a path after its start, as far as `length` mil go."""
    found: list[Point] = []
    for a, b in pairwise(path):
        leg = distance(a, b)
        if leg > length:
            if length > 0:
                found.append(to_point(between(a, b, length / leg)))
            break
        found.append(b)
        length -= int(leg) + 1
    return tuple(found)


def _nearest(p: Point, a: Point, b: Point) -> Point:
    """Return the point of a stretch that is nearest to a point."""
    (ax, ay), (bx, by) = a, b
    whole = (bx - ax) ** 2 + (by - ay) ** 2
    share = 0.0 if not whole else max(0.0, min(1.0, ((p[0] - ax) * (bx - ax) + (p[1] - ay) * (by - ay)) / whole))
    return to_point(between(a, b, share))


def _closest(piece: Terrain, p: Point) -> Point:
    """Return the point of a piece's outline that is nearest to a point."""
    corners = list(piece.outline) if piece.linear else [*piece.outline, piece.outline[0]]
    return min((_nearest(p, a, b) for a, b in pairwise(corners)), key=lambda at: distance(p, at))
