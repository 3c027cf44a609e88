"""Snipers: what they do in one activation, and what lasts longer."""

from __future__ import annotations

import pytest

from server.kernel.state import State
from tests.rulesets.fad5.battlefield import battle
from tests.support.battlefield import play, unit
from tests.support.tabletop import Place, Row

SIX_TO_ONE = [6, 1]


def sniper(at: Place | None, **other: object) -> Row:
    own: dict[str, object] = {"figures": 1, "small_arm": "sniper-rifle", "sniper": True, "id": "sniper", **other}
    return unit("blue", at, **own)  # type: ignore[arg-type]  # as `unit` takes it


def dawn(**options: object) -> State:
    """Return the position before turn 2 with a blue sniper and, too far off to be assaulted, two red squads."""
    rows = (sniper((6, 6)), unit("blue", (30, 6)), unit("red", (6, 40)), unit("red", (30, 40)))
    return battle(*rows, options={"snipers": "on", **options}, turn=1, phase="turn", first="", active="")


# --- moving or shooting ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/adv.sniper.unit")
@pytest.mark.rule("fad5/turn.seize-initiative")
def test_a_sniper_that_has_shot_may_move_in_its_second_activation_of_the_turn() -> None:
    table = play(dawn(seize_initiative="same-unit"), SIX_TO_ONE).answers("go-first").activates("sniper")
    table.answers("fire-move", "red-1", dice=[1])
    assert table.barred("move") is not None
    table.answers("stay").answers("seize", "sniper")
    assert table.barred("move-out") is None


@pytest.mark.rule("fad5/turn.extended-cards")
def test_a_sniper_that_has_shot_on_one_card_may_move_on_its_next() -> None:
    table = play(dawn(activation="cards", cards_of_a_unit=2), [1]).answers("fire-move", "red-1", dice=[1])
    table.answers("stay", dice=[1])
    assert table.prompt.title == "Sniper: choose its action"
    assert table.barred("move-out") is None
