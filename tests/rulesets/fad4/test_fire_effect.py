"""The Fire Effect: the highest die, and every modifier with its line."""

from __future__ import annotations

import pytest

from client_protocol.explained import Explained
from server.kernel.state import State
from server.rulesets.fad.shooting import FireEffect
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import battle, facing, fad4, lines, piece, play, unit

PLAIN = [("fire.effect-roll", 1), ("fire.shooter-regular", 1), ("fire.shooter-riflemen", 2)]
"""The lines of six Regulars at close range with a highest die of 1: 4 points, one hit in the open."""


def fired(state: State, dice: tuple[int, ...] = (1, 1), hits: int = 1) -> Explained:
    """Return the Fire Effect of blue-1 at red-1. It scores `hits`, none of which takes a figure out."""
    return play(state).activates("blue-1").fires_at("red-1", dice=[*dice, *[1] * hits]).fire_effect


# --- the dice -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.effect-roll")
def test_a_squads_fire_effect_keeps_the_higher_of_two_dice() -> None:
    table = play(facing(12)).activates("blue-1").fires_at("red-1", dice=[4, 5, 1, 1])
    roll = table.rolled("fire_effect")
    assert (roll.faces, roll.marks) == ((4, 5), ("", "kept"))
    assert lines(table.fire_effect)[0] == ("fire.effect-roll", 5)
    assert table.fire_effect.value == 5 + 1 + 2


@pytest.mark.rule("fad4/fire.effect-roll")
def test_an_individual_rolls_one_die_for_its_fire_effect() -> None:
    assert lines(fired(facing(12, blue={"figures": 1}), dice=(6,), hits=2))[0] == ("fire.effect-roll", 6)


@pytest.mark.rule("fad4/fire.effect-roll")
def test_a_squad_down_to_its_last_man_still_rolls_two_fire_effect_dice() -> None:
    last_man = {"figures": 6, "lost": 5}
    table = play(facing(12, blue=last_man)).activates("blue-1", dice=[6, 6, 6])
    table.fires_at("red-1", dice=[2, 6, 1, 1])
    assert table.rolled("fire_effect").faces == (2, 6)


@pytest.mark.rule("fad4/fire.effect-roll")
def test_a_fire_effect_below_zero_counts_as_zero() -> None:
    harmless = {"figures": 2, "quality": "conscript", "small_arm": "submachine-gun"}
    number = fired(facing(16, blue=harmless), hits=0)
    assert lines(number) == [("fire.effect-roll", 1), ("fire.at-long-range", -4), ("fire.effect-roll", 0)]
    assert number.value == 0


@pytest.mark.rule("fad4/fire.modifier-table")
def test_all_fire_effect_modifiers_that_apply_add_up() -> None:
    state = facing(
        3.5,
        blue={"quality": "elite", "conditions": ["under_fire"], "support": ["rapid-fire-saw"], "figures": 7},
        red={"quality": "rabble", "conditions": ["pinned"], "apart": 1.5, "non_combatant": True},
    )
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 3, 1, 1, 1, 1, 1, 1])
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 6),
        ("fire.at-base-range", 2),
        ("pin.harder-target", -1),
        ("fire.target-bunched-up", 2),
        ("fire.target-non-combatant", 2),
        ("fire.target-rabble-open", 1),
        ("action.open-fire", 2),
        ("fire.shooter-elite", 2),
        ("fire.shooter-riflemen", 2),
        ("shoot.support-weapons", 3),
        ("underfire.fire-penalty", -3),
    ]
    assert table.fire_effect.value == 18


@pytest.mark.rule("fad4/fire.effect-roll")
@pytest.mark.rule("fad4/fire.at-base-range")
@pytest.mark.rule("fad4/fire.shooter-riflemen")
def test_the_rulebooks_example_of_a_fire_effect_has_ten_points() -> None:
    marines = {"support": ["squad-automatic-weapon"]}
    assert lines(fired(facing(4, blue=marines), dice=(2, 3), hits=3)) == [
        ("fire.effect-roll", 3),
        ("fire.at-base-range", 2),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
        ("shoot.support-weapons", 2),
    ]


# --- range ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.at-base-range")
@pytest.mark.parametrize(("quality", "base"), [("rabble", 2), ("conscript", 3), ("regular", 4), ("elite", 5)])
def test_base_range_adds_two_and_the_rest_of_close_range_nothing(quality: str, base: int) -> None:
    shooters = {"quality": quality}
    assert ("fire.at-base-range", 2) in lines(fired(facing(base, blue=shooters), hits=2 if base > 3 else 1))
    beyond = dict(lines(fired(facing(base + 0.05, blue=shooters))))
    assert not {rule for rule in beyond if rule.startswith("fire.at-")}


