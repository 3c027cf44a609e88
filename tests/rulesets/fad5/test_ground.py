"""What the ground costs on foot: very difficult ground, and obstacles of every height."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathParameter, PathsDeclared, Picked
from server.kernel.answers.check import check
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import UnitMoved
from server.kernel.state import State
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, paths, piece, play, unit
from tests.support.tabletop import Row


def ahead(*terrain: Row, **options: object) -> State:
    """Return a lone blue figure at (6, 6) with this terrain in front of it."""
    return battle(unit("blue", (6, 6), figures=1), unit("red", (30, 44)), terrain=terrain, options=options)


def farthest(state: State, choice: str = "move-fire") -> float:
    """Return how many inches north the figure may go, to a tenth."""
    table = play(state).activates("blue-1")
    tenths = range(121)
    legal = [tenth / 10 for tenth in tenths if _legal(table, choice, tenth / 10)]
    return max(legal)


def _legal(table: BattleTable, choice: str, inches: float) -> bool:
    return allows(table, choice, paths(_1=[(6, 6 + inches)]))


def allows(table: BattleTable, choice: str, way: PathsDeclared) -> bool:
    """Return whether the figure may go this way."""
    return check(believed(table.state, table.asked), table.prompt, Picked(choice, (way,))) is None


@pytest.mark.rule("fad5/move.very-difficult")
def test_each_inch_of_very_difficult_ground_costs_three() -> None:
    # 3" in the open, then an inch of mire.
    state = ahead(piece("mire", (0, 9), (20, 20)))
    assert farthest(state) == 4
    table = play(state).activates("blue-1")
    refused = table.refused("move-fire", paths(_1=[(6, 10.1)]))
    assert (refused.code, refused.rule) == ("path_too_long", "move.very-difficult")
    assert '6.3" of movement, since Mire costs more than open ground; it has 6"' in refused.sentence


@pytest.mark.rule("fad5/move.obstacles")
@pytest.mark.parametrize(
    ("kind", "inches"), [("wall", 6), ("hedge", 5), ("barricade", 5), ("fence", 3), ("high_wall", 3)]
)
def test_an_obstacle_takes_its_toll_by_its_height(kind: str, inches: float) -> None:
    assert farthest(ahead(piece(kind, (0, 8), (20, 8)))) == inches
    # Not crossed it costs nothing: the figure goes along it.
    table = play(ahead(piece(kind, (0, 8), (20, 8)))).activates("blue-1")
    assert allows(table, "move-fire", paths(_1=[(12, 6)]))


@pytest.mark.rule("fad5/move.obstacles")
def test_the_toll_is_paid_at_each_crossing_and_by_each_figure_for_itself() -> None:
    hedge = piece("hedge", (0, 8), (7, 8))
    table = play(ahead(hedge)).activates("blue-1")
    # 2.2" over and 2.2" back, with 1" each time, are more than 6"; once over they are not.
    assert table.refused("move-fire", paths(_1=[(6, 8.2), (6, 6)])).rule == "move.obstacles"
    assert allows(table, "move-fire", paths(_1=[(6, 8.2)]))
    two = battle(unit("blue", [(6, 6), (8, 6)]), unit("red", (30, 44)), terrain=[hedge])
    moving = play(two).activates("blue-1").answers("move-fire", paths(_1=[(6, 11)], _2=[(8, 12)]))
    assert len(moving.seen(UnitMoved)) == 1
    refused = play(two).activates("blue-1").refused("move-fire", paths(_1=[(6, 11.1)], _2=[(8, 11)]))
    assert (refused.rule, refused.figure) == ("move.obstacles", "1")


@pytest.mark.rule("fad5/move.high-obstacles")
@pytest.mark.parametrize(("setting", "move", "rush"), [("impassable", 1.5, 1.5), (6, 1.9, 6), (9, 1.9, 3)])
def test_a_high_obstacle_is_not_crossed_unless_the_match_says_for_how_much(
    setting: str | int, move: float, rush: float
) -> None:
    state = ahead(piece("rampart", (0, 8), (20, 8)), high_obstacles=setting)
    assert (farthest(state), farthest(state, "move-out")) == (move, rush)
    refused = play(state).activates("blue-1").refused("move-fire", paths(_1=[(6, 9)]))
    assert refused.rule == "move.high-obstacles"


@pytest.mark.rule("fad5/move.high-obstacles")
def test_no_figure_is_placed_on_a_high_obstacle_that_is_not_crossed() -> None:
    rows = battle(unit("blue", (6, 6)), unit("red", (30, 44)), terrain=[piece("rampart", (0, 6), (20, 6))])
    (sentence,) = fad5().amiss(rows, "blue-1")
    assert "Rampart" in sentence


@pytest.mark.rule("fad5/move.obstacles")
def test_an_obstacle_that_is_an_area_is_refused() -> None:
    wall = piece("rocks", (0, 8), (20, 12), flags=["waist_high"])
    with pytest.raises(RulesetError, match="Rocks is flagged waist_high, and an obstacle is a line"):
        ahead(wall)


@pytest.mark.rule("fad5/move.obstacles")
def test_the_browser_gets_each_toll_with_its_rule() -> None:
    terrain = [piece("hedge", (0, 8), (20, 8), id="h"), piece("mire", (0, 20), (9, 29), id="m")]
    terrain += [piece("rampart", (0, 40), (9, 40), id="r")]
    choice = play(ahead(*terrain)).activates("blue-1").prompt.choice("move-fire")
    assert choice is not None
    (way,) = choice.parameters
    assert isinstance(way, PathParameter)
    assert way.costly == (("h", 1000), ("m", 300))
    assert way.barred == ("r",)
    assert {row.piece: row.rule for row in way.grounds} == {
        "h": "move.obstacles",
        "m": "move.very-difficult",
        "r": "move.high-obstacles",
    }
