"""Facts in words, for the log. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client_protocol.explained import Explained
from client_protocol.view import Die, Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.geometry import about
from server.kernel.paths import path_length
from server.kernel.state import State
from server.rulesets.fad.cards import WORDS
from server.rulesets.fad.game import FadRules

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
    teller = _TELLERS.get(type(fact))
    return None if teller is None else teller(rules, state, fact)


def _name(state: State, unit: str) -> str:
    return state.units[unit].name


def _side_name(state: State, side: str) -> str:
    return state.sides[side].name


def _figures(count: int) -> str:
    return f"{count} figure" if count == 1 else f"{count} figures"


def _turn(rules: FadRules, state: State, fact: facts.TurnBegan) -> Story:
    return Story("turn", f"Turn {fact.number}", "turn.structure")


def _first(rules: FadRules, state: State, fact: facts.SideFirst) -> Story:
    drawn = " after a draw, having gone second last turn" if fact.rule == "turn.initiative-draw" else ""
    return Story("turn", f"{_side_name(state, fact.side)} goes first{drawn}.", fact.rule, fact.side)


def _activation(rules: FadRules, state: State, fact: facts.ActivationBegan) -> Story:
    unit = state.units[fact.unit]
    return Story("turn", f"{unit.name} activates.", "turn.alternate-activation", unit.side, (unit.id,))


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
    units = tuple(unit for unit in (fact.unit, fact.target) if unit)
    dice = tuple(
        Die(fact.sides, face, fact.marks[i] if i < len(fact.marks) else "") for i, face in enumerate(fact.faces)
    )
    return Story(kind, text, fact.rule, fact.side, units, dice, fact.numbers)


def _roll_off(state: State, fact: facts.Rolled) -> tuple[str, str]:
    rolls = ", ".join(f"{side.name} {face}" for side, face in zip(state.sides.values(), fact.faces, strict=True))
    title = "Initiative" if fact.purpose == "initiative" else "Who deploys first (the loser)"
    return f"{title}: {rolls}{' – a draw' if not fact.outcome else ''}.", "roll"


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
    out = _figures(int(fact.outcome))
    return f"Damage 1D6 +{bonus.value} against armour {armour}: {out} of {_name(state, fact.target)} out.", "fire"


def _assault(state: State, fact: facts.Rolled) -> tuple[str, str]:
    return f"{_name(state, fact.unit)} scores {fact.outcome} in the assault.", "assault"


def _kills(state: State, fact: facts.Rolled) -> tuple[str, str]:
    out = _figures(int(fact.outcome))
    need = fact.numbers[0].value
    return f"{_name(state, fact.unit)} kills on {need}+: {out} of {_name(state, fact.target)}.", "assault"


_ROLLS: dict[str, Callable[[State, facts.Rolled], tuple[str, str]]] = {
    "initiative": _roll_off,
    "deployment": _roll_off,
    "morale": _morale,
    "fire_effect": _fire_effect,
    "damage": _damage,
    "assault": _assault,
    "kills": _kills,
}


def _placed(rules: FadRules, state: State, fact: facts.UnitPlaced) -> Story:
    unit = state.units[fact.unit]
    return Story("deploy", f"{unit.name} deploys.", "setup.victory", unit.side, (unit.id,))


def _moved(rules: FadRules, state: State, fact: facts.UnitMoved) -> Story:
    unit = state.units[fact.unit]
    longest = 0.0
    for key, path in fact.paths.items():
        start = unit.figures[key].at
        if start is not None:
            longest = max(longest, path_length((start, *path)))
    text = f"{unit.name} {MANNERS[fact.manner]} up to {about(longest)}."
    return Story("move", text, fact.rule, unit.side, (unit.id,))


def _fell(rules: FadRules, state: State, fact: facts.FiguresFell) -> Story:
    unit = state.units[fact.unit]
    count = len(fact.figures)
    left = unit.strength - count
    how = "leave the table" if fact.cause == "left_table" else "fall"
    if count == 1:
        how = "leaves the table" if fact.cause == "left_table" else "falls"
    return Story("loss", f"{_figures(count)} of {unit.name} {how}; {left} left.", fact.rule, unit.side, (unit.id,))


def _rearmed(rules: FadRules, state: State, fact: facts.FigureRearmed) -> Story:
    unit = state.units[fact.unit]
    weapon = rules.support(unit.figures[fact.figure].role)
    name = weapon.name if weapon else "weapon"
    text = f"{unit.name}'s last gunner takes up a rifle: the {name.lower()} is lost."
    return Story("loss", text, fact.rule, unit.side, (unit.id,))


def _gained(rules: FadRules, state: State, fact: facts.ConditionGained) -> Story:
    unit = state.units[fact.unit]
    return Story("morale", f"{unit.name} is {WORDS[fact.condition].label}.", fact.rule, unit.side, (unit.id,))


def _lost(rules: FadRules, state: State, fact: facts.ConditionLost) -> Story:
    unit = state.units[fact.unit]
    text = f"{unit.name} is no longer {WORDS[fact.condition].label}."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


def _left(rules: FadRules, state: State, fact: facts.UnitLeft) -> Story:
    unit = state.units[fact.unit]
    how = {"destroyed": "is destroyed", "routed": "routs and leaves the game", "left_table": "has left the table"}
    return Story("loss", f"{unit.name} {how[fact.reason]}.", fact.rule, unit.side, (unit.id,))


def _held(rules: FadRules, state: State, fact: facts.ObjectiveHeld) -> Story:
    name = state.objectives[fact.objective].name
    text = f"{_side_name(state, fact.side)} holds {name}." if fact.side else f"Nobody holds {name} now."
    return Story("turn", text, "setup.victory", fact.side)


def _ended(rules: FadRules, state: State, fact: facts.MatchEnded) -> Story:
    result = f"{_side_name(state, fact.winner)} wins" if fact.winner else "A draw"
    return Story("end", f"{result}. {fact.reason}", fact.rule, fact.winner)


_TELLERS: dict[type[Fact], Callable[[FadRules, State, Any], Story]] = {
    facts.TurnBegan: _turn,
    facts.SideFirst: _first,
    facts.ActivationBegan: _activation,
    facts.Declared: _declared,
    facts.Rolled: _rolled,
    facts.UnitPlaced: _placed,
    facts.UnitMoved: _moved,
    facts.FiguresFell: _fell,
    facts.FigureRearmed: _rearmed,
    facts.ConditionGained: _gained,
    facts.ConditionLost: _lost,
    facts.UnitLeft: _left,
    facts.ObjectiveHeld: _held,
    facts.MatchEnded: _ended,
}
