"""Modules of the rules: which an edition may list, and what they add to the rules object in matches that play them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NoReturn

import pytest
from msgspec.structs import replace

from client_protocol.choices import Why
from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel.errors import RulesetError
from server.kernel.questions import Question
from server.kernel.state import State, Unit
from server.rulesets.shared.modules import Action, Advice, Declaration, Marker, Module
from server.rulesets.shared.rules import Rules
from server.rulesets.shared.setup.book import Book, Edition
from server.rulesets.shared.setup.options import OptionRow
from server.rulesets.shared.setup.rows import Row
from tests.support.position import position, squad

How = dict[str, Literal["always", "option"]]


class Reach(Question, frozen=True):
    """How far a unit sees."""

    unit: str


def _dark(_rules: Rules[Book], _state: State, _question: Reach) -> Iterator[Line]:
    yield Line("SET", 4, "night", "night.sight")


def _dusty(_rules: Rules[Book], state: State, question: Reach) -> Iterator[Line]:
    if "dusty" in state.units[question.unit].conditions:
        yield Line("ADD", -1, "dusty", "dust.sight")


def _too_dark(_rules: Rules[Book], _state: State, unit: Unit, act: str) -> Why | None:
    return Why(f"{unit.name} cannot {act} in the dark.", "night.acts") if act in {"leap", "run"} else None


def _too_dusty(_rules: Rules[Book], _state: State, unit: Unit, act: str) -> Why | None:
    return Why(f"{unit.name} is dusty.", "dust.acts") if act == "leap" else None


def _lamp(_rules: Rules[Book], _state: State, _unit: Unit) -> Iterator[CardLine]:
    yield CardLine("Lamp", "lit", "night.lamp")


NIGHT: Module[Any] = Module(id="night", advisers=(Advice(Reach, _dark),), bars=_too_dark, card=_lamp)
DUST: Module[Any] = Module(
    id="dust",
    markers=(
        Marker(id="dusty", replaces="clean", comes_off=True, bars=_too_dusty, advisers=(Advice(Reach, _dusty),)),
        Marker(id="choked"),
    ),
)
NIGHT_OPTION = OptionRow("night", "Night", "off")
DUST_OPTION = OptionRow("dust", "Dust", "off")
EDITION = Edition("moon", "Moon", 1, {})


FAMILY = (NIGHT, DUST)


def _chapter(rules: Rules[Book]) -> None:
    rules.advisers.add(Reach, lambda _state, _q: [Line("SET", 12, "as by day", "sight.day")], unit="mil")


def moon(modules: How, *options: OptionRow, family: tuple[Module[Any], ...] = FAMILY) -> Rules[Book]:
    """The rules of an edition that plays these of the family's modules."""
    own = replace(EDITION, modules=modules, option=options)
    made = Rules(Book(edition=own, palette={}, covers={}, traits={}, tables=Row(), reference=()), family)
    made.register(_chapter)
    return made


def match(*conditions: str, **options: str) -> State:
    """A match in which blue-1 has these conditions."""
    return replace(position(replace(squad("blue-1", [(0, 0)]), conditions=conditions)), options=options)


def reach(rules: Rules[Book], state: State) -> int:
    return rules.advisers.answer(state, Reach("blue-1")).value


def barred(rules: Rules[Book], state: State, act: str) -> str:
    """Return the rule by which blue-1 may not act in this way, or ""."""
    why = rules.barred(state, state.units["blue-1"], act)
    return "" if why is None else why.rule


# --- which modules an edition may list --------------------------------------------------------------------------------


def test_the_modules_of_the_family_can_be_played() -> None:
    rules = moon({"dust": "always", "night": "option"}, NIGHT_OPTION)
    assert rules.listed == (NIGHT, DUST), "in the family's order"
    assert [marker.id for marker in rules.markers] == ["dusty", "choked"]


@pytest.mark.parametrize(
    ("modules", "sentence"),
    [
        ({"nihgt": "option"}, "moon plays 'nihgt', which is not one of the family's modules: night, dust"),
        ({"dust": "option"}, "moon lets a match choose 'dust', and has no option of that name"),
    ],
)
def test_other_modules_and_modules_without_their_option_are_refused(modules: How, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        moon(modules, NIGHT_OPTION)


def _hide(*_: object) -> NoReturn:
    raise AssertionError("no unit is asked")


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (Module(id="fog", markers=(Marker(id="dusty"),)), "the marker 'dusty'"),
        (Module(id="fog", actions=(Action(key="hide", offer=_hide, carry_out=_hide),)), "the action 'hide'"),
        (Module(id="fog", declares={"hide": Declaration("hides")}), "words for the declaration 'hide'"),
    ],
)
def test_two_modules_that_bring_the_same_thing_are_refused(other: Module[Any], sentence: str) -> None:
    hiding: Module[Any] = replace(
        DUST,
        actions=(Action(key="hide", offer=_hide, carry_out=_hide),),
        declares={"hide": Declaration("lies in the dust")},
    )
    both = (hiding, other)
    assert moon({"dust": "always"}, family=both).listed == (hiding,)
    with pytest.raises(RulesetError, match=f"moon: the modules 'dust' and 'fog' both bring {sentence}"):
        moon({"dust": "always", "fog": "always"}, family=both)


# --- what they add -----------------------------------------------------------------------------------------------------


def test_a_modules_advisers_speak_after_the_chapters_and_only_in_matches_that_play_it() -> None:
    rules = moon({"night": "option"}, NIGHT_OPTION)
    assert reach(rules, match(night="off")) == 12
    assert reach(rules, match(night="on")) == 4, "the last SET counts"
    assert reach(moon({"night": "always"}), match()) == 4
    assert reach(moon({}), match(night="on")) == 12, "an edition that does not list it never plays it"


def test_a_modules_bars_and_card_lines_hold_only_in_matches_that_play_it() -> None:
    rules = moon({"night": "option"}, NIGHT_OPTION)
    for state, rule, labels in ((match(night="on"), "night.acts", ["Lamp"]), (match(night="off"), "", [])):
        assert barred(rules, state, "run") == rule
        assert barred(rules, state, "crawl") == ""
        assert [line.label for line in rules.module_card(state, state.units["blue-1"])] == labels


def test_a_marker_does_what_it_does_wherever_it_lies() -> None:
    rules = moon({"dust": "option", "night": "always"}, NIGHT_OPTION, DUST_OPTION)
    bare, marked = match(dust="off"), match("dusty", "choked", dust="off")
    assert (reach(rules, bare), reach(rules, marked)) == (4, 3)
    assert (barred(rules, bare, "leap"), barred(rules, marked, "leap")) == ("night.acts", "dust.acts")
    assert barred(rules, marked, "run") == "night.acts", "the marker does not forbid it, the module does"
    unit = marked.units["blue-1"]
    assert [*rules.coming_off(unit)] == ["dusty"], "the other marker stays"
    assert [*rules.coming_off(bare.units["blue-1"])] == []
    assert (rules.replaced(unit, "clean"), rules.replaced(unit, "other")) == (True, False)
    assert not rules.replaced(bare.units["blue-1"], "clean")


def test_a_marker_of_a_module_that_the_edition_does_not_list_does_nothing() -> None:
    rules, marked = moon({}), match("dusty")
    assert (reach(rules, marked), barred(rules, marked, "leap")) == (12, "")
    assert not rules.replaced(marked.units["blue-1"], "clean")
