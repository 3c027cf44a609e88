"""An option of a match: a deck of cards says which unit activates next."""

from __future__ import annotations

import pytest

from client_protocol.view import DeckView
from server.kernel.facts import ActivationBegan, Rolled, SideFirst, UnitLeft
from server.kernel.state import State
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared import deck
from tests.support.battlefield import BattleTable, battle, fad4, play, unit, vehicle

CARDS = {"activation": "cards"}


def four(**other: object) -> State:
    """Return two units a side, between two turns of a match that is played with cards."""
    units = (
        unit("blue", (6, 6), figures=2),
        unit("blue", (30, 6), figures=2),
        unit("red", (6, 40), figures=2, **other),  # type: ignore[arg-type]  # as `unit` takes it
        unit("red", (30, 40), figures=2),
    )
    return battle(*units, options=CARDS, turn=1, phase="turn", first="", active="")


def activated(table: BattleTable) -> list[str]:
    return [fact.unit for fact in table.seen(ActivationBegan)]


def draws(table: BattleTable) -> list[tuple[int, tuple[int, ...], str]]:
    """Return the draws: of how many cards, the die, and the unit."""
    return [(roll.sides, roll.faces, roll.unit) for roll in table.seen(Rolled) if roll.purpose == "card"]


@pytest.mark.rule("fad4/turn.card-activation")
def test_a_turn_with_cards_has_no_initiative_roll_and_begins_with_a_draw_from_all_cards() -> None:
    table = play(four(), [3])
    assert table.seen(SideFirst) == []
    assert draws(table) == [(4, (3,), "red-1")]
    assert (table.asked, table.state.turn.active, activated(table)) == ("red", "red", ["red-1"])


@pytest.mark.rule("fad4/turn.card-activation")
def test_the_unit_on_the_card_activates_whichever_side_it_is_on() -> None:
    table = play(four(), [1]).holds(dice=[1]).holds(dice=[2]).holds()
    assert activated(table) == ["blue-1", "blue-2", "red-2", "red-1"]
    assert draws(table)[1:] == [(3, (1,), "blue-2"), (2, (2,), "red-2")], "the last card is drawn without a die"


@pytest.mark.rule("fad4/turn.card-activation")
def test_the_deck_is_shuffled_again_when_every_card_is_drawn() -> None:
    table = play(four(), [1]).holds(dice=[1]).holds(dice=[1])
    assert deck.discards(table.state) == ("blue-1", "blue-2", "red-1")
    table.holds().holds(dice=[4])
    assert (table.state.turn.number, draws(table)[-1]) == (3, (4, (4,), "red-2"))
    assert deck.discards(table.state) == ("red-2",)


@pytest.mark.rule("fad4/turn.card-activation")
def test_the_card_of_a_unit_that_leaves_the_game_is_taken_out_at_once() -> None:
    units = (unit("blue", (6, 6)), unit("red", (6, 19), figures=1), unit("red", (30, 40)), unit("red", (30, 44)))
    table = play(battle(*units, options=CARDS, turn=1, phase="turn", first="", active=""), [1])
    table.opens_fire_at("red-1", dice=[1, 1, 6, 6, 2])
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["red-1"]
    assert draws(table)[-1] == (2, (2,), "red-3")


@pytest.mark.rule("fad4/turn.card-activation")
@pytest.mark.rule("fad4/move.vehicle-squads")
def test_a_squad_of_vehicles_has_one_card_and_its_owner_says_which_of_them_begins() -> None:
    wolves = {SQUAD: "Wolves"}
    units = (
        unit("blue", (6, 6), figures=2),
        vehicle("blue", (20, 6), **wolves),  # type: ignore[arg-type]  # as `vehicle` takes it
        vehicle("blue", (28, 6), **wolves),  # type: ignore[arg-type]  # as `vehicle` takes it
        unit("red", (6, 40), figures=2),
    )
    table = play(battle(*units, options=CARDS, turn=1, phase="turn", first="", active=""), [2])
    assert fad4().deck(table.state) == DeckView({"blue": 1, "red": 1}, ("blue-2",), "turn.card-activation")
    table.answers("activate", "blue-3").holds().holds(dice=[2])
    assert activated(table) == ["blue-3", "blue-2", "red-1"]
    assert draws(table) == [(3, (2,), "blue-2"), (2, (2,), "red-1")]


@pytest.mark.rule("fad4/turn.card-activation")
def test_a_position_of_a_turn_with_cards_needs_no_side_to_act() -> None:
    table = play(battle(unit("blue", (6, 6)), unit("red", (6, 40)), options=CARDS, active=""), [2])
    assert (table.asked, activated(table)) == ("red", ["red-1"])


@pytest.mark.rule("fad4/turn.card-activation")
def test_the_deck_and_the_cards_drawn_are_in_every_view() -> None:
    table = play(four(), [1]).holds(dice=[2])
    assert fad4().deck(table.state) == DeckView({"blue": 1, "red": 1}, ("blue-1", "red-1"), "turn.card-activation")
    assert fad4().deck(battle(unit("blue", (6, 6)), unit("red", (6, 40)))) is None


@pytest.mark.rule("fad4/turn.card-activation")
def test_there_is_no_deck_during_the_deployment() -> None:
    assert fad4().deck(fad4().open("crossroads-patrol", CARDS)) is None
