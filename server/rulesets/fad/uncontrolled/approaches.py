"""What an uncontrolled unit does in its activation: by its group's discipline, then by its approach.

Combat speed is to engage the enemy (move, then fire), full speed to move out (fad4/ai.speeds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from client_protocol.choices import PathsDeclared
from server.kernel.bodies import is_vehicle
from server.kernel.notes import words
from server.kernel.space.geometry import (
    Point,
    angle_difference,
    between,
    centroid,
    direction,
    distance,
    inches,
    to_point,
)
from server.kernel.space.terrain import Terrain
from server.rulesets.fad.game import UNDER_FIRE
from server.rulesets.fad.uncontrolled.discipline import at_refuge, covering, occupies, refuge_point
from server.rulesets.fad.uncontrolled.eyes import Eyes
from server.rulesets.fad.uncontrolled.groups import (
    ENGAGE,
    FALL_BACK,
    GATHER,
    HOLD,
    STAND,
    TARGET,
    goal_point,
    rallying_point,
)
from server.rulesets.fad.uncontrolled.watching import VISITED
from server.rulesets.fad.uncontrolled.ways import Ways
from server.rulesets.shared.distances import enemies_by_distance

MOST_SPOTS = 6
"""In how many covered places, the nearest first, it is looked whether an enemy can be shot at from there."""
AHEAD = 4500
"""How far a feature may lie aside of the way to the enemy's edge, in hundredths of a degree."""
CLEARANCE = 1
"""The inches that a way keeps from all enemies, for a unit whose escape is not cut off."""


class Intent(Struct, frozen=True):
    """What a unit is to do, and why.

    Attributes:
        act: "assault", "fire", "move" (at combat speed), "run" (at full speed) or "hold".
        reason: a key of the words of this chapter.
        rule: the rule behind it.
        target: the enemy that it is about.
        way: the move.
        place: the objective, terrain piece or point that it is about.
    """

    act: str
    reason: str
    rule: str
    target: str = ""
    way: PathsDeclared = PathsDeclared({})
    place: str = ""


MOVES = ("move-fire", "drive-fire")
RUNS = ("move-out", "drive-out")
FIRES = ("open-fire", "fire-move", "fire-all", "fire-drive", "fire")
"""The keys of the choices for combat speed, for full speed, and to fire and stay, of squads, vehicles and squads that got off."""


def intent(eyes: Eyes) -> Intent:
    """Return what a unit does in its activation."""
    if eyes.group.standing == STAND:
        return _stand(eyes)
    if eyes.group.standing == GATHER:
        return _gather(eyes)
    return _APPROACHES[eyes.approach](eyes)


# --- what all approaches use ----------------------------------------------------------------------------------------


def _ways(eyes: Eyes, keys: tuple[str, ...]) -> Ways | None:
    return next((ways for key in keys if (ways := eyes.ways(key)) is not None), None)


def _targets(eyes: Eyes) -> list[str]:
    """Return whom the unit can shoot at from where it stands, the best target first."""
    if is_vehicle(eyes.unit):
        aimed = [key for key in eyes.visible if key in eyes.foes] if eyes.aim_from(eyes.state) else []
    else:
        able = next((found for key in FIRES if (found := eyes.named(key))), [])
        aimed = [key for key, _ in eyes.ranked(able, open_fire=True)]
    bursts = eyes.bursts(eyes.state, eyes.asked.choices)
    return list(dict.fromkeys([*aimed, *(key for burst in bursts for key in burst.foes)]))


def _pieces(eyes: Eyes) -> list[Terrain]:
    return list(covering(eyes.rules, eyes.state))


def _into_cover(eyes: Eyes, *, shooting: bool) -> PathsDeclared | None:
    """Return the shortest move at combat speed into cover, if `shooting` one after which the unit can shoot at a foe."""
    ways = _ways(eyes, MOVES)
    if ways is None:
        return None
    for way in islice(ways.into_cover(_pieces(eyes)), MOST_SPOTS):
        if not shooting or eyes.shot_from(ways.after(way)):
            return way
    return None


