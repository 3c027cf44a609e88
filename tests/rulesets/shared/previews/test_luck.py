"""The arithmetic of luck, and the luck of roll-offs, which every family has."""

from __future__ import annotations

from fractions import Fraction

from client_protocol.luck import Luck
from server.kernel.facts import Rolled, TurnBegan
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import added, reckon, roll_off, successes, told
from tests.rulesets.shared.test_roll_off import rolled
from tests.rulesets.shared.three_sides import table

DIE = 35_000, 17_078
"""A die: the mean is 3.5, the variance 35/12."""


def test_the_luck_of_a_die_is_exact() -> None:
    assert reckon("red", "red-1", "the die", odds.highest(1), 5) == Luck(
        "red", "red-1", "the die", 35_000, 50_000, 17_078, 1_667, 1_667
    )


def test_the_luck_of_a_certain_result_has_no_deviation() -> None:
    assert reckon("red", "", "hits", {3: Fraction(1)}, 3) == Luck("red", "", "hits", 30_000, 30_000, 0, 0, 10_000)


def test_a_result_that_the_present_rules_cannot_give_is_still_reported() -> None:
    luck = reckon("red", "", "hits", odds.passes(2, 4), 3)
    assert (luck.fell, luck.better, luck.as_good) == (30_000, 0, 0)


def test_successes_of_dice_with_different_chances_are_counted_together() -> None:
    # None: 1/2 × 5/6; both: 1/2 × 1/6. Variance 1/4 + 5/36.
    fact = Rolled("x", "", (4, 2), marks=("hit", "fail"), side="red", unit="red-1")
    (luck,) = successes(fact, "hits", "hit", [Fraction(1, 2), Fraction(1, 6)])
    assert luck == Luck("red", "red-1", "hits", 6_667, 10_000, 6_236, 833, 5_000)


def test_the_distribution_of_a_sum_treats_its_parts_as_independent() -> None:
    assert added(odds.highest(1), odds.highest(1)) == odds.total(2)


def test_a_roll_off_is_luck_for_every_side_that_rolls() -> None:
    _, (fact,) = rolled("every", [2, 6, 3])
    found = roll_off(None, table(), fact)
    assert [(luck.side, luck.fell, luck.better, luck.as_good) for luck in found] == [
        ("blue", 20_000, 6_667, 1_667),
        ("red", 60_000, 0, 1_667),
        ("green", 30_000, 5_000, 1_667),
    ]
    assert {(luck.expected, luck.deviation) for luck in found} == {DIE}
    assert {luck.unit for luck in found} == {""}


def test_modifiers_of_a_roll_off_do_not_count_as_luck() -> None:
    _, (fact,) = rolled("every", [5, 4, 1], {"red": 2})
    found = {luck.side: luck for luck in roll_off(None, table(), fact)}
    assert (found["blue"].expected, found["blue"].fell) == (35_000, 50_000)
    assert (found["red"].expected, found["red"].fell, found["red"].better) == (55_000, 60_000, 3_333)


def test_the_luck_of_a_repeated_roll_off_finds_its_sides_by_their_names() -> None:
    _, (_, blue_and_green) = rolled("every", [5, 2, 5, 3, 4])
    assert [(luck.side, luck.fell) for luck in roll_off(None, table(), blue_and_green)] == [
        ("blue", 30_000),
        ("green", 40_000),
    ]


def test_a_roll_without_a_row_is_not_counted_as_luck() -> None:
    rows = {"initiative": roll_off}
    fact = Rolled("initiative", "", (2, 6, 3))
    assert len(told(None, rows, table(), fact)) == 3
    assert told(None, rows, table(), Rolled("weather", "", (2,))) == ()
    assert told(None, rows, table(), TurnBegan(2)) == ()
