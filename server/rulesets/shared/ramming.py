"""Ways by which a vehicle drives straight into contact with an enemy on foot: suggestions, which decide nothing."""

from __future__ import annotations

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.answers.paths import Around
from server.kernel.bodies import pose
from server.kernel.space.geometry import Point, direction, distance, heading, to_point
from server.kernel.standing import bases
from server.kernel.state import State

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
