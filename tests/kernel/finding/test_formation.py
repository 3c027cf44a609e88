"""Where figures find room: free ground, a unit set down, a scattered unit regrouped, squads closing in."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from server.kernel.answers.check import in_zone, touches
from server.kernel.finding.formation import ahead, closing, contact_places, set_down, shifted
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import (
    Point,
    between,
    bounds,
    distance,
    gap,
    rectangle,
    segment_point_distance,
    to_mil,
    to_point,
)
from server.kernel.space.hulls import outline
from server.kernel.space.paths import cohesive, on_table, overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Hull, Pose
from server.kernel.state import Unit
from tests.support.position import RADIUS, squad

SIZE = (48_000, 48_000)
CLIFF = Terrain("cliff", "Cliff", "cliff", rectangle(20_000, 8_000, 22_000, 12_000))
calm = settings(derandomize=True, deadline=None, max_examples=60)


def places_of(unit: Unit) -> dict[str, Point]:
    return {key: figure.at for key, figure in unit.living.items() if figure.at is not None}


# --- ground ---------------------------------------------------------------------------------------------------------


def test_ground_is_free_on_the_table_off_barred_terrain_and_off_bases() -> None:
    ground = Ground(SIZE, [CLIFF], [((10_000, 10_000), RADIUS)])
    assert ground.free((11_000, 10_000), RADIUS)
    assert not ground.free((10_999, 10_000), RADIUS)
    assert ground.free((19_500, 10_000), RADIUS)
    assert not ground.free((19_501, 10_000), RADIUS)
    assert not ground.free((499, 10_000), RADIUS)
    ground.take((11_000, 10_000), RADIUS)
    assert not ground.free((11_000, 10_000), RADIUS)


def test_the_nearest_free_place_is_the_wanted_one_if_it_is_free() -> None:
    ground = Ground(SIZE, [], [((10_000, 10_000), RADIUS)])
    assert ground.nearest((20_000, 20_000), RADIUS) == (20_000, 20_000)
    near = ground.nearest((10_000, 10_000), RADIUS)
    assert near is not None
    assert distance(near, (10_000, 10_000)) <= 1_250
    assert ground.nearest((10_000, 10_000), RADIUS, reach=900) is None


@calm
@given(
    st.lists(st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)), max_size=40),
    st.tuples(st.integers(-1_000, 10_000), st.integers(-1_000, 10_000)),
)
def test_the_nearest_free_place_is_missed_by_no_search(others: list[Point], wanted: Point) -> None:
    hull = outline(Pose((6_000, 3_000), 3_000), Hull(3_000, 1_600))
    pool = Terrain("pool", "Pool", "cliff", ((1_000, 5_000), (4_000, 6_000), (3_000, 8_000)))
    wall = Terrain("wall", "Wall", "wall", ((7_000, 5_000), (8_000, 8_500)), linear=True)
    ground = Ground((9_000, 9_000), [pool, wall], [(at, RADIUS) for at in others], hulls=[hull])
    grid = [(x, y) for x in range(RADIUS, 8_501, 125) for y in range(RADIUS, 8_501, 125)]
    grid.sort(key=lambda at: distance(at, wanted))
    sampled = next((at for at in grid if ground.free(at, RADIUS)), None)
    found = ground.nearest(wanted, RADIUS)
    if found is None:
        assert sampled is None
        return
    assert ground.free(found, RADIUS)
    if sampled is not None:
        assert distance(found, wanted) <= distance(sampled, wanted)
    assert ground.nearest(wanted, RADIUS, reach=math.ceil(distance(found, wanted))) == found
    assert found == wanted or ground.nearest(wanted, RADIUS, reach=math.floor(distance(found, wanted)) - 1) is None


def test_a_gap_that_is_just_wide_enough_is_found_from_afar() -> None:
    # The table is full of men who touch each other, but for one place.
    men = [(500 + 1_000 * x, 500 + 1_000 * y) for x in range(48) for y in range(48)]
    ground = Ground(SIZE, [], [(at, RADIUS) for at in men if at != (40_500, 3_500)])
    assert ground.nearest((2_000, 45_000), RADIUS) == (40_500, 3_500)
    ground.take((40_500, 3_500), RADIUS)
    assert ground.nearest((2_000, 45_000), RADIUS) is None


@calm
@given(
    st.lists(st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)), max_size=30),
    st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)),
    st.tuples(st.integers(0, 9_000), st.integers(0, 9_000)),
)
@example([], (0, 879), (5_201, 135))  # grazes a border
def test_the_last_free_place_on_a_way_is_missed_by_no_search(others: list[Point], start: Point, end: Point) -> None:
    hull = outline(Pose((6_000, 3_000), 3_000), Hull(3_000, 1_600))
    ground = Ground((9_000, 9_000), [CLIFF], [(at, RADIUS) for at in others], hulls=[hull])
    sampled = next(
        (at for at in (to_point(between(start, end, 1 - n / 500)) for n in range(501)) if ground.free(at, RADIUS)), None
    )
    found = ground.farthest(start, end, RADIUS)
    if found is None:
        assert sampled is None
        return
    assert ground.free(found, RADIUS)
    assert segment_point_distance(start, end, found) < 1
    if sampled is not None:
        assert distance(start, found) >= distance(start, sampled) - 2, "but for what rounding takes"


def test_a_unit_is_set_down_where_only_exact_places_have_room() -> None:
    # Room for two in a row, some thousandths wider than they are, at an angle that no grid has.
    zone = tuple((3_000 + x, 3_000 + y) for x, y in ((0, 0), (1_877, 706), (1_525, 1_644), (-352, 938)))
    places = set_down(squad("blue-1", [None] * 2), zone, Ground(SIZE, [], []), 2_000)
    assert len(places) == 2
    assert all(in_zone(at, RADIUS, zone) for at in places.values())
    one, other = places.values()
    assert distance(one, other) >= 2 * RADIUS - 0.5


def test_the_nearest_free_place_in_a_zone_is_wholly_inside_it() -> None:
    zone = ((0, 0), (6_000, 0), (0, 6_000))
    at = Ground(SIZE, [], [], zone=zone).nearest((6_000, 6_000), RADIUS)
    assert at is not None
    assert in_zone(at, RADIUS, zone)
    assert abs(at[0] - at[1]) <= 1
    assert distance(at, (2_646, 2_646)) <= 3


# --- setting down ---------------------------------------------------------------------------------------------------


@calm
@given(
    st.integers(1, 12),
    st.integers(2_000, 5_000),
    st.lists(st.tuples(st.integers(0, 30_000), st.integers(0, 12_000)), max_size=12),
)
def test_a_unit_is_set_down_legally_or_not_at_all(figures: int, limit: int, others: list[Point]) -> None:
    zone = rectangle(0, 0, 30_000, 12_000)
    taken: list[Base] = [(at, RADIUS) for at in others]
    unit = squad("blue-1", [None] * figures)
    places = set_down(unit, zone, Ground(SIZE, [CLIFF], taken), limit)
    assert places, "there is room"
    assert set(places) == set(unit.figures)
    for at in places.values():
        assert in_zone(at, RADIUS, zone)
        assert to_mil(CLIFF.distance(at)) >= RADIUS
        assert not overlaps(at, RADIUS, taken)
        taken.append((at, RADIUS))
    assert cohesive(list(places.values()), [RADIUS] * figures, limit)


@pytest.mark.parametrize(("turns", "facing"), [(0, 9_000), (1, 18_000), (2, 27_000), (3, 0)])
def test_sides_at_all_edges_are_set_down_alike(turns: int, facing: int) -> None:
    size = (40_000, 40_000)

    def turned(at: Point, quarters: int) -> Point:
        """Return a place of the table after so many quarter turns to the left."""
        x, y = at
        for _ in range(quarters % 4):
            x, y = size[0] - y, x
        return x, y

    south = rectangle(0, 0, 40_000, 8_000)
    zone = tuple(turned(at, turns) for at in south)
    unit = squad("blue-1", [None] * 5)
    assert ahead(zone, size) == facing
    ours = set_down(unit, south, Ground(size, [], []), 3_000)
    theirs = set_down(unit, zone, Ground(size, [], []), 3_000)
    assert {key: turned(at, turns) for key, at in ours.items()} == theirs
    # The first three of five stand ahead.
    assert min(ours[key][1] for key in ("1", "2", "3")) > max(ours[key][1] for key in ("4", "5"))


def test_units_are_not_set_down_in_each_others_ranks_while_there_is_space_elsewhere() -> None:
    zone = rectangle(16_000, 27_000, 33_000, 40_000)
    taken: list[Base] = []
    boxes: list[tuple[int, int, int, int]] = []
    for number in range(3):
        places = set_down(squad(f"red-{number}", [None] * 8), zone, Ground((60_000, 40_000), [], taken), 4_000)
        assert len(places) == 8
        left, bottom, right, top = bounds(tuple(places.values()))
        for one in boxes:
            assert right < one[0] or one[2] < left or top < one[1] or one[3] < bottom, "the ranks are apart"
        boxes.append((left, bottom, right, top))
        taken += [(at, RADIUS) for at in places.values()]


def test_a_unit_finds_no_free_space_in_a_zone_too_small() -> None:
    assert set_down(squad("blue-1", [None] * 6), rectangle(0, 0, 2_000, 2_000), Ground(SIZE, [], []), 2_000) == {}


# --- moving as one --------------------------------------------------------------------------------------------------


def test_a_shift_moves_living_figures_and_a_zero_shift_moves_none() -> None:
    unit = squad("blue-1", [(1_000, 1_000), (3_000, 1_000)], fallen=["2"])
    assert shifted(unit, 500, -200).paths == {"1": ((1_500, 800),)}
    assert shifted(unit, 0, 0).paths == {}


# --- closing in -----------------------------------------------------------------------------------------------------


def test_the_places_round_a_base_touch_it() -> None:
    base: Base = ((10_000, 10_000), 800)
    places = contact_places(base, RADIUS)
    assert len(places) == 24
    for at in places:
        assert touches((at, RADIUS), base)
        assert not overlaps(at, RADIUS, [base])


def close(unit: Unit, enemy: Unit, terrain: tuple[Terrain, ...] = ()) -> dict[str, Point]:
    """Where the figures of `unit` stand after it closed in on `enemy`."""
    ground = Ground(SIZE, terrain, [*unit.places(), *enemy.places()])
    return places_of(unit) | closing(unit, enemy.places(), ground)


@calm
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 359), st.integers(1_000, 9_000))
def test_with_free_space_all_figures_come_into_contact_and_no_bases_overlap(
    own: int, other: int, angle: int, apart: int
) -> None:
    own = min(own, 4 * other)  # round one man there is room for five or six
    middle = (24_000, 24_000)
    enemy = squad("red-1", [(middle[0] + 2_200 * i, middle[1]) for i in range(other)])
    x = round(middle[0] + (apart + 9_000) * math.cos(math.radians(angle)))
    y = round(middle[1] + (apart + 9_000) * math.sin(math.radians(angle)))
    unit = squad("blue-1", [(x % 30_000 + 2_000, (y + 1_200 * i) % 20_000 + 1_000) for i in range(own)])
    taken = enemy.places()
    for at in close(unit, enemy).values():
        assert on_table(at, RADIUS, SIZE)
        assert not overlaps(at, RADIUS, taken)
        assert any(touches((at, RADIUS), base) for base in enemy.places())
        taken.append((at, RADIUS))


def test_a_figure_in_contact_already_stays_where_it_is() -> None:
    enemy = squad("red-1", [(10_000, 10_000)])
    unit = squad("blue-1", [(11_000, 10_000), (15_000, 10_000)])
    ends = close(unit, enemy)
    assert ends["1"] == (11_000, 10_000)
    assert ends["2"] != (15_000, 10_000)


def test_round_one_man_six_find_contact_and_the_others_crowd_in() -> None:
    enemy = squad("red-1", [(24_000, 24_000)])
    unit = squad("blue-1", [(20_000 + 1_100 * i, 15_000) for i in range(9)])
    ends = close(unit, enemy)
    touching = sum(touches((at, RADIUS), base) for at in ends.values() for base in enemy.places())
    assert touching >= 5
    taken: list[Base] = []
    for at in ends.values():
        assert not overlaps(at, RADIUS, [*taken, *enemy.places()])
        assert gap(at, RADIUS, (24_000, 24_000), RADIUS) < 3_000
        taken.append((at, RADIUS))


def test_figures_closing_in_keep_off_impassable_ground() -> None:
    enemy = squad("red-1", [(23_000, 10_000)])  # half an inch off the cliff
    unit = squad("blue-1", [(30_000, 10_000), (30_000, 12_000), (30_000, 8_000)])
    for at in close(unit, enemy, (CLIFF,)).values():
        assert to_mil(CLIFF.distance(at)) >= RADIUS
