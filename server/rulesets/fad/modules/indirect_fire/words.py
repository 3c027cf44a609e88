"""The log's sentences for the rolls of indirect fire."""

from __future__ import annotations

from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.modules.indirect_fire.calls import ARRIVES, GARBLED, LOST
from server.rulesets.fad.modules.indirect_fire.strikes import PINPOINT
from server.rulesets.fad.quality import passes_text

_TIMING = {
    ARRIVES: "the strike comes",
    GARBLED: "the call is garbled, and no strike comes",
    LOST: "contact is lost for good",
}


def timing(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    """Tell of the timing test of a call."""
    result, _, battery = fact.outcome.partition(" ")
    text = f"{state.units[fact.unit].name} calls {_name(state, fact.side, battery)}: {passes_text(fact)}, {_TIMING[result]}."
    return text, "fire", fact.rule


def _name(state: State, side: str, battery: str) -> str:
    asset = state.sides[side].off_table.get(battery)
    return state.units[battery].name if asset is None else asset.name


def accuracy(_rules: FadRules, _state: State, fact: Rolled) -> tuple[str, str, str]:
    """Tell of the accuracy test of a strike."""
    result = "it lands on the point" if fact.outcome == PINPOINT else "it goes astray"
    return f"Accuracy of the strike: {passes_text(fact)}, {result}.", "fire", fact.rule


def aimed(_rules: FadRules, state: State, fact: Rolled) -> tuple[str, str, str]:
    """Tell of the Fire Effect of a weapon without a blast."""
    effect, points = fact.numbers
    hits = "1 hit" if fact.outcome == "1" else f"{fact.outcome} hits"
    cover = f"{points.lines[0].reason}, {points.value} per hit"
    return f"Fire Effect {effect.value} against {state.units[fact.target].name} in {cover}: {hits}.", "fire", fact.rule
