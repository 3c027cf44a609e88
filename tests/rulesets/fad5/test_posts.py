"""Where a unit that deploys in a house is suggested to stand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import FiguresPlaced, PlacementParameter
from server.kernel.answers.placements import check_placement
from server.kernel.space.values import Body
from server.rulesets.fad.posts import at_openings, share
from tests.rulesets.fad5.battlefield import fad5
from tests.support.battlefield import play


@pytest.mark.rule("fad5/shoot.building-openings")
def test_a_unit_that_deploys_in_a_house_is_suggested_to_stand_at_the_openings_that_face_the_enemy() -> None:
    state = fad5().open("ferry-inn", {})
    inn = next(piece for piece in state.table.terrain if piece.id == "inn")
    front = {(x, 18_800) for x in (13_950, 15_050, 17_450, 18_550, 20_950, 22_050)}
    parameter = play(replace(state, turn=replace(state.turn, active="garrison"))).prompt.choices[0].parameters[0]
    assert isinstance(parameter, PlacementParameter)
    (places,) = parameter.suggested
    assert parameter.units == ("garrison-1",)
    assert front < set(places.values())
    assert all(inn.holds(at) for at in places.values())
    assert share(fad5().rules, state, [Body(at, 500) for at in places.values()]) == 1
    assert check_placement(state, parameter, FiguresPlaced(parameter.suggested)) is None


@pytest.mark.rule("fad5/shoot.building-openings")
def test_in_the_open_the_suggested_places_are_in_ranks() -> None:
    state = fad5().open("ferry-inn", {})
    storming = state.units["storm-1"]
    assert at_openings(fad5().rules, state, storming, {"1": (18_000, 4_000), "2": (20_000, 4_000)}) == []
