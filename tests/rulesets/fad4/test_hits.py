"""Hits: the points that each needs by the target's cover, and the figures that take them."""

from __future__ import annotations

import pytest

from server.kernel.facts import FigureRearmed, FiguresFell
from server.kernel.state import State
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import BattleTable, battle, facing, fad4, lines, piece, play, unit

EVERYWHERE = ((0, 18), (48, 22))
"""Ground on which all of red stands in `facing(12)`."""


def cover(state: State) -> str:
    """Return the cover of red-1 against blue-1."""
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    return shot.cover


def scored(state: State, *dice: int) -> BattleTable:
    """Return the hits of blue-1's Open Fire at red-1: 5 points and the higher die."""
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=dice)


# --- how many -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.open")
@pytest.mark.parametrize(("die", "effect", "hits"), [(1, 6, 2), (3, 8, 2), (4, 9, 3)])
def test_every_three_points_make_a_hit_in_the_open(die: int, effect: int, hits: int) -> None:
    roll = scored(facing(12), die, 1, *[1] * hits).rolled("fire_effect")
    assert roll.numbers[0].value == effect
    assert lines(roll.numbers[1]) == [("hits.open", 3)]
    assert roll.outcome == str(hits)


@pytest.mark.rule("fad4/hits.partial-cover")
@pytest.mark.parametrize(("die", "effect", "hits"), [(5, 10, 2), (6, 11, 2), (2, 7, 1), (3, 8, 2)])
def test_every_four_points_make_a_hit_in_partial_cover(die: int, effect: int, hits: int) -> None:
    state = facing(12, terrain=[piece("woods", *EVERYWHERE)])
    roll = scored(state, die, 1, *[1] * hits).rolled("fire_effect")
    assert roll.numbers[0].value == effect
    assert lines(roll.numbers[1]) == [("hits.partial-cover", 4)]
    assert roll.outcome == str(hits), "10 points against woodland are 2 hits"


@pytest.mark.rule("fad4/hits.heavy-cover")
@pytest.mark.parametrize(("die", "effect", "hits"), [(4, 9, 1), (5, 10, 2)])
def test_every_five_points_make_a_hit_in_heavy_cover(die: int, effect: int, hits: int) -> None:
    state = facing(12, terrain=[piece("trench", *EVERYWHERE)])
    roll = scored(state, die, 1, *[1] * hits).rolled("fire_effect")
    assert roll.numbers[0].value == effect
    assert lines(roll.numbers[1]) == [("hits.heavy-cover", 5)]
    assert roll.outcome == str(hits)


# --- who is in cover ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.half-in-cover")
@pytest.mark.parametrize(
    ("figures", "inside", "level"), [(6, 2, "none"), (6, 3, "partial"), (5, 2, "none"), (5, 3, "partial")]
)
def test_a_squad_has_cover_if_half_of_its_figures_are_in_it(figures: int, inside: int, level: str) -> None:
    woods = piece("woods", (0, 18.5), (6 + 2.5 * (inside - 1), 20))
    assert cover(facing(12, red={"figures": figures}, terrain=[woods])) == level


@pytest.mark.rule("fad4/hits.half-in-cover")
def test_a_figure_is_in_cover_if_the_middle_of_its_base_is() -> None:
    assert cover(facing(12, terrain=[piece("woods", (0, 19), (48, 21))])) == "partial"
    assert cover(facing(12, terrain=[piece("trench", (0, 20.7), (48, 22))])) == "none", (
        "in front of it there is no cover"
    )


@pytest.mark.rule("fad4/hits.half-in-cover")
def test_fallen_figures_do_not_count_for_a_squads_cover() -> None:
    woods = piece("woods", (0, 18.5), (9, 20))  # the first two figures
    assert cover(facing(12, red={"figures": 6}, terrain=[woods])) == "none"
    assert cover(facing(12, red={"figures": 6, "lost": 2}, terrain=[woods])) == "partial"


@pytest.mark.rule("fad4/hits.half-in-cover")
def test_figures_in_heavy_cover_count_towards_partial_cover() -> None:
    # Two figures in a trench, one behind a wall, three in the open.
    trench, wall = piece("trench", (4, 18.5), (9, 20)), piece("wall", (10, 18), (12, 18))
    assert cover(facing(12, terrain=[trench, wall])) == "partial"
    assert cover(facing(12, red={"figures": 4}, terrain=[trench, wall])) == "heavy", "two of four are in the trench"


