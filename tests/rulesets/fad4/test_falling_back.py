"""Broken infantry that is hemmed in falls back if there is any path, and stays or leaves the table only if there is none."""

from __future__ import annotations

import math
import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import EndsFarther, PathParameter, PathsDeclared
from server import compiled
from server.kernel.answers.check import check_path
from server.kernel.bodies import body
from server.kernel.facts import UnitMoved
from server.kernel.finding.closing_up import parts
from server.kernel.finding.walks import Walk
from server.kernel.space.geometry import FULL_TURN, Point, distance, moved
from server.kernel.standing import bases, nearest, widest_after
from server.kernel.state import State
from server.rulesets.fad.drawn_together import BEND, LENGTHS, Together
from server.rulesets.fad.falling_back import best_way, retreat
from server.rulesets.fad.movement import MOVE, CoherencyDistance, path_parameter, retreat_ends
from server.rulesets.shared.ways import allowing, legal_shifts, shifts_on_table
from tests.support.battlefield import BattleTable, battle, fad4, paths, piece, play, unit
from tests.support.tabletop import Place, Row

FALL_BACK = [3, 1, 2]
"""Dice of a Regular unit's Morale Test with one pass."""

every_side = pytest.mark.rule("fad4/morale.infantry-fall-back")


def broken(at: list[Place], *others: Row, terrain: tuple[Row, ...] = (), **blue: object) -> BattleTable:
    """Let blue-1, at these places and one man short, fail to rally with one pass."""
    state = battle(
        unit("blue", [*at, (30, 40)], lost=1, resolve="reluctant", **blue),  # type: ignore[arg-type]  # as `unit` takes it
        *others,
        terrain=terrain,
        size=(48, 48),
    )
    return play(state).activates("blue-1", dice=FALL_BACK)


def farther(before: State, after: State, enemy: str = "red-1") -> bool:
    """Return whether every figure of blue-1 is farther from the nearest figure of `enemy` than it was."""
    foes = bases(before, only=[enemy])
    return all(
        nearest(body(figure), foes, ()) > nearest(body(before.units["blue-1"].figures[key]), foes, ())
        for key, figure in after.units["blue-1"].living.items()
    )


@every_side
@pytest.mark.parametrize("off", [0.0, 0.1, 0.26])
def test_a_broken_squad_at_the_tables_edge_falls_back_along_it(off: float) -> None:
    table = broken([(20 + 2 * n, 0.5 + off) for n in range(4)], unit("red", (16, 8), figures=3))
    assert table.offered == ["fall-back", "fire-fall-back"]
    before = table.state
    table.defaults()
    assert farther(before, table.state)
    assert table.seen(UnitMoved)[0].manner == "fall-back"


@every_side
def test_the_owner_may_draw_the_retreat_along_the_edge() -> None:
    table = broken([(20, 0.5), (22, 0.5)], unit("red", (16, 8), figures=1))
    before = table.state
    table.answers("fall-back", paths(_1=[(24, 0.5)], _2=[(26, 0.5)]))
    assert farther(before, table.state)


@every_side
def test_a_broken_squad_falls_back_around_a_rock() -> None:
    # A cliff at their backs, with its ends bent forward.
    cliff = piece("cliff", (16, 17), (27, 17), (27, 20), (26.5, 20), (26.5, 17.5), (16.5, 17.5), (16.5, 20), (16, 20))
    table = broken([(18, 18), (20, 18), (22, 18), (24, 18)], unit("red", (21, 26), figures=1), terrain=(cliff,))
    assert "fall-back" in table.offered
    assert "stay" not in table.offered
    before = table.state
    table.defaults()
    assert farther(before, table.state)


@every_side
def test_a_broken_squad_that_is_shut_in_stays() -> None:
    # Walls that touch its base on three sides, and the enemy on the fourth.
    cell = (
        piece("cliff", (8, 18), (9.5, 24), id="west"),
        piece("cliff", (8, 18), (13, 19.5), id="south"),
        piece("cliff", (10.5, 18), (13, 24), id="east"),
    )
    table = broken([(10, 20)], unit("red", (10, 26), figures=1), terrain=cell)
    assert table.offered == ["stay", "fire-stay"]
    assert table.choice("stay").consequence == "There is no way out."
    # A tenth of an inch of free ground behind it is enough.
    roomy = (*cell[:1], piece("cliff", (8, 18), (13, 19.4), id="south"), *cell[2:])
    table = broken([(10, 20)], unit("red", (10, 26), figures=1), terrain=roomy)
    assert table.offered == ["fall-back", "fire-fall-back"]
    before = table.state
    table.defaults()
    assert farther(before, table.state)


@every_side
def test_one_figure_that_cannot_get_farther_away_keeps_the_broken_squad_in_place() -> None:
    cell = (
        piece("cliff", (8, 18), (9.5, 24), id="west"),
        piece("cliff", (8, 18), (11.5, 19.5), id="south"),
        piece("cliff", (10.5, 18), (11.5, 24), id="east"),
    )
    table = broken([(10, 20), (13, 20)], unit("red", (10, 26), figures=1), terrain=cell)
    assert table.offered == ["stay", "fire-stay"]


