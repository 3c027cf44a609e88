"""Movement: distance, ground, and coherency."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.kernel.facts import UnitMoved
from server.rulesets.fad.movement import MOVE, RUSH, CoherencyDistance, allowance
from tests.rulesets.fad5.battlefield import battle, facing, fad5, vehicle
from tests.support.battlefield import BattleTable, lines, paths, piece, play, shifted, unit
from tests.support.tabletop import Row


@pytest.mark.rule("fad5/move.infantry-move")
@pytest.mark.rule("fad5/move.rush")
@pytest.mark.rule("fad5/under-fire.movement")
def test_a_move_is_six_inches_a_rush_twelve_and_under_fire_takes_off_two_before_doubling() -> None:
    calm, marked = facing(30), facing(30, blue={"conditions": ["under_fire"]})
    assert [allowance(fad5().rules, calm, "blue-1", manner).value for manner in (MOVE, RUSH)] == [6000, 12000]
    assert [allowance(fad5().rules, marked, "blue-1", manner).value for manner in (MOVE, RUSH)] == [4000, 8000]
    table = play(facing(30)).activates("blue-1")
    assert table.refused("move-fire", shifted(table.state, "blue-1", 0, 6.1)).rule == "move.infantry-move"
    assert table.refused("move-out", shifted(table.state, "blue-1", 0, 12.1)).rule == "move.rush"


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_unit_under_fire_may_rush_only_into_cover_or_away() -> None:
    table = play(facing(30, blue={"conditions": ["under_fire"]})).activates("blue-1")
    refused = table.refused("move-out", shifted(table.state, "blue-1", 0, 4))
    assert refused.rule == "under-fire.rush"
    assert refused.sentence == (
        "Blue 1 is Under Fire: it may Rush only so that 3 of its figures end in cover from Red 1, or all of its way lies inside "
        "cover, or every figure goes away from the enemy and at no point comes nearer."
    )
    table.rushes(0, -4)


def rushing(*others: Row, terrain: Sequence[Row] = (), figures: int = 3) -> BattleTable:
    """Return a table on which blue-1, Under Fire at (20, 20) and to the right of it, is about to act; red-1 is 12" north."""
    squad = unit("blue", (20, 20), figures=figures, conditions=["under_fire"])
    return play(battle(squad, unit("red", (20, 33), figures=3), *others, terrain=terrain)).activates("blue-1")


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_rush_under_fire_comes_at_no_point_nearer_to_the_enemy() -> None:
    table = rushing()
    towards: dict[str, list[tuple[float, float]]] = {"_2": [(22.5, 21), (22.5, 17)], "_1": [(20, 17)], "_3": [(25, 17)]}
    assert table.refused("move-out", paths(**towards)).rule == "under-fire.rush"
    towards["_2"] = [(22.5, 17)]
    table.answers("move-out", paths(**towards))
    assert table.seen(UnitMoved)[-1].manner == "rush"


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_rush_under_fire_leads_away_from_every_enemy_that_is_known() -> None:
    # Out of sight behind the rock, and 6" off: to go 4" towards it is to come nearer to the enemy.
    hidden, rock = unit("red", (20, 8), figures=3), piece("cliff", (0, 10), (48, 11))
    table = rushing(hidden, terrain=[rock])
    assert table.refused("move-out", shifted(table.state, "blue-1", 0, -4)).rule == "under-fire.rush"
    # An enemy that it does not see counts even where it sees none.
    alone = play(
        battle(
            unit("blue", (20, 20), figures=3, conditions=["under_fire"]),
            unit("red", (20, 8), figures=3),
            terrain=[rock],
        )
    ).activates("blue-1")
    assert alone.refused("move-out", shifted(alone.state, "blue-1", 0, -4)).rule == "under-fire.rush"
    alone.rushes(0, 4)


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_rush_under_fire_ends_in_cover_against_the_nearest_enemy_that_is_seen() -> None:
    # A hedge 4" to the north, between the squad and the enemy.
    table = rushing(terrain=[piece("hedge", (0, 24), (48, 24))])
    past = table.refused("move-out", shifted(table.state, "blue-1", 0, 5))
    assert past.rule == "under-fire.rush"
    assert "end in cover from Red 1, or" in past.sentence
    table.rushes(0, 3)
    assert table.seen(UnitMoved)[-1].manner == "rush"


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_rush_under_fire_may_lie_wholly_inside_cover_in_any_direction() -> None:
    # Three woods side by side, so that the squad goes from one into the next; of four figures one alone moves.
    woods = [piece("woods", (x, 18), (x + 3, 24), id=f"woods-{x}") for x in (19, 22, 25)]
    table = rushing(terrain=woods, figures=3)
    one = paths(_3=[(25, 23.9)])
    table.answers("move-out", one)
    assert table.seen(UnitMoved)[-1].manner == "rush"
    # Where a single figure stands outside of them, its way does not lie inside.
    bare = rushing(terrain=woods[:1], figures=3)
    assert bare.refused("move-out", paths(_3=[(25, 21.5)])).rule == "under-fire.rush"
    bare.answers("move-out", paths(_1=[(21, 23)]))