@pytest.mark.rule("fad4/hits.half-in-cover")
@pytest.mark.parametrize(("behind", "level"), [(0.5, "partial"), (1, "partial"), (1.1, "none")])
def test_a_wall_covers_figures_within_an_inch_behind_it(behind: float, level: str) -> None:
    # Red's middles are at y = 19, its bases' edges half an inch nearer.
    wall = piece("wall", (0, 18.5 - behind), (48, 18.5 - behind))
    assert cover(facing(12, terrain=[wall])) == level


@pytest.mark.rule("fad4/hits.half-in-cover")
def test_a_wall_covers_only_against_fire_across_it() -> None:
    wall = piece("wall", (0, 20), (48, 20))
    assert cover(facing(12, terrain=[wall])) == "none", "the wall is behind them"


@pytest.mark.rule("fad4/hits.half-in-cover")
@pytest.mark.parametrize(("hidden", "level"), [(0.3, "none"), (0.5, "partial"), (1, "partial")])
def test_a_lone_figure_has_cover_if_half_of_its_base_is_in_it(hidden: float, level: str) -> None:
    # An inch-wide base that reaches this far into the trees; behind them is open ground.
    state = battle(unit("blue", (6, 6)), unit("red", (12, 19), figures=1), terrain=[])
    at = state.units["red-1"].figures["1"].at
    assert at is not None
    left = at[0] / 1000 - 0.5
    woods = piece("woods", (left - 1, 17), (left + hidden, 21))
    assert cover(battle(unit("blue", (6, 6)), unit("red", (12, 19), figures=1), terrain=[woods])) == level


# --- on whom --------------------------------------------------------------------------------------------------------


def in_depth(*, support: int = 0, **other: object) -> State:
    """Return a file of four figures, 12, 14.5, 17 and 19.5 inches from six Elite riflemen, the last of the roster nearest."""
    file = [(12, 26.5), (12, 24), (12, 21.5), (12, 19)]
    weapons = ["squad-automatic-weapon"] * support
    red = unit("red", file, support=weapons, **other)  # type: ignore[arg-type]  # as `unit` takes it
    return battle(unit("blue", (6, 6), quality="elite"), red, unit("red", (6, 44)))


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_hits_fall_on_the_closest_figures_first() -> None:
    table = scored(in_depth(), 1, 1, 6, 6)
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("4", "3"), "fire", "damage.infantry")]


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_equally_near_figures_are_hit_in_roster_order() -> None:
    state = battle(unit("blue", (12, 6), figures=1), unit("red", [(14, 20), (10, 20)]), unit("red", (6, 44)))
    table = play(state).activates("blue-1").fires_at("red-1", dice=[2, 6])
    assert table.unit("red-1").living.keys() == {"2"}


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_every_visible_figure_takes_one_hit_before_any_takes_a_second() -> None:
    # 12 points, 4 hits on 3 figures: the fourth hit falls on the nearest again.
    state = battle(
        unit("blue", (6, 6), quality="elite"), unit("red", [(12, 24), (12, 21.5), (12, 19)]), unit("red", (6, 44))
    )
    table = scored(state, 6, 1, 1, 6, 6, 6)
    assert table.unit("red-1").left == "destroyed"
    assert table.rolled("damage").marks == ("fail", "kill", "kill", "kill"), (
        "spared at first, the nearest falls after all"
    )


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_a_second_hit_on_a_figure_that_falls_is_lost() -> None:
    state = battle(unit("blue", (6, 6), quality="elite"), unit("red", [(12, 21.5), (12, 19)]), unit("red", (6, 44)))
    table = scored(state, 3, 1, 6, 1, 6)  # both hits fall on the nearest figure and would kill it
    roll = table.rolled("damage")
    assert (roll.marks, roll.outcome) == (("kill", "fail", "kill"), "1")
    assert table.unit("red-1").living.keys() == {"1"}


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_a_gunner_takes_the_last_riflemans_rifle_and_loses_his_own_weapon() -> None:
    # Two gunners behind two riflemen.
    table = scored(in_depth(support=2), 1, 1, 6, 6)
    assert table.seen(FigureRearmed) == [FigureRearmed("red-1", "1", "", "hits.allocate-closest")]
    assert [figure.role for figure in table.unit("red-1").living.values()] == ["", "squad-automatic-weapon"]


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_gunners_keep_their_weapons_while_a_rifleman_lives() -> None:
    table = scored(in_depth(support=2), 1, 1, 6, 1)
    assert table.seen(FigureRearmed) == []


@pytest.mark.rule("fad4/hits.allocate-closest")
def test_a_squad_of_gunners_only_takes_up_no_rifle() -> None:
    table = scored(in_depth(support=4), 1, 1, 6, 1)
    assert table.unit("red-1").strength == 3
    assert table.seen(FigureRearmed) == []
