"""The luck of the edition's rolls: worked out by hand, and compared with every way in which the dice can fall."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from client_protocol.explained import Explained
from client_protocol.luck import Luck
from server.kernel.state import State
from tests.rulesets.fad4.assaults import assault, charge
from tests.support.battlefield import BattleTable, battle, facing, fad4, play, unit
from tests.support.lucky import figures_of, holds_every_way, luck_of

THREE = {"figures": 3}
HARMLESS = {"figures": 2, "quality": "conscript", "small_arm": "submachine-gun"}
"""A shot with -4 at 16 inches; the Fire Effect is never below 0."""


def shot(state: State, dice: Sequence[int]) -> BattleTable:
    """Let blue-1 open fire at red-1."""
    return play(state).activates("blue-1").opens_fire_at("red-1", dice)


def judged(state: State, table: BattleTable, purpose: str, unit_id: str = "") -> Luck:
    """Return the luck of the last roll of this purpose on a table that began with `state`."""
    return luck_of(fad4(), state, table.facts, purpose, unit_id)


# --- roll-offs ------------------------------------------------------------------------------------------------------


def test_an_initiative_roll_is_luck_for_both_sides() -> None:
    state = battle(unit("blue", (6, 6)), unit("red", (6, 30)), turn=0, phase="turn", first="", active="")
    (roll,) = [fact for fact in play(state, [5, 2]).facts if fad4().luck(state, fact)]
    assert fad4().luck(state, roll) == (
        Luck("blue", "", "the score", 35_000, 50_000, 17_078, 1_667, 1_667),
        Luck("red", "", "the score", 35_000, 20_000, 17_078, 6_667, 1_667),
    )


def test_a_deployment_roll_is_luck_for_both_sides() -> None:
    state = fad4().open("crossroads-patrol", {"deployment": "turns"})
    roll = play(state, [3, 6]).rolled("deployment")
    assert [(luck.side, luck.fell) for luck in fad4().luck(state, roll)] == [
        (side, fell) for side, fell in zip(state.sides, (30_000, 60_000), strict=True)
    ]


# --- morale ---------------------------------------------------------------------------------------------------------


def test_a_morale_test_is_luck_for_the_unit_that_takes_it() -> None:
    # Three dice on 3+: a mean of two passes, more in 8 of 27 cases, exactly two in 12; variance 3 × 2/9.
    state = battle(unit("blue", (6, 6), resolve="reluctant", lost=1), unit("red", (6, 40)))
    luck = judged(state, play(state).activates("blue-1", dice=[2, 3, 6]), "morale")
    assert luck == Luck("blue", "blue-1", "passes", 20_000, 20_000, 8_165, 2_963, 4_444)


# --- fire -----------------------------------------------------------------------------------------------------------


def test_a_fire_effect_is_luck_for_the_shooter() -> None:
    # The higher of two dice has the mean 161/36 and the mean square 791/36. Open Fire, Regulars and six rifles add 5.
    state = facing(12)
    luck = judged(state, shot(state, [4, 5, 1, 1, 1]), "fire_effect")
    assert luck == Luck("blue", "blue-1", "Fire Effect", 94_722, 100_000, 14_041, 3_056, 2_500)


def test_a_support_weapons_die_counts_as_luck_like_the_others() -> None:
    # 161/36 + 7/2 and 5; the variances add up. The best result needs a 6 on the higher die and on the third: 11/36 × 1/6.
    state = facing(12, blue={"support": ["grenade-launcher"]})
    luck = judged(state, shot(state, [6, 1, 6, *[1] * 5]), "fire_effect")
    assert figures_of(luck) == (129_722, 170_000, 22_109, 0, 509)


def test_rolls_below_the_fire_effects_minimum_are_equally_lucky() -> None:
    # 0 with a 4 or less (16 of 36), 1 with a 5 (9), 2 with a 6 (11).
    state = facing(16, blue=HARMLESS)
    nothing = judged(state, play(state).activates("blue-1").fires_at("red-1", dice=[1, 1]), "fire_effect")
    assert figures_of(nothing) == (8_611, 0, 8_548, 5_556, 4_444)
    most = judged(state, play(state).activates("blue-1").fires_at("red-1", dice=[6, 1]), "fire_effect")
    assert figures_of(most) == (8_611, 20_000, 8_548, 0, 3_056), "though no line tells of the floor"


def test_the_luck_of_a_shot_matches_every_way_the_dice_can_fall() -> None:
    harmless, launcher = facing(16, blue=HARMLESS), facing(12, blue={"support": ["grenade-launcher"]})

    def fires(state: State, dice: Sequence[int], hits: int) -> Luck:
        table = play(state).activates("blue-1").fires_at("red-1", dice=[*dice, *[1] * hits])
        return judged(state, table, "fire_effect")

    holds_every_way(2, lambda dice: fires(harmless, dice, 0))
    holds_every_way(3, lambda dice: fires(launcher, dice, (max(dice[:2]) + dice[2] + 3) // 3))


def test_a_damage_roll_is_luck_for_the_shooter() -> None:
    # Two hits that kill on 4+: rifles add 2 against armour 6.
    state = facing(12, red={"armour": "heavy"})
    luck = judged(state, shot(state, [1, 1, 3, 4]), "damage")
    assert luck == Luck("blue", "blue-1", "kills", 10_000, 10_000, 7_071, 2_500, 5_000)
    holds_every_way(2, lambda dice: judged(state, shot(state, [1, 1, *dice]), "damage"))


def test_two_killing_hits_on_one_figure_both_count_as_luck() -> None:
    state = facing(12, red={"figures": 1}, others=[unit("red", (6, 44))])
    table = shot(state, [1, 1, 6, 6])
    assert table.rolled("damage").outcome == "1"
    assert judged(state, table, "damage").fell == 20_000


def test_each_hits_luck_uses_the_armour_piercing_of_its_own_weapon() -> None:
    # A plasma rifle and a grenade launcher kill on 4+, rifles on 6: 1 + 3 × 1/6; variance 1/2 + 15/36.
    # Three kills in 26.5 of 216 cases, more in 4.5.
    armed = {"support": ["grenade-launcher", "plasma-rifle"]}
    state = facing(12, blue=armed, red={"armour": "breach"})
    luck = judged(state, shot(state, [6, 1, 3, 4, 4, 4, 6, 5]), "damage")
    assert figures_of(luck) == (15_000, 30_000, 9_574, 208, 1_227)


def test_the_luck_of_two_equal_piercing_weapons_counts_two_piercing_hits() -> None:
    state = facing(12, blue={"support": ["plasma-rifle", "plasma-rifle"]}, red={"armour": "breach"})
    table = shot(state, [5, 1, 1, 1, 1, 1])
    assert [number.value for number in table.rolled("damage").numbers] == [2, 6, 8], "each rating is told once"
    luck = judged(state, table, "damage")
    assert luck.expected == 13_333, "twice 1/2 and twice 1/6"


def test_the_luck_of_an_old_log_uses_the_numbers_it_was_played_with() -> None:
    state = facing(12, blue={"support": ["plasma-rifle", "plasma-rifle"]}, red={"armour": "breach"})
    roll = shot(state, [5, 1, 1, 1, 1, 1]).rolled("damage")
    other = replace(roll, numbers=(Explained(1), Explained(6), Explained(7)))
    (luck,) = fad4().luck(state, other)
    assert luck.expected == 8_333, "one on 5+, three on 6"


# --- close assault --------------------------------------------------------------------------------------------------


def test_an_assault_score_is_luck_for_its_own_side() -> None:
    # The higher of two dice, plus 1 for the charge. 5 or 6 falls in 20 of 36 cases, 4 in 7.
    state = facing(8, blue=THREE, red=THREE)
    table = charge(assault(state), [2, 4, 3, 3, *[1] * 6])
    assert judged(state, table, "assault", "blue-1") == Luck(
        "blue", "blue-1", "the score", 54_722, 50_000, 14_041, 5_556, 1_944
    )
    assert figures_of(judged(state, table, "assault", "red-1")) == (44_722, 30_000, 14_041, 7_500, 1_389)
    alone = facing(8, blue={"figures": 1}, red=THREE)
    luck = judged(alone, charge(assault(alone), [4, 3, 1, 1, 1, 1, 1]), "assault", "blue-1")
    assert (luck.deviation, luck.better) == (17_078, 3_333), "a single die"


def test_kills_in_an_assault_are_luck_for_the_side_that_strikes() -> None:
    # The winner kills on 3+, the loser on 5+.
    state = facing(8, blue=THREE, red=THREE)
    table = charge(assault(state), [2, 4, 3, 3, 3, 2, 6, 1, 1, 5])
    assert judged(state, table, "kills", "blue-1") == Luck(
        "blue", "blue-1", "kills", 20_000, 20_000, 8_165, 2_963, 4_444
    )
    assert judged(state, table, "kills", "red-1") == Luck("red", "red-1", "kills", 10_000, 10_000, 8_165, 2_593, 4_444)