@pytest.mark.rule("fad5/under-fire.rush")
def test_a_squad_gets_into_a_vehicle_by_a_rush_under_fire_only_where_it_may_rush() -> None:
    north, south = [vehicle("blue", (23, y), facing=0, seats=8, mobility="track") for y in (27, 13)]
    assert "embark:rush:blue-2" not in rushing(north).offered
    assert "embark:rush:blue-2" in rushing(south).offered


@pytest.mark.rule("fad5/move.difficult-infantry")
@pytest.mark.rule("fad5/move.open-ground")
def test_difficult_ground_costs_double_and_water_is_impassable() -> None:
    rocks = play(facing(30, terrain=[piece("rocks", (0, 0), (40, 20))])).activates("blue-1")
    assert rocks.refused("move-fire", shifted(rocks.state, "blue-1", 0, 3.1)).rule in {
        "move.infantry-move",
        "move.difficult-infantry",
    }
    water = play(facing(30, terrain=[piece("deep_water", (0, 8), (40, 12))])).activates("blue-1")
    assert water.refused("move-fire", shifted(water.state, "blue-1", 0, 3)).rule == "move.open-ground"


@pytest.mark.rule("fad5/move.coherency")
@pytest.mark.parametrize(
    ("quality", "mil"), [("rabble", 2000), ("conscript", 3000), ("regular", 4000), ("elite", 5000)]
)
def test_the_largest_gap_in_a_squad_depends_on_its_quality(quality: str, mil: int) -> None:
    state = facing(30, blue={"quality": quality})
    assert fad5().rules.advisers.answer(state, CoherencyDistance("blue-1")).value == mil
    (line,) = [row for row in fad5().card(state, state.units["blue-1"]) if row.label == "Coherency"]
    assert line.rule == "move.coherency"


@pytest.mark.rule("fad5/move.coherency")
@pytest.mark.rule("fad5/move.coherency-restore")
def test_a_move_may_not_break_coherency_and_must_restore_it() -> None:
    table = play(facing(30)).activates("blue-1")
    assert table.refused("move-fire", paths(_6=[(24.4, 6)])).rule == "move.coherency"
    scattered = battle(unit("blue", [(6, 6), (14, 6)]), unit("red", (6, 40)))
    loose = play(scattered).activates("blue-1")
    assert loose.refused("move-fire", shifted(scattered, "blue-1", 0, 1)).rule == "move.coherency-restore"
    assert lines(allowance(fad5().rules, scattered, "blue-1", MOVE))


@pytest.mark.rule("fad5/move.no-overlap")
def test_figures_pass_friends_and_keep_an_inch_from_enemies() -> None:
    state = battle(unit("blue", (6, 6), figures=1), unit("blue", (6, 8), figures=1), unit("red", (6, 12), figures=1))
    table = play(state).activates("blue-1")
    refused = table.refused("move-fire", paths(_1=[(6, 10.1)]))
    assert (refused.rule, refused.where) == ("move.no-overlap", (6000, 10000))
    assert refused.sentence == 'The path of figure 1 comes nearer than 1" to Red 1; keep at least so far away.'
    assert table.refused("move-fire", paths(_1=[(6, 8.5)])).rule == "move.no-overlap"
    assert table.refused("move-fire", paths(_1=[(6, 0.2)])).rule == "move.no-overlap"
    assert table.answers("move-fire", paths(_1=[(6, 10)])).state.units["blue-1"].places() == [((6000, 10000), 500)]


