"""The action Command: a squad stays, and takes two different tasks."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.facts import ConditionGained, Declared, FiguresGained, FiguresLost, UnitMoved
from tests.support.battlefield import BattleTable, battle, facing, fad4, figures, lines, play, unit

ON = {"recover_wounded": "on"}


def wounded(
    *keys: str, condition: str = "wounded", count: int = 6, at: tuple[float, float] = (6, 6)
) -> list[dict[str, object]]:
    """Return the figures of a squad in line, of which those of these ids lie wounded."""
    return [
        {"id": str(i), "at": (at[0] + 2.5 * (i - 1), at[1]), "fallen": str(i) in keys}
        | ({"conditions": [condition]} if str(i) in keys else {})
        for i in range(1, count + 1)
    ]


def commanding(**options: str) -> BattleTable:
    """Return a squad with one wounded figure that has taken the action Command, an enemy 13 inches away."""
    state = battle(
        {**unit("blue", (6, 6)), "figures": wounded("6")},
        unit("red", (6, 20)),
        options={**ON, **options},
    )
    return play(state).activates("blue-1").answers("command")


@pytest.mark.rule("fad4/action.command")
def test_there_is_no_command_without_a_module_that_adds_a_task() -> None:
    table = play(facing(10)).activates("blue-1")
    assert "command" not in [choice.key for choice in table.prompt.choices]


@pytest.mark.rule("fad4/action.command")
def test_a_squad_without_a_task_to_do_is_told_why() -> None:
    table = play(facing(10, options=ON)).activates("blue-1")
    why = table.barred("command")
    assert why is not None
    assert why.sentence == "No figure of Blue 1 is wounded and untreated."


@pytest.mark.rule("fad4/action.command")
def test_the_owner_picks_two_different_tasks_and_their_order() -> None:
    table = commanding()
    assert table.offered == ["command-fire", "recover-wounded", "command-done"]
    table.answers("recover-wounded", figures("6"), dice=[5])
    assert table.offered == ["command-fire", "command-done"]
    table.answers("command-fire", "red-1", dice=[1, 1, 1])
    assert [fact.action for fact in table.seen(Declared)] == ["command", "shoot"]
    assert table.seen(UnitMoved) == []
    assert table.asked == "red"


@pytest.mark.rule("fad4/action.command")
def test_a_squad_takes_no_task_twice() -> None:
    state = battle({**unit("blue", (6, 6)), "figures": wounded("5", "6")}, unit("red", (6, 20)), options=ON)
    table = play(state).activates("blue-1").answers("command").answers("recover-wounded", figures("6"), dice=[4])
    # Two figures are free and one is untreated, who has to wait.
    assert table.offered == ["command-fire", "command-done"]


@pytest.mark.rule("fad4/action.command")
def test_a_shot_has_no_bonus_and_those_who_shoot_treat_no_one() -> None:
    table = commanding().answers("command-fire", "red-1", dice=[1, 1, 1])
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert "action.open-fire" not in [rule for rule, _ in lines(table.fire_effect)]
    # All five have shot, so there is nothing left to do.
    assert table.asked == "red"
    assert FiguresGained("blue-1", ("1", "2", "3", "4", "5"), "at_task", "action.command") in table.facts
    assert table.seen(FiguresLost)[-1].condition == "at_task"
    assert all("at_task" not in figure.conditions for figure in table.unit("blue-1").figures.values())


@pytest.mark.rule("fad4/action.command")
def test_by_default_a_squad_shoots_at_the_nearest_legal_target_and_does_nothing_else() -> None:
    state = battle(
        {**unit("blue", (6, 6)), "figures": wounded("6")},
        unit("red", (6, 30)),
        unit("red", (6, 20)),
        options=ON,
    )
    table = play(state).activates("blue-1").answers("command")
    assert table.prompt.default == Picked("command-fire", (UnitNamed("red-2"),))
    table.answers("recover-wounded", figures("6"), dice=[1])
    assert table.prompt.default == Picked("command-done")


@pytest.mark.rule("fad4/action.command")
def test_a_squad_may_take_one_task_or_none() -> None:
    table = commanding().answers("command-done")
    assert [fact.action for fact in table.seen(Declared)] == ["command"]
    assert table.asked == "red"


@pytest.mark.rule("fad4/pin.no-shooting")
def test_a_pinned_squad_may_treat_its_wounded_and_not_shoot() -> None:
    state = battle(
        {**unit("blue", (6, 6), conditions=["pinned"]), "figures": wounded("6")}, unit("red", (6, 20)), options=ON
    )
    table = play(state).activates("blue-1").answers("command")
    assert table.offered == ["recover-wounded", "command-done"]
    why = table.barred("command-fire")
    assert why is not None
    assert why.rule == "pin.no-shooting"


def test_a_shot_of_the_action_has_a_preview() -> None:
    table = commanding()
    told = fad4().preview(table.state, table.prompt, Picked("command-fire", (UnitNamed("red-1"),)))
    assert told is not None
    assert told.title == "Blue 1 at Red 1"
    assert "action.open-fire" not in [line.rule for _, number in told.numbers for line in number.lines]


def test_the_log_tells_of_the_action_and_not_of_who_is_busy() -> None:
    table = commanding().answers("command-fire", "red-1", dice=[1, 1, 1])
    told = [fad4().story(table.state, fact) for fact in table.facts]
    texts = [story.text for story in told if story is not None]
    assert "Blue 1 takes the action Command." in texts
    assert not [text for text in texts if "at_task" in text.lower()]
    assert ConditionGained("red-1", "under_fire", "underfire.marker") in table.facts
