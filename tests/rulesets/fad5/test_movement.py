"""Movement: distance, ground, and coherency."""

from __future__ import annotations

import pytest

from server.rulesets.fad.movement import MOVE, RUSH, CoherencyDistance, allowance
from tests.rulesets.fad5.battlefield import battle, facing, fad5
from tests.support.battlefield import lines, paths, piece, play, shifted, unit


@pytest.mark.rule("fad5/move.infantry-move")
@pytest.mark.rule("fad5/move.rush")
@pytest.mark.rule("fad5/under-fire.movement")
def test_a_move_is_six_inches_a_rush_twelve_and_under_fire_takes_off_two_before_doubling() -> None:
    calm, marked = facing(30), facing(30, blue={"conditions": ["under_fire"]})
    assert [allowance(fad5(), calm, "blue-1", manner).value for manner in (MOVE, RUSH)] == [6000, 12000]
    assert [allowance(fad5(), marked, "blue-1", manner).value for manner in (MOVE, RUSH)] == [4000, 8000]
    table = play(facing(30)).activates("blue-1")
    assert table.refused("move-fire", shifted(table.state, "blue-1", 0, 6.1)).rule == "move.infantry-move"
    assert table.refused("move-out", shifted(table.state, "blue-1", 0, 12.1)).rule == "move.rush"


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_unit_under_fire_may_rush_only_into_cover_or_away() -> None:
    table = play(facing(30, blue={"conditions": ["under_fire"]})).activates("blue-1")
    assert table.refused("move-out", shifted(table.state, "blue-1", 0, 4)).rule == "under-fire.rush"


@pytest.mark.rule("fad5/move.difficult-infantry")
@pytest.mark.rule("fad5/move.open-ground")
def test_difficult_ground_costs_double_and_water_is_impassable() -> None:
    rocks = play(facing(30, terrain=[piece("rocks", (0, 0), (40, 20))])).activates("blue-1")
    assert rocks.refused("move-fire", shifted(rocks.state, "blue-1", 0, 3.1)).rule in {
        "move.infantry-move",
        "move.difficult-infantry",
    }
    water = play(facing(30, terrain=[piece("deep_water", (0, 8), (40, 12))])).activates("blue-1")
    assert water.refused("move-fire", shifted(water.state, "blue-1", 0, 3)).rule == "move.open-ground"


@pytest.mark.rule("fad5/move.coherency")
@pytest.mark.parametrize(
    ("quality", "mil"), [("rabble", 2000), ("conscript", 3000), ("regular", 4000), ("elite", 5000)]
)
def test_the_largest_gap_in_a_squad_depends_on_its_quality(quality: str, mil: int) -> None:
    state = facing(30, blue={"quality": quality})
    assert fad5().advisers.answer(state, CoherencyDistance("blue-1")).value == mil
    (line,) = [row for row in fad5().card(state, state.units["blue-1"]) if row.label == "Coherency"]
    assert line.rule == "move.coherency"


@pytest.mark.rule("fad5/move.coherency")
@pytest.mark.rule("fad5/move.coherency-restore")
def test_a_move_may_not_break_coherency_and_must_restore_it() -> None:
    table = play(facing(30)).activates("blue-1")
    assert table.refused("move-fire", paths(_6=[(24.4, 6)])).rule == "move.coherency"
    scattered = battle(unit("blue", [(6, 6), (14, 6)]), unit("red", (6, 40)))
    loose = play(scattered).activates("blue-1")
    assert loose.refused("move-fire", shifted(scattered, "blue-1", 0, 1)).rule == "move.coherency-restore"
    assert lines(allowance(fad5(), scattered, "blue-1", MOVE))
