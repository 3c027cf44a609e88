"""Where a unit falls back to: away from the enemy, with its whole move, unless it ends in cover or out of sight."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathParameter, PathsDeclared, Picked
from server.kernel.belief import believed
from server.kernel.facts import Declared, UnitLeft, UnitMoved
from server.kernel.space.geometry import distance
from server.kernel.state import State
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, paths, piece, play, shifted, unit
from tests.support.tabletop import Place, Row

FALL_BACK = [3, 1, 2]
DIRECTION = "morale.fall-back-direction"


def broken(
    *others: Row, at: Place = (10, 20), figures: int = 4, terrain: tuple[Row, ...] = (), **options: object
) -> State:
    """Return a position in which blue-1, with one of its figures lost, is to fall back from red-1, north of it."""
    blue = unit("blue", at, figures=figures, lost=1, resolve="reluctant")
    return battle(blue, *(others or (unit("red", (10, 30)),)), terrain=terrain, options=options)


def failing(state: State) -> BattleTable:
    """Let blue-1 activate, and pass one die of its Morale Test."""
    return play(state).activates("blue-1", dice=FALL_BACK)


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_a_unit_falls_back_with_its_whole_move_in_the_open() -> None:
    state = broken()
    table = failing(state)
    assert (refused := table.refused("fall-back", shifted(state, "blue-1", 0, -4))).rule == DIRECTION
    assert "2 of its figures use it up, or end in cover or out of every enemy's sight" in refused.sentence
    # Half of the figures, three are left, and half an inch may be left.
    two = paths(_1=[(10, 14.5)], _2=[(12.5, 14.5)], _3=[(15, 16)])
    assert table.answers("fall-back", two).seen(UnitMoved)[0].rule == "morale.result-one-infantry"


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_the_servers_own_way_uses_the_whole_move() -> None:
    way = failing(broken()).prompt.default.values[0]
    assert isinstance(way, PathsDeclared)
    starts = {"1": (10_000, 20_000), "2": (12_500, 20_000), "3": (15_000, 20_000)}
    assert all(distance(starts[key], path[-1]) > 5500 for key, path in way.paths.items())


@pytest.mark.rule("fad5/morale.fall-back-direction")
@pytest.mark.parametrize("kind", ["ruin", "cliff"])
def test_a_unit_that_reaches_cover_or_is_out_of_sight_need_not_go_on(kind: str) -> None:
    # The ruin gives cover to those inside; the cliff hides those right behind it.
    ground = piece("ruin", (8, 16), (18, 19)) if kind == "ruin" else piece("cliff", (0, 18.7), (9, 19.4))
    state = broken(terrain=(ground,))
    if kind == "ruin":
        assert failing(state).answers("fall-back", shifted(state, "blue-1", 0, -2)).seen(UnitMoved)
        return
    # Red looks from straight above, so that the cliff stands between.
    state = broken(unit("red", (7, 40), figures=1), at=(9.7, 20), figures=2, terrain=(ground,))
    behind = paths(_1=[(9.7, 18.1), (8, 18.1)])
    assert failing(state).answers("fall-back", behind).seen(UnitMoved)
    seen = paths(_1=[(12, 18)])
    assert failing(state).refused("fall-back", seen).rule == DIRECTION


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_no_figure_comes_nearer_to_the_enemy_on_its_way_than_it_began() -> None:
    state = broken(figures=2)
    around = paths(_1=[(10, 20.5), (10, 15)])
    refused = failing(state).refused("fall-back", around)
    assert (refused.rule, refused.figure, refused.where) == (DIRECTION, "1", (10_000, 20_000))
    assert refused.sentence == "The path of figure 1 comes nearer to Red 1 than it began; go away from it."


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_where_no_way_uses_the_whole_move_a_shorter_one_will_do() -> None:
    # Deep water to the left, to the right and 3" behind the unit; the enemy stands before it.
    sides = ((7, 2), (8, 12)), ((17, 2), (18, 12)), ((0, 0), (48, 2))
    pond = tuple(piece("deep_water", *corners, id=f"pond-{place}") for place, corners in enumerate(sides))
    state = broken(unit("red", (10, 14)), at=(10, 5), terrain=pond)
    table = failing(state)
    assert table.offered == ["fall-back", "fire-fall-back"]
    assert table.answers("fall-back", shifted(state, "blue-1", 0, -1)).seen(UnitMoved)


@pytest.mark.rule("fad5/morale.fall-back-direction")
@pytest.mark.parametrize(("setting", "offered"), [("stop", ["stay", "fire-stay"]), ("leave", ["leave"])])
def test_a_unit_with_nowhere_to_go_stays_or_leaves_the_table_as_the_match_says(
    setting: str, offered: list[str]
) -> None:
    blue = unit("blue", (0.5, 0.5), lost=3, resolve="steady")
    state = battle(blue, unit("red", (32, 44)), options={"fallback_off_table": setting})
    table = failing(state)
    assert [choice.key for choice in table.prompt.choices] == offered
    if setting == "leave":
        assert table.answers("leave").seen(UnitLeft)[0].reason == "left_table"


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_a_unit_falls_back_from_the_nearest_enemy_even_if_it_sees_another_one() -> None:
    wall = piece("building", (4, 13), (24, 14))
    state = broken(unit("red", (10, 40)), unit("red", (10, 10)), terrain=(wall,))
    choice = failing(state).prompt.choice("fall-back")
    assert choice is not None
    (way,) = choice.parameters
    assert isinstance(way, PathParameter)
    assert way.receding == ("red-2",)


@pytest.mark.rule("fad5/morale.fall-back-no-assault")
def test_a_unit_that_falls_back_keeps_an_inch_from_enemies_and_starts_no_assault() -> None:
    # One enemy stands next to the way; another one, nearer, is the one from which it falls back.
    state = broken(unit("red", (10, 23), figures=1), unit("red", (10, 15), figures=1), figures=2)
    table = failing(state)
    assert "assault" not in table.offered
    assert table.refused("fall-back", paths(_1=[(10, 16.9)])).rule == "morale.fall-back-no-assault"
    choice = table.prompt.choice("fall-back")
    assert choice is not None
    (way,) = choice.parameters
    assert isinstance(way, PathParameter)
    assert (way.clear, way.receding, choice.preview) == (1000, ("red-1",), True)
    assert table.seen(Declared) == []


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_a_preview_tells_how_many_end_in_cover_and_out_of_sight() -> None:
    state = broken(terrain=(piece("ruin", (8, 16), (13.6, 19)),))
    table = failing(state)
    way = shifted(state, "blue-1", 0, -2)
    told = fad5().preview(believed(table.state, table.asked), table.prompt, Picked("fall-back", (way,)))
    assert told is not None
    assert told.notes == ("Of 3 figures, 2 end in cover, and 0 out of every enemy's sight.",)
