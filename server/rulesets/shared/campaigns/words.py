"""The facts of a campaign that families tell alike, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.kernel.campaigns import facts
from server.kernel.campaigns.facts import CampaignFact
from server.kernel.campaigns.state import PostBattle
from server.rulesets.shared.words.narration import figures_text


def told(state: PostBattle, fact: CampaignFact) -> str:
    """Return the sentence for a fact that happens to `state`; "" if there is nothing to say."""
    teller = _TELLERS.get(type(fact))
    return "" if teller is None else teller(state, fact)


def points_text(points: int) -> str:
    """Return a number of campaign points in words."""
    return f"{points} campaign {'point' if points == 1 else 'points'}"


def level_text(unit: str, face: int, what: str, level: str, *, changed: bool) -> str:
    """Return the sentence for a die that may change a level."""
    return f"{unit} rolls {face}: its {what} {'is now' if changed else 'stays'} {level}."


def _battle(state: PostBattle, fact: facts.BattleFought) -> str:
    parts = []
    for hurt in fact.hurt:
        what = f"loses {figures_text(hurt.lost)}" if hurt.lost else f"is {hurt.condition}"
        parts.append(f"{state.unit(hurt.unit).name} {what}")
    return f"After the battle: {'; '.join(parts) or 'no losses'}."


def _points(state: PostBattle, fact: facts.PointsGained) -> str:
    return f"{state.roster.name} gains {points_text(fact.points)}."


def _spent(state: PostBattle, fact: facts.PointsSpent) -> str:
    for_whom = f" for {state.unit(fact.unit).name}" if fact.unit >= 0 else ""
    return f"{points_text(fact.points)} spent{for_whom}."


def _struck(state: PostBattle, fact: facts.StruckOff) -> str:
    return f"{state.unit(fact.unit).name} is struck off the roster."


def _done(state: PostBattle, fact: facts.StepsDone) -> str:
    return f"{state.roster.name} is ready for the next battle and keeps {points_text(fact.points)}."


_TELLERS: Mapping[type[CampaignFact], Callable[[PostBattle, Any], str]] = {
    facts.BattleFought: _battle,
    facts.PointsGained: _points,
    facts.PointsSpent: _spent,
    facts.StruckOff: _struck,
    facts.StepsDone: _done,
}
"""How each kind of fact is told; of the others there is nothing to say here."""
