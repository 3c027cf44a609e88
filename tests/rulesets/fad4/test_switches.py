"""Switches in the data of an edition: the rules obey their other values as well."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.facts import Rolled, SideFirst
from server.rulesets.fad.previews.choices import preview_shot
from server.rulesets.fad.previews.losses import kill_chance
from server.rulesets.fad.previews.what_if import what_if
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import BattleTable, battle, facing, fad4, lines, piece, unit

LOSER, AGAIN = "loser-of-last-turn", "roll-again"


def otherwise(tables: Mapping[str, Mapping[str, object]] | None = None, actions: tuple[str, ...] = ()) -> FadRuleset:
    """Return the edition's rules with other values in its tables."""
    edition = FadRuleset("fad4")
    book = edition.book
    own = book.edition
    if actions:
        own = replace(own, actions={**own.actions, "infantry": actions})
    own_tables = book.tables
    changed = {name: replace(getattr(own_tables, name), **values) for name, values in (tables or {}).items()}
    edition.rules.book = replace(book, tables=replace(own_tables, **changed), edition=own)
    return edition


def next_turn(rules: FadRuleset, dice: list[int]) -> BattleTable:
    """Begin turn 2 with these dice; in turn 1 blue went first."""
    units = (unit("blue", (6, 6)), unit("red", (6, 40)))
    return BattleTable(rules, battle(*units, turn=1, phase="turn", first="blue", active=""), dice)


def first(table: BattleTable) -> tuple[str, str]:
    """Return which side goes first, and by which rule."""
    (fact,) = table.seen(SideFirst)
    return fact.side, fact.rule


# --- initiative -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/turn.initiative-roll")
def test_the_winner_of_initiative_goes_first_without_being_asked() -> None:
    table = next_turn(otherwise({"initiative": {"winner_chooses": False}}), [2, 5])
    assert first(table) == ("red", "turn.initiative-roll")
    assert table.offered[0] == "activate"


@pytest.mark.rule("fad4/turn.initiative-roll")
@pytest.mark.parametrize(("choice", "side"), [("go-first", "red"), ("go-second", "blue")])
def test_the_winner_of_initiative_chooses_if_the_edition_allows_it(choice: str, side: str) -> None:
    table = next_turn(otherwise({"initiative": {"winner_chooses": True}}), [2, 5])
    assert (table.asked, table.offered) == ("red", ["go-first", "go-second"])
    assert table.prompt.default == Picked("go-first")
    table.answers(choice)
    assert first(table) == (side, "turn.initiative-roll")
    assert table.asked == side


@pytest.mark.rule("fad4/turn.initiative-draw")
def test_a_drawn_initiative_goes_to_the_loser_of_last_turn_or_is_rolled_again() -> None:
    assert first(next_turn(otherwise({"initiative": {"draw": LOSER}}), [3, 3])) == ("red", "turn.initiative-draw")
    again = next_turn(otherwise({"initiative": {"draw": AGAIN}}), [3, 3, 6, 1])
    assert first(again) == ("blue", "turn.initiative-roll")
    assert [fact.faces for fact in again.seen(Rolled)] == [(3, 3), (6, 1)]


# --- armour ---------------------------------------------------------------------------------------------------------


def shot(rules: FadRuleset, dice: list[int], **sides: Mapping[str, object]) -> BattleTable:
    """Let blue fire at red 12" away with these dice."""
    table = BattleTable(rules, facing(12, **sides), [])  # type: ignore[arg-type]
    return table.activates("blue-1").opens_fire_at("red-1", dice=dice)


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.rule("fad4/damage.roll")
def test_a_fixed_armour_rating_needs_no_defenders_dice() -> None:
    table = shot(otherwise({"armour": {"fixed": True}}), [1, 1, 1, 2])
    assert [fact.purpose for fact in table.seen(Rolled)] == ["fire_effect", "damage"]
    assert table.rolled("damage").marks == ("fail", "kill")
    assert "Light armour (4)" in {line.value for line in fad4().card(table.state, table.unit("red-1"))}


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.rule("fad4/damage.roll")
def test_armour_without_a_fixed_rating_is_added_to_a_die_for_each_hit() -> None:
    rules = otherwise({"armour": {"fixed": False}})
    # Two hits: the defender's 4 and 5, the attacker's 1 and 3, each with its weapon's +2.
    table = shot(rules, [1, 1, 4, 5, 1, 3])
    armour = table.rolled("armour")
    assert (armour.faces, armour.unit) == ((4, 5), "red-1")
    damage = table.rolled("damage")
    assert (damage.faces, damage.marks) == ((1, 3), ("fail", "kill"))
    assert [lines(number) for number in damage.numbers] == [[("tech.weapon-tables", 2)], [("tech.personal-armour", 0)]]
    assert "Light armour (1D6 +0)" in {line.value for line in rules.card(table.state, table.unit("red-1"))}