@pytest.mark.rule("fad5/move.no-overlap")
def test_a_figure_that_is_nearer_than_an_inch_may_leave_and_not_come_nearer() -> None:
    near = battle(unit("blue", (6, 6), figures=1), unit("red", (6, 7.4), figures=1))
    table = play(near).activates("blue-1")
    assert table.refused("move-fire", paths(_1=[(6.5, 6.5)])).rule == "move.no-overlap"
    assert table.answers("move-fire", paths(_1=[(6, 5)])).seen(UnitMoved)


@pytest.mark.rule("fad5/move.no-overlap")
def test_a_declared_assault_comes_into_contact() -> None:
    state = battle(unit("blue", (6, 6), figures=1), unit("red", (6, 12), figures=1))
    assert play(state).activates("blue-1").targets("assault") == {"red-1": ""}


@pytest.mark.rule("fad5/move.coherency-recon")
def test_recon_units_and_those_in_scout_armour_have_an_inch_more_once() -> None:
    for own in ({"recon": True}, {"armour": "scout"}, {"armour": "scout", "recon": True}):
        state = facing(30, blue=own)
        told = fad5().rules.advisers.answer(state, CoherencyDistance("blue-1"))
        assert lines(told) == [("coherency.distance", 4000), ("move.coherency-recon", 1000)]
        # Its base range stays that of its Quality: 4".
        (ranges,) = [row.value for row in fad5().card(state, state.units["blue-1"]) if row.label == "Range"]
        assert ranges.startswith('base 4"')
    plain = facing(30)
    assert play(plain).activates("blue-1").refused("move-fire", paths(_6=[(22, 6)])).code == "coherency"
    scouts = facing(30, blue={"recon": True})
    assert play(scouts).activates("blue-1").answers("move-fire", paths(_6=[(22, 6)])).seen(UnitMoved)


@pytest.mark.rule("fad5/move.coherency-powered")
@pytest.mark.parametrize("quality", ["rabble", "elite"])
def test_powered_armour_spreads_over_six_inches_whatever_else_applies(quality: str) -> None:
    state = facing(30, blue={"quality": quality, "armour": "light-powered", "recon": True})
    told = fad5().rules.advisers.answer(state, CoherencyDistance("blue-1"))
    assert (told.value, lines(told)[-1]) == (6000, ("move.coherency-powered", 6000))


@pytest.mark.rule("fad5/move.coherency-restore")
@pytest.mark.rule("fad5/move.coherency-feature")
def test_a_squad_out_of_coherency_need_not_move_and_may_shoot_from_its_ruin() -> None:
    ruin = piece("ruin", (4, 4), (20, 8))
    scattered = battle(unit("blue", [(6, 6), (14, 6)]), unit("red", (6, 15)), terrain=[ruin])
    table = play(scattered).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1])
    assert table.answers("stay").seen(UnitMoved) == []
    assert play(scattered).activates("blue-1").refused("move-fire", paths(_1=[(6, 7)])).rule == "move.coherency-restore"


@pytest.mark.rule("fad5/move.coherency-restore")
def test_a_squad_that_cannot_restore_its_coherency_comes_as_near_to_it_as_it_can() -> None:
    # 15" apart, of which both can walk 12.
    apart = battle(unit("blue", [(6, 6), (26, 6)], conditions=[]), unit("red", (6, 44)))
    table = play(apart).activates("blue-1")
    assert table.refused("move-fire", paths(_1=[(11.9, 6)], _2=[(20.5, 6)])).rule == "move.coherency-restore"
    assert table.answers("move-fire", paths(_1=[(12, 6)], _2=[(20, 6)])).seen(UnitMoved)
