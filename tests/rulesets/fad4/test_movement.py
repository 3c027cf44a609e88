"""Movement: distance, ground, and other figures in the way."""

from __future__ import annotations

import pytest

from server.kernel.facts import UnitMoved
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.movement import CHARGE, MOVE, RUSH, allowance
from tests.support.battlefield import (
    BattleTable,
    battle,
    facing,
    fad4,
    line,
    lines,
    paths,
    piece,
    play,
    shifted,
    unit,
)
from tests.support.tabletop import Row

FOE = unit("red", (6, 44))


def active(*units: Row, terrain: tuple[Row, ...] = ()) -> BattleTable:
    """Return a table on which blue-1 chooses its action."""
    return play(battle(*units, FOE, terrain=terrain)).activates("blue-1")


def refusal(table: BattleTable, choice: str, **ways: list[tuple[float, float]]) -> tuple[str, str, str]:
    """Return why a path is refused: the code, the rule, the figure."""
    why = table.refused(choice, paths(**ways))
    return why.code, why.rule, why.figure


def reach(state: State, manner: str) -> list[tuple[str, int]]:
    return lines(allowance(fad4().rules, state, "blue-1", manner))


# --- how far --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.infantry")
def test_a_figure_moves_up_to_six_inches() -> None:
    table = active(unit("blue", (6, 6)))
    assert table.refused("move-fire", shifted(table.state, "blue-1", 0, 6.001)).code == "path_too_long"
    table.moves(0, 6)
    (moved,) = table.seen(UnitMoved)
    assert (moved.manner, moved.rule) == ("move", "move.infantry")
    assert table.unit("blue-1").figures["1"].at == (6000, 12000)


@pytest.mark.rule("fad4/move.infantry")
def test_a_path_is_measured_along_its_bends() -> None:
    table = active(unit("blue", (6, 6), figures=1))
    assert refusal(table, "move-fire", _1=[(6, 10), (9, 10)]) == ("path_too_long", "move.infantry", "1")
    table.answers("move-fire", paths(_1=[(6, 9), (9, 9)]))
    assert table.unit("blue-1").figures["1"].at == (9000, 9000)


@pytest.mark.rule("fad4/move.infantry")
def test_each_figure_of_a_squad_moves_by_its_own_path_or_stays() -> None:
    table = active(unit("blue", (6, 6), figures=3))
    table.answers("move-fire", paths(_1=[(5, 9)], _2=[(8, 6.5)]))
    assert table.seen(UnitMoved)[0].paths == {"1": ((5000, 9000),), "2": ((8000, 6500),)}
    assert table.unit("blue-1").figures["3"].at == (11000, 6000)


@pytest.mark.rule("fad4/move.infantry")
def test_friends_may_be_passed_through_but_not_stood_upon() -> None:
    table = active(unit("blue", (6, 6), figures=1), unit("blue", (6, 9), figures=1))
    assert refusal(table, "move-fire", _1=[(6, 9.9)]) == ("path_on_base", "move.infantry", "1")
    table.answers("move-fire", paths(_1=[(6, 12)]))
    assert table.unit("blue-1").figures["1"].at == (6000, 12000)


@pytest.mark.rule("fad4/move.infantry")
def test_figures_may_not_pass_through_enemies() -> None:
    table = active(unit("blue", (6, 6), figures=1), unit("red", (6, 9), figures=1))
    assert refusal(table, "move-fire", _1=[(6, 12)]) == ("path_base", "move.infantry", "1")
    table.answers("move-fire", paths(_1=[(7.5, 9), (6.5, 11)]))


@pytest.mark.rule("fad4/move.infantry")
def test_figures_of_one_squad_may_not_end_on_each_other() -> None:
    table = active(unit("blue", (6, 6), figures=2))
    assert refusal(table, "move-fire", _1=[(6, 9)], _2=[(6.9, 9)])[0] == "path_on_base"
    table.answers("move-fire", paths(_1=[(6, 9)], _2=[(7, 9)]))


@pytest.mark.rule("fad4/move.infantry")
@pytest.mark.rule("fad4/terrain.agreed")
def test_figures_may_not_enter_impassable_ground_or_leave_the_table() -> None:
    table = active(unit("blue", (2, 6), figures=1), terrain=(piece("cliff", (0, 8), (10, 9)),))
    assert refusal(table, "move-fire", _1=[(2, 11)]) == ("path_impassable", "terrain.agreed", "1")
    assert refusal(table, "move-fire", _1=[(2, 7.6)])[0] == "path_impassable", "the base would overlap it"
    assert refusal(table, "move-fire", _1=[(0.4, 6)]) == ("path_table", "move.infantry", "1")
    table.answers("move-fire", paths(_1=[(2, 7.5)]))


