"""The log's sentences for facts. Nothing here decides anything. Fire, close combat and vehicles have files of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client_protocol.view import Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fubar.activation import untried
from server.rulesets.fubar.game import (
    FIGHTING,
    GONE_TO_GROUND,
    IMMOBILISED,
    LYING,
    ON_GUARD,
    STUNNED,
    FubarRules,
)
from server.rulesets.fubar.words import narration_close, narration_fire, narration_vehicles
from server.rulesets.fubar.words.cards import WORDS
from server.rulesets.shared.turns import ACTIVATIONS
from server.rulesets.shared.words.narration import Phrases, figures_text, roll_off_text, rolled, tell, tellers

ACTIONS = {
    "walk": "walks",
    "run": "runs",
    "duck-and-weave": "ducks and weaves",
    "on-guard": "goes On Guard",
    "gone-to-ground": "goes to ground",
    "aimed-fire": "takes aim",
    "withdraw": "has lost too many and withdraws",
    "stay-aboard": "stays aboard",
    **narration_fire.ACTIONS,
    **narration_close.ACTIONS,
    **narration_vehicles.ACTIONS,
}
MANNERS = {
    "walk": "walks",
    "run": "runs",
    "duck-and-weave": "ducks and weaves",
    "gone-to-ground": "moves",
    "withdraw": "withdraws",
    **narration_close.MANNERS,
    **narration_vehicles.MANNERS,
}
_FIGHTING = {"aimed-fire": "fire", **narration_fire.KINDS, **narration_close.KINDS, **narration_vehicles.KINDS}
"""The kind of the story of each action that is not a move."""


def story(rules: FubarRules, state: State, fact: Fact) -> Story | None:
    """Return the sentence for `fact`, which happens to `state`, or None if there is nothing to say."""
    return tell(rules, _OWN, _COMMON, state, fact)


def _declared(rules: FubarRules, state: State, fact: facts.Declared) -> Story:
    unit = state.units[fact.unit]
    target = f" {state.units[fact.target].name}" if fact.target else ""
    units = (fact.unit, fact.target) if fact.target else (fact.unit,)
    kind = _FIGHTING.get(fact.action, "move")
    return Story(kind, f"{unit.name} {ACTIONS[fact.action]}{target}.", fact.rule, unit.side, units)


def _rolled(rules: FubarRules, state: State, fact: facts.Rolled) -> Story:
    text, kind = _ROLLS[fact.purpose](rules, state, fact)
    return rolled(fact, kind, text)


def _initiative(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    return roll_off_text(state, fact, "Initiative"), "roll"


def _deployment(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    return roll_off_text(state, fact, "Who deploys first (the loser)"), "roll"


def _activation(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    need, *modifiers = fact.numbers
    added = f", with {modifiers[0].value:+d}" if modifiers else ""
    result = "it activates" if fact.outcome == "passed" else "it fails"
    return f"{state.units[fact.unit].name} needs {need.value}+{added}: {result}.", "roll"


_ROLLS: dict[str, Callable[[FubarRules, State, facts.Rolled], tuple[str, str]]] = {
    "initiative": _initiative,
    "deployment": _deployment,
    "activation": _activation,
    **narration_fire.ROLLS,
    **narration_close.ROLLS,
    **narration_vehicles.ROLLS,
}


def _figures_gained(rules: FubarRules, state: State, fact: facts.FiguresGained) -> Story:
    unit = state.units[fact.unit]
    verb = "is" if len(fact.figures) == 1 else "are"
    text = f"{figures_text(len(fact.figures))} of {unit.name} {verb} {WORDS[fact.condition].label.lower()}."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


def _figures_lost(rules: FubarRules, state: State, fact: facts.FiguresLost) -> Story:
    unit = state.units[fact.unit]
    verb = "stands" if len(fact.figures) == 1 else "stand"
    text = f"{figures_text(len(fact.figures))} of {unit.name} {verb} up again."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


_GAINED = {
    ON_GUARD: "{name} is On Guard.",
    GONE_TO_GROUND: "{name} has gone to ground: its cover counts for one level more.",
    LYING: "{name} lies down: it counts as in soft cover.",
    FIGHTING: "{name} is in close combat.",
    STUNNED: "The crew of {name} is stunned.",
    IMMOBILISED: "{name} is immobilised for the rest of the game.",
}
"""The sentences for markers. Markers that are missing here come with an action that has its own sentence."""


def _gained(rules: FubarRules, state: State, fact: facts.ConditionGained) -> Story | None:
    # An action has a line of its own; a unit that goes On Guard because it failed has none yet.
    if fact.condition not in _GAINED or fact.rule == "action.on-guard":
        return None
    unit = state.units[fact.unit]
    return Story("morale", _GAINED[fact.condition].format(name=unit.name), fact.rule, unit.side, (unit.id,))


def _lost(rules: FubarRules, state: State, fact: facts.ConditionLost) -> Story | None:
    unit = state.units[fact.unit]
    # The effects of an action end at the next try, and that needs no line of its own.
    if fact.condition != FIGHTING or unit.left:
        return None
    return Story("assault", f"{unit.name} is out of close combat.", fact.rule, unit.side, (unit.id,))


def _activation_began(rules: FubarRules, state: State, fact: facts.ActivationBegan) -> Story | None:
    unit = state.units[fact.unit]
    # A unit that fights on does not try. For a unit aboard, the next line says whether it did.
    if state.turn.phase != ACTIVATIONS or unit.aboard:
        return None
    return Story("turn", f"{unit.name} tries to activate.", "turn.to-and-fro", unit.side, (unit.id,))


def _to_act(rules: FubarRules, state: State, fact: facts.SideToAct) -> Story | None:
    before = state.turn.active
    if state.turn.phase != ACTIVATIONS or fact.side == before:
        return None
    name = state.sides[fact.side].name
    if before and untried(state, before):
        rule = "turn.keep-until-fail" if len(state.sides) == 2 else "setup.more-players"  # the first is about two sides
        return Story("turn", f"The initiative passes to {name}.", rule, fact.side)
    text = f"{state.sides[before].name} has no unit left to try: the initiative passes to {name}."
    return Story("turn", text, "turn.to-and-fro", fact.side)


def _formed(rules: FubarRules, state: State, fact: facts.UnitFormed) -> Story:
    side = state.sides[fact.unit.side]
    return Story("deploy", f"{fact.unit.name} joins {side.name}.", fact.rule, side.id)


_OWN: dict[type[Fact], Callable[[FubarRules, State, Any], Story | None]] = {
    facts.ActivationBegan: _activation_began,
    facts.SideToAct: _to_act,
    facts.Declared: _declared,
    facts.Rolled: _rolled,
    facts.FiguresGained: _figures_gained,
    facts.FiguresLost: _figures_lost,
    facts.ConditionGained: _gained,
    facts.ConditionLost: _lost,
    facts.UnitFormed: _formed,
    **narration_fire.TELLERS,
    **narration_close.TELLERS,
    **narration_vehicles.TELLERS,
}
_COMMON = tellers(
    Phrases(
        turn="turn.structure",
        activation="turn.to-and-fro",
        deployment="setup.victory",
        objectives="setup.victory",
        manners=MANNERS,
        words=WORDS,
    )
)
