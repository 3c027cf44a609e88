"""Resolve and morale: a unit that its losses break stays Broken."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, ConditionLost, Declared, Rolled, UnitLeft
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, lines, piece, play, unit

RALLY, FALL_BACK, ROUT = [3, 1, 4], [3, 1, 2], [1, 2, 2]
"""Dice of a Regular unit's test (3+): two passes, one, none."""
BROKEN = ConditionGained("blue-1", "broken", "resolve.broken")


def under_test(dice: list[int], *, lost: int = 3, **other: object) -> BattleTable:
    """Activate blue-1, of six figures with so many lost; red stands in the north."""
    blue = unit("blue", (10, 20), lost=lost, **{"resolve": "steady", **other})  # type: ignore[arg-type]  # as `unit` takes it
    return play(battle(blue, unit("red", (10, 36)))).activates("blue-1", dice=dice)


@pytest.mark.rule("fad5/resolve.check")
@pytest.mark.rule("fad5/resolve.break-points")
@pytest.mark.parametrize(("resolve", "enough"), [("reluctant", 1), ("uncertain", 2), ("steady", 3), ("determined", 5)])
def test_a_unit_breaks_at_the_losses_of_its_resolve_and_not_before(resolve: str, enough: int) -> None:
    assert under_test([], lost=enough - 1, resolve=resolve).seen(Rolled) == []
    assert under_test(RALLY, lost=enough, resolve=resolve).rolled("morale").rule == "morale.test"


@pytest.mark.rule("fad5/resolve.broken")
@pytest.mark.rule("fad5/resolve.broken-persists")
@pytest.mark.rule("fad5/morale.result-two-or-three")
def test_a_broken_unit_that_passes_its_test_acts_normally_but_stays_broken() -> None:
    table = under_test(RALLY)
    assert table.seen(ConditionGained) == [BROKEN]
    assert "move-out" in table.offered
    table.holds().activates("red-1").holds(dice=[4, 2]).answers("go-first").activates("blue-1", dice=RALLY)
    assert table.seen(ConditionGained) == [BROKEN], "it was broken already"
    assert table.seen(ConditionLost) == []
    assert [fact.purpose for fact in table.seen(Rolled)] == ["morale", "initiative", "morale"]


@pytest.mark.rule("fad5/morale.test")
@pytest.mark.rule("fad5/morale.quality-test")
@pytest.mark.rule("fad5/unit.quality-table")
@pytest.mark.parametrize(("quality", "need"), [("rabble", 5), ("conscript", 4), ("regular", 3), ("elite", 2)])
def test_each_of_three_morale_dice_is_compared_with_the_quality(quality: str, need: int) -> None:
    roll = under_test([need, need - 1, need], quality=quality).rolled("morale")
    assert roll.marks == ("pass", "fail", "pass")
    assert lines(roll.numbers[0]) == [("unit.quality-table", need)]


@pytest.mark.rule("fad5/morale.result-one-infantry")
def test_a_broken_unit_with_one_pass_falls_back_and_cannot_assault() -> None:
    table = under_test(FALL_BACK)
    assert table.offered == ["fall-back", "fire-fall-back"]
    table.defaults()
    assert table.seen(Declared)[0].rule == "morale.result-one-infantry"


@pytest.mark.rule("fad5/morale.result-one-infantry")
def test_a_broken_unit_cornered_at_the_edge_stays_on_the_table() -> None:
    # There is no place in its corner that is farther from the enemy.
    blue = unit("blue", (0.5, 0.5), lost=3, resolve="steady")
    table = play(battle(blue, unit("red", (32, 44)))).activates("blue-1", dice=FALL_BACK)
    assert [choice.key for choice in table.prompt.choices] == ["stay", "fire-stay"]


@pytest.mark.rule("fad5/morale.result-none")
def test_a_broken_unit_without_a_pass_leaves_the_game() -> None:
    table = under_test(ROUT)
    assert table.seen(UnitLeft) == [UnitLeft("blue-1", "routed", "morale.result-none")]


@pytest.mark.rule("fad5/morale.other-effects-ignored")
def test_a_broken_unit_that_is_pinned_stays() -> None:
    table = under_test(FALL_BACK, conditions=["pinned"])
    assert table.seen(Declared)[0].rule == "morale.other-effects-ignored"


@pytest.mark.rule("fad5/morale.result-one-infantry")
def test_a_broken_unit_in_cover_with_no_enemy_near_may_stay() -> None:
    blue = unit("blue", (10, 20), lost=3, resolve="steady")
    state = battle(blue, unit("red", (10, 36)), terrain=[piece("ruin", (8, 18), (30, 22))])
    table = play(state).activates("blue-1", dice=FALL_BACK)
    assert {"stay", "fall-back"} <= set(table.offered)
    assert table.prompt.default == Picked("stay"), "and does so if its owner does not choose"


@pytest.mark.rule("fad5/morale.result-one-infantry")
def test_cover_that_does_not_stand_between_a_broken_unit_and_the_enemy_is_none() -> None:
    blue = unit("blue", (10, 20), lost=3, resolve="steady")
    for y, stays in ((21.2, True), (18.8, False)):
        hedge = piece("hedge", (4, y), (30, y))
        table = play(battle(blue, unit("red", (10, 36)), terrain=[hedge])).activates("blue-1", dice=FALL_BACK)
        assert ("stay" in table.offered) is stays
    # No enemy is in sight, and cover from any direction will do.
    wall = piece("building", (0, 28), (48, 29))
    hidden = battle(blue, unit("red", (10, 36)), terrain=[piece("hedge", (4, 18.8), (30, 18.8)), wall])
    assert "stay" in play(hidden).activates("blue-1", dice=FALL_BACK).offered


@pytest.mark.rule("fad5/resolve.broken")
def test_the_broken_marker_is_explained_by_this_editions_rules() -> None:
    word = fad5().words["broken"]
    assert word.rule == "resolve.broken"
    assert "rall" not in word.text


@pytest.mark.rule("fad5/resolve.broken-persists")
def test_a_position_in_which_a_unit_is_broken_without_the_losses_is_refused() -> None:
    with pytest.raises(RulesetError, match="marked Broken, but its losses do not break it"):
        battle(unit("blue", (10, 10), conditions=["broken"]), unit("red", (10, 30)))
