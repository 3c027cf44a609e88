"""A scattered unit drawn together: its body, and the strays that come to it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.finding.closing_up import Scattered
from server.kernel.finding.reach import Reach
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Point, distance
from server.kernel.space.paths import largest_gap
from server.kernel.space.values import Obstacles
from tests.support.position import RADIUS, squad

TWO_AND_ONE = [(10_000, 10_000), (12_000, 10_000), (20_000, 10_000)]


def within(allowance: int) -> Reach:
    """Open ground on which every figure goes as far as `allowance`."""
    return Reach(allowance, Costs(()), Obstacles((60_000, 60_000)))


def test_a_stray_walks_to_the_body_as_far_as_it_can() -> None:
    unit = squad("blue-1", TWO_AND_ONE)
    near = Scattered(unit, 2_000).closing_up(2_000, (0, 0), within(6_000))
    assert near.paths == {"3": ((15_000, 10_000),)}
    short = Scattered(unit, 2_000).closing_up(2_000, (0, 0), within(3_000))
    assert short.paths == {"3": ((17_000, 10_000),)}


def test_the_body_may_come_to_meet_it() -> None:
    way = Scattered(squad("blue-1", TWO_AND_ONE), 2_000).closing_up(2_000, (3_000, 0), within(3_000))
    assert way.paths == {"1": ((13_000, 10_000),), "2": ((15_000, 10_000),), "3": ((18_000, 10_000),)}


def test_the_parts_of_a_scattered_unit_come_largest_first() -> None:
    unit = squad("blue-1", [TWO_AND_ONE[2], *TWO_AND_ONE[:2]])
    assert Scattered(unit, 2_000).middles() == [(11_000, 10_000), (20_000, 10_000)]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1_000, 30_000), st.integers(1_000, 30_000)), min_size=2, max_size=7, unique=True),
    st.integers(1_000, 12_000),
)
def test_closing_up_never_widens_the_largest_gap_or_exceeds_the_allowance(places: list[Point], allowance: int) -> None:
    way = Scattered(squad("blue-1", places), 2_000).closing_up(2_000, (0, 0), within(allowance))
    paths = dict(enumerate(places, 1)) | {int(key): path[-1] for key, path in way.paths.items()}
    radii = [RADIUS] * len(places)
    assert largest_gap(list(paths.values()), radii) <= max(2_002, largest_gap(places, radii))
    assert all(distance(places[number - 1], end) <= allowance + 1 for number, end in paths.items())
