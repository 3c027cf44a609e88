"""The turn: initiative, and how it passes between sides."""

from __future__ import annotations

import pytest

from server.kernel.facts import Rolled, SideFirst, TurnBegan
from tests.rulesets.fubar4.battlefield import BattleTable, battle, play, unit


def begun(*sides: str, dice: list[int], units: int = 2, **other: object) -> BattleTable:
    """Begin a new turn with these initiative dice: so many units a side, far apart."""
    places = {"blue": 4, "red": 44, "green": 24}
    rows = [
        unit(side, (6 + 20 * i, places[side]), figures=2, id=f"{side}-{i + 1}") for side in sides for i in range(units)
    ]
    return play(battle(*rows, turn=0, phase="turn", active="", **other), dice=dice)  # type: ignore[arg-type]


@pytest.mark.rule("fubar4/turn.initiative")
def test_the_side_with_the_highest_die_tries_first() -> None:
    table = begun("blue", "red", dice=[3, 5])
    assert [fact.number for fact in table.seen(TurnBegan)] == [1]
    assert [(fact.side, fact.rule) for fact in table.seen(SideFirst)] == [("red", "turn.initiative")]
    assert table.asked == "red"


@pytest.mark.rule("fubar4/turn.initiative")
def test_tied_initiative_rolls_are_rolled_again() -> None:
    table = begun("blue", "red", dice=[4, 4, 6, 2])
    assert [fact.faces for fact in table.seen(Rolled)] == [(4, 4), (6, 2)]
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/turn.initiative")
def test_a_scenario_may_add_to_a_sides_initiative_roll() -> None:
    table = begun("blue", "red", dice=[4, 4], victory={"initiative.blue": 1})
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/turn.initiative")
def test_options_may_add_to_a_sides_initiative_roll() -> None:
    table = begun("blue", "red", dice=[4, 3], options={"initiative_modifier_2": 2})
    assert table.asked == "red"
    even = begun("blue", "red", dice=[4, 3], options={"initiative_modifier_2": 1, "initiative_modifier_1": 1})
    assert even.asked == "blue"


@pytest.mark.rule("fubar4/turn.keep-until-fail")
@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_a_side_keeps_the_initiative_until_a_try_fails() -> None:
    table = begun("blue", "red", dice=[5, 3])
    table.activates("blue-1", dice=[6]).answers("on-guard")
    assert table.asked == "blue"
    table.activates("blue-2", dice=[1])
    assert table.asked == "red"


@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_each_unit_tries_once_a_turn() -> None:
    table = begun("blue", "red", dice=[5, 3])
    table.activates("blue-1", dice=[1]).activates("red-1", dice=[1])
    assert table.asked == "blue"
    assert table.targets("activate") == {"blue-2": ""}
    table.activates("blue-2", dice=[1])
    # Blue has no unit left to try, so red keeps the initiative.
    assert table.asked == "red"
    assert table.targets("activate") == {"red-2": ""}


@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_a_side_that_alone_has_untried_units_goes_on_even_after_failures() -> None:
    table = begun("blue", "red", dice=[5, 3])
    table.activates("blue-1", dice=[6]).answers("on-guard").activates("blue-2", dice=[6]).answers("on-guard")
    table.activates("red-1", dice=[1])
    assert table.asked == "red"


@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_a_side_cannot_pass_and_by_default_its_lowest_numbered_unit_tries() -> None:
    table = begun("blue", "red", dice=[5, 3])
    assert table.offered == ["activate"]
    table.defaults(dice=[1])
    assert table.rolled("activation").unit == "blue-1"


@pytest.mark.rule("fubar4/turn.structure")
@pytest.mark.rule("fubar4/turn.marker")
def test_the_turn_ends_when_every_unit_has_tried() -> None:
    table = begun("blue", "red", dice=[5, 3], units=1)
    table.activates("blue-1", dice=[1])
    assert table.unit("blue-1").activated == table.state.turn.number == 1
    assert table.unit("red-1").activated < 1
    table.activates("red-1", dice=[1, 2, 6])
    assert [fact.number for fact in table.seen(TurnBegan)] == [1, 2]
    assert table.asked == "red"


@pytest.mark.rule("fubar4/setup.more-players")
def test_with_three_sides_the_initiative_passes_to_the_next_highest() -> None:
    table = begun("blue", "red", "green", dice=[3, 1, 6])
    assert table.asked == "green"
    table.activates("green-1", dice=[1])
    assert table.asked == "blue"
    table.activates("blue-1", dice=[1])
    assert table.asked == "red"
    table.activates("red-1", dice=[1])
    assert table.asked == "green"


@pytest.mark.rule("fubar4/setup.more-players")
def test_only_tied_sides_roll_again_for_initiative() -> None:
    table = begun("blue", "red", "green", dice=[4, 2, 4, 1, 5])
    assert [fact.faces for fact in table.seen(Rolled)] == [(4, 2, 4), (1, 5)]
    assert table.asked == "green"
    table.activates("green-1", dice=[1])
    assert table.asked == "blue"


@pytest.mark.rule("fubar4/close.continues")
def test_a_unit_in_close_combat_cannot_try_to_activate() -> None:
    fight = {"fights": [["blue-1", "red-1"]]}
    state = battle(
        unit("blue", (10, 10), figures=1, conditions=["close_combat"]),
        unit("red", (10, 11), figures=1, conditions=["close_combat"]),
        unit("blue", (30, 4), figures=1),
        unit("red", (30, 44), figures=1),
        book=fight,
    )
    table = play(state)
    assert table.targets("activate") == {"blue-2": ""}
    table.activates("blue-2", dice=[1])
    assert table.targets("activate") == {"red-2": ""}
    table.activates("red-2", dice=[1, 2, 2, 6, 1])
    assert table.state.turn.number == 2
