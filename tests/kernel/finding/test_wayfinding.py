"""The shortest legal way of a base: around corners and bases, through narrow passages, over ground that costs more."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from server.kernel.finding.destinations import Berths, Beyond, Near, TableEdge
from server.kernel.finding.walks import Walk
from server.kernel.finding.wayfinding import shortest_way
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Outline, Point, distance, rectangle, to_mil
from server.kernel.space.paths import path_length
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Neighbour, Obstacles
from server.kernel.space.walking import box_round, in_the_way
from server.kernel.standing import TOUCH
from tests.support.grid_ways import cheapest_on_grid

RADIUS = 500
SIZE = (48_000, 48_000)
START = (10_000, 10_000)
FOE: Base = ((20_000, 10_000), RADIUS)


def rock(*outline: Point, linear: bool = False) -> Terrain:
    return Terrain(f"rock{outline[0]}", "Rock", "rocks", outline, linear=linear)


def walk(
    allowance: int,
    *rocks: Terrain,
    start: Point = START,
    enemies: Sequence[Base] = (FOE,),
    mud: Sequence[Outline] = (),
    size: tuple[int, int] = SIZE,
) -> Walk:
    """A walk of a base from `start`, past rocks and enemies; `mud` costs twice its length."""
    obstacles = Obstacles(size, rocks, (Neighbour("foe", tuple(enemies)),))
    around = in_the_way(obstacles, start, RADIUS, box_round(start, allowance))
    costly = [(Terrain(f"mud{i}", "Mud", "swamp", outline), 200) for i, outline in enumerate(mud)]
    return Walk(start, RADIUS, allowance, size, around, Costs(costly))


def to_foes(
    going: Walk, foes: Sequence[Base] = (FOE,), others: Sequence[Base] = (), *, quick: bool = False
) -> tuple[Point, ...] | None:
    """The way into contact with one of `foes`, with `others` on whom one may not end."""
    goal = Near(Berths(going.size, RADIUS, [*foes, *others]), foes, (), TOUCH)
    way = shortest_way(
        going,
        goal,
        lambda most: goal.places(going, most),
        quick=quick,
    )
    if way:
        assert going.legal((going.start, *way))
        assert goal.reached(way[-1])
    return way


def length(way: tuple[Point, ...] | None, start: Point = START) -> float:
    assert way is not None, "there is a way"
    return path_length((start, *way))


# --- how long it is -------------------------------------------------------------------------------------------------


def test_a_way_in_the_open_is_straight() -> None:
    assert to_foes(walk(9_000)) == ((19_000 - TOUCH // 2, 10_000),)
    assert to_foes(walk(8_981)) is not None
    assert to_foes(walk(8_979)) is None, "contact is 0.02 inches wide, and no more"


def test_a_way_around_a_wall_is_as_short_as_a_taut_string() -> None:
    wall = rock((15_000, 4_000), (15_000, 12_000), linear=True)
    # Two tangents to the wall's end, rounded by the base, and the arc between them; the foe's circle is met straight on.
    leg = math.sqrt(5_000**2 + 2_000**2 - RADIUS**2)
    turn = 2 * math.pi - 2 * math.atan2(5_000, 2_000) - 2 * math.acos(RADIUS / math.hypot(5_000, 2_000))
    taut = 2 * leg + RADIUS * turn - (2 * RADIUS + TOUCH)
    found = length(to_foes(walk(12_000, wall)))
    assert taut - 5 <= found <= taut * 1.01
    assert to_foes(walk(math.ceil(taut) + 3, wall)) is not None
    assert to_foes(walk(math.floor(taut) - 5, wall)) is None


def test_mud_is_walked_around_where_that_is_cheaper_and_crossed_where_it_is_not() -> None:
    wide = (rectangle(13_000, 9_000, 16_000, 30_000),)
    around = walk(12_000, mud=wide)
    way = to_foes(around)
    assert way is not None
    assert around.cost((START, *way)) == pytest.approx(path_length((START, *way)), abs=1), "none of it leads through"
    thin = (rectangle(14_000, 0, 14_200, 48_000),)
    assert to_foes(walk(9_200, mud=thin)) is not None
    assert to_foes(walk(9_150, mud=thin)) is None


# --- through what it leads ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gap", "free"), [(1_004, True), (1_030, True), (996, False)])
def test_a_passage_between_two_bases_is_found_if_the_base_fits(gap: int, *, free: bool) -> None:
    across = gap / 2 + RADIUS
    guards: list[Base] = [((14_000, round(10_000 + k * across)), RADIUS) for k in (-1, 1)]
    closed = [((14_000, round(10_000 + k * (across + n * 1_900))), RADIUS) for k in (-1, 1) for n in range(1, 8)]
    assert (to_foes(walk(10_000, enemies=[FOE, *guards, *closed])) is not None) is free


@pytest.mark.parametrize(("wide", "free"), [(1_004, True), (996, False)])
def test_a_corridor_is_found_if_the_base_fits(wide: int, *, free: bool) -> None:
    low, high = 11_000 - wide // 2, 11_000 + wide // 2
    walls = (rock(*rectangle(13_000, high, 17_000, 40_000)), rock(*rectangle(13_000, 0, 17_000, low)))
    assert (to_foes(walk(11_000, *walls)) is not None) is free


@pytest.mark.parametrize(("wide", "free"), [(1_004, True), (996, False)])
def test_a_passage_along_the_table_edge_is_found_if_the_base_fits(wide: int, *, free: bool) -> None:
    wall = rock((14_000, wide), (14_000, 48_000), linear=True)
    assert (to_foes(walk(24_000, wall)) is not None) is free


def test_the_only_place_left_in_contact_is_found() -> None:
    # Friends stand all round the foe, but for a place that is hardly wider than the base.
    ring = 2 * RADIUS + 15
    spread = 2 * math.asin(1_003 / ring)
    first = math.radians(100)
    friends: list[Base] = []
    for n in range(5):
        angle = first + spread / 2 + n * 2 * math.asin(1_001 / (2 * ring))
        friends.append(((round(20_000 + ring * math.cos(angle)), round(10_000 + ring * math.sin(angle))), RADIUS))
    way = to_foes(walk(16_000), others=friends)
    assert way is not None
    packed = [*friends]
    for n in range(12):
        angle = 2 * math.pi * n / 12
        packed.append(((round(20_000 + ring * math.cos(angle)), round(10_000 + ring * math.sin(angle))), RADIUS))
    assert to_foes(walk(16_000), others=packed) is None


def test_a_base_that_touches_a_wall_or_an_enemy_may_leave_it() -> None:
    wall = rock((10_500, 0), (10_500, 10_300), linear=True)
    assert to_foes(walk(11_000, wall)) is not None
    assert to_foes(walk(11_000, enemies=[FOE, ((11_000, 10_000), RADIUS)])) is not None


def test_a_figure_that_is_walled_in_has_no_way() -> None:
    cell = rectangle(9_000, 9_000, 11_000, 11_000)
    walls = [rock(a, b, linear=True) for a, b in pairwise((*cell, cell[0]))]
    assert to_foes(walk(30_000, *walls)) is None
    assert to_foes(walk(30_000, *walls[:3])) is not None


# --- away -----------------------------------------------------------------------------------------------------------


def away(going: Walk, reach: int, foes: Sequence[Base], others: Sequence[Base] = ()) -> tuple[Point, ...] | None:
    goal = Beyond(Berths(going.size, RADIUS, [*foes, *others]), foes, (), reach)
    way = shortest_way(going, goal, lambda most: goal.places(going, most))
    assert way is None or goal.reached((going.start, *way)[-1])
    return way


def test_the_way_away_from_an_enemy_is_the_shortest() -> None:
    foe: Base = ((10_000, 14_000), RADIUS)
    assert length(away(walk(6_000, enemies=[foe]), 3_000, [foe])) <= 3
    wall = rock((0, 9_500), (48_000, 9_500), linear=True)
    # With a wall behind it slides along the wall.
    way = away(walk(6_000, wall, enemies=[foe]), 3_000, [foe])
    assert way is not None
    assert abs(way[-1][1] - 10_000) <= 1
    assert length(way) <= 300


def test_between_two_enemies_in_a_corridor_there_is_nowhere_to_go() -> None:
    foes: list[Base] = [((7_000, 10_000), RADIUS), ((13_000, 10_000), RADIUS)]
    walls = [rock((0, 10_000 + k * 500), (48_000, 10_000 + k * 500), linear=True) for k in (-1, 1)]
    assert away(walk(6_000, *walls, enemies=foes), 2_000, foes) is None


def test_the_table_edge_is_reached_around_what_is_in_the_way() -> None:
    edge = TableEdge(SIZE, RADIUS)
    start = (10_000, 3_000)
    assert length(shortest_way(walk(6_000, start=start, enemies=()), edge), start) == pytest.approx(2_500, abs=2)
    wall = rock((6_000, 1_500), (14_000, 1_500), linear=True)
    assert shortest_way(walk(4_000, wall, start=start, enemies=()), edge) is None
    assert length(shortest_way(walk(6_500, wall, start=start, enemies=()), edge), start) > 4_400


# --- held against a grid --------------------------------------------------------------------------------------------


# In the last one the coarse points round the corners stand in each other's way, and only the fine ones show one.
_ROOM = (16_000, 12_000)


def scene(seed: int) -> tuple[Walk, Base, list[Base]]:
    """A walk between rocks and bases, here and there over mud; a foe, and the others."""
    chance = random.Random(seed)
    rocks = []
    for _ in range(chance.randrange(3, 25)):
        x, y, wide = chance.randrange(1_000, 15_000), chance.randrange(1_000, 11_000), chance.randrange(300, 1_800)
        corners = chance.choice((2, 3, 4, 5))
        outline = tuple(
            (
                round(x + wide * chance.uniform(0.5, 1) * math.cos(2 * math.pi * k / corners)),
                round(y + wide * chance.uniform(0.5, 1) * math.sin(2 * math.pi * k / corners)),
            )
            for k in range(corners)
        )
        rocks.append(rock(*outline, linear=corners == 2))
    places: list[Base] = []
    while len(places) < 9:
        at = (chance.randrange(500, _ROOM[0] - 500), chance.randrange(500, _ROOM[1] - 500))
        if all(piece.distance(at) >= RADIUS for piece in rocks) and all(distance(at, p) > 1_000 for p, _ in places):
            places.append((at, RADIUS))
    (start, _), foe, *others = places
    straight = distance(start, foe[0]) - 2 * RADIUS
    going = walk(
        min(9_000, max(1_000, round(straight * chance.uniform(1.0, 1.6)))),
        *rocks,
        start=start,
        enemies=[foe, *others[:4]],
        mud=(rectangle(6_000, 4_000, 9_000, 7_000),) * (seed % 2),
        size=_ROOM,
    )
    return going, foe, others


@pytest.mark.parametrize("seed", [*range(24), 811])
def test_a_way_that_a_fine_grid_finds_is_found_and_is_no_longer(seed: int) -> None:
    going, foe, others = scene(seed)
    start = going.start
    way = to_foes(going, [foe], others)
    berths = Berths(_ROOM, RADIUS, [foe, *others])

    def ends(at: Point) -> Point | None:
        apart = distance(at, foe[0])
        back = (2 * RADIUS + TOUCH - 5) / apart
        if apart > 2_500 or back > 1:
            return None
        end = (
            to_mil(foe[0][0] + (at[0] - foe[0][0]) * back),
            to_mil(foe[0][1] + (at[1] - foe[0][1]) * back),
        )
        return end if berths.free(end) else None

    found = cheapest_on_grid(going, ends)
    if found is not None:
        assert way is not None
        assert going.cost((start, *way)) <= found + 10


def test_a_search_that_soon_sees_that_there_is_no_way_misses_none() -> None:
    missed = []
    found = 0
    for seed in range(400):
        going, foe, others = scene(seed)
        hasty = to_foes(going, [foe], others, quick=True)
        if hasty is not None:
            found += 1
            way = to_foes(going, [foe], others)
            if way is None or going.cost((going.start, *way)) > going.cost((going.start, *hasty)) + 2:
                missed.append(seed)
    assert found > 100
    assert not missed
