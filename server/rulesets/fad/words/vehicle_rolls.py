"""The log's sentences for rolls of vehicles and at vehicles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.kernel import facts
from server.kernel.state import State
from server.rulesets.fad.fad4.crew import BAILS_OUT, BEYOND_REPAIR, REPAIRED, STILL_DAMAGED
from server.rulesets.fad.fad4.vehicle_damage import CRITICAL_HIT
from server.rulesets.fad.fad5.crew import ABANDONS, RETURNS
from server.rulesets.fad.fad5.vehicle_damage import HARMLESS, IMMOBILISED, KILL, SYSTEM, THROUGH
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, ROUTED
from server.rulesets.fad.quality import passes_text
from server.rulesets.fad.vehicles.assault import GOES_IN
from server.rulesets.fad.words.told import Told
from server.rulesets.shared.words.narration import figures_text

_MORALE = {
    RALLIED: "it rallies",
    FALLS_BACK: "it falls back",
    BAILS_OUT: "the vehicle is damaged, so it bails out",
    ROUTED: "it routs",
    ABANDONS: "the vehicle cannot drive, so it bails out",
}
_REPAIR = {
    REPAIRED: "it is repaired",
    STILL_DAMAGED: "it stays damaged",
    BEYOND_REPAIR: "it is beyond repair",
}


def _damage(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    bonus, *ratings = fact.numbers
    armour = " or ".join(str(rating.value) for rating in ratings)
    through = "1 penetrates" if fact.outcome == "1" else f"{fact.outcome} penetrate"
    critical = ", critically" if CRITICAL_HIT in fact.marks else ""
    facing = ratings[0].lines[0].reason
    text = f"Damage 1D6 +{bonus.value} against {state.units[fact.target].name}, {facing} {armour}: {through}{critical}."
    return text, "fire", fact.rule


def _morale(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    text = f"Morale Test of the crew of {state.units[fact.unit].name}: {passes_text(fact)}, {_MORALE[fact.outcome]}."
    return text, "morale", fact.rule


def _repair(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    text = f"Repair test of {state.units[fact.unit].name}: {passes_text(fact)}, {_REPAIR[fact.outcome]}."
    return text, "morale", fact.rule


def _penetration(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    rating, armour = fact.numbers
    result = "it penetrates" if fact.outcome == THROUGH else "it does not penetrate"
    whom = state.units[fact.target].name
    text = f"A hit with 1D6 +{rating.value} against {whom}, {armour.lines[0].reason} {armour.value}: {result}."
    return text, "fire", fact.rule


_KILL = {
    KILL: "it is killed",
    SYSTEM: "a system kill, it is out of action",
    HARMLESS: "no damage, but its crew must test its morale",
}


def _kill(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    return f"Damage to {state.units[fact.target].name}, 2D6: {_KILL[fact.outcome]}.", "loss", fact.rule


def _external(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    result = "it is immobilised" if fact.outcome == IMMOBILISED else "none"
    return f"External damage to {state.units[fact.target].name}, on a 1: {result}.", "fire", fact.rule


def _return(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    result = "it is active again" if fact.outcome == RETURNS else "it stays out of action"
    text = f"The crew of {state.units[fact.unit].name} works on its return: {passes_text(fact)} of 2, {result}."
    return text, "morale", fact.rule


def _nerve(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    result = "it goes in" if fact.outcome == GOES_IN else "the assault falters"
    return f"{state.units[fact.unit].name} tests its nerve: {passes_text(fact)}, {result}.", "assault", fact.rule


def _defence(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    (armour,) = fact.numbers
    name = state.units[fact.unit].name
    return f"{name} defends with 1D6 +{armour.value}, {armour.lines[0].reason}: {fact.outcome}.", "assault", fact.rule


def _strike(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    bonus, defence = fact.numbers
    through = "1 penetrates" if fact.outcome == "1" else f"{fact.outcome} penetrate"
    who, whom = state.units[fact.unit].name, state.units[fact.target].name
    return f"{who} strikes at {whom}, 1D6 +{bonus.value} against {defence.value}: {through}.", "assault", fact.rule


def _shock(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    who, whom = state.units[fact.unit].name, state.units[fact.target].name
    need, killed = fact.numbers[0].value, figures_text(int(fact.outcome))
    return f"{who} strikes at {whom}, each die on {need}+: {killed} hit.", "assault", fact.rule


ROLLS: Mapping[str, Callable[[FadRules, State, facts.Rolled], Told]] = {
    "vehicle_damage": _damage,
    "crew_morale": _morale,
    "repair": _repair,
    "penetration": _penetration,
    "vehicle_kill": _kill,
    "external_damage": _external,
    "return": _return,
    "nerve": _nerve,
    "shock": _shock,
    "vehicle_defence": _defence,
    "vehicle_strike": _strike,
}
