"""Options: a deck says which unit activates next, with one or two cards a unit, and the Plasma Cooler ends the turn."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked
from client_protocol.view import DeckView
from server.kernel.facts import ActivationBegan, ConditionGained, Declared, Rolled, SideFirst
from server.rulesets.fad.plasma_cooler import COOLER
from server.rulesets.shared import deck
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.rulesets.fad5.expanded import position, with_vehicles
from tests.support.battlefield import BattleTable, play, unit, vehicle


def dawn(dice: list[int], apart: float = 34, figures: int = 4, **options: object) -> BattleTable:
    """Begin turn 2 of a match with cards and these dice. Two units a side face each other, so many inches apart."""
    units = (
        unit("blue", (6, 6), figures=figures),
        unit("blue", (30, 6), figures=figures),
        unit("red", (6, 6 + apart), figures=figures),
        unit("red", (30, 6 + apart), figures=figures),
    )
    state = battle(*units, options={"activation": "cards", **options}, turn=1, phase="turn", first="", active="")
    return play(state, dice)


def activated(table: BattleTable) -> list[str]:
    return [fact.unit for fact in table.seen(ActivationBegan)]


@pytest.mark.rule("fad5/turn.simple-cards")
@pytest.mark.rule("fad5/turn.sequence-choice")
def test_with_cards_there_is_no_initiative_roll_and_the_unit_drawn_activates() -> None:
    table = dawn([3])
    assert table.seen(SideFirst) == []
    drawn = table.seen(Rolled)[0]
    assert (drawn.rule, drawn.sides, drawn.faces, drawn.unit) == ("turn.simple-cards", 4, (3,), "red-1")
    table.holds(dice=[1]).holds(dice=[1]).holds()
    assert activated(table) == ["red-1", "blue-1", "blue-2", "red-2"]


@pytest.mark.rule("fad5/turn.extended-cards")
def test_each_unit_activates_twice_where_it_has_two_cards() -> None:
    table = dawn([1], cards_of_a_unit=2).holds(dice=[1])
    assert activated(table) == ["blue-1", "blue-1"], "both cards may come one after the other"
    assert [roll.sides for roll in table.seen(Rolled)] == [8, 7]
    assert fad5().deck(table.state) == DeckView({"blue": 2, "red": 4}, ("blue-1", "blue-1"), "turn.simple-cards")
    for sides in (6, 5, 4, 3, 2):
        assert table.state.turn.number == 2
        table.holds(dice=[sides])
    table.holds().holds(dice=[8])
    assert (table.state.turn.number, activated(table)[-1]) == (3, "red-2")
    assert sorted(activated(table)[:8]) == sorted(["blue-1", "blue-2", "red-1", "red-2"] * 2)


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_the_plasma_cooler_is_one_card_of_the_deck_that_all_see() -> None:
    table = dawn([1], plasma_cooler="on")
    assert [roll.sides for roll in table.seen(Rolled)] == [5]
    assert fad5().deck(table.state) == DeckView({"blue": 1, "red": 2}, ("blue-1",), "turn.simple-cards", (COOLER,))
    assert fad5().words[COOLER].rule == "turn.plasma-cooler"


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_the_plasma_cooler_ends_the_turn_at_once() -> None:
    table = dawn([1], plasma_cooler="on").holds(dice=[4, 1])
    assert table.state.turn.number == 3, "no unit has an enemy at short range"
    assert activated(table) == ["blue-1", "blue-1"]
    assert deck.discards(table.state) == ("blue-1",), "the next turn begins with all cards"


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_units_that_have_not_activated_may_fire_at_short_range_side_by_side() -> None:
    table = dawn([1], apart=8, plasma_cooler="on").holds(dice=[4, 2, 5])
    roll = table.seen(Rolled)[-1]
    assert (roll.purpose, roll.rule, roll.outcome) == ("end_fire", "turn.plasma-cooler", "red")
    assert (table.asked, table.offered) == ("red", ["end-fire", "pass"])
    assert table.prompt.default == Picked("pass")
    assert list(table.targets("end-fire")) == ["red-1", "red-2"]
    table.answers("end-fire", "red-2")
    assert table.offered == ["fire", "hold-fire"]
    table.answers("fire", "blue-2", dice=[1, 1, 1, 6])
    assert ConditionGained("blue-2", "under_fire", "under-fire.marking") in table.seen(ConditionGained)
    assert table.asked == "blue"
    assert list(table.targets("end-fire")) == ["blue-2"], "blue-1 has activated"
    # An activation of its own would take the marker off; this is none.
    table.answers("end-fire", "blue-2").answers("fire", "red-2", dice=[1, 1])
    assert "under_fire" in table.state.units["blue-2"].conditions
    assert list(table.targets("end-fire")) == ["red-1"], "red-2 has fired"
    table.answers("pass", dice=[3])
    assert (table.state.turn.number, table.asked) == (3, "red"), "blue has no unit left that could fire"


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_the_end_fire_goes_on_after_one_side_passes_and_stops_after_both() -> None:
    table = dawn([5, 1, 6], apart=8, plasma_cooler="on")
    assert table.asked == "red", "the very first card may be the Plasma Cooler"
    table.answers("pass")
    assert table.asked == "blue"
    table.answers("end-fire", "blue-1").answers("hold-fire")
    assert table.asked == "red"
    table.answers("pass").answers("pass", dice=[1])
    assert table.state.turn.number == 3
    assert [fact for fact in table.seen(Declared) if fact.action == "shoot"] == []


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_the_end_fire_waives_fire_priority_and_reaches_no_farther_than_close_range() -> None:
    units = (
        unit("blue", (6, 6), figures=4, quality="rabble"),
        unit("red", (6, 10), figures=4, conditions=["pinned"]),
        unit("red", (16, 6), figures=4),
        unit("red", (6, 28), figures=4),
    )
    options = {"activation": "cards", "plasma_cooler": "on"}
    table = play(battle(*units, options=options, turn=1, phase="turn", first="", active=""), [5, 6, 1])
    table.answers("end-fire", "blue-1")
    assert table.targets("fire") == {"red-1": "", "red-2": "", "red-3": "turn.plasma-cooler"}
    table.answers("hold-fire")
    assert "red-1" not in list(table.targets("end-fire")), "Pinned units do not fire"


@pytest.mark.rule("fad5/turn.plasma-cooler")
def test_a_vehicle_that_has_not_activated_fires_its_weapons_at_short_range_each_at_its_own_target() -> None:
    rules = with_vehicles()
    weapons = ["light-auto-cannon", "light-auto-cannon"]
    rows = [
        vehicle("blue", (8, 6), quality="rabble", weapons=weapons),
        unit("red", (4, 12), figures=3),
        unit("red", (14, 12), figures=3),
        unit("red", (14, 46), figures=3, conditions=["pinned"]),
    ]
    table = BattleTable(rules, position(rows, {"activation": "cards", "plasma_cooler": "on"}, rules=rules), [5, 6, 1])
    table.answers("end-fire", "blue-1")
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert [[option.key for option in row.options] for row in parameter.rows] == [["red-1", "red-2"]] * 2
    table.answers("fire", Assigned({"m1": "red-1", "m2": "red-2"}), dice=[1, 1, 1, 1])
    shots = [(fact.unit, fact.target) for fact in table.seen(Declared) if fact.action == "shoot"]
    assert shots == [("blue-1", "red-1"), ("blue-1", "red-2")]