@pytest.mark.rule("fad4/fire.at-base-range")
def test_an_option_extends_the_base_range_bonus_to_all_of_close_range() -> None:
    wide = {"base_range_bonus_band": "close"}
    assert ("fire.at-base-range", 2) in lines(fired(facing(20, options=wide), hits=2))
    assert ("fire.at-base-range", 2) in lines(fired(facing(4, options=wide), hits=2))
    assert ("fire.at-medium-range", -2) in lines(fired(facing(20.05, options=wide), hits=0))


@pytest.mark.rule("fad4/fire.at-medium-range")
def test_medium_range_subtracts_two_from_the_fire_effect() -> None:
    assert lines(fired(facing(30), hits=0)) == [
        ("fire.effect-roll", 1),
        ("fire.at-medium-range", -2),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
    ]


@pytest.mark.rule("fad4/fire.at-long-range")
def test_long_range_subtracts_four_from_the_fire_effect() -> None:
    assert lines(fired(facing(50), hits=0))[1] == ("fire.at-long-range", -4)


# --- the target -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.target-under-fire")
@pytest.mark.rule("fad4/underfire.harder-target")
@pytest.mark.rule("fad4/pin.harder-target")
@pytest.mark.parametrize(
    ("marker", "rule"), [("under_fire", "underfire.harder-target"), ("pinned", "pin.harder-target")]
)
def test_a_target_marked_before_the_shot_subtracts_one(marker: str, rule: str) -> None:
    assert (rule, -1) in lines(fired(facing(12, red={"conditions": [marker]})))


@pytest.mark.rule("fad4/fire.target-under-fire")
def test_a_target_with_both_markers_subtracts_only_one() -> None:
    number = fired(facing(12, red={"conditions": ["under_fire", "pinned"]}))
    assert [amount for _, amount in lines(number) if amount < 0] == [-1]


@pytest.mark.rule("fad4/fire.target-under-fire")
def test_a_shot_is_not_affected_by_the_marker_that_it_leaves() -> None:
    state = battle(unit("blue", (6, 6)), unit("blue", (6, 4)), unit("red", (6, 19)), unit("red", (6, 44)))
    table = play(state).activates("blue-1").fires_at("red-1", dice=[1, 1, 1])
    assert lines(table.fire_effect) == PLAIN
    table.activates("red-2").holds().activates("blue-2").fires_at("red-1", dice=[1, 1, 1])
    assert ("underfire.harder-target", -1) in lines(table.fire_effect), "the next one does"


@pytest.mark.rule("fad4/fire.target-bunched-up")
@pytest.mark.parametrize(
    ("places", "bunched"),
    [
        ([(6, 19), (7.9, 19), (12, 19), (15, 19)], True),  # one pair of four figures: half of them
        ([(6, 19), (8, 19), (12, 19), (15, 19)], False),  # exactly an inch apart is not less than one
        ([(6, 19), (7.5, 19), (10, 19), (12.5, 19), (15, 19)], False),  # two of five
        (
            [(6, 19), (7, 19), (9.5, 19), (10.5, 19), (13, 19), (15.5, 19), (18, 19)],
            True,
        ),  # two touching pairs of seven
    ],
)
def test_a_target_is_bunched_up_if_half_of_it_stands_less_than_an_inch_apart(
    places: list[tuple[float, float]], bunched: bool
) -> None:
    state = battle(unit("blue", (6, 6)), unit("red", places))
    table = play(state).activates("blue-1").fires_at("red-1", dice=[1, 1, *[1] * (2 if bunched else 1)])
    assert (("fire.target-bunched-up", 2) in lines(table.fire_effect)) == bunched


@pytest.mark.rule("fad4/fire.target-bunched-up")
def test_one_figure_is_never_bunched_up_and_the_fallen_do_not_count() -> None:
    assert lines(fired(facing(12, red={"figures": 1}))) == PLAIN
    assert lines(fired(facing(12, red={"figures": 2, "apart": 1, "lost": 1}))) == PLAIN


@pytest.mark.rule("fad4/fire.target-non-combatant")
def test_non_combatants_are_easier_to_hit() -> None:
    assert ("fire.target-non-combatant", 2) in lines(fired(facing(12, red={"non_combatant": True}), hits=2))


