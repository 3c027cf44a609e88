"""The log's sentences for troops in vehicles: getting in, getting off, and what a lost vehicle means for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from client_protocol.view import Story
from server.kernel import facts
from server.kernel.bodies import riders
from server.kernel.facts import Fact
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.vehicles import letting_off, passengers
from server.rulesets.fad.vehicles.transport import RULE
from server.rulesets.fad.words.told import Told
from server.rulesets.shared.turns import DEPLOYMENT

ACTIONS = {
    "stay-aboard": "stays aboard and idle",
    "gets-off-shaken": "has not rallied, and will not assault",
    "open-fire-aboard": "stays where it is while those aboard open fire",
    passengers.NO_SPACE: "does not find free space near the wreck for all its figures",
}
KINDS = {"stay-aboard": "morale", "open-fire-aboard": "fire", "gets-off-shaken": "morale", passengers.NO_SPACE: "loss"}


def _activation(_rules: FadRules, state: State, fact: facts.ActivationBegan) -> Story | None:
    unit = state.units[fact.unit]
    if unit.attached:
        # It has acted with the unit that it is with.
        return None
    if unit.aboard:
        # Its vehicle's activation is told, and it shoots in sentences of its own.
        return None
    joined = next((rider for rider in riders(state, unit.id) if rider.activated == state.turn.number), None)
    if joined is not None:
        text = f"{unit.name} has taken on {joined.name}, and has activated with it."
        return Story("turn", text, RULE, unit.side, (unit.id, joined.id))
    return Story("turn", f"{unit.name} activates.", "turn.alternate-activation", unit.side, (unit.id,))


def _placed(_rules: FadRules, state: State, fact: facts.UnitPlaced) -> Story:
    unit = state.units[fact.unit]
    if unit.aboard:
        vehicle = state.units[unit.aboard]
        verb, rule = ("gets out of", passengers.RULE) if vehicle.left else ("gets off", letting_off.RULE)
        return Story("move", f"{unit.name} {verb} {vehicle.name}.", rule, unit.side, (unit.id, vehicle.id))
    return Story("deploy", f"{unit.name} deploys.", "setup.victory", unit.side, (unit.id,))


def _boarded(_rules: FadRules, state: State, fact: facts.UnitBoarded) -> Story:
    unit, vehicle = state.units[fact.unit], state.units[fact.vehicle]
    verb = "deploys aboard" if state.turn.phase == DEPLOYMENT else "gets into"
    return Story("move", f"{unit.name} {verb} {vehicle.name}.", fact.rule, unit.side, (unit.id, vehicle.id))


def _passengers(_rules: FadRules, state: State, fact: facts.Rolled) -> Told:
    (need,) = fact.numbers
    out = len(fact.faces) - int(fact.outcome)
    text = f"{state.units[fact.unit].name} gets out of the wreck, each killed on {need.value}+: {out} of {len(fact.faces)} live."
    return text, "loss", fact.rule


ROLLS: Mapping[str, Callable[[FadRules, State, facts.Rolled], Told]] = {passengers.CAUSE: _passengers}
TELLERS: dict[type[Fact], Callable[[FadRules, State, Any], Story | None]] = {
    facts.ActivationBegan: _activation,
    facts.UnitPlaced: _placed,
    facts.UnitBoarded: _boarded,
}
