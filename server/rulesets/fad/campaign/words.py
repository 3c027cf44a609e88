"""What happened to a force after a battle, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.kernel.campaigns import facts
from server.kernel.campaigns.facts import CampaignFact
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import QUALITY
from server.rulesets.shared.words.narration import figures_text


def told(own: Terms, state: PostBattle, fact: CampaignFact) -> str:
    """Return the sentence for a fact that happens to `state`; "" if there is nothing to say."""
    teller = _TELLERS.get(type(fact))
    return "" if teller is None else teller(own, state, fact)


def _battle(_own: Terms, state: PostBattle, fact: facts.BattleFought) -> str:
    parts = []
    for hurt in fact.hurt:
        what = f"loses {figures_text(hurt.lost)}" if hurt.lost else f"is {hurt.condition}"
        parts.append(f"{state.unit(hurt.unit).name} {what}")
    return f"After the battle: {'; '.join(parts) or 'no losses'}."


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
    how = "stays" if fact.level == unit.fields[fact.field] else "is now"
    return f"{unit.name} rolls {fact.face}: its {what} {how} {levels[fact.level].name}."


def _reinforced(_own: Terms, _state: PostBattle, fact: facts.Reinforced) -> str:
    faces = " + ".join(str(face) for face in fact.faces)
    return f"{sum(fact.faces)} reinforcements come ({faces})."


def _points(_own: Terms, state: PostBattle, fact: facts.PointsGained) -> str:
    return f"{state.roster.name} gains {points_text(fact.points)}."


def _squad(_own: Terms, _state: PostBattle, fact: facts.SquadFormed) -> str:
    return f"{fact.figures} reinforcements form {fact.unit.name}."


def _joined(_own: Terms, state: PostBattle, fact: facts.TroopersJoined) -> str:
    count = len(fact.figures)
    return f"{count} {'reinforcement joins' if count == 1 else 'reinforcements join'} {state.unit(fact.unit).name}."


def _left(_own: Terms, _state: PostBattle, fact: facts.TroopersLeft) -> str:
    count = fact.troopers
    return f"{count} {'reinforcement is' if count == 1 else 'reinforcements are'} not needed."


def _spent(_own: Terms, state: PostBattle, fact: facts.PointsSpent) -> str:
    for_whom = f" for {state.unit(fact.unit).name}" if fact.unit >= 0 else ""
    return f"{points_text(fact.points)} spent{for_whom}."


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


def _struck(_own: Terms, state: PostBattle, fact: facts.StruckOff) -> str:
    return f"{state.unit(fact.unit).name} is struck off the roster."


def _done(_own: Terms, state: PostBattle, fact: facts.StepsDone) -> str:
    return f"{state.roster.name} is ready for the next battle and keeps {points_text(fact.points)}."


def points_text(points: int) -> str:
    """Return a number of campaign points in words."""
    return f"{points} campaign {'point' if points == 1 else 'points'}"


_TELLERS: Mapping[type[CampaignFact], Callable[[Terms, PostBattle, Any], str]] = {
    facts.BattleFought: _battle,
    facts.FiguresReplaced: _replaced,
    facts.VehicleReplaced: _vehicle,
    facts.LevelTested: _tested,
    facts.Reinforced: _reinforced,
    facts.PointsGained: _points,
    facts.SquadFormed: _squad,
    facts.TroopersJoined: _joined,
    facts.TroopersLeft: _left,
    facts.PointsSpent: _spent,
    facts.FieldChanged: _field,
    facts.UnitRestored: _restored,
    facts.StruckOff: _struck,
    facts.StepsDone: _done,
}
"""How each kind of fact is told; of the others there is nothing to say."""
