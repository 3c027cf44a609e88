"""The retreat after a close assault: each figure its own straight way, stopped short of what it may not touch.

How far and which way come first: no figure goes farther than the length, outside the cone in which its owner may choose a
direction, or to a place nearer to the squad it fought than where it began. Coherency is restored as far as that allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from server.kernel.answers.check import TOUCH, bases, terrain_of
from server.kernel.facts import Declared, FiguresFell, UnitLeft, UnitMoved
from server.kernel.procedure import Steps
from server.kernel.space.geometry import Point, angle_difference, at_most, distance, gap, heading, moved, to_mil
from server.kernel.space.obstacles import Neighbour, Obstacles
from server.kernel.space.paths import Base, cohesive, on_table, overlaps
from server.kernel.space.walking import walk_fault
from server.kernel.state import Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.movement import CoherencyDistance

RULE = "assault.fall-back"
STEP = 250
"""Mil: how closely the places are searched that a stray could fall back to instead."""
TURN = 500
"""The same for directions, in hundredths of a degree."""


class Retreat(Struct, frozen=True):
    """How a unit falls back: from the squad `enemy`, by `length` mil in the direction `angle`, which its owner chose within
    `spread` of `away`, straight away from that squad.
    """

    enemy: str
    angle: int
    length: int
    away: int
    spread: int


def withdraw(game: FadGame, unit_id: str, retreat: Retreat) -> Steps[None]:
    """Move `unit_id` as `retreat` has it (fad4/assault.fall-back): difficult ground is ignored, impassable terrain and other
    enemies stop it, and figures that leave the table are gone. Coherency is restored where it can be, else it is told.
    """
    unit = game.unit(unit_id)
    ways = {key: _way(game, unit, key, retreat) for key, figure in unit.living.items() if figure.at is not None}
    off = tuple(key for key, way in ways.items() if way.leaves)
    if off:
        yield FiguresFell(unit_id, off, "left_table", RULE)
        unit = game.unit(unit_id)
        if unit.strength == 0:
            yield UnitLeft(unit_id, "left_table", RULE)
            return
    ways = {key: way for key, way in ways.items() if not way.leaves}
    ends = _ends(game, unit, ways, retreat.angle)
    limit = game.rules.advisers.answer(game.state, CoherencyDistance(unit_id)).value
    radii = {key: way.ground.radius for key, way in ways.items()}
    if not _coherent(ends, radii, limit):
        ends = _gathered(game, unit, ways, ends, retreat, limit)
    paths: dict[str, tuple[Point, ...]] = {key: (at,) for key, at in ends.items() if at != unit.figures[key].at}
    if paths:
        yield UnitMoved(unit_id, "fall-back", paths, RULE)
    if not _coherent(ends, radii, limit):
        yield Declared(unit_id, "out-of-coherency", "coherency.broken")


class _Ground(Struct, frozen=True):
    """Where a base of `radius` may go and end: past these `obstacles` (enemies' bases that it may not touch, grown by what counts
    as contact), and as far from each of `off` (a base and what must lie between the edges) as it says. Where others stand
    comes with the question.
    """

    radius: int
    obstacles: Obstacles
    off: Sequence[tuple[Base, int]]

    def fault(self, at: Point, taken: Sequence[Base]) -> bool:
        """Whether one may not end at `at`."""
        return (
            not on_table(at, self.radius, self.obstacles.table_size)
            or overlaps(at, self.radius, taken)
            or any(overlaps(at, self.radius, [(there, other + apart)]) for (there, other), apart in self.off)
            or any(to_mil(piece.distance(at)) < self.radius for piece in self.obstacles.barred)
        )


class _Way(Struct, frozen=True):
    """How far a figure comes on its own: from `start` by `length` mil at most, or off the table (`leaves`)."""

    start: Point
    length: int
    ground: _Ground
    leaves: bool


def _way(game: FadGame, unit: Unit, key: str, retreat: Retreat) -> _Way:
    """The stretch of figure `key` until something stops it. Whom it touches now it leaves; no other enemy may be touched, and to
    the squad it fought it may not end nearer than it began (from edge to edge, to that squad's nearest figure).
    """
    state = game.state
    figure = unit.figures[key]
    at, radius = figure.at, figure.radius
    assert at is not None, "only figures on the table fall back"
    # A mil more than contact, and one for rounding where the way stops.
    avoided = tuple(
        Neighbour(
            foe.id,
            tuple((there, r + TOUCH + 2) for there, r in foe.places() if to_mil(gap(at, radius, there, r)) > TOUCH),
        )
        for foe in state.enemies_of(unit.side)
    )
    fought = state.units[retreat.enemy].places()
    nearest = min((to_mil(gap(at, radius, *foe)) for foe in fought), default=0)
    barred = terrain_of(state, game.rules.pieces_with(state, "impassable"))
    obstacles = Obstacles((state.table.width, state.table.height), tuple(barred), avoided)
    ground = _Ground(
        radius, obstacles, [*((base, 0) for base in obstacles.bases()), *((foe, nearest) for foe in fought)]
    )
    end = _along(at, retreat.angle, retreat.length)
    fault = walk_fault((at, end), radius, obstacles)
    if fault is None:
        return _Way(at, retreat.length, ground, leaves=False)
    reached = min(retreat.length, to_mil(distance(at, fault.at)))
    return _Way(at, reached, ground, leaves=fault.kind == "table" and game.rules.chapters.leaves_table)


def _along(start: Point, angle: int, length: int) -> Point:
    """The point `length` mil from `start`, or a mil less where rounding would make it more."""
    end = moved(start, angle, length)
    return end if at_most(distance(start, end), length) else moved(start, angle, length - 1)


def _ends(game: FadGame, unit: Unit, ways: Mapping[str, _Way], angle: int) -> dict[str, Point]:
    """Where each figure comes to a stand: at the farthest free place of its way, the foremost first."""
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
    """The farthest free place on a way; its start when there is none. From a place that a base takes one goes back to where the
    way leaves that base's reach, and looks again.
    """
    radius = way.ground.radius
    circles = [(there, radius + other) for there, other in taken]
    circles += [(there, radius + other + apart) for (there, other), apart in way.ground.off]
    length = way.length
    while length > 0:
        at = _along(way.start, angle, length)
        if not way.ground.fault(at, taken):
            return at
        before = (
            _entered(way.start, angle, *circle) for circle in circles if to_mil(distance(at, circle[0])) < circle[1]
        )
        # A mil at least: what terrain takes, and what rounding adds, has no circle.
        length = min(length - 1, math.ceil(min(before, default=length)))
    return way.start


def _entered(start: Point, angle: int, centre: Point, reach: int) -> float:
    """How far from `start` the straight way comes within `reach` of `centre`; below 0 when it begins there."""
    x, y = heading(angle)
    dx, dy = centre[0] - start[0], centre[1] - start[1]
    along = dx * x + dy * y
    aside = dx * dx + dy * dy - along * along
    return along - math.sqrt(max(0.0, reach * reach - aside))


def _coherent(ends: Mapping[str, Point], radii: Mapping[str, int], limit: int) -> bool:
    return cohesive(list(ends.values()), [radii[key] for key in ends], limit)


# --- coherency ------------------------------------------------------------------------------------------------------


def _gathered(
    game: FadGame, unit: Unit, ways: Mapping[str, _Way], ends: Mapping[str, Point], retreat: Retreat, limit: int
) -> dict[str, Point]:
    """`ends` with strays where they are in coherency with the largest part of the squad, if they could have fallen back to such
    a place: straight, within the length and the cone. Who finds none goes his own way.
    """
    others = bases(game.state, without=[unit.id])
    standing = {key: (at, ways[key].ground.radius) for key, at in ends.items()}
    body = _largest_part(standing, limit)
    waiting = [key for key in standing if key not in body]
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
    """The most figures that hold together, in roster order."""
    parts: list[list[str]] = []
    for key, base in standing.items():
        mine = [part for part in parts if _touches_any(base, [standing[mate] for mate in part], limit)]
        parts = [part for part in parts if part not in mine] + [[mate for part in mine for mate in part] + [key]]
    largest = max(parts, key=len)
    return [key for key in standing if key in largest]


def _touches_any(base: Base, others: Sequence[Base], limit: int) -> bool:
    return any(to_mil(gap(*base, *other)) <= limit for other in others)


def _instead(way: _Way, retreat: Retreat, near: Sequence[Base], taken: Sequence[Base], limit: int) -> Point | None:
    """The place within `limit` mil of one of `near` to which a figure could fall back straight: the farthest, and of those the
    one least off the chosen direction; None when there is none.
    """
    turns = range(-retreat.spread, retreat.spread + 1, TURN)
    lengths = [*range(retreat.length, 0, -STEP)]
    for length in lengths:
        for turn in sorted(turns, key=lambda turn: angle_difference(retreat.away + turn, retreat.angle)):
            at = _along(way.start, retreat.away + turn, length)
            if not _touches_any((at, way.ground.radius), near, limit) or way.ground.fault(at, taken):
                continue
            if walk_fault((way.start, at), way.ground.radius, way.ground.obstacles) is None:
                return at
    return None