def _out_of_sight(eyes: Eyes) -> PathsDeclared | None:
    ways = _ways(eyes, MOVES)
    if ways is None:
        return None
    return next((way for way in ways.spread() if eyes.hidden(ways.after(way))), None)


def _fire_or_hold(eyes: Eyes, reason: str, rule: str) -> Intent:
    found = _targets(eyes)
    return Intent("fire", f"{reason}-fire", rule, found[0]) if found else Intent("hold", f"{reason}-wait", rule)


def _to(
    eyes: Eyes,
    keys: tuple[str, ...],
    goal: Point,
    suits: Callable[[Ways], Callable[[PathsDeclared], bool]] | None = None,
) -> PathsDeclared | None:
    ways = _ways(eyes, keys)
    return None if ways is None else ways.towards(goal, None if suits is None else suits(ways))


def _full_speed(
    eyes: Eyes, goal: Point, reason: str, rule: str, place: str, *, formation: bool = False
) -> Intent | None:
    """Return the run towards a goal; a unit that may not run there moves at combat speed (fad4/ai.speeds)."""

    def together(ways: Ways) -> Callable[[PathsDeclared], bool]:
        limit = inches(eyes.table.formation)
        return lambda way: eyes.gap_to_group(ways.after(way)) <= limit

    suits = together if formation else None
    way = _to(eyes, RUNS, goal, suits)
    if way is not None:
        return Intent("run", f"{reason}-run", rule, way=way, place=place)
    way = _to(eyes, MOVES, goal, suits)
    return None if way is None else Intent("move", f"{reason}-move", rule, way=way, place=place)


# --- what the discipline test says ----------------------------------------------------------------------------------


def _stand(eyes: Eyes) -> Intent:
    """Hold the position this turn, and better it (fad4/ai.discipline-hold)."""
    rule = "ai.discipline-hold"
    if not eyes.covered:
        way = _into_cover(eyes, shooting=True) or _into_cover(eyes, shooting=False)
        if way is not None:
            return Intent("move", "stand-cover", rule, way=way)
        if UNDER_FIRE in eyes.unit.conditions or not _targets(eyes):
            way = _out_of_sight(eyes) if eyes.visible else None
            if way is not None:
                return Intent("move", "stand-hide", rule, way=way)
    return _fire_or_hold(eyes, "stand", rule)


def _gather(eyes: Eyes) -> Intent:
    """Withdraw at full speed to the place that the group's commander has chosen (fad4/ai.discipline-fail)."""
    rule, place = "ai.discipline-fail", eyes.group.refuge
    if not at_refuge(eyes.rules, eyes.state, eyes.group, eyes.unit):
        going = _full_speed(eyes, refuge_point(eyes.state, eyes.group), "gather", rule, place)
        if going is not None:
            return going
    return _fire_or_hold(eyes, "gather", rule)


# --- Engage ---------------------------------------------------------------------------------------------------------


def _engage(eyes: Eyes) -> Intent:
    """Fight what shows itself, else advance (fad4/ai.engage)."""
    rule = "ai.engage"
    if not eyes.visible:
        return _advance(eyes)
    found = _targets(eyes)
    for key, ahead in eyes.chargeable():
        if key not in eyes.visible:
            continue
        # With an equal factor: not at those in cover, and not in the place of a shot at those in the open.
        if ahead > 0 or (ahead == 0 and not eyes.sheltered(key) and key not in found):
            return Intent("assault", "engage-assault", "ai.assault-factor", key)
    if found:
        way = None if eyes.covered else _into_cover(eyes, shooting=True)
        return (
            Intent("fire", "engage-fire", rule, found[0])
            if way is None
            else Intent("move", "engage-cover", rule, way=way)
        )
    way = _into_cover(eyes, shooting=True)
    if way is not None:
        return Intent("move", "engage-range", rule, way=way)
    near = eyes.visible[0]
    way = _to(eyes, MOVES, centroid([at for at, _ in eyes.state.units[near].places()]))
    return Intent("hold", "engage-wait", rule) if way is None else Intent("move", "engage-close", rule, near, way)


