"""Facts in words, for the log. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client_protocol.explained import Explained
from client_protocol.view import Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fad.cards import WORDS
from server.rulesets.fad.game import FadRules
from server.rulesets.shared.narration import Phrases, figures_text, roll_off_text, rolled, tell, tellers

ACTIONS = {
    "hold": "holds",
    "engage": "engages the enemy",
    "move-out": "moves out",
    "shoot": "shoots at",
    "free-shot": "fires at the assaulters of",
    "assault": "assaults",
    "fall-back": "falls back",
    "stay-broken": "is broken and stays where it is",
    "refuses": "is broken and Pinned, and stays put",
    "out-of-coherency": "is out of coherency where it ends",
}
ACTION_KINDS = {"shoot": "fire", "free-shot": "fire", "assault": "assault", "fall-back": "morale"}
MANNERS = {
    "move": "moves",
    "rush": "rushes",
    "charge": "charges",
    "contact": "closes in",
    "fall-back": "falls back",
}
MORALE = {
    "rallied": "it rallies and acts normally",
    "falls_back": "it stays broken and must fall back",
    "routed": "it routs and is gone",
}


def story(rules: FadRules, state: State, fact: Fact) -> Story | None:
    """`fact` in words, as it befell `state`; None when there is nothing to tell."""
    return tell(rules, _OWN, _COMMON, state, fact)


def _name(state: State, unit: str) -> str:
    return state.units[unit].name


def _first(rules: FadRules, state: State, fact: facts.SideFirst) -> Story:
    drawn = " after a draw, having gone second last turn" if fact.rule == "turn.initiative-draw" else ""
    return Story("turn", f"{state.sides[fact.side].name} goes first{drawn}.", fact.rule, fact.side)


def _declared(rules: FadRules, state: State, fact: facts.Declared) -> Story:
    unit = state.units[fact.unit]
    target = f" {_name(state, fact.target)}" if fact.target else ""
    if fact.action == "free-shot":
        text = f"{unit.name} takes a free shot at{target}."
    else:
        text = f"{unit.name} {ACTIONS[fact.action]}{target}."
    units = (fact.unit, fact.target) if fact.target else (fact.unit,)
    return Story(ACTION_KINDS.get(fact.action, "move"), text, fact.rule, unit.side, units)


def _rolled(rules: FadRules, state: State, fact: facts.Rolled) -> Story:
    text, kind = _ROLLS[fact.purpose](state, fact)
    return rolled(fact, kind, text)


def _initiative(state: State, fact: facts.Rolled) -> tuple[str, str]:
    return roll_off_text(state, fact, "Initiative"), "roll"


def _deployment(state: State, fact: facts.Rolled) -> tuple[str, str]:
    return roll_off_text(state, fact, "Who deploys first (the loser)"), "roll"


def _morale(state: State, fact: facts.Rolled) -> tuple[str, str]:
    passes = fact.marks.count("pass")
    count = "1 pass" if passes == 1 else f"{passes} passes"
    return f"Morale Test of {_name(state, fact.unit)}: {count}, {MORALE[fact.outcome]}.", "morale"


def _fire_effect(state: State, fact: facts.Rolled) -> tuple[str, str]:
    effect, points = fact.numbers
    hits = "1 hit" if fact.outcome == "1" else f"{fact.outcome} hits"
    cover = _cover(points)
    return f"Fire Effect {effect.value} against {_name(state, fact.target)} in {cover}: {hits}.", "fire"


def _cover(points: Explained) -> str:
    return f"{points.lines[0].reason}, {points.value} per hit"


def _damage(state: State, fact: facts.Rolled) -> tuple[str, str]:
    bonus, *ratings = fact.numbers
    armour = " or ".join(str(rating.value) for rating in ratings)
    out = figures_text(int(fact.outcome))
    return f"Damage 1D6 +{bonus.value} against armour {armour}: {out} of {_name(state, fact.target)} out.", "fire"


def _assault(state: State, fact: facts.Rolled) -> tuple[str, str]:
    return f"{_name(state, fact.unit)} scores {fact.outcome} in the assault.", "assault"


def _kills(state: State, fact: facts.Rolled) -> tuple[str, str]:
    out = figures_text(int(fact.outcome))
    need = fact.numbers[0].value
    return f"{_name(state, fact.unit)} kills on {need}+: {out} of {_name(state, fact.target)}.", "assault"


_ROLLS: dict[str, Callable[[State, facts.Rolled], tuple[str, str]]] = {
    "initiative": _initiative,
    "deployment": _deployment,
    "morale": _morale,
    "fire_effect": _fire_effect,
    "damage": _damage,
    "assault": _assault,
    "kills": _kills,
}


def _rearmed(rules: FadRules, state: State, fact: facts.FigureRearmed) -> Story:
    unit = state.units[fact.unit]
    weapon = rules.support(unit.figures[fact.figure].role)
    name = weapon.name if weapon else "weapon"
    text = f"{unit.name}'s last gunner takes up a rifle: the {name.lower()} is lost."
    return Story("loss", text, fact.rule, unit.side, (unit.id,))


_COMMON = tellers(
    Phrases(
        turn="turn.structure",
        activation="turn.alternate-activation",
        deployment="setup.victory",
        objectives="setup.victory",
        manners=MANNERS,
        words=WORDS,
        leaving={"routed": "routs and leaves the game"},
    )
)
_OWN: dict[type[Fact], Callable[[FadRules, State, Any], Story]] = {
    facts.SideFirst: _first,
    facts.Declared: _declared,
    facts.Rolled: _rolled,
    facts.FigureRearmed: _rearmed,
}
