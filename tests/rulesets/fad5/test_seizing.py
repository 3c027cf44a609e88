"""An option: a side that rolls a 6 for initiative against a 1 may let a unit activate twice in the turn."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.facts import ActivationBegan, Rolled
from tests.rulesets.fad5.battlefield import battle
from tests.support.battlefield import BattleTable, play, unit

SIX_TO_ONE = [6, 1]


def dawn(dice: list[int], how: str = "same-unit", **blue: object) -> BattleTable:
    """Begin turn 2 with two units a side and these dice, blue's first."""
    units = (
        unit("blue", (6, 6), figures=4, **blue),  # type: ignore[arg-type]  # as `unit` takes it
        unit("blue", (30, 6), figures=4),
        unit("red", (6, 40), figures=4),
        unit("red", (30, 40), figures=4),
    )
    options = {"seize_initiative": how}
    return play(battle(*units, options=options, turn=1, phase="turn", first="", active=""), dice)


def activated(table: BattleTable) -> list[str]:
    return [fact.unit for fact in table.seen(ActivationBegan)]


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_the_unit_that_has_just_activated_may_activate_again_before_the_other_side_moves() -> None:
    table = dawn(SIX_TO_ONE).answers("go-first").activates("blue-1").holds()
    assert (table.asked, table.offered) == ("blue", ["seize", "go-on"])
    assert table.prompt.default == Picked("go-on"), "another unit still waits"
    table.answers("seize", "blue-1")
    assert activated(table) == ["blue-1", "blue-1"]
    table.holds()
    assert table.asked == "red", "it is spent"
    table.activates("red-1").holds()
    assert table.asked == "blue"
    assert list(table.targets("activate")) == ["blue-2"]


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_its_resolve_is_checked_again() -> None:
    table = dawn(SIX_TO_ONE, lost=3, resolve="reluctant").answers("go-first")
    table.activates("blue-1", dice=[6, 6, 6]).holds().answers("seize", "blue-1", dice=[6, 6, 6])
    assert [roll.unit for roll in table.seen(Rolled) if roll.purpose == "morale"] == ["blue-1", "blue-1"]


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_after_its_last_unit_the_side_uses_it_unless_it_says_otherwise() -> None:
    table = dawn(SIX_TO_ONE).answers("go-first").activates("blue-1").holds().answers("go-on")
    table.activates("red-1").holds().activates("blue-2").holds()
    assert table.prompt.default == Picked("seize", (UnitNamed("blue-2"),))
    table.answers("go-on").activates("red-2").holds(dice=[4, 3])
    table.answers("go-first").activates("blue-1").holds()
    assert table.asked == "red", "what was not used is lost"


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_an_option_lets_any_unit_that_has_activated_do_so_again() -> None:
    table = dawn(SIX_TO_ONE, "any-unit").answers("go-first").activates("blue-1").holds().answers("go-on")
    table.activates("red-1").holds().activates("blue-2").holds()
    assert list(table.targets("seize")) == ["blue-2", "blue-1"]
    table.answers("seize", "blue-1")
    assert activated(table)[-1] == "blue-1"


@pytest.mark.rule("fad5/turn.seize-initiative")
@pytest.mark.parametrize(("dice", "how"), [([6, 2], "same-unit"), ([5, 1], "same-unit"), ([6, 1], "off")])
def test_only_a_six_against_a_one_seizes_the_initiative_where_the_option_is_on(dice: list[int], how: str) -> None:
    table = dawn(dice, how).answers("go-first").activates("blue-1").holds()
    assert table.asked == "red"


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_a_unit_that_has_left_the_game_does_not_activate_again() -> None:
    table = dawn(SIX_TO_ONE, lost=3, resolve="reluctant").answers("go-first").activates("blue-1", dice=[1, 1, 1])
    assert table.state.units["blue-1"].left == "routed"
    assert table.asked == "red"
