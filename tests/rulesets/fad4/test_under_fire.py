"""Under Fire: which units get the marker, what it costs, and when it is removed."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.facts import ConditionGained, ConditionLost
from server.kernel.space.geometry import inches
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, facing, lines, paths, piece, play, shifted, unit
from tests.support.tabletop import Row

# --- the marker -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/underfire.marker")
@pytest.mark.parametrize(("apart", "dice"), [(12, [1, 1, 1, 1]), (50, [1, 1])])
def test_a_unit_that_is_shot_at_is_under_fire_hit_or_not(apart: float, dice: list[int]) -> None:
    table = play(facing(apart)).activates("blue-1").opens_fire_at("red-1", dice=dice)
    assert table.seen(ConditionGained) == [ConditionGained("red-1", "under_fire", "underfire.marker")]


@pytest.mark.rule("fad4/underfire.marker")
def test_only_the_target_of_a_shot_is_marked_under_fire() -> None:
    table = (
        play(facing(12, others=[unit("red", (6, 21.5))])).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1])
    )
    assert table.unit("red-2").conditions == ()
    assert table.unit("blue-1").conditions == ()


@pytest.mark.rule("fad4/underfire.marker")
def test_a_free_shot_does_not_mark_its_target_under_fire() -> None:
    table = play(facing(8)).activates("blue-1").answers("assault", "red-1").answers("free-shot", dice=[1, 1, 1])
    assert table.seen(ConditionGained) == []


@pytest.mark.rule("fad4/underfire.duration")
def test_a_unit_never_has_two_under_fire_markers() -> None:
    state = facing(12, red={"conditions": ["under_fire"]})
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert table.seen(ConditionGained) == []
    assert table.unit("red-1").conditions == ("under_fire",)


@pytest.mark.rule("fad4/underfire.duration")
def test_under_fire_lasts_into_the_next_turn_until_the_units_activation_ends() -> None:
    spent = {"activated": 1}
    table = play(facing(12, red=spent)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1, 1, 6])
    assert table.state.turn.number == 2
    assert table.unit("red-1").conditions == ("under_fire",)
    table.activates("red-1").holds()
    assert table.seen(ConditionLost) == [ConditionLost("red-1", "under_fire", "activation.clear-markers")]


# --- what it costs --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/underfire.fire-penalty")
def test_a_unit_under_fire_shoots_with_three_less() -> None:
    table = (
        play(facing(12, blue={"conditions": ["under_fire"]})).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    )
    assert lines(table.fire_effect)[-1] == ("underfire.fire-penalty", -3)


@pytest.mark.rule("fad4/underfire.fire-penalty")
def test_a_unit_under_fire_takes_its_free_shot_with_three_less() -> None:
    table = play(facing(8, red={"conditions": ["under_fire"]})).activates("blue-1").answers("assault", "red-1")
    table.answers("free-shot", dice=[1, 1])
    assert lines(table.fire_effect)[-1] == ("underfire.fire-penalty", -3)


@pytest.mark.rule("fad4/underfire.move-penalty")
def test_a_unit_under_fire_moves_two_inches_less() -> None:
    table = play(facing(30, blue={"conditions": ["under_fire"]})).activates("blue-1")
    assert table.refused("move-fire", shifted(table.state, "blue-1", 0, 4.001)).code == "path_too_long"
    table.moves(0, 4)


@pytest.mark.rule("fad4/underfire.harder-target")
def test_fire_at_a_unit_under_fire_subtracts_one() -> None:
    table = (
        play(facing(12, red={"conditions": ["under_fire"]}))
        .activates("blue-1")
        .opens_fire_at("red-1", dice=[2, 1, 1, 1])
    )
    assert ("underfire.harder-target", -1) in lines(table.fire_effect)


# --- rushing --------------------------------------------------------------------------------------------------------


def shaken(*others: Row, terrain: tuple[Row, ...] = (), figures: int = 4) -> BattleTable:
    """Return a table on which blue-1, Under Fire at (20, 20) to (27.5, 20), is about to act; red-1 stands 12" north of it."""
    squad = unit("blue", (20, 20), figures=figures, conditions=["under_fire"])
    return play(battle(squad, unit("red", (20, 33), figures=4), *others, terrain=terrain)).activates("blue-1")


