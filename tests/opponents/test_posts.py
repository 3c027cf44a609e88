"""The computer opponent knows from where in a building one fires."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.answers.paths import check_path
from server.kernel.bodies import bodies
from server.kernel.space.values import Body
from server.kernel.standing import end_bodies
from server.kernel.state import State
from server.opponents.outlook import Outlook
from server.opponents.posts import to_posts
from server.rulesets.fad import movement
from server.rulesets.fad.posts import posts, share
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import unit
from tests.support.tabletop import Row

INN: Row = {
    "id": "inn",
    "kind": "house",
    "name": "Inn",
    "outline": [[20, 20], [32, 20], [32, 28], [20, 28]],
    "openings": [
        {"kind": "door", "at": [26, 20], "width": 2},
        {"kind": "window", "at": [23, 20], "width": 1.5},
        {"kind": "barred_door", "at": [26, 28], "width": 2},
    ],
}


def inside(*others: Row) -> State:
    """Return a position with six figures in the middle of the inn, and an enemy to the south."""
    men = [(x, y) for y in (23.5, 24.8) for x in (24, 25.3, 26.6)]
    return battle(unit("blue", men), unit("red", (24, 8), figures=1), *others, terrain=[INN])


@pytest.mark.rule("fad5/shoot.building-openings")
def test_posts_stand_behind_the_openings_through_which_one_sees() -> None:
    found = posts(fad5().rules, inside(), 500)
    assert [group[0][1] for group in found] == [20_800, 20_800], "none behind the barred door"
    assert [sorted(x for x, _ in group[:2]) for group in found] == [[22_450, 23_550], [25_450, 26_550]]
    front = [Body(spot, 500) for group in found for spot in group[:2]]
    assert share(fad5().rules, inside(), front) == 1
    assert share(fad5().rules, inside(), [*front, Body((24_500, 20_800), 500)]) == 0.8, "two fire from an opening"


@pytest.mark.rule("fad5/shoot.building-openings")
def test_those_away_from_the_openings_are_told_to_go_there() -> None:
    state = inside()
    outlook = Outlook(fad5(), state, "blue")
    men = state.units["blue-1"]
    assert outlook.fire_from(men, bodies(men)) == (0, "")
    parameter = movement.path_parameter(fad5().rules, state, "blue-1", movement.MOVE)
    ways = list(to_posts(outlook, parameter))
    assert ways
    for way in ways:
        assert isinstance(way, PathsDeclared)
        assert check_path(state, parameter, way) is None
    assert max(outlook.fire_from(men, end_bodies(men, way))[0] for way in ways) > 0


@pytest.mark.rule("fad5/shoot.building-openings")
def test_posts_that_others_hold_are_left_to_them() -> None:
    state = inside(unit("blue", [(25.45, 20.8), (26.55, 20.8)], id="blue-2"))
    parameter = movement.path_parameter(fad5().rules, state, "blue-1", movement.MOVE)
    ends = {spot for way in to_posts(Outlook(fad5(), state, "blue"), parameter) for (spot,) in way.paths.values()}
    assert ends
    assert not ends & {(25_450, 20_800), (26_550, 20_800)}


def test_where_there_is_no_house_nothing_is_said_of_posts() -> None:
    state = battle(unit("blue", (24, 25), figures=6), unit("red", (24, 8), figures=1))
    assert posts(fad5().rules, state, 500) == ()
    assert share(fad5().rules, state, bodies(state.units["blue-1"]).values()) == 1
    parameter = movement.path_parameter(fad5().rules, state, "blue-1", movement.MOVE)
    assert list(to_posts(Outlook(fad5(), state, "blue"), parameter)) == []
