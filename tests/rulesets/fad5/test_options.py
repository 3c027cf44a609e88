"""What a match chooses, and what only describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.kernel.errors import RulesetError
from server.opponents.simulation import play
from server.rulesets.shared.setup.book import ALWAYS
from tests.rulesets.fad5.battlefield import fad5

ROOT = Path(__file__).parents[3]

DEFAULTS = {
    "activation": "alternate",
    "initiative_draw": "roll-again",
    "seize_initiative": "off",
    "cards_of_a_unit": 1,
    "plasma_cooler": "off",
    "commander_cards": 1,
    "commander_card": "advance",
    "inspiration_cards": 1,
    "reaction_cards": "commanders",
    "reaction_unused": "lapse",
    "pinning": "off",
}


@pytest.mark.rule("fad5/turn.default-and-options")
def test_a_match_that_chooses_nothing_plays_the_texts_defaults() -> None:
    options = fad5().open("two-orchards", {}).options
    assert {key: options[key] for key in DEFAULTS} == DEFAULTS


@pytest.mark.rule("fad5/turn.default-and-options")
@pytest.mark.rule("fad5/turn.sequence-choice")
def test_ways_that_exclude_each_other_are_values_of_one_setting() -> None:
    (sequence,) = (option for option in fad5().info.options if option.id == "activation")
    assert [choice.value for choice in sequence.choices] == ["alternate", "cards", "expanded-cards"]
    with pytest.raises(RulesetError):
        fad5().open("two-orchards", {"activation": "both"})


@pytest.mark.rule("fad5/turn.default-and-options")
def test_what_a_match_has_chosen_holds_to_its_end() -> None:
    state = fad5().open("two-orchards", {"activation": "expanded-cards", "turn_limit": 4})
    assert all(played.after.options == state.options for played in play(fad5(), state, 3))


@pytest.mark.rule("fad5/turn.rule-modules")
def test_each_advanced_rule_is_a_setting_of_its_own_that_is_off_by_default() -> None:
    modules = [module for module, how in fad5().book.edition.modules.items() if how != ALWAYS]
    assert modules
    settings = {option.id: option for option in fad5().info.options}
    for module in modules:
        assert [choice.value for choice in settings[module].choices] == ["off", "on"]
        assert settings[module].default == "off"
        assert not fad5().rules.plays(fad5().open("two-orchards", {}), module)
        assert fad5().rules.plays(fad5().open("two-orchards", {module: "on"}), module)


@pytest.mark.rule("fad5/turn.source-licence")
def test_the_author_has_credit_and_the_rules_are_not_for_profit() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert "FAD is by Ivan Sorensen" in notice
    assert "take no profit" in notice


@pytest.mark.rule("fad5/turn.text-organisation")
def test_the_reference_follows_the_sections_of_the_text() -> None:
    chapters = list(dict.fromkeys(row["chapter"] for row in fad5().reference))
    sections = [
        "The turn",
        "Units",
        "Resolve and morale",
        "Movement",
        "Shooting",
        "Damage",
        "Under fire",
        "Close assault",
    ]
    assert [chapter for chapter in chapters if chapter in sections] == sections


@pytest.mark.rule("fad5/turn.time-scale")
@pytest.mark.rule("fad5/turn.card-philosophy")
def test_what_only_describes_is_told_and_settles_nothing() -> None:
    told = {row["id"] for row in fad5().reference}
    for rule in ("turn.time-scale", "turn.card-philosophy"):
        assert rule in told
        assert f"fad5/{rule}" not in fad5().book.edition.keys.values()
        assert all(option.rule != rule for option in fad5().info.options)
