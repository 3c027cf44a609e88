"""Ways by which a vehicle drives straight into contact with an enemy on foot: suggestions, which decide nothing. And whether
there surely is none, straight or not.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.answers.paths import Around
from server.kernel.bodies import pose
from server.kernel.space.geometry import Point, direction, distance, heading, to_point
from server.kernel.space.hulls import smaller
from server.kernel.standing import TOUCH, bases
from server.kernel.state import State
from server.rulesets.shared.driving import pieces_under
from server.rulesets.shared.ways import Finder

_SHARES = (0.0, 0.3, -0.3, 0.45, -0.45)
"""How far from the middle of its front the hull meets a base, as shares of its width."""


def straight_into_contact(state: State, parameter: PathParameter, target: str) -> PathsDeclared | None:
    """Return a legal way of the vehicle that `parameter` moves, straight into contact with a base of `target`, the nearest
    first; None if there is none.
    """
    vehicle = state.units[parameter.unit]
    ((key, figure),) = vehicle.figures.items()
    assert figure.hull is not None, "a vehicle has a hull"
    at, around = pose(vehicle).at, Around(state, parameter)
    for base, radius in sorted(bases(state, only=[target]), key=lambda one: distance(at, one[0])):
        for share in _SHARES:
            end = _touching(at, base, radius + figure.hull.length / 2, share * figure.hull.width)
            if end is None:
                continue
            way = PathsDeclared({key: (end,)}) if end != at else PathsDeclared({})
            if check_path(state, parameter, way, around) is None:
                return way
    return None


def surely_shut_out(state: State, parameter: PathParameter, target: str) -> bool:
    """Return whether one soon sees that the vehicle that `parameter` moves has no way into contact with a base of `target`: not
    even a base as wide as its hull has one so near to it that the hull could touch it. If not, there may be one.
    """
    vehicle = state.units[parameter.unit]
    ((key, figure),) = vehicle.figures.items()
    assert figure.hull is not None, "a vehicle has a hull"
    if parameter.over or parameter.jump or any(piece.id in parameter.barred for piece in pieces_under(state, vehicle)):
        # What is in the way of a base is not in its way.
        return False
    hull = smaller(figure.hull)
    radius = min(hull.length, hull.width) // 2
    reach = math.ceil(math.hypot(figure.hull.length, figure.hull.width) / 2) - radius + TOUCH
    slim = state.with_unit(replace(vehicle, figures={key: replace(figure, hull=None, radius=radius)}))
    return Finder(slim, parameter).surely_not_near(key, bases(state, only=[target]), (), reach)


def _touching(at: Point, base: Point, ahead: float, aside: float) -> Point | None:
    """Return the centre of a hull that has driven from `at` until its front, which is `ahead` mil before its centre with the
    base's radius, meets a base `aside` of its middle; None if it is nearer than that.
    """
    whole = distance(at, base)
    if whole <= max(ahead, abs(aside)):
        return None
    # Drive at a place next to the base, so that its middle line passes the base's centre `aside`.
    ux, uy = heading(direction(at, base))
    goal = (base[0] - uy * aside, base[1] + ux * aside)
    length = distance(at, goal)
    share = (length - ahead) / length
    return to_point((at[0] + (goal[0] - at[0]) * share, at[1] + (goal[1] - at[1]) * share)) if share > 0 else None
