"""The log's sentences for vehicles: driving, damage, getting in and out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from client_protocol.view import Story
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fubar.game import KIND, FubarRules
from server.rulesets.shared.turns import DEPLOYMENT

ACTIONS = {
    "drive": "drives",
    "drive-cover": "drives through cover",
    "halt": "halts and brings its weapons to bear",
    "stay-aboard": "stays aboard",
    "no-room": "finds no room for all its men anywhere on the table",
}
KINDS = {"halt": "fire", "no-room": "loss"}
MANNERS = {"drive": "drives", "turn": "turns"}
_RESULTS = {
    "stunned": "crew stunned",
    "immobilised": "immobilised",
    "weapon-destroyed": "a weapon destroyed",
    "destroyed": "destroyed",
}


def _damage(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    counted = Counter(fact.marks)
    told = [text + (f" ×{counted[key]}" if counted[key] > 1 else "") for key, text in _RESULTS.items() if counted[key]]
    return f"Damage to {state.units[fact.target].name}: {', '.join(told)}.", "fire"


def _bail_out(rules: FubarRules, state: State, fact: facts.Rolled) -> tuple[str, str]:
    (need,) = fact.numbers
    unit = state.units[fact.unit].name
    return f"{unit} bails out on {need.value}+: {fact.outcome} of {len(fact.faces)} get out alive.", "loss"


ROLLS: dict[str, Callable[[FubarRules, State, facts.Rolled], tuple[str, str]]] = {
    "vehicle-damage": _damage,
    "bail-out": _bail_out,
}


def _placed(rules: FubarRules, state: State, fact: facts.UnitPlaced) -> Story:
    unit = state.units[fact.unit]
    if unit.aboard:
        vehicle = state.units[unit.aboard]
        verb, rule = ("bails out of", "vdamage.destroyed") if vehicle.left else ("gets out of", "vehicle.transport")
        return Story("move", f"{unit.name} {verb} {vehicle.name}.", rule, unit.side, (unit.id, vehicle.id))
    if unit.profile.get(KIND) == "crew" and state.turn.phase != DEPLOYMENT:
        return Story("move", f"{unit.name} gets clear of the wreck.", "vdamage.destroyed", unit.side, (unit.id,))
    return Story("deploy", f"{unit.name} deploys.", "setup.victory", unit.side, (unit.id,))


def _boarded(rules: FubarRules, state: State, fact: facts.UnitBoarded) -> Story:
    unit, vehicle = state.units[fact.unit], state.units[fact.vehicle]
    return Story("move", f"{unit.name} gets into {vehicle.name}.", fact.rule, unit.side, (unit.id, vehicle.id))


def _mount_lost(rules: FubarRules, state: State, fact: facts.MountLost) -> Story:
    unit = state.units[fact.unit]
    weapon = rules.weapon(unit.mounts[fact.mount].weapon).words
    return Story("loss", f"{unit.name} loses its {weapon}.", fact.rule, unit.side, (unit.id,))


def _formed(rules: FubarRules, state: State, fact: facts.UnitFormed) -> Story:
    unit = fact.unit
    if unit.profile.get(KIND) == "crew":
        return Story("loss", f"{unit.name} bails out.", fact.rule, unit.side)
    return Story("deploy", f"{unit.name} joins {state.sides[unit.side].name}.", fact.rule, unit.side)


def _terrain(rules: FubarRules, state: State, fact: facts.TerrainAdded) -> Story:
    return Story("turn", f"{fact.piece.name}: it is cover now.", fact.rule)


TELLERS: dict[type[Fact], Callable[[FubarRules, State, Any], Story | None]] = {
    facts.UnitPlaced: _placed,
    facts.UnitBoarded: _boarded,
    facts.MountLost: _mount_lost,
    facts.UnitFormed: _formed,
    facts.TerrainAdded: _terrain,
}