def _advance(eyes: Eyes) -> Intent:
    """Advance to the nearest feature ahead, or to the middle of the enemy's edge (fad4/ai.engage-no-enemy)."""
    rule = "ai.engage-no-enemy"
    edge = enemy_edge(eyes)
    piece = _feature(eyes, edge)
    if piece is not None:
        way = _to(eyes, MOVES, _inside(piece))
        if way is not None:
            return Intent("move", "engage-feature", rule, way=way, place=f"piece:{piece.id}")
    way = _to(eyes, MOVES, edge)
    return Intent("hold", "engage-wait", rule) if way is None else Intent("move", "engage-edge", rule, way=way)


def _inside(piece: Terrain) -> Point:
    return centroid(list(piece.outline))


def _feature(eyes: Eyes, edge: Point) -> Terrain | None:
    """Return the nearest cover ahead that the unit has not been at: nearer to the enemy's edge, within 45 degrees of the way to
    its middle.
    """
    start = eyes.centre
    seen = words(eyes.unit.profile, VISITED)
    ahead = direction(start, edge)

    def fits(piece: Terrain) -> bool:
        at = _inside(piece)
        nearer = off_edge(eyes, at) < off_edge(eyes, start)
        return piece.id not in seen and nearer and angle_difference(direction(start, at), ahead) <= AHEAD

    found = [piece for piece in _pieces(eyes) if fits(piece)]
    return min(found, key=lambda piece: (piece.distance(start), piece.id), default=None)


