"""The retreat after a close assault: a straight stretch that stops short of what it may not touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from server.kernel.facts import FiguresFell, UnitLeft, UnitMoved
from server.kernel.formation import Ground
from server.kernel.geometry import Point, between, centroid, distance, gap, moved, to_mil, to_point
from server.kernel.paths import Base, cohesive, overlaps, path_faults
from server.kernel.procedure import Steps
from server.kernel.prompts import TOUCH, bases, terrain_of
from server.kernel.state import Unit
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.movement import CoherencyDistance

RULE = "assault.fall-back"


def withdraw(game: FadGame, unit_id: str, angle: int, length: int) -> Steps[None]:
    """Move `unit_id` by `length` mil in the direction `angle`: difficult ground is ignored, impassable terrain and other enemies
    stop it, figures that leave the table are gone, and coherency is restored where it can be.
    """
    unit = game.unit(unit_id)
    ways = {key: _way(game, unit, key, angle, length) for key, figure in unit.living.items() if figure.at is not None}
    off = tuple(key for key, way in ways.items() if way.leaves)
    if off:
        yield FiguresFell(unit_id, off, "left_table", RULE)
        unit = game.unit(unit_id)
        if unit.strength == 0:
            yield UnitLeft(unit_id, "left_table", RULE)
            return
    ends = _ends(game, unit, {key: way for key, way in ways.items() if not way.leaves}, angle)
    ends = _gathered(game, unit, ends)
    paths: dict[str, tuple[Point, ...]] = {key: (at,) for key, at in ends.items() if at != unit.figures[key].at}
    if paths:
        yield UnitMoved(unit_id, "fall-back", paths, RULE)


class _Way(Struct, frozen=True):
    """How far a figure comes on its own: from `start` to `end`, or off the table (`leaves`). `avoided` are the enemies' bases,
    grown by what counts as contact.
    """

    start: Point
    end: Point
    avoided: tuple[Base, ...]
    leaves: bool


def _way(game: FadGame, unit: Unit, key: str, angle: int, length: int) -> _Way:
    """The stretch of figure `key` until something stops it. Whom it touches now it leaves; nobody else may be touched."""
    state = game.state
    figure = unit.figures[key]
    at, radius = figure.at, figure.radius
    assert at is not None, "only figures on the table fall back"
    enemies = [base for foe in state.enemies_of(unit.side) for base in foe.places()]
    # A mil more than contact, and one for rounding where the way stops.
    avoided = tuple((there, r + TOUCH + 2) for there, r in enemies if to_mil(gap(at, radius, there, r)) > TOUCH)
    end = moved(at, angle, length)
    barred = terrain_of(state, game.rules.pieces_with(state, "impassable"))
    fault = path_faults((at, end), radius, (state.table.width, state.table.height), barred, avoided)
    if fault is None:
        return _Way(at, end, avoided, leaves=False)
    return _Way(at, fault.at, avoided, leaves=fault.kind == "table")


def _ends(game: FadGame, unit: Unit, ways: dict[str, _Way], angle: int) -> dict[str, Point]:
    """Where each figure comes to a stand: as far along its way as there is room, off everybody's base, the foremost first."""
    state = game.state
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, game.rules.pieces_with(state, "impassable"))
    taken = bases(state, without=[unit.id])
    far = moved((0, 0), angle, 1_000_000)
    ends: dict[str, Point] = {}
    for key, way in sorted(ways.items(), key=lambda row: -(row[1].start[0] * far[0] + row[1].start[1] * far[1])):
        radius = unit.figures[key].radius
        ground = Ground(size, barred, taken, _clear(way.avoided))
        ends[key] = _last_free(ground, way.start, way.end, radius)
        taken.append((ends[key], radius))
    return ends


def _last_free(ground: Ground, start: Point, end: Point, radius: int) -> Point:
    """The farthest free place on the way, else the nearest free place to its end that is not beyond it, else near the start."""
    for step in range(12, -1, -1):
        at = to_point(between(start, end, step / 12))
        if ground.free(at, radius):
            return at
    near = ground.nearest(end, radius, reach=int(distance(start, end)))
    return near or ground.nearest(start, radius) or start


def _gathered(game: FadGame, unit: Unit, ends: dict[str, Point]) -> dict[str, Point]:
    """Ends with strays drawn towards the others where there is room, if the unit would be out of coherency."""
    limit = game.rules.advisers.answer(game.state, CoherencyDistance(unit.id)).value
    radius = {key: unit.figures[key].radius for key in ends}
    if cohesive(list(ends.values()), list(radius.values()), limit):
        return ends
    state = game.state
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, game.rules.pieces_with(state, "impassable"))
    enemies = [base for foe in state.enemies_of(unit.side) for base in foe.places()]
    taken: list[Base] = bases(state, without=[unit.id])
    middle = centroid(list(ends.values()))
    gathered: dict[str, Point] = {}
    ground = Ground(size, barred, taken, _clear([(there, r + TOUCH + 1) for there, r in enemies]))
    for key in sorted(ends, key=lambda k: distance(ends[k], middle)):
        at = ends[key]
        placed = at
        if gathered and not _near(gathered, radius, at, radius[key], limit):
            mate = min(gathered, key=lambda k: distance(gathered[k], at))
            goal = gathered[mate]
            wanted = to_point(
                between(goal, at, min(1.0, (radius[key] + radius[mate] + limit * 4 // 5) / distance(goal, at)))
            )
            placed = ground.nearest(wanted, radius[key], reach=limit) or at
        if not ground.free(placed, radius[key]):
            placed = ground.nearest(placed, radius[key]) or placed
        ground.take(placed, radius[key])
        gathered[key] = placed
    return {key: gathered[key] for key in ends}


def _near(placed: dict[str, Point], radii: dict[str, int], at: Point, radius: int, limit: int) -> bool:
    return any(to_mil(gap(at, radius, there, radii[key])) <= limit for key, there in placed.items())


def _clear(avoided: Sequence[Base]) -> Callable[[Point, int], bool]:
    return lambda at, radius: not overlaps(at, radius, avoided)
