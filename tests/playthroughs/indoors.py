"""Ways of sensible seats where the aim lies in a house: in by its doors and windows, and once inside to where one fires out.

Only on tables with such a house; on others the seats play as they ever did.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.answers.paths import Around
from server.kernel.space.geometry import Point, centroid, direction, distance, moved
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit

BEFORE, BEHIND = 700, 900
"""How far (mil) before an opening a figure turns to it, and how far behind it one stands that looks out."""
PITCH = 1250
"""Between places in a room, in mil."""
TRIES = 24
"""How many ways of a figure are tried."""
AT_ONCE = 2
"""In so many last turns those inside stay by the aim."""


class Opening(Struct, frozen=True):
    """The places before and behind a door or window."""

    before: Point
    behind: Point


def room_at(believed: State, goal: Point) -> Terrain | None:
    """The room in which an aim lies; None if that is in the open."""
    return next((piece for piece in believed.table.terrain if "indoors" in piece.flags and piece.holds(goal)), None)


def way_in(believed: State, parameter: PathParameter, room: Terrain, goal: Point) -> PathsDeclared | None:
    """A legal move of a squad on foot into `room`, or within it; None if the house is far off, or there is no such move."""
    unit = believed.units[parameter.unit]
    openings = _openings(believed, room)
    places = [at for at, _ in unit.places()]
    if not any(room.holds(at) for at in places) and not _near(places, openings, parameter.allowance):
        return None
    looking = believed.turn.number + AT_ONCE <= int(believed.victory.get("turn_limit", 0))
    around, paths = Around(believed, parameter), dict[str, tuple[Point, ...]]()
    standing = {key: figure.at for key, figure in unit.living.items() if figure.at is not None}
    for key, at in sorted(standing.items(), key=lambda row: distance(row[1], goal)):
        ways = _inside(believed, unit, openings, at, goal, looking=looking) if room.holds(at) else None
        for way in list(ways or _from_outside(room, openings, at, goal, parameter.allowance))[:TRIES]:
            trial = PathsDeclared({**paths, key: way})
            if check_path(believed, parameter, trial, around) is None:
                paths[key] = way
                break
    return PathsDeclared(paths) if paths else None


def _near(places: list[Point], openings: list[Opening], allowance: int) -> bool:
    return any(distance(centroid(places), opening.before) < allowance for opening in openings)


def _openings(believed: State, room: Terrain) -> list[Opening]:
    found = []
    for piece in believed.table.terrain:
        if "opening" in piece.flags and piece.id.startswith(f"{room.id}."):
            one, other = piece.outline
            middle, along = centroid([one, other]), direction(one, other)
            sides = (moved(middle, along + 9000, BEHIND), moved(middle, along - 9000, BEHIND))
            inward = 9000 if room.holds(sides[0]) else -9000
            found.append(Opening(moved(middle, along - inward, BEFORE), moved(middle, along + inward, BEHIND)))
    return found


def _from_outside(
    room: Terrain, openings: list[Opening], at: Point, goal: Point, allowance: int
) -> Iterator[tuple[Point, ...]]:
    """Yield ways through the nearest openings to places in the room, those nearest to the aim first, and up to the openings."""
    nearest = sorted(openings, key=lambda one: distance(at, one.before) + distance(one.before, goal))[:3]
    for opening in nearest:
        for end in sorted(_places(room), key=lambda place: distance(place, goal)):
            way = (opening.before, opening.behind, end)
            if _length(at, way) < allowance:
                yield way
    for opening in nearest:
        far = distance(at, opening.before)
        for share in (100, 80, 60, 40):
            yield (moved(at, direction(at, opening.before), round(min(far, allowance - 100) * share / 100)),)


def _inside(
    believed: State, unit: Unit, openings: list[Opening], at: Point, goal: Point, *, looking: bool
) -> list[tuple[Point, ...]]:
    """Return ways of a figure inside: to openings on the side of the nearest enemy, or to the aim."""
    foes = [place for foe in believed.enemies_of(unit.side) if foe.on_table for place, _ in foe.places()]
    if not looking or not foes:
        return [(moved(at, direction(at, goal), round(distance(at, goal) * share / 100)),) for share in (80, 50, 25)]
    enemy = min(foes, key=lambda place: distance(at, place))
    posts = sorted((opening.behind for opening in openings), key=lambda place: distance(place, enemy))
    return [(moved(post, angle, 550),) for post in posts[:4] for angle in (0, 18000, 9000, 27000)]


def _places(room: Terrain) -> list[Point]:
    xs, ys = [x for x, _ in room.outline], [y for _, y in room.outline]
    return [
        (x, y)
        for x in range(min(xs) + PITCH, max(xs), PITCH)
        for y in range(min(ys) + PITCH, max(ys), PITCH)
        if room.holds((x, y))
    ]


def _length(at: Point, way: tuple[Point, ...]) -> float:
    return sum(distance(a, b) for a, b in pairwise((at, *way)))
