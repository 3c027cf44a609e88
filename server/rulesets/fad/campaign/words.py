"""What happened to a force after a battle, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.kernel.campaigns import facts
from server.kernel.campaigns.facts import CampaignFact
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import QUALITY
from server.rulesets.shared.campaigns import words
from server.rulesets.shared.words.narration import figures_text


def told(own: Terms, state: PostBattle, fact: CampaignFact) -> str:
    """Return the sentence for a fact that happens to `state`; "" if there is nothing to say."""
    teller = _TELLERS.get(type(fact))
    return words.told(state, fact) if teller is None else teller(own, state, fact)


def _replaced(_own: Terms, state: PostBattle, fact: facts.FiguresReplaced) -> str:
    name = state.unit(fact.unit).name
    if not fact.figures:
        return f"{name} rolls {fact.face}: no replacements."
    return f"{name} rolls {fact.face}: replacements for {figures_text(len(fact.figures))}."


def _vehicle(_own: Terms, state: PostBattle, fact: facts.VehicleReplaced) -> str:
    unit = state.unit(fact.unit)
    good = "repaired" if unit.condition == "damaged" else "replaced"
    result = f"it is {good}" if fact.condition == "fit" else f"it stays {fact.condition}"
    return f"{unit.name} rolls {fact.face}: {result}."


def _tested(own: Terms, state: PostBattle, fact: facts.LevelTested) -> str:
    unit = state.unit(fact.unit)
    what, levels = ("Quality", own.book.qualities) if fact.field == QUALITY else ("Resolve", own.book.resolves)
    changed = fact.level != unit.fields[fact.field]
    return words.level_text(unit.name, fact.face, what, levels[fact.level].name, changed=changed)


def _reinforced(_own: Terms, _state: PostBattle, fact: facts.Reinforced) -> str:
    faces = " + ".join(str(face) for face in fact.faces)
    return f"{sum(fact.faces)} reinforcements come ({faces})."


def _squad(_own: Terms, _state: PostBattle, fact: facts.SquadFormed) -> str:
    return f"{fact.figures} reinforcements form {fact.unit.name}."


def _joined(_own: Terms, state: PostBattle, fact: facts.TroopersJoined) -> str:
    count = len(fact.figures)
    return f"{count} {'reinforcement joins' if count == 1 else 'reinforcements join'} {state.unit(fact.unit).name}."


def _left(_own: Terms, _state: PostBattle, fact: facts.TroopersLeft) -> str:
    count = fact.troopers
    return f"{count} {'reinforcement is' if count == 1 else 'reinforcements are'} not needed."


def _field(own: Terms, state: PostBattle, fact: facts.FieldChanged) -> str:
    unit = state.unit(fact.unit)
    field = own.field(unit.started.kind, fact.key)
    assert field is not None, "only fields of the form are changed"
    if fact.value is True:
        return f"{unit.name} has the trait {field.label} now."
    value = next((choice.label for choice in field.choices if choice.value == fact.value), str(fact.value))
    return f"{unit.name}: {field.label} is {value} now."


def _restored(_own: Terms, state: PostBattle, fact: facts.UnitRestored) -> str:
    return f"{state.unit(fact.unit).name} is back on duty."


_TELLERS: Mapping[type[CampaignFact], Callable[[Terms, PostBattle, Any], str]] = {
    facts.FiguresReplaced: _replaced,
    facts.VehicleReplaced: _vehicle,
    facts.LevelTested: _tested,
    facts.Reinforced: _reinforced,
    facts.SquadFormed: _squad,
    facts.TroopersJoined: _joined,
    facts.TroopersLeft: _left,
    facts.FieldChanged: _field,
    facts.UnitRestored: _restored,
}
"""How each kind of fact is told; the others are told as in all families."""
