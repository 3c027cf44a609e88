"""Quality Tests: three dice, each compared with the unit's Quality on its own."""

from __future__ import annotations

import pytest

from server.kernel.facts import Rolled
from tests.support.battlefield import battle, lines, play, unit

SHAKEN = {"figures": 6, "resolve": "reluctant", "lost": 1}


def quality_roll(quality: str, dice: list[int]) -> Rolled:
    """Return the roll of a unit that has to take a Quality Test (for its morale, the only one in the basic rules)."""
    table = play(battle(unit("blue", (6, 6), quality=quality, **SHAKEN), unit("red", (6, 40))))  # type: ignore[arg-type]
    return table.activates("blue-1", dice=dice).rolled("morale")


@pytest.mark.rule("fad4/quality.test")
def test_each_die_of_a_quality_test_passes_or_fails_on_its_own() -> None:
    roll = quality_roll("regular", [2, 3, 6])
    assert (roll.faces, roll.marks) == ((2, 3, 6), ("fail", "pass", "pass"))
    assert roll.outcome == "rallied", "two passes are what is nearly always wanted"


@pytest.mark.rule("fad4/quality.table")
@pytest.mark.parametrize(("quality", "need"), [("rabble", 5), ("conscript", 4), ("regular", 3), ("elite", 2)])
def test_the_dice_of_a_quality_test_must_reach_the_units_quality(quality: str, need: int) -> None:
    roll = quality_roll(quality, [need - 1, need, need])
    assert lines(roll.numbers[0]) == [("quality.table", need)]
    assert roll.marks == ("fail", "pass", "pass")


@pytest.mark.rule("fad4/quality.test")
def test_no_face_of_a_quality_test_passes_or_fails_automatically() -> None:
    assert quality_roll("elite", [1, 2, 2]).marks == ("fail", "pass", "pass"), (
        "2 passes on 2+, 1 only misses the number"
    )
    assert quality_roll("rabble", [6, 5, 4]).marks == ("pass", "pass", "fail")