@pytest.mark.rule("fad4/damage.armour-piercing")
def test_armour_piercing_has_no_effect_on_armour_that_is_added_to_a_die() -> None:
    sides = {"blue": {"small_arm": "gauss-rifle"}, "red": {"armour": "breach"}}
    table = shot(otherwise({"armour": {"fixed": False}}), [1, 4, 1, 1, 1, 1, 2, 1], **sides)
    assert lines(table.rolled("damage").numbers[1]) == [("tech.personal-armour", 4)]


@pytest.mark.rule("fad4/tech.personal-armour")
def test_the_odds_of_a_shot_count_the_defenders_dice() -> None:
    edition = otherwise({"armour": {"fixed": False}})
    told = preview_shot(edition.rules, facing(12), "blue-1", "red-1")
    assert told is not None
    assert "Armour to reach (plus 1D6 for each hit)" in dict(told.numbers)
    # Of the 36 results of two dice, one with +2 on either side reaches the other in 21; it reaches a rating of 6 with 4 or
    # more.
    state = facing(12, red={"armour": "heavy"})
    aimed = aim(edition.rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Shot)
    assert kill_chance(edition.rules, state, aimed, 0, "") == Fraction(21, 36)
    assert kill_chance(fad4().rules, state, aimed, 0, "") == Fraction(1, 2)


@pytest.mark.rule("fad4/tech.personal-armour")
def test_the_luck_of_damage_depends_on_both_dice_if_the_defender_rolls() -> None:
    edition = otherwise({"armour": {"fixed": False}})
    table = shot(edition, [1, 1, 4, 5, 1, 3], red={"armour": "heavy"})
    (luck,) = edition.luck(table.state, table.rolled("damage"))
    # Two hits, 21 of 36 each.
    assert luck.expected == round(2 * 10_000 * 21 / 36)


# --- actions --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/activation.one-action")
def test_only_actions_of_the_edition_are_offered() -> None:
    edition = otherwise(actions=("engage", "move-out"))
    table = BattleTable(edition, facing(12), []).activates("blue-1")
    assert table.offered == ["move-fire", "fire-move", "move-out", "hold"]
    assert "open-fire" in BattleTable(fad4(), facing(12), []).activates("blue-1").offered
    titles = [told.title for told in what_if(edition.rules, facing(12), "blue-1", "red-1")]
    assert not any("Open Fire" in title for title in titles)
    assert any("Open Fire" in told.title for told in what_if(fad4().rules, facing(12), "blue-1", "red-1"))


# --- cover ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.half-in-cover")
@pytest.mark.parametrize(("reach", "cover"), [(1, "none"), (2, "partial")])
def test_the_data_says_how_close_behind_a_wall_a_figure_has_cover(reach: int, cover: str) -> None:
    # The wall is 1.5" in front of red's bases.
    wall = piece("wall", (0, 16.5), (40, 16.5))
    shot = aim(otherwise({"cover": {"edge_reach": reach}}).rules, facing(11.5, terrain=[wall]), "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.cover == cover


# --- levels ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/fire.shooter-regular")
@pytest.mark.rule("fad4/fire.target-rabble-open")
def test_what_a_level_adds_stands_in_its_row() -> None:
    edition = otherwise()
    rows = edition.book.qualities
    own = replace(rows["conscript"], shooter=4, shooter_rule="fire.shooter-elite")
    theirs = replace(rows["regular"], in_open=3, in_open_rule="fire.target-rabble-open")
    edition.rules.book = replace(edition.book, qualities={**rows, "conscript": own, "regular": theirs})
    table = shot(edition, [1, 1, 1, 1, 1, 1], blue={"quality": "conscript"})
    added = lines(table.rolled("fire_effect").numbers[0])
    assert ("fire.shooter-elite", 4) in added
    assert ("fire.target-rabble-open", 3) in added
