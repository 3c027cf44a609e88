"""Free space round a hull."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresPlaced, Picked
from server.kernel.answers.check import Asked, check
from server.kernel.bodies import body
from server.kernel.space.geometry import Point, distance, rectangle
from server.kernel.space.hulls import off
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from server.rulesets.shared.free_space import SpaceRound
from tests.rulesets.shared.three_sides import SIZE, squad, table, vehicle

REACH = 2_000
HERE = (20_000, 20_000)
FOE = (20_000, 30_000)


def battle(figures: int = 4, *taken: Point, hull: Point = HERE) -> State:
    """A vehicle, a squad aboard it, an enemy to the north of it, and a squad that stands at `taken`."""
    others = [squad("blue", 3, figures=len(taken), at=taken)] if taken else []
    aboard = replace(squad("blue", 2, figures=figures), aboard="blue-1")
    return table(vehicle("blue", at=hull), aboard, squad("red", figures=1, at=[FOE]), *others)


def space(state: State, barred: tuple[str, ...] = ()) -> SpaceRound:
    return SpaceRound(state, "blue-2", body(state.units["blue-1"].figures["1"]).outline, barred)


def farthest(state: State, places: dict[str, Point]) -> float:
    """How far the farthest of these bases stands from the hull, edge to edge."""
    return max(off(at, body(state.units["blue-1"].figures["1"]).outline) - 500 for at in places.values())


def test_places_are_legal_near_the_hull_and_far_from_the_enemy() -> None:
    state = battle()
    found = space(state).within(REACH)
    assert set(found) == {"1", "2", "3", "4"}
    assert all(at[1] < HERE[1] for at in found.values()), "on the side that is away from the enemy"
    parameter = space(state).placement(REACH, found)
    picked = Picked("out", (FiguresPlaced((found,)),))
    asked = Asked("Out", (Choice("out", "Out", "", "", (parameter,)),), picked)
    assert check(state, asked, picked) is None
    one, other = list(found)[:2]
    crowd = Picked("out", (FiguresPlaced(({**found, one: found[other]},)),))
    assert check(state, asked, crowd) is not None


def test_barred_ground_and_other_bases_are_not_free() -> None:
    taken = list(space(battle(2)).within(REACH).values())
    found = space(battle(2, *taken)).within(REACH)
    assert len(found) == 2
    assert all(distance(at, other) >= 1_000 for at in found.values() for other in taken)
    south = Terrain("pond", "Pond", "water", rectangle(0, 0, SIZE, 18_400))
    state = battle(2)
    closed = replace(state, table=replace(state.table, terrain=(south,)))
    assert [at[1] >= 18_900 for at in space(closed, ("pond",)).within(REACH).values()] == [True, True]


def test_figures_that_find_no_place_within_reach_are_set_down_as_near_as_there_is_one() -> None:
    # The vehicle stands in a corner of walls that leaves space for some.
    hull = (3_050, 1_550)
    walls = Terrain("walls", "Walls", "rocks", rectangle(7_200, 0, 9_000, 6_000))
    state = battle(15, hull=hull)
    closed = replace(state, table=replace(state.table, terrain=(walls,)))
    near = space(closed, ("walls",)).within(600)
    assert 0 < len(near) < 15
    reach, places = space(closed, ("walls",)).nearest(600)
    assert set(places) == {str(number) for number in range(1, 16)}
    assert {key: places[key] for key in near} == near
    assert 600 < farthest(closed, places) <= reach <= farthest(closed, places) + 250


def test_only_a_full_table_leaves_figures_out() -> None:
    state = battle(2)
    everywhere = Terrain("rock", "Rock", "rocks", rectangle(0, 0, SIZE, SIZE))
    closed = replace(state, table=replace(state.table, terrain=(everywhere,)))
    assert space(closed, ("rock",)).nearest(REACH) == (REACH, {})
