"""Units that a stopped move leaves on top of others are moved to free places."""

from __future__ import annotations

import pytest

from server.kernel.bodies import hulls
from server.kernel.facts import FiguresGained, UnitMoved, UnitPlaced
from server.kernel.procedure import Game
from server.kernel.space.hulls import hull_overlaps
from server.kernel.space.paths import overlaps
from server.kernel.standing import bases
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules
from server.rulesets.fubar.untangle import untangle
from tests.rulesets.fubar4.battlefield import battle, fubar4, unit, vehicle

RULE = "action.walk"


def untangled(state: State, unit_id: str) -> tuple[State, list[UnitMoved]]:
    """Return the state after `unit_id` was moved off others, and the moves."""
    game: Game[FubarRules] = Game(fubar4(), state)
    moves: list[UnitMoved] = []
    for fact in untangle(game, unit_id, RULE):
        assert isinstance(fact, UnitMoved)
        game.state = fact.fold(game.state)
        moves.append(fact)
    return game.state, moves


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_figure_stopped_on_top_of_a_friend_is_moved_next_to_him() -> None:
    state = battle(unit("blue", (10, 10), figures=2), unit("blue", (20, 10), figures=1), unit("red", (40, 40)))
    state = UnitPlaced("blue-1", {"1": (20_300, 10_000), "2": (15_000, 10_000)}).fold(state)
    after, (move,) = untangled(state, "blue-1")
    assert (set(move.paths), move.rule) == ({"1"}, RULE)
    places = bases(after)
    assert not any(overlaps(at, radius, [b for b in places if b != (at, radius)]) for at, radius in places)
    assert abs(move.paths["1"][-1][0] - 20_300) <= 1500


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_stopped_figure_gives_way_to_one_that_arrived() -> None:
    state = battle(unit("blue", (10, 10), figures=2), unit("red", (40, 40)))
    state = UnitPlaced("blue-1", {"1": (15_000, 10_000), "2": (15_200, 10_000)}).fold(state)
    for stopped in ("1", "2"):
        down = FiguresGained("blue-1", (stopped,), "suppressed", "fire.unsaved").fold(state)
        _, (move,) = untangled(down, "blue-1")
        assert set(move.paths) == {stopped}


@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_a_vehicle_stopped_on_top_of_friends_moves_back_behind_them() -> None:
    state = battle(vehicle("blue", (10, 10)), unit("blue", (20, 11.5), figures=1), unit("red", (40, 40)))
    state = UnitPlaced("blue-1", {"1": (20_000, 10_000)}, {"1": 9000}).fold(state)
    after, (move,) = untangled(state, "blue-1")
    (x, y) = move.paths["1"][-1]
    assert x == 20_000
    assert 8900 <= y <= 9000
    assert not any(overlaps(at, radius, (), hulls(after)) for at, radius in bases(after))


def test_a_figure_on_free_ground_is_not_moved() -> None:
    state = battle(unit("blue", (10, 10)), vehicle("blue", (20, 20)), unit("red", (40, 40)))
    assert untangled(state, "blue-1") == (state, [])
    assert untangled(state, "blue-2") == (state, [])


@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_a_vehicle_without_free_space_behind_it_moves_sideways() -> None:
    parked = [vehicle("blue", (20, 2.3 + 4.2 * i), facing=90) for i in range(2)]
    state = battle(vehicle("blue", (10, 30)), *parked, unit("red", (40, 40)))
    state = UnitPlaced("blue-1", {"1": (20_500, 6_000)}, {"1": 9000}).fold(state)
    after, (move,) = untangled(state, "blue-1")
    assert move.paths["1"][-1][0] != 20_500
    one, *others = hulls(after)
    assert not hull_overlaps(one, (), others)
