"""The Inspiration card: a veteran leader pushes his squad in one of several ways, which is no activation."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked, UnitNamed
from server.kernel.facts import (
    ActivationBegan,
    ConditionGained,
    ConditionLost,
    Declared,
    FiguresRose,
    Rolled,
    UnitMoved,
)
from server.kernel.space.geometry import inches
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import load
from tests.rulesets.fad5.battlefield import fad5
from tests.rulesets.fad5.expanded import BLUE_2, INSPIRES_BLUE, INSPIRES_RED, activated, dawn, drawn, position, sides
from tests.support.battlefield import BattleTable, piece, play, shifted

MARKED = {"conditions": ["under_fire"]}


@pytest.mark.rule("fad5/turn.cards-inspiration")
def test_the_side_of_the_card_picks_a_squad_with_a_veteran_leader_and_one_way() -> None:
    table = dawn([INSPIRES_RED])
    assert drawn(table)[0][:2] == ("card:inspiration:red", "turn.cards-inspiration")
    assert (table.asked, table.offered) == ("red", ["inspire-move", "inspire-nerve", "inspire-none"])
    assert table.targets("inspire-nerve") == {"red-2": ""}, "red-1 is led by no veteran"
    assert table.prompt.default == Picked("inspire-none")
    table.answers("inspire-none", dice=[BLUE_2])
    assert activated(table) == ["blue-2"]


@pytest.mark.rule("fad5/turn.cards-inspiration")
def test_by_default_the_first_squad_under_fire_is_not_any_more() -> None:
    table = dawn([INSPIRES_BLUE], blue_2=MARKED)
    assert table.prompt.default == Picked("inspire-calm", (UnitNamed("blue-2"),))


@pytest.mark.rule("fad5/turn.cards-inspiration")
def test_it_uses_up_no_activation_and_takes_off_no_other_marker() -> None:
    table = dawn([INSPIRES_BLUE], {"pinning": "on"}, blue_2={"conditions": ["pinned"]})
    table.answers("inspire-nerve", "blue-2", dice=[BLUE_2])
    assert activated(table) == ["blue-2"]
    assert table.seen(ConditionLost) == []


@pytest.mark.rule("fad5/turn.cards-inspiration")
def test_each_card_is_taken_out_when_no_veteran_leads_any_more() -> None:
    rows = sides()
    figures = rows[1]["figures"]
    assert isinstance(figures, list)
    figures[0]["fallen"] = True
    assert drawn(play(position(rows), [1]))[0][2] == 9


# --- move -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.inspiration-move")
def test_an_inspired_squad_moves_three_inches_whatever_slows_it() -> None:
    table = dawn([INSPIRES_BLUE], blue_2=MARKED).answers("inspire-move", "blue-2")
    assert table.prompt.default == Picked("stay")
    way = table.path("go")
    assert (way.allowance, way.allowance_rule, way.less) == (inches(3), "turn.inspiration-move", None)
    assert table.refused("go", shifted(table.state, "blue-2", 0, 3.01)).rule == "turn.inspiration-move"
    table.answers("go", shifted(table.state, "blue-2", 0, 3), dice=[BLUE_2])
    moved = table.seen(UnitMoved)[0]
    assert (moved.unit, moved.rule) == ("blue-2", "turn.inspiration-move")
    assert Declared("blue-2", "inspire-move", "turn.inspiration-move") in table.seen(Declared)
    assert activated(table) == ["blue-2"], "its own activation is still to come"


@pytest.mark.rule("fad5/turn.inspiration-move")
def test_difficult_ground_costs_double_and_coherency_is_kept() -> None:
    wood = piece("dense_woods", (26, 6.5), (44, 20), id="wood")
    table = play(position(sides(), terrain=[wood]), [INSPIRES_BLUE]).answers("inspire-move", "blue-2")
    assert table.refused("go", shifted(table.state, "blue-2", 0, 1.8)).rule == "move.difficult-infantry"
    assert table.refused("go", shifted(table.state, "blue-2", -2.9, 0, only=["1"])).rule == "move.coherency"
    table.answers("go", shifted(table.state, "blue-2", 0, 1.7), dice=[BLUE_2])


@pytest.mark.rule("fad5/turn.inspiration-move")
@pytest.mark.rule("fad5/terrain-event.trigger")
@pytest.mark.rule("fad5/terrain-event.woods.booby-trapped")
def test_an_inspired_squad_meets_what_lies_on_its_way_and_goes_on_with_what_is_left() -> None:
    wood = piece("woods", (26, 6.8), (44, 20), id="wood")
    unknown = position(sides(), {"terrain_events": "on"}, terrain=[wood])
    table = play(unknown, [INSPIRES_BLUE]).answers("inspire-move", "blue-2")
    # The first to reach the woods finds booby traps, which are rolled for as it goes on into them.
    table.answers("go", shifted(table.state, "blue-2", 0, 2.8), dice=[1, 2])
    assert (table.asked, table.offered) == ("blue", ["go-on", "stop"])
    assert inches(2.6) < table.path("go-on").allowance < inches(2.8), "what is left of 3 inches"
    count = table.unit("blue-2").strength
    table.answers("go-on", shifted(table.state, "blue-2", 0, 1), dice=[6, *[1] * (count - 1), BLUE_2])
    assert table.rolled("booby_trap").outcome == "1"
    assert activated(table) == ["blue-2"]


@pytest.mark.rule("fad5/turn.inspiration-move")
def test_pinned_squads_are_not_pushed_forward_and_one_may_stay_after_all() -> None:
    pinned = dawn([INSPIRES_BLUE], {"pinning": "on"}, blue_2={"conditions": ["pinned"]})
    assert pinned.targets("inspire-move") == {"blue-2": "adv.pinning.no-movement"}
    stays = dawn([INSPIRES_BLUE]).answers("inspire-move", "blue-2").answers("stay", dice=[BLUE_2])
    assert stays.seen(UnitMoved) == []


# --- markers and morale ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.inspiration-under-fire")
def test_an_inspired_squad_is_not_under_fire_any_more_and_a_pinned_one_stays_so() -> None:
    table = dawn([INSPIRES_BLUE], blue_2=MARKED).answers("inspire-calm", "blue-2", dice=[BLUE_2])
    assert table.seen(ConditionLost) == [ConditionLost("blue-2", "under_fire", "turn.inspiration-under-fire")]
    pinned = dawn([INSPIRES_BLUE], {"pinning": "on"}, blue_2={"conditions": ["pinned"]})
    assert pinned.targets("inspire-calm") == {"blue-2": "turn.inspiration-under-fire"}


def broken(dice: Sequence[int], **more: object) -> BattleTable:
    """Begin a turn in which blue-2, which has lost a figure and is Reluctant, must test its morale."""
    return dawn(dice, blue_2={"lost": 1, "resolve": "reluctant", **more})


@pytest.mark.rule("fad5/turn.inspiration-morale")
def test_an_inspired_squad_passes_its_next_morale_test_without_dice() -> None:
    table = broken([INSPIRES_BLUE]).answers("inspire-nerve", "blue-2", dice=[BLUE_2])
    assert table.seen(ConditionGained)[0] == ConditionGained("blue-2", "inspired", "turn.inspiration-morale")
    assert table.seen(ConditionLost) == [ConditionLost("blue-2", "inspired", "turn.inspiration-morale")]
    assert [fact.purpose for fact in table.seen(Rolled)] == ["card", "card"]
    assert "move-fire" in table.offered, "it acts normally"
    assert "broken" in table.unit("blue-2").conditions
    assert "inspired" not in table.unit("blue-2").conditions, "it is used up"


@pytest.mark.rule("fad5/turn.inspiration-morale")
def test_it_is_kept_over_turns_until_there_is_a_test_and_never_twice() -> None:
    table = dawn([BLUE_2], blue_2={"conditions": ["inspired"]}).holds(dice=[6])
    assert "inspired" in table.unit("blue-2").conditions, (
        "it did not have to test, and its activation does not take it off"
    )
    assert table.targets("inspire-nerve") == {"blue-2": "turn.inspiration-morale"}


@pytest.mark.rule("fad5/turn.inspiration-morale")
def test_the_preview_of_a_commanded_activation_says_that_the_test_is_passed() -> None:
    table = broken([5], conditions=["inspired"])
    told = fad5().preview(table.state, table.prompt, Picked("activate", (UnitNamed("blue-2"),)))
    assert told is not None
    assert (told.dice, [(chance.label, chance.value) for chance in told.chances]) == ("no dice", [("Rallies", "100%")])


# --- wounded --------------------------------------------------------------------------------------------------------


def with_wounds() -> FadRuleset:
    """Return the edition with the module for wounded figures, which it does not list yet; the rules are the family's."""
    book = load("fad5")
    own = load("fad4")
    keys = {key: entry for key, entry in book.edition.keys.items() if not key.startswith("adv.wounded")}
    wounded = {key: "fad5/turn.inspiration-recover" for key in book.edition.keys if key.startswith("adv.wounded")}
    markers = ("wounded", "stabilised", "nerve_struck", "left_lying", "left_wounded")
    rows = {key: own.conditions[key] for key in markers if key in own.conditions}
    edition = replace(
        book.edition, keys={**keys, **wounded}, modules={**book.edition.modules, "recover_wounded": "always"}
    )
    tables = replace(book.tables, wounds=own.tables.wounds)
    return FadRuleset("fad5", replace(book, edition=edition, conditions={**book.conditions, **rows}, tables=tables))


