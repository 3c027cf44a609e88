"""Figures at posts: places that an edition names as good ones, such as those behind a window (`Hints.posts`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from client_protocol.choices import FiguresPlaced, PathParameter, PathsDeclared, PlacementParameter
from server.kernel.answers.paths import Around, check_path
from server.kernel.answers.placements import check_placement
from server.kernel.space.geometry import Point, contains, distance
from server.kernel.standing import bases, has_hull
from server.kernel.state import Unit
from server.opponents.outlook import Outlook, middle

_STARTS: Final = 4
"""From how many of the posts one begins."""
_REACH: Final = 1.5
"""How many times as far as it may go a unit looks for posts."""


def to_posts(outlook: Outlook, parameter: PathParameter) -> Iterator[PathsDeclared]:
    """Yield legal ways on which a unit's figures go to posts, each straight."""
    state = outlook.state
    unit = state.units[parameter.unit]
    if not unit.on_table or has_hull(unit) or parameter.figures or parameter.straight or parameter.jump:
        return
    at = middle(unit)
    reach = parameter.allowance * _REACH
    around = Around(state, parameter)
    near = [group for group in _posts(outlook, unit) if distance(group[0], at) <= reach]
    for spots in _sequences(outlook, unit, near):
        for count in (unit.strength, 4, 2):
            places = _shared_out(unit, spots[:count])
            moves = {key: spot for key, spot in places.items() if unit.figures[key].at != spot}
            way = PathsDeclared({key: (spot,) for key, spot in moves.items()})
            if moves and check_path(state, parameter, way, around) is None:
                yield way
                break


def at_posts(outlook: Outlook, parameter: PlacementParameter) -> Iterator[FiguresPlaced]:
    """Yield legal placements of a single unit at posts in its zone."""
    state = outlook.state
    unit = state.units[parameter.units[0]]
    if len(parameter.units) > 1 or has_hull(unit):
        return
    zone = tuple(parameter.zone)
    near = [group for group in _posts(outlook, unit) if contains(zone, group[0])]
    for spots in _sequences(outlook, unit, near):
        if len(spots) >= unit.strength:
            value = FiguresPlaced((_shared_out(unit, spots[: unit.strength]),))
            if check_placement(state, parameter, value) is None:
                yield value


def _posts(outlook: Outlook, unit: Unit) -> tuple[tuple[Point, ...], ...]:
    return outlook.posts(next(iter(unit.living.values())).radius)


def _sequences(outlook: Outlook, unit: Unit, near: Sequence[Sequence[Point]]) -> Iterator[list[Point]]:
    """Yield sequences of free posts, the nearest to the enemy first: the front ranks of posts next to each other, and all
    ranks of each post in turn.
    """
    radius = next(iter(unit.living.values())).radius
    own = {at for at, _ in unit.places()}
    taken = [(at, other) for at, other in bases(outlook.state) if at not in own]
    groups = [
        [spot for spot in group if all(distance(spot, at) >= radius + other for at, other in taken)] for group in near
    ]
    groups = [group for group in groups if len(group) > 1]
    fronts = [middle(foe) for foe in outlook.foes]
    if fronts:
        groups.sort(key=lambda group: min(distance(group[0], front) for front in fronts))
    for first in groups[:_STARTS]:
        ordered = sorted(groups, key=lambda group: distance(group[0], first[0]))
        yield [*(spot for group in ordered for spot in group[:2]), *(spot for group in ordered for spot in group[2:])]
        yield [spot for group in ordered for spot in group]


def _shared_out(unit: Unit, spots: Sequence[Point]) -> dict[str, Point]:
    """Give each spot to the figure that is nearest to it, in turn; one that is on no table takes what comes."""
    free = dict(unit.living)
    found: dict[str, Point] = {}
    for spot in spots:
        if not free:
            break
        key = min(free, key=lambda key: 0.0 if (at := free[key].at) is None else distance(at, spot))
        found[key] = spot
        del free[key]
    return found
