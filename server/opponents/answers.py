"""Answers worth weighing: for each kind of parameter a few legal values, the likely ones first."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    DirectionParameter,
    DirectionTaken,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Parameter,
    PathParameter,
    PathsDeclared,
    PlacementParameter,
    PointParameter,
    PointTaken,
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.answers.assignments import assignment_fault
from server.kernel.answers.placements import check_placement
from server.kernel.answers.points import check_point
from server.kernel.bodies import hulls
from server.kernel.finding.formation import set_down
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import Point, bounds, centroid, contains, distance
from server.kernel.standing import bases, end_bodies, terrain_of
from server.kernel.state import Unit
from server.opponents.outlook import Outlook, middle
from server.opponents.posts import at_posts, to_posts
from server.opponents.strengths import Strength
from server.opponents.ways import along, detour, ways

_MOST_PLACES = 6
"""In how many places of a zone it thinks of setting a unit down."""
_MOST_POINTS = 8


def values(outlook: Outlook, parameter: Parameter, strength: Strength, chance: random.Random) -> Iterator[Value]:
    """Yield legal values for a parameter, fewer for a weaker strength."""
    if isinstance(parameter, UnitParameter):
        yield from (UnitNamed(one.unit) for one in parameter.candidates if one.why is None)
    elif isinstance(parameter, PathParameter):
        yield from _ways(outlook, parameter, strength)
    elif isinstance(parameter, FiguresParameter):
        for count in {parameter.least, parameter.most}:
            yield FiguresPicked(parameter.figures[:count])
    elif isinstance(parameter, DirectionParameter):
        yield DirectionTaken(parameter.middle)
    elif isinstance(parameter, AssignmentParameter):
        yield from _assignments(parameter)
    elif isinstance(parameter, StopParameter):
        marks = {parameter.suggested, *(mark for span in parameter.spans for mark in (*span, sum(span) // 2))}
        yield from (StopTaken(mark) for mark in sorted(marks))
    elif isinstance(parameter, PointParameter):
        yield from _points(outlook, parameter)
    else:
        yield from _placements(outlook, parameter, chance)


# --- ways -----------------------------------------------------------------------------------------------------------


def _ways(outlook: Outlook, parameter: PathParameter, strength: Strength) -> Iterator[PathsDeclared]:
    unit = outlook.state.units[parameter.unit]
    if not unit.on_table:
        return
    wanted = _wanted(outlook, unit, parameter.allowance, strength)
    found = ways(outlook.state, parameter, wanted, strength.ways)
    yield from found
    if strength.detours:
        yield from to_posts(outlook, parameter)
    if strength.detours and wanted and not _comes_near(unit, found, wanted[0], parameter.allowance):
        way = detour(outlook.state, parameter, wanted[0])
        declared = None if way is None else along(outlook.state, parameter, way)
        if declared is not None:
            yield declared


def _wanted(outlook: Outlook, unit: Unit, allowance: int, strength: Strength) -> list[Point]:
    """Return the places to which a unit may want to go: its goal, the nearest enemies, cover near by."""
    at = middle(unit)
    goal = outlook.goal(unit)
    found = [] if goal is None else [goal.at]
    foes = sorted(outlook.foes, key=lambda foe: distance(at, middle(foe)))
    found += [middle(foe) for foe in foes[: 2 if strength.ways > 2 else 1]]
    if strength.cautious:
        covers = [
            centroid(piece.outline) for piece in outlook.state.table.terrain if piece.cover != outlook.hints.covers(())
        ]
        covers = [place for place in covers if distance(at, place) <= allowance * 3 // 2]
        found += sorted(covers, key=lambda place: distance(at, place))[: strength.ways // 2]
    return found


def _comes_near(unit: Unit, found: Sequence[PathsDeclared], goal: Point, allowance: int) -> bool:
    """Return whether one of these ways brings a unit nearer to a place by a good part of what it may move, or to it."""
    before = distance(middle(unit), goal)
    for way in found:
        ends = [body.at for body in end_bodies(unit, way).values()]
        after = distance(centroid(ends), goal)
        if after < 1_000 or before - after >= allowance * 0.6:
            return True
    return before < 1_000


# --- what is aimed, placed and given out ----------------------------------------------------------------------------


def _assignments(parameter: AssignmentParameter) -> Iterator[Assigned]:
    """Yield what is suggested, and all rows at each target that options name."""
    yield Assigned(parameter.suggested)
    targets = {option.unit: None for row in parameter.rows for option in row.options if option.unit}
    for target in targets:
        given: dict[str, str] = {}
        for row in parameter.rows:
            able = [option.key for option in row.options if option.unit == target]
            like = parameter.suggested.get(row.key, "").partition("@")[0]
            if able and len(given) < parameter.most:
                given[row.key] = next((key for key in able if key.partition("@")[0] == like), able[0])
        value = Assigned(given)
        if given != parameter.suggested and assignment_fault(parameter, value) is None:
            yield value


def _points(outlook: Outlook, parameter: PointParameter) -> Iterator[PointTaken]:
    if parameter.suggested is not None:
        yield PointTaken(parameter.suggested)
    meant = parameter.near or tuple(foe.id for foe in outlook.foes)
    found = 0
    for key in meant:
        places = [at for at, _ in outlook.state.units[key].places()]
        if not places:
            continue
        mean = centroid(places)
        for at in (mean, min(places, key=lambda place: distance(place, mean))):
            value = PointTaken(at)
            if found < _MOST_POINTS and check_point(outlook.state, parameter, value) is None:
                found += 1
                yield value


def _placements(outlook: Outlook, parameter: PlacementParameter, chance: random.Random) -> Iterator[FiguresPlaced]:
    suggested = FiguresPlaced(parameter.suggested)
    if check_placement(outlook.state, parameter, suggested) is None:
        yield suggested
    if len(parameter.units) > 1:
        return
    yield from at_posts(outlook, parameter)
    state = outlook.state
    unit = state.units[parameter.units[0]]
    size = (state.table.width, state.table.height)
    ground = Ground(size, terrain_of(state, parameter.barred[0]), bases(state), None, hulls(state))
    for near in _near(outlook, parameter.zone, chance):
        places = set_down(unit, parameter.zone, ground, parameter.gaps[0], near, parameter.bonds)
        value = FiguresPlaced((places,))
        if places and check_placement(state, parameter, value) is None:
            yield value


def _near(outlook: Outlook, zone: Sequence[Point], chance: random.Random) -> list[Point]:
    """Return places within a zone: cover, its edge towards the goals, and some at random."""
    left, bottom, right, top = bounds(tuple(zone))
    terrain = outlook.state.table.terrain
    covers = [centroid(piece.outline) for piece in terrain if piece.cover != outlook.hints.covers(())]
    found = [place for place in covers if contains(tuple(zone), place)]
    chance.shuffle(found)
    found = found[: _MOST_PLACES // 2]
    for goal in outlook.hints.goals(outlook.state):
        found.append((min(max(goal.at[0], left), right), min(max(goal.at[1], bottom), top)))
    while len(found) < _MOST_PLACES:
        found.append((left + chance.randrange(right - left + 1), bottom + chance.randrange(top - bottom + 1)))
    return found[:_MOST_PLACES]
