"""What the finder of ways takes into account: all that is in the way as far as a way may lead."""

from __future__ import annotations

from client_protocol.choices import PathParameter
from server.rulesets.shared.ways import Finder
from tests.support.battlefield import battle, unit

FAR = (30_000, 10_000)
"""Where a friend stands, 20" away."""


def finder(allowance: int) -> Finder:
    state = battle(unit("blue", (10, 10), figures=1), unit("blue", (30, 10), figures=1), unit("red", (6, 44)))
    return Finder(state, PathParameter("blue-1", allowance))


def test_a_figure_does_not_end_on_another_as_far_as_its_allowance_leads() -> None:
    assert not finder(20_000).berths("1").free(FAR)
    assert finder(24_000).near("1", [(FAR, 500)], (), 0) is not None


def test_a_figure_does_not_end_on_another_beyond_its_allowance_where_it_is_asked_so_far() -> None:
    own = finder(6_000)
    assert not own.berths("1", reach=24_000).free(FAR)
    assert own.berths("1").free(FAR), "no way of 6 inches leads there"
