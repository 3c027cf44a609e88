"""The retreat after a close assault: a straight stretch that stops short of what it may not touch."""

from __future__ import annotations

from collections.abc import Callable

from server.kernel.facts import FiguresFell, UnitLeft, UnitMoved
from server.kernel.formation import Ground
from server.kernel.geometry import Point, between, centroid, distance, gap, moved, to_mil, to_point
from server.kernel.paths import Base, cohesive, on_table, path_faults
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
    state = game.state
    unit = state.units[unit_id]
    size = (state.table.width, state.table.height)
    off = [
        key
        for key, f in unit.living.items()
        if f.at is not None and not on_table(moved(f.at, angle, length), f.radius, size)
    ]
    if off:
        yield FiguresFell(unit_id, tuple(off), "left_table", RULE)
        unit = game.unit(unit_id)
        if unit.strength == 0:
            yield UnitLeft(unit_id, "left_table", RULE)
            return
    ends = _ends(game, unit, angle, length)
    ends = _gathered(game, unit, ends)
    paths: dict[str, tuple[Point, ...]] = {key: (at,) for key, at in ends.items() if at != unit.figures[key].at}
    if paths:
        yield UnitMoved(unit_id, "fall-back", paths, RULE)


def _ends(game: FadGame, unit: Unit, angle: int, length: int) -> dict[str, Point]:
    """Where each figure comes to a stand: as far along the way as it can go, off everybody's base, the foremost first."""
    state = game.state
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, game.rules.pieces_with(state, "impassable"))
    enemies = [base for foe in state.enemies_of(unit.side) for base in foe.places()]
    ground = Ground(size, barred, bases(state, without=[unit.id]))
    far = moved((0, 0), angle, 1_000_000)
    figures = [(key, f.at, f.radius) for key, f in unit.living.items() if f.at is not None]
    figures.sort(key=lambda row: -(row[1][0] * far[0] + row[1][1] * far[1]))
    ends: dict[str, Point] = {}
    for key, at, radius in figures:
        wanted = moved(at, angle, length)
        # Whom the figure touches now it leaves; nobody else may be touched on the way.
        others = [(there, base + TOUCH) for there, base in enemies if to_mil(gap(at, radius, there, base)) > 2 * TOUCH]
        fault = path_faults((at, wanted), radius, size, barred, others)
        wanted = wanted if fault is None else fault.at
        end = _last_free(ground, at, wanted, radius)
        ground.take(end, radius)
        ends[key] = end
    return ends


def _last_free(ground: Ground, start: Point, end: Point, radius: int) -> Point:
    """The farthest free place on the way, else the nearest free place to its end that is not beyond it, else the start."""
    for step in range(12, -1, -1):
        at = to_point(between(start, end, step / 12))
        if ground.free(at, radius):
            return at
    return ground.nearest(end, radius, reach=int(distance(start, end)) or None) or start


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
    apart = _off(enemies)
    ground = Ground(size, barred, taken, apart)
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


def _off(enemies: list[Base]) -> Callable[[Point, int], bool]:
    def apart(at: Point, radius: int) -> bool:
        return all(to_mil(gap(at, radius, there, base)) > TOUCH for there, base in enemies)

    return apart
