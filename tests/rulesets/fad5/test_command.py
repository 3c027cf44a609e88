"""The action Command: infantry stays and takes two different tasks, of which shooting is one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, UnitNamed, Why
from server.kernel.facts import Declared, FiguresGained, FiguresLost, UnitMoved
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.command import able
from server.rulesets.fad.game import BUSY, FadGame, FadRules
from server.rulesets.fad.module import FadModule, Task
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import load
from tests.rulesets.fad5.battlefield import battle, facing, fad5
from tests.support.battlefield import BattleTable, lines, play, unit
from tests.support.battlefield import facing as two_lines

RULE = "action.command"


@pytest.mark.rule("fad5/turn.action-command")
def test_a_squad_that_commands_stays_and_may_shoot_once_without_a_bonus() -> None:
    table = play(facing(12)).activates("blue-1").answers("command")
    assert table.offered == ["command-fire", "command-done"]
    assert table.prompt.default == Picked("command-fire", (UnitNamed("red-1"),))
    told = fad5().preview(table.state, table.prompt, table.prompt.default)
    assert told is not None
    table.answers("command-fire", "red-1", dice=[1, 1, 6, 1])
    assert [fact.action for fact in table.seen(Declared)] == ["command", "shoot"]
    assert table.seen(Declared)[0].rule == "turn.action-command"
    assert table.seen(UnitMoved) == []
    plain = play(facing(12)).activates("blue-1").fires_at("red-1", [1, 1, 6, 1])
    assert lines(table.fire_effect) == lines(plain.fire_effect)
    assert table.asked == "red", "there is no second shot, and no move"


@pytest.mark.rule("fad5/turn.action-command")
def test_a_squad_may_leave_the_shot_out() -> None:
    table = play(facing(12)).activates("blue-1").answers("command").answers("command-done")
    assert [fact.action for fact in table.seen(Declared)] == ["command"]
    assert table.asked == "red"


@pytest.mark.rule("fad5/turn.action-command")
def test_without_a_target_there_is_nothing_to_command() -> None:
    why = play(facing(41, blue={"small_arm": "submachine-gun"})).activates("blue-1").barred("command")
    assert why is not None
    assert why.rule == "shoot.range-bands"
    pinned = play(facing(12, blue={"conditions": ["pinned"]}, options={"pinning": "on"})).activates("blue-1")
    barred = pinned.barred("command")
    assert barred is not None
    assert barred.rule == "adv.pinning.no-shooting"


def _offer(_rules: FadRules, _state: State, unit: Unit) -> Choice:
    why = None if able(unit) else Why(f"{unit.name} has none left to dig.", RULE)
    return Choice("dig", "Dig", RULE, "", (), why)


def _dig(game: FadGame, unit: str, _picked: Picked) -> Steps[None]:
    yield Declared(unit, "dig", RULE)
    yield FiguresGained(unit, able(game.unit(unit))[:1], BUSY, RULE)


class DiggingRuleset(FadRuleset):
    """The family with a module that adds a task, for which one figure is taken."""

    modules = (
        *FadRuleset.modules,
        FadModule(id="dig", tasks=(Task(key="dig", label="Dig", offer=_offer, carry_out=_dig),)),
    )


def digging() -> BattleTable:
    book = load("fad5")
    edition = replace(book.edition, modules={**book.edition.modules, "dig": "always"})
    rules = DiggingRuleset("fad5", replace(book, edition=edition))
    return BattleTable(rules, two_lines(12, rules=rules), []).activates("blue-1")


@pytest.mark.rule("fad5/turn.action-command")
def test_a_module_adds_a_task_which_is_another_one_than_the_shot_and_keeps_figures_from_it() -> None:
    table = digging()
    assert "Dig or Shoot" in table.choice("command").consequence
    table.answers("command").answers("dig")
    assert table.offered == ["command-fire", "command-done"], "two different tasks"
    table.answers("command-fire", "red-1", dice=[1, 1, 6, 1])
    whole = play(facing(12)).activates("blue-1").fires_at("red-1", [1, 1, 6, 1])
    small_arms = "shoot.mod-small-arms"
    assert (small_arms, 2) in lines(whole.fire_effect)
    assert (small_arms, 1) in lines(table.fire_effect), "who digs does not shoot"
    assert table.seen(FiguresLost)[-1].condition == "at_task"
    assert not any(BUSY in figure.conditions for figure in table.unit("blue-1").figures.values())


# --- the activation around it ---------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.activation")
def test_an_activation_checks_resolve_then_acts_then_takes_markers_off_and_may_do_nothing() -> None:
    units = (
        unit("blue", (6, 6), lost=1, resolve="reluctant", conditions=["under_fire"]),
        unit("red", (6, 20)),
    )
    table = play(battle(*units)).activates("blue-1", dice=[6, 6, 6])
    assert table.offered[-1] == "hold"
    assert table.prompt.default == Picked("hold")
    assert "under_fire" in table.unit("blue-1").conditions
    table.defaults()
    told = [type(fact).__name__ for fact in table.facts]
    order = ["ActivationBegan", "Rolled", "Declared", "ConditionLost", "ActivationEnded"]
    assert [name for name in told if name in order] == order
