"""Where figures stop that come less far than they declared: always somewhere legal, and as far on as they can."""

from __future__ import annotations

import random

from client_protocol.choices import PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.errors import RulesetError
from server.kernel.finding.ground import Ground
from server.kernel.finding.stopping_short import stopping_short
from server.kernel.space.costs import Costs
from server.kernel.space.geometry import Point, distance, to_mil
from server.kernel.space.paths import largest_gap
from server.kernel.space.terrain import Terrain
from server.kernel.standing import bases, end_places, terrain_of
from server.kernel.state import State
from tests.support.battlefield import battle, paths, piece, unit
from tests.support.tabletop import Row

GROUND = (piece("swamp", (4, 9), (9, 13), id="swamp"), piece("cliff", (11, 9), (13, 10.2), id="cliff"))
GAP = 4_000
COSTLY, BARRED = (("swamp", 200),), ("cliff",)


def table(*units: Row, terrain: tuple[Row, ...] = ()) -> State:
    return battle(*units, unit("red", (6, 44)), terrain=terrain)


def ways(state: State, chance: random.Random) -> PathsDeclared | None:
    """Return a legal move of blue-1 of up to 12", every figure with one bend of its own; None where none was found."""
    parameter = PathParameter("blue-1", 12_000, COSTLY, BARRED, ("red-1",), GAP)
    for _ in range(60):
        turn = (chance.randrange(-2000, 2001), chance.randrange(1000, 5001))
        shift = (chance.randrange(-3000, 3001), chance.randrange(3000, 9001))
        drawn: dict[str, tuple[Point, ...]] = {}
        places = [at for at, _ in state.units["blue-1"].places()]
        # Some change places with each other on the way.
        ends = chance.sample(places, len(places)) if chance.randrange(2) else places
        for key, (x, y), (ex, ey) in zip(state.units["blue-1"].living, places, ends, strict=True):
            bend = (x + turn[0] + chance.randrange(-900, 901), y + turn[1])
            drawn[key] = (bend, (ex + shift[0], ey + shift[1]))
        way = PathsDeclared(drawn)
        if check_path(state, parameter, way) is None:
            return way
    return None


def cost(state: State, key: str, path: tuple[Point, ...]) -> int:
    start = state.units["blue-1"].figures[key].at
    assert start is not None
    return to_mil(Costs([(piece, 200) for piece in terrain_of(state, ["swamp"])]).path((start, *path)))


def test_on_any_ground_with_any_roll_figures_stop_within_it_on_free_places_and_together() -> None:
    chance = random.Random(5)
    drawn = short = 0
    for _ in range(120):
        friends = [(chance.uniform(5, 16), chance.uniform(8, 14)) for _ in range(3)]
        standing = [unit("blue", at, figures=1) for at in friends]
        try:
            state = table(unit("blue", (6, 5), figures=5, apart=1.6), *standing, terrain=GROUND)
        except RulesetError:  # friends that overlap are no table
            continue
        way = ways(state, chance)
        if way is None:
            continue
        drawn += 1
        reach = chance.randrange(500, 12_000)
        stopped = stopping_short(state, "blue-1", way.paths, reach, GAP, COSTLY, BARRED)
        short += stopped != way
        assert all(cost(state, key, path) <= reach for key, path in stopped.paths.items())
        ends = end_places(state.units["blue-1"], stopped)
        assert largest_gap([at for at, _ in ends.values()], [radius for _, radius in ends.values()]) <= GAP
        cliff: list[Terrain] = terrain_of(state, BARRED)
        for key, (at, radius) in ends.items():
            others = [*bases(state, without=["blue-1"]), *(base for mate, base in ends.items() if mate != key)]
            assert Ground((48_000, 48_000), cliff, others).free(at, radius)
            on_the_way(state, key, way.paths[key], at)
    assert (drawn > 60, short > 40) == (True, True), (drawn, short)


def test_some_figures_that_keep_nearer_together_stop_for_each_other() -> None:
    state = table(unit("blue", (6, 5), figures=3, apart=1.6), terrain=(piece("swamp", (7, 6), (8, 12), id="swamp"),))
    (_, (x2, _), (x3, _)) = (at for at, _ in state.units["blue-1"].places())
    ahead = {"2": ((x2, 11_000),), "3": ((x3, 11_000),)}
    loose = stopping_short(state, "blue-1", ahead, 5_000, 0, COSTLY, ())
    crew = stopping_short(state, "blue-1", ahead, 5_000, 0, COSTLY, (), closer=[(("2", "3"), 1_200)])

    def widest(way: PathsDeclared) -> int:
        ends = end_places(state.units["blue-1"], way)
        return largest_gap([ends[key][0] for key in ("2", "3")], [ends[key][1] for key in ("2", "3")])

    assert widest(loose) > 1_200
    assert widest(crew) == 1_200
    assert all(cost(state, key, path) <= 5_000 for key, path in crew.paths.items())


def on_the_way(state: State, key: str, path: tuple[Point, ...], at: Point) -> None:
    """Check that a figure stops on the way that it declared."""
    start = state.units["blue-1"].figures[key].at
    assert start is not None
    legs = [(a, b) for a, b in zip((start, *path), path, strict=False)]
    assert min(distance(a, at) + distance(at, b) - distance(a, b) for a, b in legs) < 2


def test_a_figure_stops_exactly_where_the_base_that_it_passed_through_begins() -> None:
    state = table(unit("blue", (6, 6), figures=1), unit("blue", (6, 10), figures=1))
    stopped = stopping_short(state, "blue-1", paths(_1=[(6, 13)]).paths, 4_500, GAP, (), ())
    assert stopped.paths == {"1": ((6_000, 9_000),)}
    beyond = stopping_short(state, "blue-1", paths(_1=[(6, 13)]).paths, 5_000, GAP, (), ())
    assert beyond.paths == {"1": ((6_000, 11_000),)}


def test_a_crowd_that_fills_the_way_keeps_a_figure_where_it_stood() -> None:
    crowd = [unit("blue", (6, 7 + y), figures=1) for y in range(5)]
    state = table(unit("blue", (6, 6), figures=1), *crowd)
    assert stopping_short(state, "blue-1", paths(_1=[(6, 12.5)]).paths, 5_400, GAP, (), ()).paths == {}


def test_no_figure_could_go_farther_alone_without_losing_its_mates() -> None:
    state = table(unit("blue", (6, 6), figures=2))
    # The second goes the long way round; the first waits for it at exactly the widest gap.
    way = paths(_1=[(6, 14)], _2=[(8.5, 3.5), (8.5, 6.5), (8.0, 11.0)])
    stopped = stopping_short(state, "blue-1", way.paths, 6_000, GAP, (), ())
    (first,), second = stopped.paths["1"], stopped.paths["2"]
    assert second == ((8_500, 3_500), (8_500, 6_500), (8_445, 6_997))
    assert to_mil(distance(first, second[-1])) - 1_000 == GAP
    assert first[1] < 12_000


def test_a_squad_that_was_scattered_does_not_scatter_farther() -> None:
    state = table(unit("blue", [(6, 6), (13, 6)]))
    stopped = stopping_short(state, "blue-1", paths(_1=[(6, 14)], _2=[(10.9, 14)]).paths, 5_000, GAP, (), ())
    ends = end_places(state.units["blue-1"], stopped)
    assert largest_gap([at for at, _ in ends.values()], [500, 500]) <= 6_000
    assert stopped.paths["1"][-1] == (6_000, 11_000)
