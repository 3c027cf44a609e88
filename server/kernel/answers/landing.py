"""Where figures can walk to that get off a hull."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from client_protocol.choices import Landing
from server.kernel.finding.destinations import Berths, Near
from server.kernel.finding.walks import Walk
from server.kernel.finding.wayfinding import shortest_way
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Point
from server.kernel.space.walking import box_round, in_the_way
from server.kernel.standing import TOUCH, obstacles, terrain_of
from server.kernel.state import State


def walkable(believed: State, unit_id: str, landing: Landing, barred: Sequence[str]) -> Callable[[Point, int], bool]:
    """Return the function that tells whether a figure of the unit gets from the hull to a place.

    It takes the place and the radius of the base, in mil. The way is looked for backwards, from the place into contact with
    the hull: a way costs the same in both directions.

    Args:
        believed: the state as the unit's seat believes it.
        unit_id: the unit that gets off.
        landing: the hull, and how the figures walk.
        barred: the ids of the terrain pieces that no figure enters.
    """
    around = obstacles(believed, unit_id, terrain_of(believed, barred), landing.avoid)
    percent = dict(landing.costly)
    costs = Costs([(piece, percent[piece.id]) for piece in terrain_of(believed, tuple(percent))])
    size = around.table_size
    known: dict[tuple[Point, int], bool] = {}

    def reached(at: Point, radius: int) -> bool:
        box = box_round(at, landing.allowance)
        walk = Walk(at, radius, landing.allowance, size, in_the_way(around, at, radius, box), costs)
        # Friends let figures pass, so only the hull itself is no place to begin in.
        goal = Near(Berths(size, radius, (), (landing.outline,)), (), (landing.outline,), TOUCH)
        return shortest_way(walk, goal, lambda most: goal.places(walk, most)) is not None

    def remembered(at: Point, radius: int) -> bool:
        found = known.get((at, radius))
        if found is None:
            found = known[at, radius] = reached(at, radius)
        return found

    return remembered
