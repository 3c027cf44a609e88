"""Weapons that blast: ranging in, who stands in the blast, and what the strike does to each unit there."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from client_protocol.choices import PointParameter, PointTaken
from client_protocol.view import ImpactView
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FiguresFell, Noted, Rolled
from server.kernel.space.geometry import distance, inches, moved
from server.kernel.space.values import Hull
from server.kernel.state import State
from server.rulesets.fad.ranging import struck, whole_degrees
from tests.support.battlefield import BattleTable, battle, fad4, lines, piece, play, unit
from tests.support.tabletop import Place, Row, setup

MORTAR = "light-mortar"
TEAM = {"figures": 3, "support": [MORTAR]}
SCATTER = {"scatter": "on"}


def at(x: float, y: float) -> PointTaken:
    return PointTaken((inches(x), inches(y)))


def team(where: Place = (10, 6), **other: object) -> Row:
    """Return three conscripts at whose left stands the light mortar, whose radius is 2 inches."""
    return unit("blue", where, **{"quality": "conscript", **TEAM, **other})  # type: ignore[arg-type]  # as `unit` takes it


def targets(*more: Row, terrain: tuple[Row, ...] = (), options: dict[str, str] | None = None, **own: object) -> State:
    """Return the team, and 24 inches north of its gunner the first of six conscripts in the open."""
    enemy = unit("red", (10, 30), quality="conscript", armour="none")
    return battle(team((10, 6), **own), enemy, *more, terrain=terrain, options=options)


def fired(state: State, point: PointTaken, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("blast", point, dice=dice)


def strike(table: BattleTable) -> Rolled:
    return table.rolled("strike")


# --- ranging in -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/blast.ranging-in")
def test_two_of_three_dice_put_the_shell_on_target() -> None:
    table = fired(targets(), at(10, 30), 3, 4, 6, 1, 1)
    roll = table.rolled("ranging")
    assert (roll.marks, roll.outcome, roll.rule) == (("fail", "pass", "pass"), "on-target", "blast.ranging-in")
    assert strike(table).faces == (1, 1)


@pytest.mark.rule("fad4/blast.ranging-in")
def test_a_shell_with_one_pass_has_no_effect_and_marks_no_unit() -> None:
    table = fired(targets(), at(10, 30), 3, 3, 6)
    assert table.rolled("ranging").outcome == "wasted"
    assert table.seen(ConditionGained) == []
    assert fad4().impact(table.state) is None


# --- the strike -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/blast.strike-effect")
def test_the_rulebooks_example_scores_4_hits_in_the_open_and_2_in_heavy_cover() -> None:
    ruin = piece("ruin", (8, 32), (24, 36))
    other = unit("red", (10, 32.5), quality="conscript", armour="none")
    state = targets(other, terrain=(ruin,), support=["missile-launcher"])
    table = fired(state, at(10.5, 31.2), 6, 6, 6, 4, 2, 5, *[1] * 6)
    roll = strike(table)
    assert lines(roll.numbers[0]) == [("blast.strike-effect", 11), ("blast.strike-effect", 1)]
    assert (roll.numbers[0].value, roll.outcome) == (12, "red-1=4 red-2=2")


@pytest.mark.rule("fad4/blast.strike-effect")
def test_nothing_but_the_weapon_adds_to_the_strike() -> None:
    # The shooters are Elite and Under Fire, the targets bunched up, Under Fire and at medium range.
    bunched = unit("red", (10, 34), quality="conscript", apart=1.2, conditions=["under_fire"])
    state = battle(team(quality="elite", conditions=["under_fire"]), bunched, size=(72, 72))
    table = fired(state, at(10, 34), 6, 6, 1, 1, 1)
    assert strike(table).numbers[0].value == 2


@pytest.mark.rule("fad4/blast.all-squads")
def test_every_unit_in_the_blast_takes_all_hits_of_one_strike() -> None:
    friends = unit("blue", (10, 28), id="near", armour="none")
    table = fired(targets(friends), at(11.2, 29.5), 6, 6, 1, 3, 3, 1, 1, 1, 1)
    assert [roll.purpose for roll in table.seen(Rolled)].count("strike") == 1
    assert strike(table).outcome == "red-1=2 near=2"
    assert [(fell.unit, len(fell.figures)) for fell in table.seen(FiguresFell)] == [("red-1", 2), ("near", 2)]


@pytest.mark.rule("fad4/blast.marks-under-fire")
def test_friends_and_foes_in_the_blast_are_under_fire_hit_or_not() -> None:
    friends = unit("blue", (10, 28), id="near")
    table = fired(targets(friends), at(11.2, 29.5), 6, 6, 1, 1, 1)
    assert strike(table).outcome == "red-1=0 near=0"
    assert table.unit("red-1").conditions == table.unit("near").conditions == ("under_fire",)


@pytest.mark.rule("fad4/pin.trigger")
def test_a_strike_pins_as_a_fire_effect_does() -> None:
    table = fired(targets(), at(10, 30), 6, 6, 6, 5, 5, 5, 1, 1, 1, 1, 1)
    assert strike(table).numbers[0].value == 15
    assert "pinned" in table.unit("red-1").conditions


@pytest.mark.rule("fad4/underfire.crossfire")
def test_a_blast_counts_for_a_crossfire() -> None:
    others = unit("blue", (40, 6), figures=2, quality="conscript"), unit("red", (10, 44))
    table = fired(targets(*others, options={"crossfire": "on"}), at(10, 30), 6, 6, 1, 1, 1)
    table.activates("red-2").holds()
    table.activates("blue-2").opens_fire_at("red-1", dice=[1, 1, 1, 1, 1])
    assert table.rolled("crossfire").unit == "red-1"


# --- who is hit -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/blast.impact-area")
def test_only_figures_in_the_blast_are_hit_the_nearest_first() -> None:
    # Bases are an inch wide: at a radius of 2" the blast takes in figures up to 2.5" away, here the first and the second.
    table = fired(targets(), at(10.1, 30), 6, 6, 6, 6, 6, 6, *[6] * 6)
    (fell,) = table.seen(FiguresFell)
    assert fell.figures == ("1", "2")


@pytest.mark.rule("fad4/blast.impact-area")
def test_a_base_that_touches_the_circle_is_in_the_blast_and_one_beyond_it_is_not() -> None:
    inside, outside = targets(), battle(team(), unit("red", (10.001, 30)))
    assert fired(inside, at(7.5, 30), 6, 6, 1, 1, 1).unit("red-1").conditions == ("under_fire",)
    refusal = play(outside).activates("blue-1").refused("blast", at(7.5, 30))
    assert refusal.rule == "blast.impact-area"
    assert refusal.sentence == 'No figure at which Blue 1 may fire is within 2" of that point. It may fire at Red 1.'


@pytest.mark.rule("fad4/blast.impact-area")
def test_a_point_out_of_sight_is_refused() -> None:
    wall = piece("building", (8, 26), (13, 28))
    table = play(targets(terrain=(wall,))).activates("blue-1")
    refusal = table.refused("blast", at(10, 29.5))
    assert (refusal.rule, refusal.sentence) == ("shoot.line-of-sight", "Blue 1 does not see that point.")
    table.answers("blast", at(20, 30), dice=[1, 1, 1])


@pytest.mark.rule("fad4/blast.impact-area")
def test_a_point_beyond_long_range_is_refused() -> None:
    # A conscript's base range of 3" times 10 is close range, three times that is long: 90". The table is 120" long.
    far = battle(team(), unit("red", (10, 97.6)), size=(48, 120))
    table = play(far).activates("blue-1")
    refusal = table.refused("blast", at(10, 96.6))
    assert (refusal.rule, refusal.sentence) == (
        "shoot.range-bands",
        'That point is 90.1" away; Blue 1 reaches 90" with it.',
    )
    table.answers("blast", at(10, 96.5), dice=[1, 1, 1])


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_the_blast_must_take_in_a_unit_that_fire_priority_allows() -> None:
    # Conscripts fire at one of the two closest.
    second, third = unit("red", (30, 30)), unit("red", (10, 40))
    table = play(targets(second, third)).activates("blue-1")
    (parameter,) = table.choice("blast").parameters
    assert isinstance(parameter, PointParameter)
    assert parameter.near == ("red-1", "red-2")
    assert table.refused("blast", at(10, 40)).rule == "blast.impact-area"


def test_a_unit_whose_targets_are_all_too_far_is_told_so() -> None:
    far = battle(team(), unit("red", (10, 110)), size=(48, 120))
    why = play(far).activates("blue-1").barred("blast")
    assert why is not None
    assert (why.rule, why.sentence) == (
        "shoot.range-bands",
        'Blue 1 may fire at Red 1, too far for its light mortar: it reaches 90".',
    )


def test_a_unit_that_sees_no_enemy_is_told_so() -> None:
    wall = piece("building", (0, 20), (48, 22))
    why = play(targets(terrain=(wall,))).activates("blue-1").barred("blast")
    assert why is not None
    assert why.rule == "shoot.line-of-sight"


@pytest.mark.rule("fad4/pin.no-shooting")
def test_pinned_units_fire_no_blast() -> None:
    why = play(targets(conditions=["pinned"])).activates("blue-1").barred("blast")
    assert why is not None
    assert why.rule == "pin.no-shooting"


@pytest.mark.rule("fad4/blast.strike-effect")
def test_a_blast_pierces_no_armour_and_has_the_weapons_own_damage() -> None:
    state = battle(team(support=["light-cannon"]), unit("red", (10, 30), armour="battle-dress"))
    damage = fired(state, at(10, 30), 6, 6, 1, 2, 1, 1).rolled("damage")
    bonus, armour = damage.numbers
    assert (bonus.value, armour.value) == (3, 7)


def test_units_without_such_a_weapon_are_not_asked() -> None:
    table = play(targets(support=["grenade-launcher"])).activates("blue-1")
    assert table.prompt.choice("blast") is None


@pytest.mark.rule("fad4/blast.infantry-only")
def test_vehicles_in_the_blast_and_units_aboard_them_are_not_struck() -> None:
    state = targets()
    squad = state.units["red-1"]
    figure = replace(squad.figures["1"], hull=Hull(4_000, 2_000))
    assert [unit.id for unit, _ in struck(state, (10_000, 30_000), 2_000)] == ["red-1"]
    assert struck(state.with_unit(replace(squad, figures={"1": figure})), (10_000, 30_000), 2_000) == []
    gone = {key: replace(one, at=None) for key, one in squad.figures.items()}
    assert struck(state.with_unit(replace(squad, figures=gone, aboard="truck")), (10_000, 30_000), 2_000) == []


# --- scatter --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/blast.scatter")
def test_the_rulebooks_example_falls_6_inches_off_and_strikes_with_one_die() -> None:
    # Shot from 12": the scatter dice add up to 7", which is cut to 6".
    state = battle(team(), unit("red", (10, 18.5)), options=SCATTER)
    table = fired(state, at(10, 18.5), 6, 1, 1, 2, 5, 2, 31)
    assert (table.rolled("scatter").faces, table.rolled("scatter").outcome) == ((2, 5), "6000")
    impact = fad4().impact(table.state)
    assert impact is not None
    assert distance(impact.aimed, impact.struck) == 6000


@pytest.mark.rule("fad4/blast.scatter")
def test_a_shell_that_went_astray_strikes_where_it_falls_with_a_die_for_each_pass() -> None:
    table = fired(targets(options=SCATTER), at(10, 30), 6, 6, 1, 5, 1, 1, 2, 2, 1)
    assert fad4().impact(table.state) == ImpactView(
        "blue-1", (10_000, 30_000), (15_000, 30_000), 2000, "blast.impact-area"
    )
    assert (strike(table).faces, strike(table).outcome) == ((2, 2), "red-1=1")
    (fell,) = table.seen(FiguresFell)
    assert fell.figures == ("3",)


@pytest.mark.rule("fad4/blast.scatter")
def test_a_shell_without_a_pass_strikes_with_the_weapons_bonus_alone() -> None:
    state = targets(options=SCATTER, support=["light-burst-launcher"])
    table = fired(state, at(12.5, 30), 1, 1, 1, 1, 1, 1, 1, 1, 1)
    assert (strike(table).faces, strike(table).outcome) == ((), "red-1=1")


@pytest.mark.rule("fad4/blast.random-direction")
def test_the_direction_is_a_whole_degree() -> None:
    state = battle(team(), unit("red", (10, 18.5)), options=SCATTER)
    table = fired(state, at(10, 18.5), 6, 1, 1, 2, 5, 10, 21)
    roll = table.rolled("scatter_direction")
    assert (roll.faces, roll.sides, roll.outcome, roll.rule) == ((10, 21), 60, "200", "blast.random-direction")
    impact = fad4().impact(table.state)
    assert impact is not None
    assert impact.struck == moved(impact.aimed, 20_000, 6000)
    assert [fact.action for fact in table.seen(Declared)] == ["blast", "blast-strikes-none"]


@pytest.mark.rule("fad4/blast.random-direction")
def test_all_degrees_are_equally_likely() -> None:
    degrees = Counter(whole_degrees(sixth, degree) for sixth in range(1, 61) for degree in range(1, 61))
    assert degrees == dict.fromkeys(range(360), 10)


@pytest.mark.rule("fad4/blast.scatter")
def test_a_shell_that_goes_astray_may_strike_friends() -> None:
    friends = unit("blue", (10, 24), id="near", armour="none")
    state = battle(team(), unit("red", (10, 30)), friends, options=SCATTER)
    table = fired(state, at(10, 30), 6, 6, 1, 6, 5, 31, 3, 3, 6, 6)
    assert strike(table).outcome == "near=2"
    assert len(table.unit("near").living) == 4


# --- where it struck ------------------------------------------------------------------------------------------------


def test_all_see_where_a_blast_struck_until_the_next_activation() -> None:
    table = fired(targets(), at(10, 30), 6, 6, 1, 1, 1)
    assert fad4().impact(table.state) == ImpactView(
        "blue-1", (10_000, 30_000), (10_000, 30_000), 2000, "blast.impact-area"
    )
    table.activates("red-1")
    assert fad4().impact(table.state) is None
    assert table.seen(Noted)[-1].value == ()


@pytest.mark.parametrize("note", ["here", ["blue-1", [1, 2]], ["green-9", [1, 2], [1, 2], 2000]])
def test_a_position_whose_impact_cannot_be_read_is_refused(note: object) -> None:
    units = (unit("blue", (6, 6)), unit("red", (6, 40)))
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    position = setup("fad4", units, (48, 48), 12, turn=turn, book={"impact": note})
    with pytest.raises(RulesetError, match="impact"):
        fad4().read(position)


def test_a_unit_with_two_heavy_weapons_is_refused() -> None:
    with pytest.raises(RulesetError, match="one heavy weapon"):
        battle(team(support=[MORTAR, "light-cannon"]), unit("red", (6, 40)))
