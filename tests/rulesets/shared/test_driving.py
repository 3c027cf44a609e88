"""Over which ground vehicles may drive, and how far they have come."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import GroundRule
from server.kernel.space.geometry import rectangle
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Turn
from server.rulesets.shared.driving import Drive, drive_parameter, gone_this_turn, noted, pieces_under, way_gone
from tests.rulesets.shared.three_sides import squad, table, vehicle

DRIVE = Drive(
    far=8_000,
    slow=4_000,
    closed={"under": "closed", "heap": "closed", "cliff": "crossing"},
    slowing={"bush", "cliff"},
    rule="drive",
    slow_rule="slow",
    costly=(("lawn", 200, "costly"), ("heap", 200, "costly")),
    clear=1_000,
    clear_rule="clear",
)


def piece(key: str, cover: str, left: int, *flags: str) -> Terrain:
    return Terrain(key, key.title(), "rocks", rectangle(left, 8_000, left + 2_000, 12_000), cover=cover, flags=flags)


def battle() -> State:
    """A vehicle with a corner in rubble, other terrain ahead of it, two enemies of which one is not on the table."""
    terrain = (
        piece("under", "rubble", 5_500),
        piece("heap", "rubble", 20_000),
        piece("bush", "brush", 25_000),
        piece("cliff", "brush", 30_000, "impassable"),
        piece("lawn", "none", 35_000),
    )
    foes = (squad("red", figures=1, at=[(20_000, 20_000)]), squad("green"))
    state = table(vehicle("blue", at=(10_000, 10_000)), *foes)
    return replace(state, table=replace(state.table, terrain=terrain))


def test_closed_and_impassable_ground_is_barred_each_by_its_rule() -> None:
    parameter = drive_parameter(battle(), "blue-1", DRIVE)
    assert parameter.barred == ("under", "heap", "cliff")
    assert parameter.grounds == (
        GroundRule("under", "closed"),
        GroundRule("heap", "closed"),
        GroundRule("cliff", "crossing"),
        GroundRule("lawn", "costly"),
    )
    assert parameter.costly == (("lawn", 200),), "closed ground has no price"
    assert (parameter.allowance, parameter.allowance_rule) == (8_000, "drive")
    assert (parameter.avoid, parameter.clear, parameter.clear_rule) == (("red-1",), 1_000, "clear")


def test_ground_that_slows_and_closed_ground_under_the_hull_limit_the_way() -> None:
    parameter = drive_parameter(battle(), "blue-1", DRIVE)
    assert parameter.limits == (("under", 4_000), ("bush", 4_000), ("cliff", 4_000))
    assert parameter.limits_rule == "slow"
    assert drive_parameter(battle(), "blue-1", replace(DRIVE, far=4_000)).limits == ()


def test_a_vehicle_stands_in_what_its_hull_meets() -> None:
    state = battle()
    assert [one.id for one in pieces_under(state, state.units["blue-1"])] == ["under"]


@pytest.mark.parametrize(
    ("at", "gone"), [((0, 0), 0), ((3_000, 0), 3_000), ((6_000, 2_000), 8_000), ((6_000, 4_000), 10_000)]
)
def test_how_far_a_vehicle_has_come_is_measured_along_its_way(at: tuple[int, int], gone: int) -> None:
    assert way_gone([(0, 0), (6_000, 0), (6_000, 4_000)], at) == gone


def test_a_note_of_how_far_a_vehicle_has_gone_counts_for_its_turn() -> None:
    state = replace(battle(), turn=Turn(number=3))
    note = noted(state, 4_500)
    assert note == (3, 4_500)
    assert gone_this_turn(state, note) == 4_500
    assert gone_this_turn(replace(state, turn=Turn(number=4)), note) == 0
    assert gone_this_turn(state, None) == 0