@every_side
def test_a_cornered_squad_leaves_the_table_only_if_every_figure_reaches_the_edge() -> None:
    corner: list[Place] = [(0.5, 0.5), (2.0, 0.5), (3.5, 0.5)]
    red = unit("red", [(8, 5.5), (1, 8), (3, 8)], quality="elite")
    assert broken(corner, red).offered == ["leave"]
    # One of them stands in a cell of its own, from which no path leads to the edge.
    cell = piece("cliff", (3.0, 0), (4.3, 0), (4.3, 3.2), (3.0, 3.2), (3.0, 3.0), (4.1, 3.0), (4.1, 1.8), (3.0, 1.8))
    shut = broken([*corner[:2], (3.5, 2.5)], red, terrain=(cell, piece("cliff", (2.6, 1.6), (3.0, 3.4), id="door")))
    assert "leave" not in shut.offered


@every_side
@pytest.mark.rule("fad4/coherency.broken")
def test_a_broken_squad_that_must_separate_widens_its_gap_as_little_as_possible() -> None:
    # Two in a corridor, as far apart as their Quality allows, with the enemy between them.
    walls = (piece("cliff", (5, 17), (40, 19.5), id="south"), piece("cliff", (5, 20.5), (40, 23), id="north"))
    limit = 8.0
    table = broken([(15, 20), (16 + limit, 20)], unit("red", (19.5, 20), figures=1), terrain=walls)
    (parameter,) = table.choice("fall-back").parameters
    assert isinstance(parameter, PathParameter)
    assert parameter.gap_rule == "coherency.broken"
    assert parameter.gap >= 8_000
    before = table.state
    table.defaults()
    assert farther(before, table.state)


@every_side
@pytest.mark.rule("fad4/coherency.broken")
def test_a_scattered_broken_squad_between_the_enemy_and_a_friend_draws_together_as_it_falls_back() -> None:
    # The third gets farther from the enemy only along the table's edge, away from the others, up to the friends there.
    state = battle(
        unit("blue", [(11.017, 37.656), (8.787, 37.654), (4.743, 39.5), (30, 20)], lost=1, quality="conscript"),
        unit("blue", [(0.704, 37.464), (2.204, 37.464), (0.704, 38.964), (2.204, 38.964)]),
        unit("red", [(13.75, 8.044), (15.95, 8.044)]),
        size=(48, 40),
    )
    blue, figures = state.units["blue-1"], ("1", "2", "3")
    assert fad4().rules.advisers.answer(state, CoherencyDistance("blue-1")).value == 3_000
    assert widest_after(blue, PathsDeclared({}), figures) == 3_445
    found = retreat(fad4().rules, state, "blue-1")
    assert found.parameter is not None
    assert found.way is not None
    assert found.parameter.gap == 3_000, "it can restore its coherency, so it has to"
    assert check_path(state, found.parameter, found.way) is None
    assert widest_after(blue, found.way, figures) <= 3_000


@every_side
@pytest.mark.parametrize("seed", range(40))
def test_the_suggested_retreat_is_legal_and_a_denied_one_impossible_for_some_figure(seed: int) -> None:
    """Squads between rocks, at edges and among others: the server's own path is legal, and where it says that there is none,
    some figure has no place on a grid around it.
    """
    chance = random.Random(seed)
    state = _hemmed(chance)
    rules = fad4().rules
    found = retreat(rules, state, "blue-1")
    own = state.units["blue-1"]
    if found.parameter is not None:
        assert found.way is not None, "no figure is shut in, and yet no way was found for all"
        assert check_path(state, found.parameter, found.way) is None
        return
    (rule,) = retreat_ends(rules, state, own)
    (condition,) = rule.any_of
    assert isinstance(condition, EndsFarther)
    foes = bases(state, only=condition.units)
    parameter = PathParameter(
        "blue-1",
        6_000,
        barred=rules.pieces_with(state, "impassable"),
        avoid=("red-1", "red-2"),
    )
    assert any(not _way_on_grid(state, parameter, key, foes) for key in own.living)


@every_side
@pytest.mark.rule("fad4/coherency.broken")
@pytest.mark.parametrize("seed", range(12))
def test_a_hemmed_in_unit_is_drawn_together_until_no_straight_move_draws_it_closer(seed: int) -> None:
    state = _hemmed(random.Random(seed), spread=0.1)
    rules, own = fad4().rules, state.units["blue-1"]
    plain = path_parameter(rules, state, "blue-1", MOVE, retreat_ends(rules, state, own), may_stay=False)
    parameter, limit = replace(plain, gap=0, ends=()), 50
    together = Together(state, parameter, limit, (), 0)
    way = together.closer(PathsDeclared({}))
    least = together.widest(way)
    assert way.paths == {} or check_path(state, parameter, way) is None
    assert least <= together.widest(PathsDeclared({}))
    movers = [*parts(own, limit), *([key] for key in own.living)]
    for keys in movers if least > limit else ():
        starts = {key: figure.at for key in keys if (figure := own.figures[key]).at is not None}
        for share in LENGTHS:
            for angle in range(0, FULL_TURN, BEND):
                far = parameter.allowance * share // 100
                other = PathsDeclared({**way.paths, **{key: (moved(at, angle, far),) for key, at in starts.items()}})
                assert together.widest(other) >= least or check_path(state, parameter, other) is not None


