"""Withdrawal of a unit with heavy losses that fails its activation."""

from __future__ import annotations

from client_protocol.choices import PathsDeclared
from server.kernel.bodies import bodies, body, hulls, is_vehicle
from server.kernel.facts import Declared, FiguresFell, UnitLeft
from server.kernel.finding.ground import Ground
from server.kernel.notes import pair
from server.kernel.procedure import Steps
from server.kernel.space.geometry import Point, centroid, direction, distance, inches, moved
from server.kernel.space.hulls import apart
from server.kernel.space.walking import walk_fault
from server.kernel.standing import bases, obstacles, terrain_of
from server.kernel.state import State, Unit
from server.rulesets.fubar import movement
from server.rulesets.fubar.game import SET_UP, FubarGame, FubarRules, fighting
from server.rulesets.shared.distances import visible_enemies

RULE = "activation.failed-withdraw"


def must_withdraw(rules: FubarRules, unit: Unit) -> bool:
    """Return whether `unit` withdraws if it fails: it has lost more than half of its figures
    (fubar4/activation.failed-withdraw).
    """
    if is_vehicle(unit) or fighting(unit) or unit.aboard:
        return False
    lost = len(unit.figures) - unit.strength
    return lost * 100 > rules.book.tables.withdrawal.percent * len(unit.figures)


def withdraw(game: FubarGame, unit: str) -> Steps[None]:
    """Move `unit` away from the nearest visible enemy, or towards where it was set up.

    Figures that reach the table's edge leave. The unit may not fire, but enemies On Guard may fire at it.
    """
    yield Declared(unit, "withdraw", RULE)
    angle, length = heading(game.rules, game.state, game.unit(unit))
    ways, leaving = _ways(game.rules, game.state, game.unit(unit), angle, length)
    yield from movement.go(game, unit, PathsDeclared(ways), "withdraw", RULE)
    left = game.unit(unit)
    gone = tuple(key for key in leaving if key in left.living and not movement.halted(left.figures[key]))
    if gone and not left.left:
        yield FiguresFell(unit, gone, "left_table", RULE)
        if game.unit(unit).strength == 0:
            yield UnitLeft(unit, "left_table", RULE)


def heading(rules: FubarRules, state: State, unit: Unit) -> tuple[int, int]:
    """Return where `unit` withdraws to: a direction in hundredths of a degree, and a distance in mil."""
    length = inches(rules.book.tables.withdrawal.move)
    middle = centroid([at for at, _ in unit.places()])
    visible = visible_enemies(rules, state, unit)
    if visible:
        enemy = state.units[visible[0].unit]
        own = list(bodies(unit).values())
        # Away from the nearest figure of the nearest enemy, on the line through the middle of the unit.
        threat = min(bodies(enemy).values(), key=lambda foe: min(apart(foe, mine) for mine in own))
        return direction(threat.at, middle), length
    goal = _set_up(state, unit)
    return direction(middle, goal), min(length, round(distance(middle, goal)))


def _set_up(state: State, unit: Unit) -> Point:
    noted = pair(unit.profile, SET_UP)
    if noted is not None:
        return noted
    zone = state.sides[unit.side].zone
    return centroid(zone) if zone else (state.table.width // 2, 0)


def _ways(
    rules: FubarRules, state: State, unit: Unit, angle: int, length: int
) -> tuple[dict[str, tuple[Point, ...]], tuple[str, ...]]:
    """Return the path of each figure as far as it gets, the foremost first, and the figures that reach the table's edge."""
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, rules.pieces_with(state, "impassable"))
    foes = [foe.id for foe in state.enemies_of(unit.side)]
    # fubar4/close.by-assault: a unit keeps clear of enemy vehicles too
    around = obstacles(state, unit.id, barred, foes, inches(rules.book.tables.close_combat.clear))
    far = moved((0, 0), angle, 1_000_000)
    ground = Ground(size, barred, bases(state, without=[unit.id]), hulls=hulls(state))
    figures = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    ways: dict[str, tuple[Point, ...]] = {}
    leaving: list[str] = []
    for key in sorted(figures, key=lambda k: -(body(figures[k]).at[0] * far[0] + body(figures[k]).at[1] * far[1])):
        start, radius = body(figures[key]).at, figures[key].radius
        end = moved(start, angle, length)
        fault = walk_fault((start, end), radius, around)
        if fault is not None:
            end = fault.at
            if fault.kind == "table":
                # fubar4/activation.failed-withdraw: a figure that reaches the edge is lost
                leaving.append(key)
                ways[key] = (end,)
                continue
        at = ground.farthest(start, end, radius) or start
        ground.take(at, radius)
        if at != start:
            ways[key] = (at,)
    return ways, tuple(leaving)