@pytest.mark.rule("fad4/underfire.move-penalty")
@pytest.mark.rule("fad4/move.difficult-infantry")
@pytest.mark.rule("fad4/move.infantry")
def test_a_refused_path_names_the_rule_that_refuses_it() -> None:
    swamp = piece("swamp", (0, 9), (40, 12), id="swamp")
    friend = unit("blue", (10, 6), figures=1)
    calm = active(unit("blue", (6, 6), figures=1), friend, terrain=(swamp,))
    assert refusal(calm, "move-fire", _1=[(6, 11)]) == ("path_too_long", "move.difficult-infantry", "1")
    assert refusal(calm, "move-fire", _1=[(6, 12.5)]) == ("path_too_long", "move.infantry", "1")
    # In a Rush too, bases and the table's edge are refused by the rule of every move.
    assert refusal(calm, "move-out", _1=[(9.5, 6)]) == ("path_on_base", "move.infantry", "1")
    assert refusal(calm, "move-out", _1=[(0.4, 6)]) == ("path_table", "move.infantry", "1")
    shot_at = active(unit("blue", (6, 6), figures=1, conditions=["under_fire"]), friend, terrain=(swamp,))
    refused = shot_at.refused("move-fire", paths(_1=[(0.6, 6)]))
    assert (refused.rule, refused.sentence) == (
        "underfire.move-penalty",
        'Figure 1 would use 5.4" of movement; it has 4". Without the penalty for Under Fire it would have 6".',
    )
    assert refusal(shot_at, "move-fire", _1=[(12.5, 6)]) == ("path_too_long", "move.infantry", "1")
    assert refusal(shot_at, "move-out", _1=[(6, 3), (15.5, 3)])[1] == "move.rush"
    assert refusal(shot_at, "move-out", _1=[(6, 3), (14, 3)])[1] == "underfire.move-penalty"


@pytest.mark.rule("fad4/move.rush")
def test_a_rush_goes_twice_as_far_as_a_move() -> None:
    table = active(unit("blue", (6, 6)))
    assert reach(table.state, RUSH) == [("move.infantry", 6000), ("move.rush", 200)]
    refused = table.refused("move-out", shifted(table.state, "blue-1", 0, 12.001))
    assert (refused.code, refused.rule) == ("path_too_long", "move.rush")
    table.rushes(0, 12)
    assert table.unit("blue-1").figures["1"].at == (6000, 18000)


@pytest.mark.rule("fad4/move.rush")
def test_a_rush_must_keep_coherency() -> None:
    table = active(unit("blue", (6, 6), figures=2))
    refused = table.refused("move-out", paths(_1=[(6, 18)]))
    assert (refused.code, refused.rule) == ("coherency", "coherency.distance")


@pytest.mark.rule("fad4/move.rush")
def test_breach_armour_is_too_heavy_to_rush_in() -> None:
    table = active(unit("blue", (6, 6), armour="breach"))
    why = table.barred("move-out")
    assert why is not None
    assert why.rule == "tech.personal-armour"
    assert table.barred("move-fire") is None


@pytest.mark.rule("fad4/move.modifiers-before-doubling")
@pytest.mark.rule("fad4/underfire.move-penalty")
def test_the_under_fire_penalty_is_subtracted_before_a_rush_is_doubled() -> None:
    state = facing(30, blue={"conditions": ["under_fire"]})
    assert reach(state, MOVE) == [("move.infantry", 6000), ("underfire.move-penalty", -2000)]
    assert reach(state, RUSH) == [("move.infantry", 6000), ("underfire.move-penalty", -2000), ("move.rush", 200)]
    assert allowance(fad4().rules, state, "blue-1", RUSH).value == inches(8)


