"""The log's sentences for fire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client_protocol.view import Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules

ACTIONS = {
    "fire": "fires at",
    "react": "is On Guard and fires at",
    "serves": "needs one of its men to serve a crewed weapon: he does not fire, as he was told to",
    "unserved": "has no figure free to serve a crewed weapon: it does not fire",
}
KINDS = dict.fromkeys(ACTIONS, "fire")


def _to_hit(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    dice, need, *bonus = fact.numbers
    what = " and ".join(line.reason for line in dice.lines)
    on = f"{need.value}+" + "".join(f" with {one.value:+d}" for one in bonus)
    text = f"{state.units[fact.unit].name}, {what}: {_hits(fact.outcome)} on {state.units[fact.target].name}, needing {on}."
    return text, "fire"


def _save(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    (need,) = fact.numbers
    through = "none gets through" if fact.outcome == "0" else f"{_hits(fact.outcome)} left"
    unit, reason = state.units[fact.unit].name, need.lines[-1].reason
    # The reason of a save is the armour, or "behind" and a vehicle, whose name keeps its capital letter.
    return f"{unit} saves on {need.value}+ ({reason[0].lower()}{reason[1:]}): {through}.", "fire"


def _hits(count: str) -> str:
    return {"0": "no hit", "1": "1 hit"}.get(count, f"{count} hits")


ROLLS: dict[str, Callable[[FubarRules, State, facts.Rolled], tuple[str, str]]] = {"to-hit": _to_hit, "save": _save}


def _rearmed(rules: FubarRules, state: State, fact: facts.FigureRearmed) -> Story:
    unit = state.units[fact.unit]
    text = f"Another of {unit.name} takes over the {rules.weapon(fact.role).words}."
    return Story("fire", text, fact.rule, unit.side, (unit.id,))


TELLERS: dict[type[Fact], Callable[[FubarRules, State, Any], Story | None]] = {facts.FigureRearmed: _rearmed}
