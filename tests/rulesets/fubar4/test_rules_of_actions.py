"""Details of the actions: prompts on the way, defaults, and cover for a unit that goes to ground."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, PathsDeclared, Picked
from server.kernel.bodies import bodies
from server.kernel.facts import Rolled, UnitMoved, UnitNoted
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import distance
from server.kernel.state import State
from server.rulesets.fubar.cover import cover_of
from server.rulesets.fubar.game import GONE_TO_GROUND, LYING, ON_GUARD
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    battle,
    fubar4,
    given,
    paths,
    piece,
    play,
    shifted,
    stop,
    unit,
)

HEDGE = piece("hedge", (0, 14), (9.8, 14))
"""A hedge that a man at (9, 10.6) can reach by dropping down, and no figure farther to the right."""


def grounded(*at: tuple[float, float], terrain: list[dict[str, object]], dy: float = 0) -> BattleTable:
    """Let blue-1 go to ground, all its figures by so many inches."""
    table = play(battle(unit("blue", at), unit("red", (10, 46)), terrain=terrain)).activates("blue-1", dice=[6])
    return table.answers("gone-to-ground", shifted(table.state, "blue-1", 0, dy) if dy else paths())


def cover(state: State) -> str:
    """Return the cover of blue-1 against red-1's fire."""
    firing = list(bodies(state.units["red-1"]).values())
    return cover_of(fubar4().rules, state, state.units["blue-1"], firing).level


# --- going to ground ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_figures_without_cover_near_lie_down_even_if_others_reach_cover() -> None:
    # The first man is 2.9" from the hedge and does not move to it; the others are more than 3" away.
    table = grounded((9, 10.6), (15, 10.6), (18, 10.6), terrain=[HEDGE])
    assert table.unit("blue-1").conditions == (GONE_TO_GROUND,)
    assert cover(table.state) == "soft"
    assert [fact.value for fact in table.seen(UnitNoted)] == [("2", "3")]


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_a_figure_that_could_reach_cover_and_does_not_has_none() -> None:
    table = grounded((9, 10.6), (7, 10.6), (15, 10.6), terrain=[HEDGE])
    assert cover(table.state) == "none"


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_going_to_ground_again_resets_which_figures_lie_in_the_open() -> None:
    table = grounded((9, 10.6), (15, 10.6), (18, 10.6), terrain=[HEDGE])
    state = battle(
        unit("blue", [(9, 10.6), (7, 10.6)], conditions=[GONE_TO_GROUND], lying_figures=["1", "2"]),
        unit("red", (10, 46)),
        terrain=[HEDGE],
    )
    assert cover(state) == "soft"
    table = play(state).activates("blue-1", dice=[6]).answers("gone-to-ground", paths())
    assert cover(table.state) == "none"


@pytest.mark.rule("fubar4/action.gone-to-ground")
@pytest.mark.parametrize(
    ("cover", "y", "condition"),
    [("woods", 10.0, GONE_TO_GROUND), ("woods", 9.99, LYING), ("wall", 9.5, GONE_TO_GROUND), ("wall", 9.49, LYING)],
)
def test_cover_is_near_that_a_figure_can_reach_with_three_inches(cover: str, y: float, condition: str) -> None:
    # An area covers those whose middle is in it, a wall those whose base comes up to it.
    end = 18 if cover == "woods" else 13
    near = piece(cover, (0, 13), (40, end))
    assert grounded((10, y), terrain=[near]).unit("blue-1").conditions == (condition,)


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_a_figure_that_drops_behind_a_wall_more_than_three_inches_away_has_its_cover() -> None:
    # 3.4" away from the wall before the move, 0.4" after it.
    table = grounded((10, 10), terrain=[piece("wall", (0, 13.9), (40, 13.9))], dy=3)
    assert table.unit("blue-1").conditions == (GONE_TO_GROUND,)
    assert cover(table.state) == "hard"


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_lying_behind_a_wall_is_a_level_better_than_the_wall() -> None:
    lying = unit("blue", (10, 10), figures=1, conditions=[LYING])
    state = battle(lying, unit("red", (10, 40)), terrain=[piece("wall", (5, 10.6), (15, 10.6))])
    assert cover(state) == "hard"


# --- firing on the way ----------------------------------------------------------------------------------------------


def walking(*, red: tuple[float, float] = (10, 30), guard: bool = False, **other: object) -> BattleTable:
    """Return a table on which blue-1, one man, walks 6" north."""
    foe = unit("red", red, figures=1, conditions=[ON_GUARD] if guard else [])
    own = unit("blue", (10, 10), figures=1, **other)  # type: ignore[arg-type]
    table = play(battle(own, foe, unit("blue", (40, 4), figures=1), unit("red", (40, 44), figures=1)))
    table.activates("blue-1", dice=[6])
    return table.answers("walk", shifted(table.state, "blue-1", 0, 6))


