"""An option: the expanded deck, with the Plasma Cooler and cards for commanders, inspiration and reactions."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.view import DeckView, SpecialCard, SpecialCards
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, Rolled, SideFirst
from server.rulesets.fad.special_cards import check
from server.rulesets.shared import deck
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.rulesets.fad5.expanded import (
    BLUE_1,
    COMMANDER_BLUE,
    COMMANDER_RED,
    COOLER,
    INSPIRES_BLUE,
    REACTION,
    RED_1,
    activated,
    dawn,
    drawn,
    position,
    sides,
)
from tests.support.battlefield import BattleTable, play, unit

C_BLUE, C_RED = "card:commander:blue-1", "card:commander:red-1"
I_BLUE, I_RED = "card:inspiration:blue", "card:inspiration:red"
R, P = "card:reaction", "card:plasma-cooler"


def able(table: BattleTable) -> list[str]:
    """Return the units that a commander may activate."""
    return [unit for unit, why in table.targets("activate").items() if not why]


# --- the deck -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.expanded-cards")
@pytest.mark.rule("fad5/turn.sequence-choice")
def test_the_expanded_deck_has_a_card_for_each_unit_and_the_special_cards() -> None:
    table = dawn([BLUE_1])
    assert table.seen(SideFirst) == []
    assert drawn(table) == [("blue-1", "turn.expanded-cards", 10)]
    special = {
        C_BLUE: SpecialCard("card:commander", unit="blue-1"),
        C_RED: SpecialCard("card:commander", unit="red-1"),
        I_BLUE: SpecialCard("card:inspiration", side="blue"),
        I_RED: SpecialCard("card:inspiration", side="red"),
    }
    others = (C_BLUE, C_RED, I_BLUE, I_RED, R, P)
    assert fad5().deck(table.state) == DeckView({"blue": 1, "red": 2}, ("blue-1",), "turn.expanded-cards", others)
    assert fad5().special_cards(table.state) == SpecialCards(special, ())
    words = fad5().words
    assert {card.word for card in special.values()} | {R, P} <= words.keys()


@pytest.mark.rule("fad5/turn.expanded-cards")
@pytest.mark.parametrize(
    ("options", "special"),
    [
        ({"commander_cards": 0, "inspiration_cards": 0, "reaction_cards": "none"}, []),
        ({"commander_cards": 2, "reaction_cards": "none"}, [C_BLUE, C_BLUE, C_RED, C_RED, I_BLUE, I_RED]),
        ({"commander_cards": 0, "inspiration_cards": 2, "reaction_cards": "two"}, [I_BLUE, I_BLUE, I_RED, I_RED, R, R]),
        ({"cards_of_a_unit": 2, "plasma_cooler": "on"}, [C_BLUE, C_RED, I_BLUE, I_RED, R]),
    ],
)
def test_a_match_says_how_many_special_cards_there_are(options: dict[str, object], special: list[str]) -> None:
    table = dawn([BLUE_1], options)
    view = fad5().deck(table.state)
    assert view is not None
    assert view.others == (*special, P), "one Plasma Cooler is always there"
    assert drawn(table)[0][2] == 4 * (2 if options.get("cards_of_a_unit") == 2 else 1) + len(special) + 1


@pytest.mark.rule("fad5/turn.cards-reaction")
@pytest.mark.parametrize(("blue", "red", "cards"), [(0, 0, 1), (1, 0, 1), (2, 0, 1), (2, 1, 2), (2, 2, 2)])
def test_there_are_as_many_reaction_cards_as_commanders_on_the_average_rounded_up(
    blue: int, red: int, cards: int
) -> None:
    rows = []
    for side, count, y in (("blue", blue, 6.0), ("red", red, 40.0)):
        for number in range(2):
            own = {"company_commander" if number else "commander": True} if number < count else {}
            rows.append(unit(side, (6 + 24 * number, y), figures=4, leader=True) | own)
    view = fad5().deck(play(position(rows), [BLUE_1]).state)
    assert view is not None
    assert view.others.count(R) == cards


@pytest.mark.rule("fad5/turn.expanded-cards")
def test_simple_cards_have_no_special_ones() -> None:
    table = dawn([BLUE_1], {"activation": "cards", "commander_cards": 2, "reaction_cards": "three"})
    assert fad5().deck(table.state) == DeckView({"blue": 1, "red": 2}, ("blue-1",), "turn.simple-cards")
    assert fad5().special_cards(table.state) is None


@pytest.mark.rule("fad5/turn.expanded-cards")
def test_the_turn_ends_when_no_card_is_left_that_lets_a_unit_do_something() -> None:
    options = {"commander_cards": 0, "inspiration_cards": 0, "reaction_cards": "one"}
    table = dawn([1], options).holds(dice=[1]).holds(dice=[1]).holds(dice=[1])
    assert drawn(table)[3] == ("red-2", "turn.expanded-cards", 3), "Reaction and Plasma Cooler are left with it"
    table.holds(dice=[1])
    assert table.state.turn.number == 3


@pytest.mark.rule("fad5/turn.plasma-cooler")
@pytest.mark.rule("fad5/turn.expanded-cards")
def test_the_plasma_cooler_ends_a_turn_of_the_expanded_deck_with_all_its_cards() -> None:
    table = dawn([COOLER, BLUE_1])
    assert drawn(table)[0] == (P, "turn.plasma-cooler", 10)
    assert table.state.turn.number == 3
    assert deck.discards(table.state) == ("blue-1",)


@pytest.mark.rule("fad5/turn.extended-cards")
@pytest.mark.rule("fad5/turn.expanded-cards")
def test_two_cards_a_unit_go_with_the_expanded_deck() -> None:
    table = dawn([1], {"cards_of_a_unit": 2}).holds(dice=[1])
    assert activated(table) == ["blue-1", "blue-1"]
    assert [card[2] for card in drawn(table)] == [14, 13]


@pytest.mark.rule("fad5/turn.seize-initiative")
def test_without_an_initiative_roll_the_initiative_is_not_seized() -> None:
    table = dawn([BLUE_1], {"seize_initiative": "any-unit"}).holds(dice=[2])
    assert table.prompt.unit == "red-1"


# --- commanders -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.cards-commander")
def test_a_commander_activates_a_unit_sooner_and_its_own_card_is_taken_out() -> None:
    table = dawn([COMMANDER_RED])
    assert (table.asked, table.offered) == ("red", ["activate", "no-command"])
    assert table.prompt.default == Picked("no-command")
    assert able(table) == ["red-1", "red-2"]
    table.answers("activate", "red-2")
    assert Declared("red-1", "commands", "turn.cards-commander", "red-2") in table.seen(Declared)
    assert activated(table) == ["red-2"]
    table.holds(dice=[4])
    assert drawn(table) == [(C_RED, "turn.cards-commander", 10), (C_BLUE, "turn.cards-commander", 8)]
    assert able(table) == ["blue-1", "blue-2"]
    view = fad5().deck(table.state)
    assert view is not None
    assert view.left == {"blue": 2, "red": 1}


@pytest.mark.rule("fad5/turn.cards-commander")
def test_a_commander_may_activate_his_own_squad_or_none() -> None:
    table = dawn([COMMANDER_BLUE]).answers("activate", "blue-1")
    assert Declared("blue-1", "commands-own", "turn.cards-commander") in table.seen(Declared)
    other = dawn([COMMANDER_BLUE]).answers("no-command", dice=[BLUE_1])
    assert (activated(other), drawn(other)[1][2]) == (["blue-1"], 9)


@pytest.mark.rule("fad5/turn.cards-commander")
def test_a_commander_activates_no_unit_that_has_activated() -> None:
    table = dawn([BLUE_1]).holds(dice=[4])
    assert able(table) == ["blue-2"]


@pytest.mark.rule("fad5/turn.cards-commander")
@pytest.mark.rule("fad5/turn.extended-cards")
def test_a_unit_with_two_cards_is_commanded_while_it_has_one_left() -> None:
    table = dawn([1], {"cards_of_a_unit": 2, "commander_cards": 2}).holds(dice=[8])
    assert able(table) == ["blue-1", "blue-2"]
    table.answers("activate", "blue-1").holds(dice=[7])
    assert drawn(table)[-1] == (C_BLUE, "turn.cards-commander", 13)
    assert able(table) == ["blue-2"], "both cards of blue-1 are used"


@pytest.mark.rule("fad5/turn.cards-commander")
def test_an_option_makes_it_one_more_activation() -> None:
    options = {"commander_card": "extra", "commander_cards": 2}
    table = dawn([BLUE_1], options).holds(dice=[4])
    assert able(table) == ["blue-1", "blue-2"], "also one that has activated"
    table.answers("activate", "blue-2").holds(dice=[1])
    assert activated(table) == ["blue-1", "blue-2", "blue-2"], "it keeps its card"
    table.holds(dice=[3]).answers("activate", "blue-1")
    assert Counter(activated(table)) == {"blue-1": 2, "blue-2": 2}
    view = fad5().deck(table.state)
    assert view is not None
    assert view.left == {"blue": 0, "red": 2}


@pytest.mark.rule("fad5/turn.cards-commander")
def test_what_a_commander_adds_is_forgotten_when_the_turn_ends() -> None:
    table = dawn([COMMANDER_BLUE]).answers("activate", "blue-2").holds(dice=[8, BLUE_1])
    assert table.state.turn.number == 3
    assert drawn(table)[-1] == ("blue-1", "turn.expanded-cards", 10)


@pytest.mark.rule("fad5/turn.cards-commander")
def test_the_card_of_a_commander_who_has_fallen_is_taken_out() -> None:
    rows = sides()
    figures = rows[0]["figures"]
    assert isinstance(figures, list)
    figures[0]["fallen"] = True
    table = play(position(rows), [BLUE_1])
    assert drawn(table)[0][2] == 9


@pytest.mark.rule("fad5/unit.platoon-company")
@pytest.mark.rule("fad5/unit.support-attachment")
def test_a_commander_commands_his_platoon_and_those_that_support_all_and_one_of_a_company_commands_all() -> None:
    rows = [
        unit("blue", (2, 6), figures=3, leader=True, commander=True, platoon="First"),
        unit("blue", (12, 6), figures=3, leader=True, commander=True, platoon="Second"),
        unit("blue", (22, 6), figures=3, leader=True, company_commander=True, platoon="Second"),
        unit("blue", (32, 6), figures=3),
        unit("red", (6, 40), figures=3),
    ]
    first = play(position(rows), [6])
    assert able(first) == ["blue-1", "blue-4"]
    assert first.targets("activate")["blue-2"] == "turn.cards-commander"
    second = play(position(rows), [7])
    assert able(second) == ["blue-2", "blue-3", "blue-4"]
    company = play(position(rows), [8])
    assert able(company) == ["blue-1", "blue-2", "blue-3", "blue-4"]
    card = fad5().card(first.state, first.unit("blue-1"))
    assert ("Platoon", "First", "unit.platoon-company") in [(line.label, line.value, line.rule) for line in card]


# --- positions ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/unit.platoon-company")
@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"commander": True}, "Blue 1 has the commander, and no figure that leads it"),
        ({"veteran_leader": True}, "Blue 1 has a veteran leader, and no figure that leads it"),
        ({"platoon": 3}, "platoon is the name of its platoon, up to 24 letters, not 3"),
        ({"platoon": " "}, "platoon is the name of its platoon"),
    ],
)
def test_commanders_that_no_squad_could_have_are_refused(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        battle(unit("blue", (6, 6), **more), unit("red", (6, 40)))  # type: ignore[arg-type]  # as `unit` takes it


@pytest.mark.rule("fad5/unit.platoon-company")
def test_a_platoon_has_one_commander() -> None:
    rows = [unit("blue", (6, y), leader=True, commander=True, platoon="First") for y in (6, 12)]
    with pytest.raises(RulesetError, match="Blue 1 and Blue 2 both have the commander of the platoon 'First'"):
        battle(*rows, unit("red", (6, 40)))


@pytest.mark.parametrize(
    "card", ["blue-9", "card:commander", "card:commander:blue-9", "card:inspiration:green", "joker"]
)
def test_a_card_that_no_deck_has_is_refused(card: str) -> None:
    state = position(sides())
    check(replace(state, book={**state.book, deck.DISCARDS: (C_BLUE, I_RED, R, P, "red-1")}))
    with pytest.raises(RulesetError, match=f"there is no card '{card}'"):
        check(replace(state, book={**state.book, deck.DISCARDS: (card,)}))


def test_each_draw_is_told() -> None:
    table = dawn([INSPIRES_BLUE])
    roll = table.seen(Rolled)[-1]
    for face, told in (
        (COMMANDER_RED, "The Commander card of Red 1 is drawn, one of 10 cards."),
        (INSPIRES_BLUE, "An Inspiration card of Blue is drawn, one of 10 cards."),
        (RED_1, "The card of Red 1 is drawn, one of 10."),
    ):
        fact = dawn([face]).seen(Rolled)[0]
        story = fad5().story(table.state, fact)
        assert story is not None
        assert story.text == told
    reaction = dawn([REACTION, RED_1]).seen(Rolled)[0]
    story = fad5().story(table.state, reaction)
    assert story is not None
    assert story.text == "A Reaction card is drawn, one of 10 cards: it is laid aside for the next one."
    assert roll.purpose == "card"
