"""Stunners, and the prisoners that are taken with them (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.facts import FiguresFell, FiguresGained
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, facing, fad4, play, unit

RULE = "fad4/tech.weapon-tables"


def shot_at(*dice: int, armour: str = "light", **options: str) -> BattleTable:
    """Return a shot of three regulars with stunners at 5 inches, two hits, with these dice of damage."""
    blue: dict[str, object] = {"figures": 3, "small_arm": "stunner"}
    state = facing(5, blue=blue, red={"armour": armour}, options=options)
    # 2 and 2 for Open Fire, 1 for Regulars and for three riflemen: 6 points.
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=[2, 1, *dice])


def marks(table: BattleTable) -> dict[str, tuple[str, ...]]:
    return {key: figure.conditions for key, figure in table.unit("red-1").figures.items() if figure.fallen}


@pytest.mark.rule(RULE)
def test_whom_a_stunner_takes_out_by_little_is_stunned_and_a_casualty() -> None:
    # Light armour is 4: 1D6 + 1 makes 4, and 7, which is 3 above.
    table = shot_at(3, 6)
    assert marks(table) == {"1": ("stunned",), "2": ()}
    assert fad4().rules.casualties(table.unit("red-1")) == 2
    assert [line.value for line in fad4().card(table.state, table.unit("red-1")) if line.label == "Stunners"] == [
        "1 stunned"
    ]
    story = fad4().story(table.state, table.seen(FiguresGained)[0])
    assert story is not None
    assert story.text == "1 figure of Red 1 is stunned."


@pytest.mark.rule(RULE)
def test_what_would_kill_only_wounds_where_wounds_are_played() -> None:
    assert marks(shot_at(3, 6, recover_wounded="on")) == {"1": ("stunned",), "2": ("wounded",)}


@pytest.mark.rule(RULE)
def test_with_one_die_for_all_the_farther_half_is_stunned() -> None:
    table = shot_at(6, squad_damage="on")
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1", "2")]
    assert marks(table) == {"1": (), "2": ("stunned",)}


@pytest.mark.rule(RULE)
def test_the_preview_says_that_figures_are_stunned() -> None:
    table = play(facing(5, blue={"small_arm": "stunner"})).activates("blue-1")
    told = fad4().preview(table.state, table.prompt, Picked("open-fire", (UnitNamed("red-1"),)))
    assert told is not None
    assert "stunned" in told.notes[-1]


def lying(apart: float) -> State:
    """Return a blue squad and a red one of two, of which one lies stunned, `apart` inches north of the first blue figure."""
    red = unit("red", [(6, 7 + apart), (20, 30)], quality="elite")
    red["figures"][0] |= {"fallen": True, "conditions": ["stunned"]}  # type: ignore[index]
    return battle(unit("blue", (6, 6), figures=3), red)


@pytest.mark.rule(RULE)
def test_a_squad_that_moves_into_contact_takes_the_stunned_prisoner() -> None:
    table = play(lying(4)).activates("blue-1").moves(0, 4)
    assert table.unit("red-1").figures["1"].conditions == ("captured",)
    assert [fact.rule for fact in table.seen(FiguresGained)] == ["tech.weapon-tables.stunners"]
    card = [line.value for line in fad4().card(table.state, table.unit("red-1")) if line.label == "Stunners"]
    assert card == ["1 taken prisoner"]
    short = play(lying(4)).activates("blue-1").moves(0, 3)
    assert short.unit("red-1").figures["1"].conditions == ("stunned",)
    rush = play(lying(9)).activates("blue-1").rushes(0, 9)
    assert rush.unit("red-1").figures["1"].conditions == ("captured",)
