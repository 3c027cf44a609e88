"""The turn: which side goes first, which unit activates next, and when the turn ends."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.facts import PhaseBegan, Rolled, SideFirst, SideToAct, TurnBegan, UnitLeft
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, play, unit

ONE_EACH = (unit("blue", (6, 6)), unit("red", (6, 30)))


def at_dawn(last_first: str = "", turn: int = 0) -> State:
    """Return a table on which a turn is about to begin; `last_first` went first in the one before."""
    return battle(*ONE_EACH, turn=turn, phase="turn", first=last_first, active="")


def everybody_holds(table: BattleTable, *, dice: tuple[int, int]) -> BattleTable:
    """Let one unit of each side hold; the dice are those of the next turn's initiative."""
    for last in (False, True):
        table.activates(f"{table.asked}-1").holds(dice=dice if last else ())
    return table


@pytest.mark.rule("fad4/turn.initiative-roll")
def test_the_side_with_the_higher_die_goes_first() -> None:
    table = play(at_dawn(), dice=[5, 2])
    assert table.facts == [
        TurnBegan(1),
        PhaseBegan("activations"),
        Rolled("initiative", "turn.initiative-roll", (5, 2), marks=("kept", ""), outcome="blue"),
        SideFirst("blue", "turn.initiative-roll"),
    ]
    assert table.asked == "blue"
    assert table.offered == ["activate"], "the winner cannot leave the first activation to the other side"
    assert play(at_dawn(), dice=[2, 5]).asked == "red"


@pytest.mark.rule("fad4/turn.initiative-draw")
def test_a_drawn_initiative_goes_to_the_side_that_went_second_last_turn() -> None:
    assert play(at_dawn(last_first="blue", turn=1), dice=[5, 5]).seen(SideFirst) == [
        SideFirst("red", "turn.initiative-draw")
    ]


@pytest.mark.rule("fad4/turn.initiative-draw")
def test_a_side_that_went_second_after_a_draw_wins_the_next_draw() -> None:
    table = play(at_dawn(), dice=[4, 3])
    everybody_holds(table, dice=(5, 5))
    everybody_holds(table, dice=(2, 2))
    assert [first.side for first in table.seen(SideFirst)] == ["blue", "red", "blue"]


@pytest.mark.rule("fad4/turn.initiative-draw")
def test_a_drawn_initiative_in_the_first_turn_is_rolled_again() -> None:
    table = play(at_dawn(), dice=[3, 3, 6, 6, 1, 4])
    assert [roll.faces for roll in table.seen(Rolled)] == [(3, 3), (6, 6), (1, 4)]
    assert table.seen(SideFirst) == [SideFirst("red", "turn.initiative-roll")]


@pytest.mark.rule("fad4/turn.alternate-activation")
def test_sides_alternate_one_unit_each() -> None:
    table = play(battle(*ONE_EACH, unit("blue", (6, 10)), unit("red", (6, 34))))
    asked = []
    for unit_id in ("blue-2", "red-1", "blue-1"):
        asked.append(table.asked)
        table.activates(unit_id).holds()
    assert [*asked, table.asked] == ["blue", "red", "blue", "red"]


@pytest.mark.rule("fad4/turn.alternate-activation")
def test_a_side_cannot_pass_and_by_default_its_lowest_numbered_unit_holds() -> None:
    table = play(battle(unit("blue", (6, 6), activated=1), unit("blue", (6, 10)), unit("blue", (6, 14)), ONE_EACH[1]))
    assert table.offered == ["activate"]
    assert table.prompt.default == Picked("activate", (UnitNamed("blue-2"),))
    table.defaults()
    assert table.prompt.default == Picked("hold")
    table.defaults()
    assert table.unit("blue-2").activated == 1, "doing nothing is an activation"
    assert table.asked == "red"


@pytest.mark.rule("fad4/turn.once-per-turn")
def test_a_unit_that_has_activated_is_not_offered_again() -> None:
    table = play(battle(*ONE_EACH, unit("blue", (6, 10))))
    table.activates("blue-1").holds().activates("red-1").holds()
    assert table.targets("activate") == {"blue-2": ""}
    assert table.refused("activate", "blue-1").code == "no_such_unit"


@pytest.mark.rule("fad4/turn.once-per-turn")
def test_a_free_shot_neither_needs_nor_uses_an_activation() -> None:
    attacker, spent = unit("blue", (6, 6)), unit("red", (6, 12), activated=1)
    table = play(battle(attacker, spent, unit("red", (6, 40))))
    table.activates("blue-1").answers("assault", "red-1")
    assert (table.asked, table.offered) == ("red", ["free-shot", "hold-fire"])

    fresh = unit("red", (6, 12))
    table = play(battle(attacker, fresh, unit("red", (6, 40), activated=1)))
    table.activates("blue-1").answers("assault", "red-1").answers("free-shot", dice=[1, 1, 1])
    assert table.unit("red-1").activated == 0


@pytest.mark.rule("fad4/turn.leftover-units")
def test_a_side_that_alone_has_units_left_activates_them_one_after_the_other() -> None:
    table = play(battle(*ONE_EACH, unit("blue", (6, 10)), unit("blue", (6, 14))))
    for unit_id in ("blue-1", "red-1", "blue-2"):
        table.activates(unit_id).holds()
    assert table.seen(SideToAct)[-1] == SideToAct("blue")
    table.activates("blue-3").holds(dice=[6, 1])
    assert table.seen(TurnBegan) == [TurnBegan(2)]


@pytest.mark.rule("fad4/turn.structure")
def test_a_turn_ends_when_every_unit_has_activated() -> None:
    table = everybody_holds(play(at_dawn(), dice=[5, 2]), dice=(1, 6))
    assert table.seen(TurnBegan) == [TurnBegan(1), TurnBegan(2)]
    assert table.asked == "red"
    assert table.targets("activate") == {"red-1": ""}, "in the new turn everybody may activate again"


@pytest.mark.rule("fad4/turn.structure")
def test_a_unit_destroyed_before_its_activation_is_skipped() -> None:
    doomed = unit("red", (6, 19), figures=1)
    table = play(battle(ONE_EACH[0], doomed, unit("red", (6, 40))))
    table.activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 2, 1])
    assert table.seen(UnitLeft)[0].unit == "red-1"
    assert table.targets("activate") == {"red-2": ""}
