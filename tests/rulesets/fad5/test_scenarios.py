"""Scenarios: what their aims and their forces promise."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.bodies import riders
from server.kernel.space.geometry import Point
from server.kernel.state import State
from server.opponents.simulation import simulate
from server.rulesets.fad.buildings import room_of, rooms
from server.rulesets.fad.vehicles.landing import blocked
from server.rulesets.fad.victory import held_by
from tests.rulesets.fad5.battlefield import fad5


def standing(state: State, unit: str, at: Point) -> State:
    """Return the state with all figures of a unit in one place, as if it had them there."""
    own = state.units[unit]
    return state.with_unit(replace(own, figures={key: replace(one, at=at) for key, one in own.figures.items()}))


@pytest.mark.rule("fad5/move.building-position")
def test_only_figures_inside_count_for_the_tap_room() -> None:
    state = fad5().open("ferry-inn", {})
    (aim,) = state.objectives.values()
    (inn,) = rooms(fad5().rules, state)
    assert inn.holds(aim.at)
    x0, y0, x1, y1 = inn.outline[0][0], inn.outline[0][1], inn.outline[2][0], inn.outline[2][1]
    # Bases that touch the walls from outside, straight before the middle of each.
    for at in ((aim.at[0], y0 - 500), (aim.at[0], y1 + 500), (x0 - 500, aim.at[1]), (x1 + 500, aim.at[1])):
        assert room_of(rooms(fad5().rules, state), at) is None
        assert held_by(standing(state, "storm-1", at), aim) == ""
    for at in ((aim.at[0], y0 + 750), (aim.at[0], y1 - 750), (x0 + 1750, aim.at[1]), (x1 - 1750, aim.at[1])):
        assert held_by(standing(state, "storm-1", at), aim) == "storm"


@pytest.mark.rule("fad5/move.flyer-airborne")
def test_the_drop_squads_begin_aboard_flyers_that_can_land_on_runway_and_roofs() -> None:
    state = fad5().open("salt-pan-strip", {})
    assert [unit.id for carrier in ("drop-1", "drop-2") for unit in riders(state, carrier)] == ["drop-4", "drop-5"]
    for at in ((24_000, 20_000), (32_500, 33_000), (18_500, 26_500)):
        down = standing(state, "drop-1", at)
        assert blocked(fad5().rules, down, down.units["drop-1"]) is None
    brine = standing(state, "drop-1", (31_000, 8_000))
    assert blocked(fad5().rules, brine, brine.units["drop-1"]) is not None


@pytest.mark.parametrize("scenario", ["ferry-inn", "salt-pan-strip"])
@pytest.mark.parametrize("deployment", ["turns", "blind"])
def test_random_seats_play_a_scenario_to_its_end(scenario: str, deployment: str) -> None:
    game = simulate(fad5(), fad5().open(scenario, {"deployment": deployment}), seed=1)
    assert game.refusals == 0
