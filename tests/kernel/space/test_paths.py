"""Where a path may end, whether a unit keeps together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.geometry import Point, at_most, gap, rectangle
from server.kernel.space.paths import cohesive, largest_gap, overlaps
from tests.kernel.space.outlines import points

calm = settings(deadline=None, derandomize=True)

TRUCK = rectangle(6500, 6000, 11500, 8500)


def test_overlapping_is_more_than_touching() -> None:
    assert not overlaps((9000, 5500), 500, [], [TRUCK])
    assert overlaps((9000, 5600), 500, [], [TRUCK])
    assert not overlaps((5000, 5000), 500, [((6000, 5000), 500)])
    assert overlaps((5001, 5000), 500, [((9000, 9000), 500), ((6000, 5000), 500)])


@calm
@given(st.lists(st.tuples(points, st.integers(250, 1500)), max_size=7), st.integers(0, 20000))
def test_a_unit_keeps_together_if_every_base_can_be_reached(bases: list[tuple[Point, int]], limit: int) -> None:
    reached = set(range(min(1, len(bases))))
    while True:
        more = {
            i
            for i, (p, r) in enumerate(bases)
            if i not in reached and any(at_most(gap(p, r, *bases[j]), limit) for j in reached)
        }
        if not more:
            break
        reached |= more
    centres, radii = [p for p, _ in bases], [r for _, r in bases]
    assert cohesive(centres, radii, limit) == (len(reached) == len(bases))
    assert cohesive(centres, radii, largest_gap(centres, radii))


def test_every_base_needs_its_radius() -> None:
    with pytest.raises(ValueError, match="2 centres, but 1 radii"):
        largest_gap([(0, 0), (1, 1)], [500])
