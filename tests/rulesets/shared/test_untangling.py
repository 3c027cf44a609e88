"""No figure is left standing on another by a move that was stopped."""

from __future__ import annotations

from msgspec.structs import replace

from server.kernel.bodies import hulls
from server.kernel.facts import FiguresGained, UnitMoved, UnitPlaced
from server.kernel.procedure import Game
from server.kernel.space.geometry import rectangle
from server.kernel.space.hulls import hull_overlaps
from server.kernel.space.paths import overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.standing import bases
from server.kernel.state import State
from server.rulesets.shared.untangling import untangle
from tests.rulesets.shared.three_sides import squad, table, vehicle

RULE = "move"
STOPPED = "stopped"


def untangled(state: State, unit: str) -> tuple[State, list[UnitMoved]]:
    """The state after `unit` has made room, and what moved."""
    game = Game(None, state)
    moves: list[UnitMoved] = []
    for fact in untangle(game, unit, RULE, ("cliff",), lambda figure: STOPPED in figure.conditions):
        assert isinstance(fact, UnitMoved)
        game.state = fact.fold(game.state)
        moves.append(fact)
    return game.state, moves


def test_a_figure_stopped_on_a_comrade_moves_to_the_nearest_free_place() -> None:
    mate = squad("blue", 2, figures=1, at=[(20_000, 10_000)])
    state = table(squad("blue", figures=2, at=[(20_300, 10_000), (15_000, 10_000)]), mate)
    after, (move,) = untangled(state, "blue-1")
    assert move.paths == {"1": ((21_000, 10_000),)}
    assert move.rule == RULE
    places = bases(after)
    assert not any(overlaps(at, radius, [b for b in places if b != (at, radius)]) for at, radius in places)


def test_barred_ground_is_no_free_place() -> None:
    mate = squad("blue", 2, figures=1, at=[(20_000, 10_000)])
    state = table(squad("blue", figures=1, at=[(20_300, 10_000)]), mate)
    cliff = Terrain("cliff", "Cliff", "cliff", rectangle(21_200, 5_000, 25_000, 15_000))
    closed = replace(state, table=replace(state.table, terrain=(cliff,)))
    _, (move,) = untangled(closed, "blue-1")
    ((x, _),) = move.paths["1"]
    assert x <= 20_700


def test_the_one_who_was_stopped_gives_way_to_the_one_who_arrived() -> None:
    state = table(squad("blue", figures=2, at=[(15_000, 10_000), (15_200, 10_000)]))
    for stopped in ("1", "2"):
        down = FiguresGained("blue-1", (stopped,), STOPPED, RULE).fold(state)
        _, (move,) = untangled(down, "blue-1")
        assert set(move.paths) == {stopped}


def test_a_vehicle_stopped_on_its_own_men_goes_back_behind_them() -> None:
    state = table(vehicle("blue", at=(10_000, 10_000)), squad("blue", 2, figures=1, at=[(20_000, 11_500)]))
    state = UnitPlaced("blue-1", {"1": (20_000, 10_000)}, {"1": 9000}).fold(state)
    after, (move,) = untangled(state, "blue-1")
    ((x, y),) = move.paths["1"]
    assert x == 20_000
    assert 7_900 <= y <= 8_000
    assert move.facings == {"1": 9000}
    assert not any(overlaps(at, radius, (), hulls(after)) for at, radius in bases(after))


def test_a_vehicle_with_no_space_behind_it_goes_to_a_side() -> None:
    parked = [vehicle("blue", number, at=(20_000, 3_000 + 6_100 * (number - 2))) for number in (2, 3)]
    state = table(vehicle("blue", at=(10_000, 30_000)), *parked)
    for one in parked:
        state = UnitPlaced(one.id, {"1": one.figures["1"].at or (0, 0)}, {"1": 9000}).fold(state)
    state = UnitPlaced("blue-1", {"1": (20_500, 9_000)}, {"1": 9000}).fold(state)
    after, (move,) = untangled(state, "blue-1")
    assert move.paths["1"][-1][0] != 20_500
    one_, *others = hulls(after)
    assert not hull_overlaps(one_, (), others)


def test_units_that_stand_free_stay() -> None:
    state = table(squad("blue", figures=1, at=[(10_000, 10_000)]), vehicle("blue", 2, at=(20_000, 20_000)))
    assert untangled(state, "blue-1") == (state, [])
    assert untangled(state, "blue-2") == (state, [])
