"""The log's sentences for close combat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from client_protocol.view import Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fubar.game import FubarRules

ACTIONS = {
    "assault": "assaults",
    "falls-short": "is stopped short of",
    "fights-on": "fights on against",
}
KINDS = dict.fromkeys(ACTIONS, "assault")
MANNERS = {"assault": "charges", "step-up": "steps up", "make-room": "makes room"}


def _blows(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    need, *bonus = fact.numbers
    on = f"{need.value}+" + "".join(f" with {one.value:+d}" for one in bonus)
    figures = "1 figure" if len(fact.faces) == 1 else f"{len(fact.faces)} figures"
    who = f"{figures} of {state.units[fact.unit].name}"
    hits = {"0": "no hit", "1": "1 hit"}.get(fact.outcome, f"{fact.outcome} hits")
    verb = "strikes" if len(fact.faces) == 1 else "strike"
    suppressed = ", suppressed," if bonus else ""
    return f"{who}{suppressed} {verb} at {state.units[fact.target].name} on {on}: {hits}.", "assault"


def _save(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    (need,) = fact.numbers
    through = "none gets through" if fact.outcome == "0" else f"{fact.outcome} of {len(fact.faces)} get through"
    if fact.outcome == "1":
        through = f"1 of {len(fact.faces)} gets through"
    return f"{state.units[fact.unit].name} saves on {need.value}+ hand to hand: {through}.", "assault"


ROLLS: dict[str, Callable[[FubarRules, State, facts.Rolled], tuple[str, str]]] = {
    "close-combat": _blows,
    "close-save": _save,
}
TELLERS: dict[type[Fact], Callable[[FubarRules, State, Any], Story | None]] = {}