def enemy_edge(eyes: Eyes) -> Point:
    """Return the middle of the enemy's edge of the table, or of the zone of an enemy without one."""
    for side in eyes.state.sides.values():
        if side.id != eyes.side:
            return rallying_point(eyes.state, side)
    return (eyes.state.table.width // 2, eyes.state.table.height // 2)


def off_edge(eyes: Eyes, at: Point) -> float:
    """Return how far a point is from the enemy's edge, in mil."""
    edge = enemy_edge(eyes)
    width, height = eyes.state.table.width, eyes.state.table.height
    if edge[0] in {0, width}:
        return abs(at[0] - edge[0])
    if edge[1] in {0, height}:
        return abs(at[1] - edge[1])
    return distance(at, edge)


# --- Target ---------------------------------------------------------------------------------------------------------


def _target(eyes: Eyes) -> Intent:
    """Go for the objective, and fight what is in the way (fad4/ai.target-advance, fad4/ai.target-run)."""
    goal, place = goal_point(eyes.state, eyes.group), eyes.group.goal
    charges = eyes.chargeable()
    # fad4/ai.target-assault: who occupies the objective is assaulted whatever the factor
    occupied = [key for key, _ in charges if eyes.occupier(eyes.state.units[key])]
    if occupied:
        return Intent("assault", "target-occupier", "ai.target-assault", occupied[0], place=place)
    allowed = [key for key, ahead in charges if ahead >= 0]
    if allowed:
        return Intent("assault", "target-assault", "ai.target-assault", allowed[0])
    there = occupies(eyes.rules, eyes.state, eyes.group, eyes.unit)
    if any(key in eyes.foes for key in eyes.visible):
        rule = "ai.target-advance"
        found = _targets(eyes)
        ways = None if there else _ways(eyes, MOVES)
        way = None if ways is None else ways.towards(goal, lambda way: eyes.shot_from(ways.after(way)))
        if way is not None and ways is not None and (not found or eyes.shot_from(ways.after(way))):
            return Intent("move", "target-advance", rule, found[0] if found else "", way, place)
        return _fire_or_hold(eyes, "target", rule)
    if there:
        return _fire_or_hold(eyes, "target", "ai.target-advance")
    # fad4/ai.target-run
    going = _full_speed(eyes, goal, "target", "ai.target-run", place, formation=True)
    return going or _fire_or_hold(eyes, "target", "ai.target-run")


# --- Hold -----------------------------------------------------------------------------------------------------------


def _hold(eyes: Eyes) -> Intent:
    """Occupy the position, and fire at those who come to it (fad4/ai.hold)."""
    rule, group = "ai.hold", eyes.group.held
    goal = goal_point(eyes.state, group)
    if eyes.lost:
        inside = [key for key, _ in eyes.chargeable() if eyes.inside(group, eyes.state.units[key])]
        if inside:
            # Reclaiming needs no factor.
            return Intent("assault", "hold-reclaim", rule, inside[0])
    if not eyes.inside(group, eyes.unit):
        way = _to(eyes, MOVES, goal, lambda ways: lambda way: eyes.shot_from(ways.after(way)))
        ways = _ways(eyes, MOVES)
        if way is not None and ways is not None and eyes.foes and eyes.shot_from(ways.after(way)):
            return Intent("move", "hold-return", rule, way=way, place=group.goal)
        going = _full_speed(eyes, goal, "hold", rule, group.goal)
        if going is not None:
            return going
    return _fire_or_hold(eyes, "hold", rule)


# --- Fall Back ------------------------------------------------------------------------------------------------------


def _fall_back(eyes: Eyes) -> Intent:
    """Go to the rallying point, as well covered as can be; return fire on the move (fad4/ai.fall-back)."""
    rule, goal = "ai.fall-back", eyes.group.rally
    if cut_off(eyes):
        barring = [key for key, ahead in eyes.chargeable(barring=True) if ahead >= 0]
        if barring:
            return Intent("assault", "fall-back-break", rule, barring[0])
        way = None if eyes.covered else _into_cover(eyes, shooting=False)
        if way is not None:
            return Intent("move", "fall-back-cut-off", rule, way=way)
        return _fire_or_hold(eyes, "fall-back", rule)
    slow = eyes.fired_upon
    for keys in (MOVES,) if slow else (RUNS, MOVES):
        way = _covertly(eyes, keys, goal)
        if way is not None:
            act = "run" if keys is RUNS else "move"
            return Intent(act, f"fall-back-{'return' if slow else act}", rule, way=way)
    return _fire_or_hold(eyes, "fall-back", rule)


def _covertly(eyes: Eyes, keys: tuple[str, ...], goal: Point) -> PathsDeclared | None:
    """Return the move towards a goal that is for its greatest part in cover or out of sight, of those that lose at most 3"."""
    ways = _ways(eyes, keys)
    straight = None if ways is None else ways.towards(goal)
    if ways is None or straight is None:
        return None
    limit = ways.left(straight, goal) + inches(eyes.table.detour)
    able = [straight, *(way for way in ways.fan(goal) if ways.left(way, goal) <= limit)]
    return max(able, key=lambda way: (_safe(eyes, ways, way), -ways.left(way, goal)))


def _safe(eyes: Eyes, ways: Ways, way: PathsDeclared) -> int:
    """Return at how many points of a move, half of the way and the end, the unit is in cover or out of sight."""
    return sum(ways.covered(part) or eyes.hidden(ways.after(part)) for part in _parts(eyes, way))


def _parts(eyes: Eyes, way: PathsDeclared) -> Iterator[PathsDeclared]:
    half: dict[str, tuple[Point, ...]] = {
        key: (to_point(between(start, path[-1], 0.5)),)
        for key, path in way.paths.items()
        if path and (start := eyes.unit.figures[key].at) is not None
    }
    yield PathsDeclared(half)
    yield way


def cut_off(eyes: Eyes) -> bool:
    """Return whether no way to the rallying point stays clear of every enemy (fad4/ai.fall-back)."""
    near = [one for one in enemies_by_distance(eyes.state, eyes.unit) if one.distance <= inches(2 * eyes.table.rallied)]
    ways = eyes.clear_ways(MOVES, inches(CLEARANCE)) if near and not is_vehicle(eyes.unit) else None
    return ways is not None and ways.blocked(eyes.group.rally, inches(eyes.table.rallied))


_APPROACHES: Mapping[str, Callable[[Eyes], Intent]] = {
    ENGAGE: _engage,
    TARGET: _target,
    HOLD: _hold,
    FALL_BACK: _fall_back,
}