@pytest.mark.rule("fubar4/action.walk")
def test_by_default_a_unit_walks_without_firing_but_fires_once_it_has_stopped_to_fire() -> None:
    table = walking()
    assert table.prompt.default == Picked("hold-fire")
    table.answers("fire-on-the-way", stop(0.5))
    assert table.prompt.default == Picked("fire", (Assigned({"1": "assault-rifle@red-1"}),))
    table.defaults(dice=[1])
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)


@pytest.mark.rule("fubar4/action.walk")
def test_a_unit_may_still_hold_fire_where_it_stopped_to_fire() -> None:
    table = walking().answers("fire-on-the-way", stop(0.5)).answers("hold-fire")
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation"]
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)


@pytest.mark.rule("fubar4/action.walk")
@pytest.mark.rule("fubar4/fire.suppressed-cannot")
def test_a_figure_suppressed_on_its_way_neither_fires_nor_moves_on() -> None:
    table = walking(guard=True).answers("fire-on-the-way", stop(1))
    assert table.prompt.title == "Red 1 may react to Blue 1"
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    place = table.unit("blue-1").figures["1"].at
    assert place is not None
    assert place[1] < 16_000
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_reaction_at_the_end_of_a_path_adds_no_move_of_zero_length() -> None:
    table = walking(guard=True, red=(10, 30)).answers("hold-fire").answers("wait")
    table.fires("blue-1", dice=[1])
    assert all(path[-1] != start for start, path in _legs(table))


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_figure_suppressed_while_it_passes_friends_is_moved_next_to_them() -> None:
    # blue-1 runs through blue-2, and comes into reach of a pistol where that unit stands.
    friend = unit("blue", (10, 14), figures=1)
    guard = unit("red", (10, 23), figures=1, arm="pistol", conditions=[ON_GUARD])
    table = play(battle(unit("blue", (10, 10), figures=1), friend, guard)).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 0, 7))
    assert table.unit("blue-1").figures["1"].at == (10_000, 14_000)
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    stopped = table.unit("blue-1").figures["1"].at
    assert stopped is not None
    assert 1000 <= distance(stopped, (10_000, 14_000)) < 1100


def _legs(table: BattleTable) -> list[tuple[tuple[int, int], tuple[tuple[int, int], ...]]]:
    at, found = (10_000, 10_000), []
    for fact in table.seen(UnitMoved):
        found.append((at, fact.paths["1"]))
        at = fact.paths["1"][-1]
    return found


def previewed(table: BattleTable, choice: str) -> Preview | None:
    """Return the odds of blue-1's one man at red-1."""
    return fubar4().preview(table.state, table.prompt, Picked(choice, (Assigned({"1": "assault-rifle@red-1"}),)))


@pytest.mark.rule("fubar4/action.walk")
def test_a_unit_may_say_before_its_walk_at_whom_it_fires_where_that_ends() -> None:
    table = walking()
    (parameter,) = table.choice("fire-at-the-end").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert parameter.suggested == {"1": "assault-rifle@red-1"}
    preview = previewed(table, "fire-at-the-end")
    assert preview is not None
    assert preview.title == "Blue 1 at Red 1"
    table.answers("fire-at-the-end", Assigned(parameter.suggested), dice=[1])
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation", "to-hit"]
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.walk")
def test_odds_at_the_end_of_a_walk_are_those_from_there() -> None:
    told = previewed(walking(red=(10, 38)), "fire-at-the-end")
    others = unit("blue", (40, 4), figures=1), unit("red", (40, 44), figures=1)
    there = play(battle(unit("blue", (10, 16), figures=1), unit("red", (10, 38), figures=1), *others))
    same = there.activates("blue-1", dice=[6]).answers("walk", PathsDeclared({})).answers("fire-here")
    assert told is not None
    assert told == previewed(same, "fire")


@pytest.mark.rule("fubar4/action.walk")
def test_a_unit_that_is_hit_on_its_way_is_asked_again_at_whom_it_fires() -> None:
    foe, own = unit("red", (10, 30), figures=1, conditions=[ON_GUARD]), unit("blue", (10, 10), figures=2)
    table = play(battle(own, foe, unit("blue", (40, 4), figures=1), unit("red", (40, 44), figures=1)))
    table.activates("blue-1", dice=[6]).answers("walk", shifted(table.state, "blue-1", 0, 6))
    both = {"1": "assault-rifle@red-1", "2": "assault-rifle@red-1"}
    table.answers("fire-at-the-end", Assigned(both)).fires("blue-1", dice=[6]).answers(
        "take-hits", given(_1="suppressed")
    )
    assert table.prompt.title == "Blue 1 fires"
    (parameter,) = table.choice("fire").parameters
    assert [row.key for row in parameter.rows] == ["2"]  # type: ignore[union-attr]


@pytest.mark.rule("fubar4/action.walk")
def test_firing_at_the_end_is_not_offered_where_no_target_is_seen_from_there() -> None:
    table = play(battle(unit("blue", (10, 10), figures=1), unit("red", (10, 33), figures=1)))
    table.activates("blue-1", dice=[6]).answers("walk", shifted(table.state, "blue-1", 0, -6))
    assert table.offered == ["fire-on-the-way", "hold-fire"]
