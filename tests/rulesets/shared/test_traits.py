"""A trait is a row: laid over an edition's, it is given by setups and forces, obeyed by chapters, and shown."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit, Rows
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.kernel.traits import Traits, of
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fubar.guns import guns
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.fubar.setup.book import Weapon
from server.rulesets.fubar.setup.forces import units_of
from server.rulesets.library import every_edition
from server.rulesets.shared.setup.book import Adjustment, Trait, with_traits
from tests.rulesets.fubar4 import battlefield as fubar
from tests.support.battlefield import BattleTable, facing, lines

RULE = "fire.target-non-combatant"
LOUD = Trait("loud", "Loud", "unit", RULE, "number", (Adjustment("target", 3),))
ODD = Trait("odd", "Odd", "unit", RULE, adjusts=(Adjustment("elsewhere", 3),))
TALL = Trait("tall", "Tall", "unit", RULE, "pair")
JUGGLER = Trait("juggler", "Juggler", "figure", "weapon.support", carries="grenade")
BRAVE = Trait("brave", "Brave", "unit", "weapon.support")


def fad(*traits: Trait) -> FadRuleset:
    edition = FadRuleset("fad4")
    book = edition.book
    edition.rules.book = replace(book, traits={**book.traits, **{row.id: row for row in traits}})
    return edition


def fubar4(*traits: Trait) -> FubarRuleset:
    edition = FubarRuleset("fubar4")
    book = edition.book
    edition.rules.book = replace(book, traits={**book.traits, **{row.id: row for row in traits}})
    return edition


def bearing(state: State, unit: str, traits: Traits) -> State:
    return state.with_unit(replace(state.units[unit], traits=traits))


# --- what it does ----------------------------------------------------------------------------------------------------


def test_a_trait_adds_to_the_question_that_its_row_names() -> None:
    state = bearing(facing(12), "red-1", {"loud": 2, "non_combatant": True})
    table = BattleTable(fad(LOUD), state, []).activates("blue-1").fires_at("red-1", dice=[1, 1] + [1] * 4)
    told = [(line.reason, line.amount) for line in table.fire_effect.lines if line.rule == RULE]
    assert told == [("non-combatants", 2), ("loud", 6)]


def test_a_trait_adds_nothing_to_what_is_asked_of_others_or_about_something_else() -> None:
    state = bearing(bearing(facing(12), "blue-1", {"loud": 2}), "red-1", {"odd": True})
    table = BattleTable(fad(LOUD, ODD), state, []).activates("blue-1").fires_at("red-1", dice=[1, 1, 1])
    assert RULE not in dict(lines(table.fire_effect))


def test_a_trait_gives_weapons_to_who_has_it() -> None:
    unarmed = {"1": {"traits": {"juggler": True}}, "2": {}}
    rows = [{"id": key, "at": [10 + int(key), 10], **more} for key, more in unarmed.items()]
    blue = {**fubar.unit("blue", (10, 10)), "id": "blue-1", "name": "Blue", "figures": rows}
    edition = fubar4(JUGGLER)
    written = setups.write(fubar.battle(fubar.unit("blue", (10, 10)), fubar.unit("red", (10, 21))))
    red = written["unit"][1]  # type: ignore[index]  # the second unit's row
    state = edition.read({**written, "unit": [blue, red]})
    assert [(gun.figure, gun.weapon) for gun in guns(edition.rules, state, "blue-1", "aimed")] == [("1", "grenades")]


# --- where it comes from, and where it is seen -------------------------------------------------------------------------


def test_a_setup_gives_traits_and_reads_as_it_was_written() -> None:
    rules = fad(LOUD, TALL)
    written = setups.write(bearing(facing(12), "red-1", {"loud": 2, "tall": (3, -4), "non_combatant": True}))
    state = rules.read(written)
    assert of(state.units["red-1"]) == {"non_combatant": True, "loud": 2, "tall": (3, -4)}
    assert rules.read(setups.write(state)) == state
    card = [line.value for line in rules.card(state, state.units["red-1"]) if line.label == "Trait"]
    assert card == ["Non-combatants", "Loud 2", "Tall 3 -4"]
    assert [part.key for part in rules.position_parts.traits] == [
        "non_combatant",
        "linked",
        "haze_grenades",
        "defensive_grenades",
        "jinx_grenades",
        "razorfield_grenades",
        "improvised_charges",
        "penetrator_grenades",
        "dazzle_suits",
        "haywire_emitter",
        "cryostasis",
        "short_range_warp",
        "warp_receiver",
        "guarded_systems",
        "med_bot",
        "supply_bot",
        "shield_bot",
        "spot_bot",
        "gun_bot",
        "regen_unit",
        "scout_suit",
        "assault_suit",
        "gunner_suit",
        "shielded_suit",
        "crude_suit",
        "soldier_boys",
        "command_suit",
        "sniper",
        "demolition_charges",
        "engineer",
        "neutral",
        "weapon_team",
        "officer",
        "loud",
        "tall",
    ]


def test_a_trait_that_the_edition_does_not_have_is_refused() -> None:
    written = setups.write(bearing(facing(12), "red-1", {"loud": 2}))
    with pytest.raises(RulesetError, match="there is no trait 'loud'; a unit may have non_combatant, linked, haze"):
        fad().read(written)
    taken = fad()
    taken.rules.book = replace(taken.book, traits={})
    with pytest.raises(RulesetError, match="a unit has none here"):
        taken.read(written)


def test_a_force_gives_flags_by_the_fields_of_their_names() -> None:
    rules = fubar4(BRAVE, JUGGLER, LOUD)
    rows: Rows = ({"count": 1, "juggler": True, "leader": True}, {"count": 1})
    force = Force(FORCE_FORMAT, "fubar4", "A", (ForceUnit("infantry", "A", {"brave": True}, {"figures": rows}),))
    assert examine(rules, force, {}).problems == ()
    (unit,) = units_of(rules.book, force, "blue")
    assert of(unit) == {"brave": True}
    assert [of(figure) for figure in unit.figures.values()] == [{"leader": True, "juggler": True}, {}]
    assert ("Trait", "Brave") in {(line.label, line.value) for line in examine(rules, force, {}).units[0].card}
    assert rules.gear(unit, unit.figures["1"]).words == "Leader, Juggler"
    (problem,) = examine(fubar4(JUGGLER), force, {}).problems
    assert "brave" in problem.sentence


# --- the rows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("traits", "sentence"),
    [
        ({"sharp": True}, "weapon pike: there is no trait 'sharp' of a weapon"),
        ({"brave": True}, "weapon pike: there is no trait 'brave' of a weapon"),
        ({"long": True}, "weapon pike: the trait 'long' is a number, not True"),
    ],
)
def test_a_weapon_has_traits_of_the_edition_with_values_of_their_types(traits: Traits, sentence: str) -> None:
    known = {"brave": BRAVE, "long": Trait("long", "Long", "weapon", "weapon.support", "number")}
    pike = Weapon("pike", "Pike", "support", 1, 1)
    assert with_traits({"pike": replace(pike, traits={"long": 2})}, "weapon", known)["pike"].traits == {"long": 2}
    with pytest.raises(RulesetError, match=sentence):
        with_traits({"pike": replace(pike, traits=traits)}, "weapon", known)


@pytest.mark.parametrize("name", every_edition())
def test_the_rule_of_each_trait_is_one_of_the_familys_keys(name: str) -> None:
    rules = every_edition()[name]
    for trait in rules.book.traits.values():  # type: ignore[attr-defined]  # every edition has a book
        assert rules.keys.entry(trait.rule) is not None  # type: ignore[attr-defined]  # and keys
