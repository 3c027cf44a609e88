"""The seven actions: how far a unit moves, and what it may do on the way."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.facts import ConditionGained, UnitMoved
from server.rulesets.fubar.game import DUCKING, GONE_TO_GROUND, LYING, ON_GUARD
from tests.rulesets.fubar4.battlefield import BattleTable, battle, piece, play, shifted, stop, unit

WOODS = piece("woods", (8, 13), (20, 18))


def activated(*, terrain: list[dict[str, object]] | None = None, red: tuple[float, float] = (10, 46)) -> BattleTable:
    """Return a table on which blue's section has activated; red is far away by default."""
    state = battle(unit("blue", (10, 10)), unit("red", red), terrain=terrain or [])
    return play(state).activates("blue-1", dice=[6])


@pytest.mark.parametrize(
    ("action", "inches"),
    [
        pytest.param("walk", 6, marks=pytest.mark.rule("fubar4/action.walk")),
        pytest.param("run", 12, marks=pytest.mark.rule("fubar4/action.run")),
        pytest.param("duck-and-weave", 8, marks=pytest.mark.rule("fubar4/action.duck-and-weave")),
        pytest.param("gone-to-ground", 3, marks=pytest.mark.rule("fubar4/action.gone-to-ground")),
    ],
)
def test_each_action_has_its_own_distance(action: str, inches: float) -> None:
    table = activated()
    assert table.path(action).allowance == inches * 1000
    too_far = table.refused(action, shifted(table.state, "blue-1", 0, inches + 0.01))
    assert (too_far.code, too_far.rule) == ("path_too_long", f"action.{action}")
    table.answers(action, shifted(table.state, "blue-1", 0, inches))
    assert [at[1] for at, _ in table.unit("blue-1").places()] == [round((10 + inches) * 1000)] * 6


@pytest.mark.rule("fubar4/action.walk")
def test_on_a_walk_the_whole_unit_fires_from_one_point_of_its_path() -> None:
    # Rifles reach red only from the second half of the path: 24" from base to base.
    table = activated(red=(10, 38))
    table.answers("walk", shifted(table.state, "blue-1", 0, 6))
    parameter = table.choice("fire-on-the-way").parameters[0]
    assert parameter.spans == ((500, 1000),)  # type: ignore[union-attr]
    table.answers("fire-on-the-way", stop(0.75))
    assert table.unit("blue-1").places()[0][0] == (10_000, 14_500)
    table.fires("red-1", dice=[1, 1, 1, 1, 1, 1])
    assert [fact.paths["1"] for fact in table.seen(UnitMoved)] == [((10_000, 14_500),), ((10_000, 16_000),)]


@pytest.mark.rule("fubar4/action.walk")
def test_a_unit_that_walks_no_distance_may_fire() -> None:
    table = activated(red=(10, 30)).answers("walk", PathsDeclared({}))
    table.answers("fire-here").fires("red-1", dice=[1, 1, 1, 1, 1, 1])
    assert table.rolled("to-hit").faces == (1, 1, 1, 1, 1, 1)


@pytest.mark.rule("fubar4/action.walk")
def test_on_a_walk_grenades_may_be_thrown_but_support_weapons_not_fired() -> None:
    state = battle(unit("blue", (10, 10), support=["rpg"], grenades="yes"), unit("red", (10, 17)))
    table = play(state).activates("blue-1", dice=[6]).answers("walk", PathsDeclared({})).answers("fire-here")
    (parameter,) = table.choice("fire").parameters
    offered = {option.key for row in parameter.rows for option in row.options}  # type: ignore[union-attr]
    assert offered == {"assault-rifle@red-1", "grenades@red-1"}


@pytest.mark.rule("fubar4/action.run")
@pytest.mark.parametrize("action", ["run", "duck-and-weave", "gone-to-ground"])
def test_a_unit_may_not_fire_on_moves_other_than_a_walk(action: str) -> None:
    table = activated(red=(10, 30)).answers(action, PathsDeclared({}))
    assert table.state.turn.unit == ""
    assert table.asked == "red" or "fire" not in table.offered


@pytest.mark.rule("fubar4/action.duck-and-weave")
def test_duck_and_weave_gives_cover_from_the_start_of_the_move() -> None:
    table = activated()
    table.answers("duck-and-weave", shifted(table.state, "blue-1", 0, 8))
    order = [type(fact) for fact in table.facts if isinstance(fact, ConditionGained | UnitMoved)]
    assert order == [ConditionGained, UnitMoved]
    assert table.unit("blue-1").conditions == (DUCKING,)


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_that_goes_on_guard_does_not_move() -> None:
    table = activated().answers("on-guard")
    assert table.seen(UnitMoved) == []
    assert table.unit("blue-1").conditions == (ON_GUARD,)


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_a_unit_that_drops_into_cover_has_gone_to_ground() -> None:
    table = activated(terrain=[WOODS])
    table.answers("gone-to-ground", shifted(table.state, "blue-1", 0, 3))
    assert table.unit("blue-1").conditions == (GONE_TO_GROUND,)


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_a_unit_that_goes_to_ground_without_cover_near_lies_down() -> None:
    table = activated().answers("gone-to-ground", PathsDeclared({}))
    assert table.unit("blue-1").conditions == (LYING,)


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_a_unit_that_lies_next_to_cover_does_not_get_that_cover() -> None:
    table = activated(terrain=[WOODS]).answers("gone-to-ground", PathsDeclared({}))
    assert table.unit("blue-1").conditions == (GONE_TO_GROUND,)


@pytest.mark.rule("fubar4/cover.movement")
@pytest.mark.rule("fubar4/armour.no-slowing")
def test_neither_cover_nor_armour_slows_an_action() -> None:
    wood = piece("woods", (5, 5), (30, 30))
    state = battle(unit("blue", (10, 10), armour="battlesuit"), unit("red", (10, 46)), terrain=[wood])
    table = play(state).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 0, 12))
    assert table.unit("blue-1").places()[0][0] == (10_000, 22_000)


@pytest.mark.rule("fubar4/cover.movement")
def test_a_move_into_impassable_ground_is_refused_by_its_own_rule() -> None:
    rock = piece("woods", (5, 12), (30, 30), flags=["impassable"])
    table = play(battle(unit("blue", (10, 10)), unit("red", (10, 46)), terrain=[rock])).activates("blue-1", dice=[6])
    refusal = table.refused("walk", shifted(table.state, "blue-1", 0, 3))
    assert (refusal.code, refusal.rule) == ("path_impassable", "cover.movement")


@pytest.mark.rule("fubar4/close.by-assault")
def test_moves_other_than_an_assault_keep_an_inch_from_enemies() -> None:
    state = battle(unit("blue", (10, 10)), unit("red", (10, 15.5)))
    table = play(state).activates("blue-1", dice=[6])
    refusal = table.refused("walk", shifted(table.state, "blue-1", 0, 3.6))
    assert refusal.rule == "close.by-assault"
    table.answers("walk", shifted(table.state, "blue-1", 0, 3.5))


@pytest.mark.rule("fubar4/action.aimed-fire")
def test_aimed_fire_needs_a_target() -> None:
    table = activated(terrain=[piece("building", (4, 24), (44, 30))])
    why = table.barred("aimed-fire")
    assert why is not None
    assert why.rule == "fire.line-of-sight"