@pytest.mark.rule("fad4/fire.target-rabble-open")
def test_rabble_in_the_open_is_easier_to_hit() -> None:
    rabble = {"quality": "rabble"}
    assert ("fire.target-rabble-open", 1) in lines(fired(facing(12, red=rabble)))
    woods = piece("woods", (0, 18), (48, 20))
    covered = dict(lines(fired(facing(12, red=rabble, terrain=[woods]))))
    assert "fire.target-rabble-open" not in covered, "not when it has cover against this shot"
    assert "fire.target-rabble-open" not in dict(lines(fired(facing(12, red={"quality": "conscript"}))))


# --- the shooters ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.shooter-riflemen")
@pytest.mark.parametrize(("figures", "bonus"), [(2, 0), (3, 1), (5, 1), (6, 2), (8, 2), (9, 3)])
def test_every_three_firing_figures_add_one_rounded_down(figures: int, bonus: int) -> None:
    number = fired(facing(12, blue={"figures": figures}), hits=(2 + bonus) // 3)
    assert dict(lines(number)).get("fire.shooter-riflemen", 0) == bonus


@pytest.mark.rule("fad4/fire.shooter-riflemen")
@pytest.mark.parametrize(("counting", "bonus"), [("all", 2), ("small_arms_only", 1)])
def test_a_support_gunner_counts_as_a_rifleman_unless_an_option_says_otherwise(counting: str, bonus: int) -> None:
    state = facing(12, blue={"support": ["squad-automatic-weapon"]}, options={"riflemen_count": counting})
    number = fired(state, hits=(1 + 1 + 2 + bonus) // 3)
    assert ("fire.shooter-riflemen", bonus) in lines(number)
    assert ("shoot.support-weapons", 2) in lines(number)


@pytest.mark.rule("fad4/fire.shooter-regular")
@pytest.mark.rule("fad4/fire.shooter-elite")
@pytest.mark.parametrize(
    ("quality", "own"),
    [
        ("rabble", []),
        ("conscript", []),
        ("regular", [("fire.shooter-regular", 1)]),
        ("elite", [("fire.shooter-elite", 2)]),
    ],
)
def test_better_shooters_add_to_the_fire_effect(quality: str, own: list[tuple[str, int]]) -> None:
    number = fired(facing(9, blue={"quality": quality}))
    assert [line for line in lines(number) if line[0].startswith("fire.shooter")] == [
        *own,
        ("fire.shooter-riflemen", 2),
    ]


@pytest.mark.rule("fad4/fire.shooter-under-fire-or-broken")
@pytest.mark.rule("fad4/underfire.fire-penalty")
@pytest.mark.parametrize(
    ("conditions", "rule"),
    [
        (["under_fire"], "underfire.fire-penalty"),
        (["broken"], "fire.shooter-under-fire-or-broken"),
        (["broken", "under_fire"], "fire.shooter-under-fire-or-broken"),
    ],
)
def test_shooters_under_fire_or_broken_subtract_three_once(conditions: list[str], rule: str) -> None:
    worn = {"resolve": "reluctant", "figures": 7, "lost": 1}
    state = facing(12, blue={**worn, "conditions": conditions})
    aimed = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    number = fad4().rules.advisers.answer(state, FireEffect(aimed))
    assert [line for line in lines(number) if line[1] < 0] == [(rule, -3)]


@pytest.mark.rule("fad4/fire.shooter-under-fire-or-broken")
def test_a_unit_that_just_failed_its_morale_test_shoots_as_broken() -> None:
    state = facing(12, blue={"resolve": "reluctant", "lost": 1})
    table = play(state).activates("blue-1", dice=[3, 1, 1]).answers("fire-fall-back", "red-1", dice=[6, 1, 1])
    assert lines(table.fire_effect)[-1] == ("fire.shooter-under-fire-or-broken", -3)


@pytest.mark.rule("fad4/fire.shooter-under-fire-or-broken")
def test_a_broken_unit_that_rallies_shoots_without_penalty() -> None:
    state = facing(12, blue={"resolve": "reluctant", "lost": 1, "conditions": ["broken"]})
    table = play(state).activates("blue-1", dice=[3, 3, 1]).fires_at("red-1", dice=[6, 1, 1, 1])
    assert min(amount for _, amount in lines(table.fire_effect)) > 0
