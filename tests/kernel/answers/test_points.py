"""Picking a point on the table: what is refused and why, and random answers."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, PointParameter, PointTaken, Why
from client_protocol.shapes import Point
from server.kernel.answers.check import Asked, Refusal, check
from server.kernel.answers.sampling import sample
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from tests.support.position import position, squad

WALL = Terrain(
    "wall", "Wall", "building", ((8_000, 18_000), (11_500, 18_000), (11_500, 20_000), (8_000, 20_000)), sight="solid"
)
STATE = position(
    squad("blue-1", [(10_000, 10_000)]),
    squad("red-1", [(10_000, 30_000), (13_000, 30_000)]),
    squad("red-2", [(30_000, 30_000)]),
)
AIM = PointParameter(
    "Mortar", "blue-1", "1", 24_000, 2_000, ("red-1",), Why("No target there.", "near"), None, "reach", "sight"
)


def asked(parameter: PointParameter = AIM) -> Asked:
    return Asked("Fire", (Choice("aim", "Aim", "aim", parameters=(parameter,)), Choice("hold", "Hold")), Picked("hold"))


def refusal(at: Point, state: State = STATE) -> Refusal | None:
    return check(state, asked(), Picked("aim", (PointTaken(at),)))


def walled() -> State:
    return replace(STATE, table=replace(STATE.table, terrain=(WALL,)))


@pytest.mark.parametrize(
    ("at", "rule"),
    [
        ((10_000, 34_501), "reach"),
        ((10_000, 27_499), "near"),
        ((16_500, 27_000), "near"),
        ((10_000, 60_000), "aim"),
        ((-1, 30_000), "aim"),
    ],
)
def test_a_point_out_of_reach_off_its_targets_or_off_the_table_is_refused(at: Point, rule: str) -> None:
    refused = refusal(at)
    assert refused is not None
    assert (refused.rule, refused.where) == (rule, at)


@pytest.mark.parametrize("at", [(10_000, 27_500), (10_000, 32_500), (12_000, 30_000)])
def test_a_point_on_the_borders_of_what_is_legal_is_taken(at: Point) -> None:
    assert refusal(at) is None


def test_a_point_behind_a_wall_is_refused_and_one_next_to_its_shadow_is_not() -> None:
    refused = refusal((10_000, 30_000), walled())
    assert refused is not None
    assert (refused.rule, refused.sentence) == ("sight", "Squad blue-1 does not see that point.")
    assert refusal((15_000, 30_000), walled()) is None


@pytest.mark.parametrize("state", [STATE, walled()])
def test_random_points_are_legal_and_differ(state: State) -> None:
    points = set()
    for seed in range(60):
        picked = sample(state, asked(), random.Random(seed))
        assert check(state, asked(), picked) is None
        points |= {value.at for value in picked.values if isinstance(value, PointTaken)}
    assert len(points) > 5


def test_where_random_points_find_nothing_the_suggested_one_is_taken() -> None:
    narrow = replace(AIM, radius=0, reach=19_000, suggested=(10_000, 29_500))
    taken = {sample(STATE, asked(narrow), random.Random(seed)) for seed in range(20)}
    assert Picked("aim", (PointTaken((10_000, 29_500)),)) in taken
    assert Picked("hold") in {
        sample(STATE, asked(replace(narrow, suggested=None)), random.Random(seed)) for seed in range(20)
    }
