"""The actions to the letter: what is asked on the way, what the clock plays, who has what when a unit goes to ground."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, Picked
from server.kernel.bodies import bodies
from server.kernel.facts import Rolled, UnitMoved, UnitNoted
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
"""In reach of a man who stands at (9, 10.6) by dropping down, and of nobody farther right."""


def grounded(*at: tuple[float, float], terrain: list[dict[str, object]], dy: float = 0) -> BattleTable:
    """blue-1 has gone to ground, all its figures by so many inches."""
    table = play(battle(unit("blue", at), unit("red", (10, 46)), terrain=terrain)).activates("blue-1", dice=[6])
    return table.answers("gone-to-ground", shifted(table.state, "blue-1", 0, dy) if dy else paths())


def cover(state: State) -> str:
    """What blue-1 has against red-1's fire."""
    firing = list(bodies(state.units["red-1"]).values())
    return cover_of(fubar4(), state, state.units["blue-1"], firing).level


# --- going to ground ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_those_with_no_cover_near_lie_down_whatever_the_others_reach() -> None:
    # The first man is 2.9" from the hedge and stays away from it, the others are farther off than 3".
    table = grounded((9, 10.6), (15, 10.6), (18, 10.6), terrain=[HEDGE])
    assert table.unit("blue-1").conditions == (GONE_TO_GROUND,)
    assert cover(table.state) == "soft"
    assert [fact.value for fact in table.seen(UnitNoted)] == [("2", "3")]


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_who_could_reach_cover_and_does_not_lies_in_the_open() -> None:
    table = grounded((9, 10.6), (7, 10.6), (15, 10.6), terrain=[HEDGE])
    assert cover(table.state) == "none"


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_next_time_everybody_in_cover_nobody_lies_any_more() -> None:
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
@pytest.mark.parametrize(("y", "condition"), [(9.5, GONE_TO_GROUND), (9.49, LYING)])
def test_cover_is_near_within_three_inches_of_the_base(y: float, condition: str) -> None:
    # The man's edge is 3" or 3.01" from the woods.
    woods = piece("woods", (0, 13), (40, 18))
    assert grounded((10, y), terrain=[woods]).unit("blue-1").conditions == (condition,)


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_who_gets_behind_a_wall_that_was_too_far_off_has_it_all_the_same() -> None:
    # 3.4" away from the wall before, 0.4" afterwards.
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
    """blue-1, one man, walks 6" north."""
    foe = unit("red", red, figures=1, conditions=[ON_GUARD] if guard else [])
    own = unit("blue", (10, 10), figures=1, **other)  # type: ignore[arg-type]
    table = play(battle(own, foe, unit("blue", (40, 4), figures=1), unit("red", (40, 44), figures=1)))
    table.activates("blue-1", dice=[6])
    return table.answers("walk", shifted(table.state, "blue-1", 0, 6))


@pytest.mark.rule("fubar4/action.walk")
def test_the_clock_walks_on_without_firing_and_fires_where_one_has_stopped_to_fire() -> None:
    table = walking()
    assert table.prompt.default == Picked("hold-fire")
    table.answers("fire-on-the-way", stop(0.5))
    assert table.prompt.default == Picked("fire", (Assigned({"1": "assault-rifle@red-1"}),))
    table.defaults(dice=[1])
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)


@pytest.mark.rule("fubar4/action.walk")
def test_one_may_still_hold_fire_at_the_place() -> None:
    table = walking().answers("fire-on-the-way", stop(0.5)).answers("hold-fire")
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation"]
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)


@pytest.mark.rule("fubar4/action.walk")
@pytest.mark.rule("fubar4/fire.suppressed-cannot")
def test_who_is_suppressed_on_the_way_neither_fires_nor_goes_on() -> None:
    table = walking(guard=True).answers("fire-on-the-way", stop(1))
    assert table.prompt.title == "Red 1 may react to Blue 1"
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    place = table.unit("blue-1").figures["1"].at
    assert place is not None
    assert place[1] < 16_000
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_reaction_at_the_end_of_the_way_leaves_no_move_of_no_length() -> None:
    table = walking(guard=True, red=(10, 30)).answers("hold-fire").answers("wait")
    table.fires("blue-1", dice=[1])
    assert all(path[-1] != start for start, path in _legs(table))


@pytest.mark.rule("fubar4/action.on-guard")
def test_who_is_suppressed_in_the_midst_of_friends_stands_beside_them() -> None:
    # blue-1 runs through blue-2, and is hit where that stands: there it comes into the reach of a pistol.
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
