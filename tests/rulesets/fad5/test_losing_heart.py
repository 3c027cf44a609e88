"""An option of a match: a side that has lost half of its units is less resolute."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Noted, Rolled, TerrainChanged, UnitLeft
from server.kernel.state import State
from server.kernel.views import DeskView, Renderer
from server.rulesets.fad.modules.losing_heart import counted
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, piece, play, unit
from tests.support.tabletop import Row

ON = {"losing_heart": "on"}
RULE, OUT = "resolve.losing-heart", "resolve.losing-heart-elimination"


def side(name: str, y: float, *resolves: str, gone: int = 0, **other: object) -> list[Row]:
    """Return a unit for each Resolve, and some that have left the game."""
    standing = [unit(name, (2 + 9.0 * n, y), figures=3, resolve=row, **other) for n, row in enumerate(resolves)]  # type: ignore[arg-type]  # as `unit` takes it
    return standing + [unit(name, (2, y), figures=1, lost=1, left="destroyed") for _ in range(gone)]


def match(blue: list[Row], red: list[Row] | None = None, terrain: tuple[Row, ...] = (), **options: str) -> State:
    units = [*blue, *(red or side("red", 60, "steady", "steady"))]
    return battle(*units, terrain=terrain, options=ON | options, size=(72, 72))


def held(state: State) -> BattleTable:
    """Let blue-1 activate and hold, after which it is seen who loses heart."""
    return play(state).activates("blue-1").holds()


def resolves(table: BattleTable) -> dict[str, str]:
    """Return how resolute the units of blue are that are left."""
    return {one.id: fad5().rules.resolve(one).id for one in table.state.units_of("blue")}


@pytest.mark.rule("fad5/resolve.losing-heart")
def test_with_half_of_its_units_gone_the_resolve_of_a_side_falls_by_a_level_and_with_three_quarters_by_two() -> None:
    # The rulebook's example has 10 units: 4 gone, 5, and 8.
    six = ["steady", "determined", "uncertain", "steady", "steady"]
    whole = held(match(side("blue", 6, *six, "steady", gone=4)))
    assert whole.seen(ConditionGained) == []
    half = held(match(side("blue", 6, *six, gone=5)))
    assert resolves(half) == {
        "blue-1": "uncertain",
        "blue-2": "steady",
        "blue-3": "reluctant",
        "blue-4": "uncertain",
        "blue-5": "uncertain",
    }
    assert half.seen(ConditionGained)[0] == ConditionGained("blue-1", "losing_heart", RULE)
    most = held(match(side("blue", 6, "steady", "determined", gone=8)))
    assert resolves(most) == {"blue-1": "reluctant", "blue-2": "uncertain"}
    assert resolves(most.activates("red-1").holds().activates("blue-2").holds()) == resolves(most), "once each"


@pytest.mark.rule("fad5/resolve.losing-heart")
def test_only_the_side_with_the_losses_loses_heart_and_no_side_does_without_the_option() -> None:
    table = held(match(side("blue", 6, "steady", gone=1)))
    assert {fact.unit for fact in table.seen(ConditionGained)} == {"blue-1"}
    assert held(match(side("blue", 6, "steady", gone=1), losing_heart="off")).seen(ConditionGained) == []


@pytest.mark.rule("fad5/resolve.losing-heart")
def test_a_lower_level_breaks_a_unit_that_its_losses_did_not_break() -> None:
    # One of three lost: 33% break an Uncertain unit, and no Steady one.
    for conditions, rolls in (([], 0), (["losing_heart"], 1)):
        blue = [unit("blue", (2, 6), figures=3, lost=1, resolve="steady", conditions=conditions)]
        state = match([*blue, *side("blue", 12, "steady", gone=2)])
        table = play(state).activates("blue-1", dice=[6, 6, 6] * rolls)
        assert [fact.rule for fact in table.seen(Rolled)] == ["morale.test"] * rolls


@pytest.mark.rule("fad5/resolve.losing-heart-elimination")
def test_a_unit_that_would_fall_below_reluctant_is_gone_and_counts_at_once() -> None:
    # The ledger of the rules: 8 units, 4 lost, one of the rest Reluctant. 5 of 8 are no further step.
    once = held(match(side("blue", 6, "steady", "reluctant", "steady", "steady", gone=4)))
    assert once.seen(UnitLeft) == [UnitLeft("blue-2", "lost_heart", OUT)]
    assert set(resolves(once).values()) == {"uncertain"}
    # Two of four, and the third goes: three quarters, so that the last one falls by two levels.
    twice = held(match(side("blue", 6, "steady", "reluctant", gone=2)))
    assert twice.seen(UnitLeft) == [UnitLeft("blue-2", "lost_heart", OUT)]
    assert resolves(twice) == {"blue-1": "reluctant"}
    # An Uncertain one, which falls to Reluctant first, goes with the second step.
    last = held(match(side("blue", 6, "determined", "reluctant", "uncertain", gone=3)))
    assert [fact.unit for fact in last.seen(UnitLeft)] == ["blue-2"]
    all_three = held(match(side("blue", 6, "determined", "reluctant", "reluctant", "uncertain", gone=4)))
    assert [fact.unit for fact in all_three.seen(UnitLeft)] == ["blue-2", "blue-3", "blue-4"]
    assert resolves(all_three) == {"blue-1": "uncertain"}


@pytest.mark.rule("fad5/resolve.losing-heart-elimination")
def test_the_cards_of_the_units_that_are_left_change_when_another_is_lost() -> None:
    before = match(side("blue", 6, "steady", "steady", "steady"))
    after = UnitLeft("blue-3", "destroyed", RULE).fold(before)
    renderer = Renderer(fad5())
    told = [renderer.view(state, DeskView()).units["blue-1"].card["Heart"].value for state in (before, after)]
    assert [text.split(" units")[0] for text in told] == ["0 of 3", "1 of 3"]


def test_the_log_and_the_card_tell_of_it() -> None:
    table = held(match(side("blue", 6, "steady", "reluctant", gone=2)))
    story = fad5().story(table.state, table.seen(UnitLeft)[0])
    assert story is not None
    assert (story.text, story.rule) == ("Blue 2 loses heart and leaves the game.", OUT)
    assert fad5().words["lost_heart"].label == "Lost heart"
    state = match(side("blue", 6, *["steady"] * 6, gone=2))
    assert [row.value for row in fad5().card(state, state.units["blue-1"]) if row.label == "Heart"] == [
        "2 of 8 units of its side lost; Resolve falls at 4"
    ]


@pytest.mark.rule("fad5/resolve.losing-heart-structures")
def test_structures_count_as_units_where_a_scenario_says_so() -> None:
    stations = tuple(
        piece("ruin", (x, 20), (x + 3, 23), id=f"radar-{x}", flags=["counts_for:blue"]) for x in (2, 10, 20)
    )
    units = [*side("blue", 6, "steady", "steady", gone=1), *side("red", 60, "steady")]
    start = battle(*units, terrain=stations, options=ON, size=(72, 72), phase="turn", turn=0, first="", active="")
    table = play(start, dice=[6, 1])
    assert table.seen(Noted)[0].key == "losing_heart.structures"
    table.answers("go-first")
    assert counted(fad5().rules, table.state, "blue") == (1, 6)
    assert counted(fad5().rules, table.state, "red") == (0, 1)
    # One station falls, and another is rubble now, which has no flag.
    rubble = next(one for one in table.state.table.terrain if one.id == "radar-10")
    after = TerrainChanged("radar-2", None, RULE).fold(table.state)
    half = TerrainChanged("radar-10", type(rubble)("radar-10", "Rubble", "rubble", rubble.outline), RULE).fold(after)
    assert (counted(fad5().rules, after, "blue"), counted(fad5().rules, half, "blue")) == ((2, 6), (3, 6))
    assert play(after).activates("blue-1").holds().seen(ConditionGained) == []
    assert [fact.unit for fact in play(half).activates("blue-1").holds().seen(ConditionGained)] == ["blue-1", "blue-2"]


def test_positions_that_no_game_comes_to_are_refused() -> None:
    flagged = piece("ruin", (2, 20), (5, 23), flags=["counts_for:green"])
    with pytest.raises(RulesetError, match="Ruin counts as a unit of 'green', and there is no such side"):
        match(side("blue", 6, "steady"), terrain=(flagged,))
    marked = side("blue", 6, "steady", "steady", conditions=["losing_heart"])
    with pytest.raises(RulesetError, match="marked Losing heart, but too few units of its side are gone"):
        match(marked)
    with pytest.raises(RulesetError, match="switch the option losing_heart on, or take the marker off"):
        match(marked, losing_heart="off")
    halved = side("blue", 6, "steady", conditions=["losing_heart"]) + side("blue", 20, gone=1)
    assert held(match(halved)).seen(ConditionGained) == [], "it bears the marker already"