@pytest.mark.rule("fad4/move.charge-bonus")
@pytest.mark.parametrize(("conditions", "far"), [([], 10), (["under_fire"], 8)])
def test_the_charge_bonus_of_four_inches_is_added_after_penalties(conditions: list[str], far: int) -> None:
    state = facing(far, blue={"conditions": conditions})
    assert lines(allowance(fad4().rules, state, "blue-1", CHARGE))[-1] == ("move.charge-bonus", 4000)
    assert allowance(fad4().rules, state, "blue-1", CHARGE).value == inches(far)
    assert play(state).activates("blue-1").targets("assault") == {"red-1": ""}
    beyond = facing(far + 0.05, blue={"conditions": conditions})
    assert play(beyond).activates("blue-1").targets("assault") == {"red-1": "move.charge-bonus"}


@pytest.mark.rule("fad4/move.charge-bonus")
def test_the_charge_bonus_is_for_declared_assaults_only() -> None:
    table = play(facing(10)).activates("blue-1")
    assert table.path("move-fire").allowance == inches(6)
    table.answers("assault", "red-1").answers("hold-fire")
    assert table.path("charge").allowance == inches(10)
    assert table.path("charge").allowance_rule == "move.charge-bonus"


# --- over what ground -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.difficult-infantry")
def test_four_inches_of_difficult_ground_cost_eight() -> None:
    state = battle(unit("blue", (6, 6), figures=1), FOE, terrain=[piece("stream", (0, 7), (48, 11))])
    table = play(state).activates("blue-1")
    assert refusal(table, "move-out", _1=[(6, 14.001)])[0] == "path_too_long", "1 + 4 doubled + 3 are 12 inches"
    table.answers("move-out", paths(_1=[(6, 14)]))


@pytest.mark.rule("fad4/move.difficult-infantry")
def test_difficult_ground_costs_double_out_of_a_charges_ten_inches() -> None:
    def in_the_way(depth: float) -> BattleTable:
        ground = piece("swamp", (0, 7), (48, 7 + depth))
        state = battle(unit("blue", (6, 6), figures=1), unit("red", (6, 15), figures=1), terrain=[ground])
        return play(state).activates("blue-1")

    assert in_the_way(2).targets("assault") == {"red-1": ""}, "8 inches and 2 more for the swamp"
    assert in_the_way(2.1).targets("assault") == {"red-1": "assault.declare"}


@pytest.mark.rule("fad4/move.difficult-infantry")
def test_overlapping_difficult_ground_costs_double_only_once() -> None:
    ground = (piece("stream", (0, 7), (48, 9)), piece("swamp", (0, 7), (48, 9)))
    table = active(unit("blue", (6, 6), figures=1), terrain=ground)
    assert refusal(table, "move-fire", _1=[(6, 10.001)])[0] == "path_too_long"
    table.answers("move-fire", paths(_1=[(6, 10)]))


@pytest.mark.rule("fad4/terrain.agreed")
@pytest.mark.parametrize(
    ("kind", "cover", "difficult"),
    [
        ("woods", "partial", False),
        ("dense_woods", "partial", True),
        ("building", "heavy", False),
        ("ruin", "heavy", False),
        ("wall", "partial", False),
        ("hedge", "partial", False),
        ("stream", "none", True),
        ("swamp", "none", True),
        ("rocks", "partial", True),
        ("hill", "none", False),
    ],
)
def test_a_terrain_pieces_effect_follows_from_its_kind(kind: str, cover: str, difficult: bool) -> None:
    state = battle(unit("blue", (6, 6)), FOE, terrain=[piece(kind, (20, 20), (24, 24))])
    (ground,) = state.table.terrain
    assert (ground.cover, "difficult" in ground.flags) == (cover, difficult)
    assert ground.linear == (kind in {"wall", "hedge"})
    costly = play(state).activates("blue-1").path("move-fire").costly
    assert costly == (((kind, 200),) if difficult else ()), "every prompt to move says what the ground costs"


@pytest.mark.rule("fad4/terrain.agreed")
def test_a_setup_may_change_the_effect_of_a_terrain_piece() -> None:
    state = battle(
        unit("blue", (6, 6)), FOE, terrain=[piece("woods", (20, 20), (24, 24), flags=["difficult"], cover="heavy")]
    )
    assert state.table.terrain[0].cover == "heavy"
    assert play(state).activates("blue-1").path("move-fire").costly == (("woods", 200),)


@pytest.mark.rule("fad4/move.infantry")
def test_the_move_of_a_whole_unit_is_one_fact() -> None:
    table = active(unit("blue", line((6, 6), 4)))
    table.moves(1, 2)
    assert [fact.paths.keys() for fact in table.seen(UnitMoved)] == [{"1", "2", "3", "4"}]