@pytest.mark.rule("fad5/turn.inspiration-recover")
@pytest.mark.parametrize(("die", "conditions", "rises"), [(6, [], True), (6, ["under_fire"], False), (3, [], False)])
def test_a_wounded_man_of_an_inspired_squad_has_his_die_without_helpers(
    die: int, conditions: list[str], rises: bool
) -> None:
    rows = sides(blue_2={"conditions": conditions})
    figures = rows[1]["figures"]
    assert isinstance(figures, list)
    figures[3] |= {"fallen": True, "conditions": ["wounded"]}
    rules = with_wounds()
    table = BattleTable(rules, position(rows, rules=rules), [INSPIRES_BLUE])
    assert table.targets("inspire-recover") == {"blue-2": ""}
    table.answers("inspire-recover", "blue-2", dice=[die, BLUE_2])
    assert Declared("blue-2", "inspire-recover", "turn.inspiration-recover") in table.seen(Declared)
    assert table.rolled("recovery").faces == (die,)
    assert bool(table.seen(FiguresRose)) == rises
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-2"]


@pytest.mark.rule("fad5/turn.inspiration-recover")
def test_it_is_not_offered_where_wounded_are_not_recovered_or_none_is_wounded() -> None:
    assert "inspire-recover" not in [choice.key for choice in dawn([INSPIRES_BLUE]).prompt.choices]
    rules = with_wounds()
    table = BattleTable(rules, position(sides(), rules=rules), [INSPIRES_BLUE])
    assert table.targets("inspire-recover") == {"blue-2": "turn.inspiration-recover"}