def rush(state: State, dx: float, dy: float) -> PathsDeclared:
    return shifted(state, "blue-1", dx, dy)


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_unit_under_fire_may_not_rush_in_the_open_towards_or_past_the_enemy() -> None:
    table = shaken()
    refused = table.refused("move-out", rush(table.state, 0, 4))
    assert (refused.code, refused.rule) == ("path_end", "underfire.rush-limits")
    assert "2 of its figures" in refused.sentence
    table.moves(0, 4)  # a Move has no such limit


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_unit_under_fire_may_rush_if_every_figure_ends_farther_from_the_enemy() -> None:
    table = shaken()
    away = {
        f"_{key}": [(at[0] / 1000, at[1] / 1000 - 4)]
        for key, (at, _) in zip(["1", "2", "3"], table.unit("blue-1").places(), strict=False)
    }
    assert table.refused("move-out", paths(**away)).rule == "underfire.rush-limits", "the fourth stays"
    table.rushes(0, -4)
    assert table.asked == "red"


@pytest.mark.rule("fad4/underfire.rush-limits")
@pytest.mark.parametrize(("inside", "legal"), [(1, False), (2, True)])
def test_a_unit_under_fire_may_rush_if_half_of_it_ends_in_cover(inside: int, legal: bool) -> None:
    edge = 20 + 2.5 * (inside - 1)  # the last figure in it
    table = shaken(terrain=(piece("woods", (18, 24), (edge, 28)),))
    way = rush(table.state, 0, 6)
    if legal:
        table.answers("move-out", way)
    else:
        assert table.refused("move-out", way).rule == "underfire.rush-limits"


@pytest.mark.rule("fad4/underfire.rush-limits")
@pytest.mark.parametrize(
    ("figures", "lost", "inside", "legal"),
    [(5, 0, 2, False), (5, 0, 3, True), (3, 0, 1, False), (3, 0, 2, True), (6, 1, 2, False), (6, 3, 2, True)],
)
def test_half_of_the_living_figures_rounded_up_must_end_a_rush_in_cover(
    figures: int, lost: int, inside: int, *, legal: bool
) -> None:
    edge = 20 + 2.5 * (inside - 1)  # the last figure in it
    squad = unit("blue", (20, 20), figures=figures, lost=lost, conditions=["under_fire"])
    state = battle(squad, unit("red", (20, 33), figures=4), terrain=[piece("woods", (18, 24), (edge, 28))])
    table = play(state).activates("blue-1")
    if legal:
        table.answers("move-out", rush(state, 0, 6))
    else:
        assert table.refused("move-out", rush(state, 0, 6)).rule == "underfire.rush-limits"


@pytest.mark.rule("fad4/move.rush")
@pytest.mark.rule("fad4/move.modifiers-before-doubling")
@pytest.mark.parametrize(("conditions", "allowed"), [([], 12_000), (["under_fire"], 8_000)])
def test_a_unit_under_fire_rushes_exactly_twice_its_reduced_move(conditions: list[str], allowed: int) -> None:
    # It sees no enemy, so it may rush anywhere.
    cliff = piece("cliff", (0, 40), (48, 41))
    squad = unit("blue", (20, 20), figures=2, conditions=conditions)
    table = play(battle(squad, unit("red", (20, 45)), terrain=[cliff])).activates("blue-1")
    assert table.path("move-out").allowance == allowed
    refused = table.refused("move-out", rush(table.state, 0, allowed / 1000 + 0.001))
    # Without the marker it could go that far, so the marker's rule refuses it.
    rule = "underfire.move-penalty" if conditions else "move.rush"
    assert (refused.code, refused.rule) == ("path_too_long", rule)
    table.rushes(0, allowed / 1000)


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_rush_under_fire_may_end_behind_a_wall() -> None:
    table = shaken(terrain=(piece("wall", (18, 27), (30, 27)),))
    assert table.refused("move-out", rush(table.state, 0, 5.4)).rule == "underfire.rush-limits", (
        "1.1 inches short of it"
    )
    table.rushes(0, 5.5)


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_unit_under_fire_in_cover_may_rush_within_it() -> None:
    table = shaken(terrain=(piece("woods", (18, 18), (34, 26)),))
    table.rushes(3, 4)
    assert table.asked == "red"


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_rush_under_fire_must_lead_away_from_the_nearest_visible_enemy() -> None:
    # A nearer enemy behind a rock does not count; one farther off in plain sight does.
    rock, hidden = piece("cliff", (8, 14), (14, 26)), unit("red", (5, 20), figures=1)
    table = shaken(hidden, terrain=(rock,))
    table.answers("move-out", rush(table.state, -3, -4))
    assert table.asked == "red"


@pytest.mark.rule("fad4/underfire.rush-limits")
def test_a_unit_under_fire_that_sees_no_enemy_may_rush_anywhere() -> None:
    table = shaken(terrain=(piece("cliff", (0, 29), (48, 30)),))
    assert table.path("move-out").ends == ()
    table.rushes(0, 8)
    assert table.unit("blue-1").figures["1"].at == (20000, inches(28))
