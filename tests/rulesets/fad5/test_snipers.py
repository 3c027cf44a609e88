"""Snipers: what they do in one activation, and what lasts longer."""

from __future__ import annotations

import pytest

from client_protocol.choices import FiguresPlaced, PlacementParameter
from server.kernel.state import State
from tests.rulesets.fad5.battlefield import battle, value_of, vehicle
from tests.support.battlefield import BattleTable, play, unit
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


# --- in vehicles ----------------------------------------------------------------------------------------------------


def carried(row: Row) -> BattleTable:
    """Let a sniper off the carrier in which it began, or into which it has got in this turn."""
    rows = (
        vehicle("blue", (10, 10), facing=0, seats=10),
        row,
        unit("red", (10, 30)),
        unit("red", (30, 46), id="spare"),
    )
    table = play(battle(*rows, options={"snipers": "on"}))
    if not table.unit("sniper").aboard:
        table.activates("sniper").answers("embark:move:blue-1").activates("red-1").holds()
    table.activates("blue-1")
    choice = table.choice("let-off:sniper")
    assert choice.consequence.startswith('Set down within 1"; then it neither shoots nor assaults.')
    (parameter,) = choice.parameters
    assert isinstance(parameter, PlacementParameter)
    return table.answers("let-off:sniper", FiguresPlaced(parameter.suggested))


@pytest.mark.rule("fad5/adv.sniper.unit")
@pytest.mark.rule("fad5/transport.disembark")
@pytest.mark.parametrize("row", [sniper(None, aboard="blue-1"), sniper((10, 6))])
def test_a_sniper_that_gets_off_a_vehicle_has_moved_and_does_not_shoot(row: Row) -> None:
    table = carried(row)
    assert table.offered == ["hold"]
    why = table.barred("fire")
    assert why is not None
    assert why.rule == "adv.sniper.unit"


@pytest.mark.rule("fad5/shoot.mod-concealed-sniper")
def test_a_sniper_that_has_got_off_a_vehicle_is_not_concealed() -> None:
    table = carried(sniper(None, aboard="blue-1")).holds()
    table.activates("red-1").answers("fire-move", "sniper", dice=[1, 1])
    assert value_of(table.fire_effect, "shoot.mod-concealed-sniper") == 0


# --- the clear shot -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/adv.sniper.unit")
def test_a_sniper_that_finds_no_clear_shot_does_not_shoot_in_a_second_activation_of_the_turn() -> None:
    table = play(dawn(seize_initiative="same-unit"), SIX_TO_ONE).answers("go-first").activates("sniper")
    table.answers("clear-shot", "red-1", dice=[1]).answers("seize", "sniper")
    for choice in ("fire-move", "clear-shot"):
        why = table.barred(choice)
        assert why is not None
        assert why.sentence == "Sniper is a sniper that found no clear shot: it does not shoot this turn."
    assert table.barred("move-out") is None
    table.holds().activates("red-1").holds().activates("blue-2").holds().activates("red-2").holds(dice=SIX_TO_ONE)
    assert table.answers("go-first").activates("sniper").barred("clear-shot") is None, "it may in the next turn"


@pytest.mark.rule("fad5/adv.sniper.unit")
def test_a_sniper_that_finds_no_clear_shot_has_no_free_shot_in_the_same_turn() -> None:
    rows = (sniper((6, 6)), unit("blue", (30, 6)), unit("red", (6, 13)), unit("red", (30, 40)))
    state = battle(*rows, options={"snipers": "on"})
    shaken = play(state).activates("sniper").answers("clear-shot", "red-1", dice=[1]).activates("red-1")
    assert "free-shot" not in shaken.answers("assault", "sniper").offered
    ready = play(state).activates("sniper").holds().activates("red-1").answers("assault", "sniper")
    assert "free-shot" in ready.offered
