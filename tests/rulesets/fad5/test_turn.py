"""The turn: the winner of initiative chooses, sides alternate, infantry has two actions, markers are removed."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked
from server.kernel.facts import ConditionLost, Declared, Rolled, SideFirst, UnitMoved
from tests.rulesets.fad5.battlefield import battle, facing, fad5
from tests.support.battlefield import BattleTable, play, unit


def at_dawn(dice: list[int]) -> BattleTable:
    """Begin a turn with these dice."""
    return play(battle(unit("blue", (6, 6)), unit("red", (6, 30)), turn=0, phase="turn", first="", active=""), dice)


@pytest.mark.rule("fad5/turn.initiative")
@pytest.mark.parametrize(("choice", "side"), [("go-first", "red"), ("go-second", "blue")])
def test_the_side_with_the_higher_die_chooses_who_goes_first(choice: str, side: str) -> None:
    table = at_dawn([2, 5])
    assert (table.asked, table.offered) == ("red", ["go-first", "go-second"])
    assert table.prompt.default == Picked("go-first")
    table.answers(choice)
    assert table.seen(SideFirst) == [SideFirst(side, "turn.initiative")]
    assert table.asked == side


@pytest.mark.rule("fad5/turn.initiative")
def test_a_drawn_initiative_is_rolled_again() -> None:
    table = at_dawn([3, 3, 6, 1])
    assert [(fact.rule, fact.faces) for fact in table.seen(Rolled)] == [
        ("turn.initiative", (3, 3)),
        ("turn.initiative", (6, 1)),
    ]
    assert table.asked == "blue"


@pytest.mark.rule("fad5/turn.initiative")
def test_an_option_lets_the_loser_of_the_last_turn_go_first_in_a_draw() -> None:
    units = (unit("blue", (6, 6)), unit("red", (6, 40)))
    options = {"initiative_draw": "loser-of-last-turn"}
    table = play(battle(*units, turn=1, phase="turn", first="blue", active="", options=options), [3, 3])
    assert table.seen(SideFirst) == [SideFirst("red", "turn.initiative")]


@pytest.mark.rule("fad5/turn.initiative")
def test_a_position_of_the_moment_when_the_winner_chooses_begins_with_the_roll() -> None:
    saved = at_dawn([2, 5]).state
    assert (saved.turn.number, saved.turn.phase, saved.turn.active) == (1, "activations", "")
    units = (unit("blue", (6, 6)), unit("red", (6, 30)))
    table = play(battle(*units, turn=1, phase="activations", first="", active=""), [6, 1])
    assert (table.asked, table.offered) == ("blue", ["go-first", "go-second"])
    table.answers("go-second")
    assert table.seen(SideFirst) == [SideFirst("red", "turn.initiative")]
    assert (table.asked, table.state.turn.number) == ("red", 1)


@pytest.mark.rule("fad5/turn.alternation")
def test_sides_alternate_and_a_side_with_more_units_goes_on_alone() -> None:
    state = battle(unit("blue", (6, 6)), unit("blue", (30, 6)), unit("red", (6, 40)))
    table = play(state).activates("blue-1").holds().activates("red-1").holds()
    assert table.asked == "blue"
    assert table.prompt.rule == "turn.alternation"
    table.activates("blue-2").holds(dice=[5, 2])
    assert table.state.turn.number == 2


@pytest.mark.rule("fad5/turn.activation")
@pytest.mark.rule("fad5/turn.action-engage")
@pytest.mark.rule("fad5/turn.action-move-out")
def test_infantry_engages_the_enemy_or_moves_out_and_has_no_open_fire() -> None:
    table = play(facing(12)).activates("blue-1")
    assert [choice.key for choice in table.prompt.choices] == [
        "move-fire",
        "fire-move",
        "move-out",
        "assault",
        "command",
        "hold",
    ]
    assert table.prompt.rule == "turn.activation"
    assert not any("Open Fire" in told.title for told in fad5().what_if(table.state, "blue-1", "red-1"))
    rushed = play(facing(30)).activates("blue-1").rushes(0, 12)
    assert rushed.seen(Declared) == [Declared("blue-1", "move-out", "turn.action-move-out")]
    assert rushed.seen(UnitMoved)[0].rule == "move.rush"
    moved = play(facing(40)).activates("blue-1").moves(0, 6)
    assert moved.seen(Declared)[0] == Declared("blue-1", "engage", "turn.action-engage")


@pytest.mark.rule("fad5/turn.marker-removal")
def test_markers_are_removed_after_the_activation() -> None:
    table = play(facing(12, blue={"conditions": ["under_fire"]})).activates("blue-1").holds()
    assert table.seen(ConditionLost) == [ConditionLost("blue-1", "under_fire", "turn.marker-removal")]
