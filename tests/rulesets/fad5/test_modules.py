"""A module that no chapter knows, laid over the edition: a match that switches it on plays it, and another one does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, Why
from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, ConditionLost, Declared
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.opponents.simulation import play
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Act, FadMarker, FadModule
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import Condition, load
from server.rulesets.fad.shooting import FireEffect, Rank
from server.rulesets.shared.modules import Action, Advice, Declaration
from server.rulesets.shared.setup.options import OptionRow, OptionValueRow
from tests.support.battlefield import BattleTable, facing, unit

RULE = "fire.modifier-table"
ENTRY = "shoot.modifier-table"
"""The edition's entry for the rule."""
RED_MARKED = {"conditions": ["under_fire"], "apart": 1}
"""Its lines in a Fire Effect come before and after the module's."""


def _in_smoke(_rules: FadRules, _state: State, _question: FireEffect) -> Iterator[Line]:
    yield Line("ADD", -1, "drifting smoke", RULE)


def _no_charge(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    return Why(f"{unit.name} sees no way through the smoke.", RULE) if act == Act.ASSAULT else None


def _hidden(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    return Why(f"{unit.name} is hidden and cannot shoot.", RULE) if act == Act.SHOOT else None


def _blinded(_rules: FadRules, _state: State, unit: Unit, act: str) -> Why | None:
    return Why(f"{unit.name} is blinded and cannot move.", RULE) if act == Act.MOVE else None


def _card(_rules: FadRules, _state: State, _unit: Unit) -> Iterator[CardLine]:
    yield CardLine("Smoke", "one grenade", RULE)


def _offer(_rules: FadRules, _state: State, unit: Unit) -> Choice | None:
    hidden = "hidden" in unit.conditions
    return None if hidden else Choice("lay-smoke", "Lay smoke", RULE, "Hide until it has acted again.", preview=True)


def _lay(_game: FadGame, unit: str, _picked: Picked) -> Steps[None]:
    yield Declared(unit, "lay-smoke", RULE)
    yield ConditionGained(unit, "hidden", RULE)


def _preview(_rules: FadRules, state: State, asked: Asked, _picked: Picked) -> Preview:
    return Preview(f"{state.units[asked.unit].name} hides")


SMOKE = FadModule(
    id="smoke",
    markers=(FadMarker(id="hidden", bars=_hidden), FadMarker(id="blinded", bars=_blinded)),
    advisers=(Advice(FireEffect, _in_smoke, rank=Rank.MARKERS),),
    bars=_no_charge,
    card=_card,
    actions=(Action(key="lay-smoke", offer=_offer, carry_out=_lay, preview=_preview),),
    declares={"lay-smoke": Declaration("lays smoke", "fire")},
)
OPTION = OptionRow(
    "smoke", "Smoke", "off", (OptionValueRow("off", "Off", "No smoke."), OptionValueRow("on", "On", "Smoke."))
)


class SmokyRuleset(FadRuleset):
    """The family with one more module."""

    modules = (*FadRuleset.modules, SMOKE)


def smoky(how: Literal["always", "option"] | None = "option") -> FadRuleset:
    """Return the edition with the module: played always, by an option, or never."""
    book = load("fad5")
    modules = {**book.edition.modules} | ({} if how is None else {"smoke": how})
    rows = (Condition("hidden", "Hidden", "Cannot shoot.", RULE), Condition("blinded", "Blinded", "Cannot move.", RULE))
    return SmokyRuleset(
        "fad5",
        replace(
            book,
            edition=replace(book.edition, modules=modules, option=(*book.edition.option, OPTION)),
            conditions={**book.conditions, **{row.id: row for row in rows}},
        ),
    )


def table(rules: FadRuleset, smoke: str, apart: float = 6) -> BattleTable:
    """Return a table on which blue-1 activates, in a match with or without smoke."""
    state = facing(apart, red=RED_MARKED, options={"smoke": smoke}, rules=rules)
    return BattleTable(rules, state, []).activates("blue-1")


def test_an_action_of_a_module_is_offered_carried_out_and_told() -> None:
    rules = smoky()
    smoke = table(rules, "on")
    assert smoke.offered[-2:] == ["lay-smoke", "hold"]
    told = rules.preview(smoke.state, smoke.prompt, Picked("lay-smoke"))
    assert told == Preview("Blue 1 hides")
    before = smoke.state
    smoke.answers("lay-smoke")
    declared, gained = smoke.seen(Declared)[-1], smoke.seen(ConditionGained)[-1]
    assert (declared, gained) == (Declared("blue-1", "lay-smoke", ENTRY), ConditionGained("blue-1", "hidden", ENTRY))
    story = rules.story(before, declared)
    assert story is not None
    assert (story.kind, story.text, story.rule) == ("fire", "Blue 1 lays smoke.", ENTRY)


def test_a_marker_of_a_module_forbids_what_it_says_and_is_one_of_the_editions() -> None:
    rules = smoky()
    state = facing(6, blue={"conditions": ["hidden"]}, options={"smoke": "on"}, rules=rules)
    hidden = BattleTable(rules, state, []).activates("blue-1")
    assert set(hidden.targets("fire-move").values()) == {ENTRY}
    assert "lay-smoke" not in hidden.offered, "what an action does not offer is not shown"
    assert hidden.holds().seen(ConditionLost) == [], "it does not come off"
    assert rules.words["hidden"].label == "Hidden"
    unlisted = smoky(None)
    assert "hidden" not in unlisted.words
    with pytest.raises(RulesetError, match="'hidden' is not one of under_fire, pinned, broken"):
        facing(6, blue={"conditions": ["hidden"]}, rules=unlisted)


def test_a_unit_that_may_not_move_may_shoot_and_does_not_move_after_it_either() -> None:
    rules = smoky()
    state = facing(12, blue={"conditions": ["blinded"]}, options={"smoke": "off"}, rules=rules)
    blinded = BattleTable(rules, state, []).activates("blue-1")
    for choice in ("move-fire", "move-out"):
        assert blinded.barred(choice) == Why("Blue 1 is blinded and cannot move.", ENTRY)
    blinded.answers("fire-move", "red-1", dice=[1, 1, 6, 1])
    assert blinded.barred("move") == Why("Blue 1 is blinded and cannot move.", ENTRY)
    assert blinded.offered == ["stay"]


def test_a_marker_of_a_module_needs_a_row_of_the_edition() -> None:
    book = load("fad5")
    without = {key: row for key, row in book.conditions.items() if key != "pinned"}
    with pytest.raises(
        RulesetError, match="the module 'pinning' names 'pinned', which is not one of under_fire, broken"
    ):
        FadRuleset("fad5", replace(book, conditions=without))


def test_a_line_of_a_module_stands_where_its_rank_puts_it() -> None:
    smoke = table(smoky(), "on").fires_at("red-1", [1, 1, 1, 1])
    reasons = [line.reason for line in smoke.fire_effect.lines]
    at = reasons.index("drifting smoke")
    assert reasons[at - 1 : at + 2] == ["target Under Fire", "drifting smoke", "target bunched up"]


def test_a_module_forbids_an_act_and_adds_to_the_card_in_matches_that_play_it() -> None:
    rules = smoky()
    for smoke, rule, lines in (("on", ENTRY, 1), ("off", "", 0)):
        played = table(rules, smoke)
        assert played.targets("assault") == {"red-1": rule}
        labels = [line.label for line in rules.card(played.state, played.state.units["blue-1"])]
        assert labels.count("Smoke") == lines
        titles = [told.title for told in rules.what_if(played.state, "blue-1", "red-1")]
        assert any("assaults" in title for title in titles) == (smoke == "off")


def games(rules: FadRuleset, options: dict[str, str]) -> list[object]:
    """Return all that happens, is asked and is shown in two short games between random seats."""
    more = [unit("blue", (26, 6)), unit("red", (26, 17))]
    state = facing(8, others=more, options={"turn_limit": 4, **options}, rules=rules)
    shown: list[object] = []
    for seed in range(2):
        for played in play(rules, state, seed):
            shown += [played.step.facts, played.ask]
            shown += [rules.card(played.after, one) for one in played.after.units.values()]
            shown.append(rules.what_if(played.after, "blue-1", "red-1"))
    return shown


def test_a_module_that_a_match_does_not_play_leaves_nothing() -> None:
    plain = games(FadRuleset("fad5"), {})
    assert games(smoky(), {"smoke": "off"}) == plain
    assert games(smoky(None), {"smoke": "on"}) == plain, "the edition does not list it"
    assert games(smoky(), {"smoke": "on"}) != plain
    assert games(smoky(), {"smoke": "on"}) == games(smoky("always"), {"smoke": "off"})
