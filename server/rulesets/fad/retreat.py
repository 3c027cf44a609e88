"""The retreat after a close assault: each figure goes straight back on its own, and stops before what it may not touch.

Distance and direction come first: no figure goes farther than the length, leaves the cone in which its owner may choose a
direction, or ends nearer to the squad that it fought than it began. Within these limits the squad restores its coherency,
and the crew of a weapons team in it its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from server.kernel.answers.check import TOUCH, bases, terrain_of
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Declared, FiguresFell, UnitLeft
from server.kernel.procedure import Steps
from server.kernel.space.geometry import (
    Outline,
    Point,
    angle_difference,
    at_most,
    distance,
    gap,
    heading,
    moved,
    to_mil,
)
from server.kernel.space.hulls import base_to_outline
from server.kernel.space.paths import cohesive, on_table, overlaps
from server.kernel.space.values import Base, Neighbour, Obstacles
from server.kernel.space.walking import walk_fault
from server.kernel.standing import outlines
from server.kernel.state import Unit
from server.rulesets.fad.attached import COHERENCY
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.going import along
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Going
from server.rulesets.fad.movement import CoherencyDistance, crew_apart, crew_bonds

STEP = 250
"""Mil between the places that are tried for a stray figure."""
TURN = 500
"""Hundredths of a degree between the directions that are tried for a stray figure."""


class Retreat(Struct, frozen=True, gc=False):
    """How a unit falls back from the squad `enemy`: by `length` mil in the direction `angle`, in hundredths of a degree.

    Its owner chose `angle` within `spread` of `away`, which leads straight away from that squad. `rule` makes it fall back.
    """

    enemy: str
    angle: int
    length: int
    away: int
    spread: int
    rule: str


def withdraw(game: FadGame, unit_id: str, retreat: Retreat) -> Steps[None]:
    """Move `unit_id` as `retreat` says (fad4/assault.fall-back).

    Difficult ground is ignored. Impassable terrain and other enemies stop a figure. Figures that leave the table are lost. What
    lies in the way is met (fad4/tech.weapon-tables). If coherency cannot be restored, the log says so.
    """
    unit = game.unit(unit_id)
    ways = {key: _way(game, unit, key, retreat) for key, figure in unit.living.items() if figure.at is not None}
    off = tuple(key for key, way in ways.items() if way.leaves)
    if off:
        yield FiguresFell(unit_id, off, "left_table", retreat.rule)
        unit = game.unit(unit_id)
        if unit.strength == 0:
            yield UnitLeft(unit_id, "left_table", retreat.rule)
            return
    ways = {key: way for key, way in ways.items() if not way.leaves}
    limit = game.rules.advisers.answer(game.state, CoherencyDistance(unit_id)).value
    ends = _closed_up(game, unit, ways, _ends(game, unit, ways, retreat.angle), retreat, limit)
    paths: dict[str, tuple[Point, ...]] = {key: (at,) for key, at in ends.items() if at != unit.figures[key].at}
    if paths:
        for flees in game.rules.fleeing(game.state):
            yield from flees(game, unit_id)
        yield from along(game, Going(unit=unit_id, paths=paths, manner="fall-back", rule=retreat.rule))
    if game.unit(unit_id).left:
        return
    radii = {key: way.ground.radius for key, way in ways.items()}
    standing = {key: at for key, at in ends.items() if key in game.unit(unit_id).living}
    if not _coherent(standing, radii, limit, game.rules.apart(unit)):
        yield Declared(unit_id, "out-of-coherency", "coherency.broken")
    if crew_apart(game.rules, game.state, game.unit(unit_id)):
        yield Declared(unit_id, "crew-apart", COHERENCY)


class _Ground(Struct, frozen=True, gc=False):
    """Where a base of `radius` mil may go and end: past these `obstacles` (enemy bases that it may not touch, enlarged by the
    distance that counts as contact), and away from each base in `off` by the mil given with it. The bases of other figures are
    passed with each question. `fought` is the vehicle from which the unit falls back, if it is one, and how far it keeps away.
    """

    radius: int
    obstacles: Obstacles
    off: Sequence[tuple[Base, int]]
    fought: tuple[Outline, int] = ((), 0)

    def fault(self, at: Point, taken: Sequence[Base]) -> bool:
        """Return whether a figure may not end at `at`."""
        return bool(
            not on_table(at, self.radius, self.obstacles.table_size)
            or overlaps(at, self.radius, taken, self.obstacles.hulls())
            or (self.fought[0] and to_mil(base_to_outline(at, self.radius, self.fought[0])) < self.fought[1])
            or any(overlaps(at, self.radius, [(there, other + apart)]) for (there, other), apart in self.off)
            or any(to_mil(piece.distance(at)) < self.radius for piece in self.obstacles.barred)
        )


class _Way(Struct, frozen=True, gc=False):
    """How far a figure gets on its own: from `start` by at most `length` mil, or off the table (`leaves`)."""

    start: Point
    length: int
    ground: _Ground
    leaves: bool


def _way(game: FadGame, unit: Unit, key: str, retreat: Retreat) -> _Way:
    """Return the path of figure `key` until something stops it.

    It leaves the enemies that it touches now and may touch no other one. It may not end nearer to the squad that it fought
    than it began, from edge to edge to that squad's nearest figure.
    """
    state = game.state
    figure = unit.figures[key]
    at, radius = figure.at, figure.radius
    assert at is not None, "only figures on the table fall back"
    # 1 mil more than contact, and 1 mil for the rounding of the place where the path stops.
    avoided = tuple(
        Neighbour(
            foe.id,
            tuple((there, r + TOUCH + 2) for there, r in foe.places() if to_mil(gap(at, radius, there, r)) > TOUCH),
        )
        for foe in state.enemies_of(unit.side)
        if not is_vehicle(foe)
    )
    vehicles = tuple(
        Neighbour(other.id, (), tuple(outlines(other))) for other in state.units.values() if other.on_table
    )
    enemy = state.units[retreat.enemy]
    hull = next(iter(outlines(enemy)), ())
    fought = [] if hull else enemy.places()
    nearest = min((to_mil(gap(at, radius, *foe)) for foe in fought), default=0)
    barred = terrain_of(state, on_foot(game.rules, state).closed)
    obstacles = Obstacles((state.table.width, state.table.height), tuple(barred), avoided, vehicles)
    ground = _Ground(
        radius,
        obstacles,
        [*((base, 0) for base in obstacles.bases()), *((foe, nearest) for foe in fought)],
        (hull, to_mil(base_to_outline(at, radius, hull)) if hull else 0),
    )
    end = _end(at, retreat.angle, retreat.length)
    fault = walk_fault((at, end), radius, obstacles)
    if fault is None:
        return _Way(at, retreat.length, ground, leaves=False)
    reached = min(retreat.length, to_mil(distance(at, fault.at)))
    return _Way(at, reached, ground, leaves=fault.kind == "table" and game.rules.leaves_table(game.state))


def _end(start: Point, angle: int, length: int) -> Point:
    """Return the point `length` mil from `start`, or 1 mil less if rounding would make it more."""
    end = moved(start, angle, length)
    return end if at_most(distance(start, end), length) else moved(start, angle, length - 1)


def _ends(game: FadGame, unit: Unit, ways: Mapping[str, _Way], angle: int) -> dict[str, Point]:
    """Return where each figure stops: at the farthest free place of its path, the foremost figure first."""
    others = bases(game.state, without=[unit.id])
    standing = {key: (way.start, way.ground.radius) for key, way in ways.items()}
    ahead = heading(angle)
    foremost = sorted(ways, key=lambda key: -(ways[key].start[0] * ahead[0] + ways[key].start[1] * ahead[1]))
    for key in foremost:
        way = ways[key]
        mates = [base for mate, base in standing.items() if mate != key]
        standing[key] = (_farthest_free(way, angle, [*others, *mates]), way.ground.radius)
    return {key: standing[key][0] for key in foremost}


def _farthest_free(way: _Way, angle: int, taken: Sequence[Base]) -> Point:
    """Return the farthest free place on a path, or its start if there is none.

    From a place that is taken by a base, the search steps back to where the path leaves that base's reach, and looks again.
    """
    radius = way.ground.radius
    circles = [(there, radius + other) for there, other in taken]
    circles += [(there, radius + other + apart) for (there, other), apart in way.ground.off]
    length = way.length
    while length > 0:
        at = _end(way.start, angle, length)
        if not way.ground.fault(at, taken):
            return at
        before = (
            _entered(way.start, angle, *circle) for circle in circles if to_mil(distance(at, circle[0])) < circle[1]
        )
        # At least 1 mil: terrain, and the rounding of places, have no circle to leave.
        length = min(length - 1, math.ceil(min(before, default=length)))
    return way.start


def _entered(start: Point, angle: int, centre: Point, reach: int) -> float:
    """Return how far from `start` the straight path comes within `reach` of `centre`; below 0 if it begins there."""
    x, y = heading(angle)
    dx, dy = centre[0] - start[0], centre[1] - start[1]
    along = dx * x + dy * y
    aside = dx * dx + dy * dy - along * along
    return along - math.sqrt(max(0.0, reach * reach - aside))


def _coherent(ends: Mapping[str, Point], radii: Mapping[str, int], limit: int, away: Collection[str]) -> bool:
    """Return whether figures are in coherency where they end, without those that need not keep together."""
    there = [key for key in ends if key not in away]
    return cohesive([ends[key] for key in there], [radii[key] for key in there], limit)


# --- coherency ------------------------------------------------------------------------------------------------------


def _closed_up(
    game: FadGame,
    unit: Unit,
    ways: Mapping[str, _Way],
    ends: dict[str, Point],
    retreat: Retreat,
    limit: int,
) -> dict[str, Point]:
    """Return `ends` with the squad in coherency, and the crew of a weapons team in it in its own, as far as they can be."""
    radii, away = {key: way.ground.radius for key, way in ways.items()}, game.rules.apart(unit)
    if not _coherent(ends, radii, limit, away):
        ends = _gathered(game, unit, ways, ends, retreat, limit, tuple(ends))
    for bond in crew_bonds(game.rules, game.state, unit):
        # fad5/move.coherency-weapon-team: its crew closes up if the squad stays together
        crew = tuple(key for key in bond.figures if key in ends and key not in away)
        if not _coherent({key: ends[key] for key in crew}, radii, bond.gap, ()):
            closer = _gathered(game, unit, ways, ends, retreat, bond.gap, crew)
            if _coherent(closer, radii, limit, away) or not _coherent(ends, radii, limit, away):
                ends = closer
    return ends


def _gathered(
    game: FadGame,
    unit: Unit,
    ways: Mapping[str, _Way],
    ends: Mapping[str, Point],
    retreat: Retreat,
    limit: int,
    group: Sequence[str],
) -> dict[str, Point]:
    """Return `ends` with the strays among the figures in `group` moved into coherency with the largest part of that group.

    A stray only moves to a place to which it could have fallen back: straight, within the length and the cone. If there is
    none, it stays where its own retreat ends.
    """
    others = bases(game.state, without=[unit.id])
    standing = {key: (at, ways[key].ground.radius) for key, at in ends.items()}
    body = _largest_part({key: standing[key] for key in group}, limit)
    waiting = [key for key in group if key not in body]
    while waiting:
        joined = ""
        for key in sorted(waiting, key=lambda k: min(gap(*standing[k], *standing[m]) for m in body)):
            near = [standing[mate] for mate in body]
            if _touches_any(standing[key], near, limit):
                joined = key
            else:
                taken = [*others, *(base for mate, base in standing.items() if mate != key)]
                place = _instead(ways[key], retreat, near, taken, limit)
                if place is not None:
                    standing[key] = (place, ways[key].ground.radius)
                    joined = key
            if joined:
                break
        if not joined:
            break
        body.append(joined)
        waiting.remove(joined)
    return {key: standing[key][0] for key in ends}


def _largest_part(standing: Mapping[str, Base], limit: int) -> list[str]:
    """Return the largest group of figures that are in coherency, in roster order."""
    parts: list[list[str]] = []
    for key, base in standing.items():
        mine = [part for part in parts if _touches_any(base, [standing[mate] for mate in part], limit)]
        parts = [part for part in parts if part not in mine] + [[mate for part in mine for mate in part] + [key]]
    largest = max(parts, key=len)
    return [key for key in standing if key in largest]


def _touches_any(base: Base, others: Sequence[Base], limit: int) -> bool:
    return any(to_mil(gap(*base, *other)) <= limit for other in others)


def _instead(way: _Way, retreat: Retreat, near: Sequence[Base], taken: Sequence[Base], limit: int) -> Point | None:
    """Return the best place within `limit` mil of one of `near` to which a figure could fall back straight, or None.

    The farthest place is best, and of equally far ones the one closest to the chosen direction.
    """
    turns = range(-retreat.spread, retreat.spread + 1, TURN)
    lengths = [*range(retreat.length, 0, -STEP)]
    for length in lengths:
        for turn in sorted(turns, key=lambda turn: angle_difference(retreat.away + turn, retreat.angle)):
            at = _end(way.start, retreat.away + turn, length)
            if not _touches_any((at, way.ground.radius), near, limit) or way.ground.fault(at, taken):
                continue
            if walk_fault((way.start, at), way.ground.radius, way.ground.obstacles) is None:
                return at
    return None