@every_side
@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_all_legal_retreats_is_found_although_few_are_asked_about(seed: int) -> None:
    state = _hemmed(random.Random(seed))
    rules, own = fad4().rules, state.units["blue-1"]
    parameter = path_parameter(rules, state, "blue-1", MOVE, retreat_ends(rules, state, own), may_stay=False)
    tried = range(0, 36_000, 1_500), (6_000, 3_000, 1_000)
    ways, legal = shifts_on_table(state, parameter, *tried), legal_shifts(state, parameter, *tried)
    asked: list[PathsDeclared] = []

    def allows(way: PathsDeclared) -> bool:
        asked.append(way)
        return allowing(state, parameter)(way)

    assert best_way(rules, state, own, ways, allows) == best_way(rules, state, own, legal, lambda _: True)
    assert len(asked) == len({id(way) for way in asked})
    assert len(asked) < len(ways) // 2 or len(legal) < len(ways) // 2


@pytest.mark.skipif(
    not compiled.WHY_NOT, reason="counts calls within a compiled module: test_compiled runs it uncompiled"
)
@every_side
def test_repeated_searches_for_a_retreat_examine_each_stretch_of_ground_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A squad among rocks and friends, for which a dozen searches fail before some succeed."""
    judged: list[tuple[int, Point, Point]] = []
    judge = Walk._judged

    def counted(walk: Walk, a: Point, b: Point) -> bool:
        judged.append((id(walk), a, b))
        return judge(walk, a, b)

    monkeypatch.setattr(Walk, "_judged", counted)
    found = retreat(fad4().rules, _hemmed(random.Random(3718)), "blue-1")
    assert found.way is not None
    assert len(judged) == len(set(judged)) > 0
    assert len(judged) < 10_000


def _hemmed(chance: random.Random, spread: float = 0) -> State:
    """Return a squad of three by the southern edge or in the open, with rocks close around it and other units near. The third
    figure stands three times as far off, for its `spread` (inches), as the second.
    """
    low = chance.choice((0.5, 0.55, 20.0))
    at = [(20 + 1.2 * n + spread * n * n, low) for n in range(3)]
    rocks = []
    for n in range(chance.randrange(2, 7)):
        x, y = 17 + chance.random() * 8, low - 3 + chance.random() * 5
        wide, high = 0.3 + chance.random() * 2, 0.3 + chance.random() * 2
        if not any(x - 0.5 < px < x + wide + 0.5 and y - 0.5 < py < y + high + 0.5 for px, py in at):
            rocks.append(piece("cliff", (x, max(0, y)), (x + wide, max(0.1, y + high)), id=f"rock-{n}"))
    if chance.random() < 0.4:
        # The second figure stands in a niche that touches its base on two sides, and at the back unless the table's edge is
        # there.
        back, deep = max(0.0, low - 0.9), chance.choice((0.0, 0.3, 0.8))
        rocks += [piece("cliff", (x, back), (x + 0.1, low + deep + 0.1), id=f"side-{x}") for x in (20.6, 21.6)]
        if low > 1:
            rocks.append(piece("cliff", (20.6, back - 0.1), (21.7, low - 0.5), id="back"))
    friends = [(x, y) for x, y in ((18.6, low), (24.0, low), (20.6, low + 1.4)) if chance.random() < 0.5]
    others = [unit("blue", friends, id="blue-2")] if friends else []
    return battle(
        unit("blue", [*at, (40, 40)], lost=1, resolve="reluctant"),
        *others,
        unit("red", (17 + chance.random() * 8, low + 3 + chance.random() * 3), figures=2),
        unit("red", (30, 40), figures=2),
        terrain=rocks,
    )


def _way_on_grid(state: State, parameter: PathParameter, key: str, foes: list[tuple[Point, int]]) -> bool:
    """Return whether some straight path of one figure, from a grid of directions and lengths, leads farther from the enemy."""
    figure = state.units["blue-1"].figures[key]
    assert figure.at is not None
    x, y = figure.at
    own = nearest(body(figure), foes, ())
    for length in (5, 50, 200, 600, 1_500, 3_000, 5_999):
        for spoke in range(72):
            angle = spoke * math.pi / 36
            end = (round(x + length * math.cos(angle)), round(y + length * math.sin(angle)))
            away = min(distance(end, at) - radius - figure.radius for at, radius in foes)
            if away > own + 1 and check_path(state, parameter, PathsDeclared({key: (end,)})) is None:
                return True
    return False
