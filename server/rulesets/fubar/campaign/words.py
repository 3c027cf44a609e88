"""What happened to a force after a battle, in sentences."""

from __future__ import annotations

from server.kernel.campaigns.facts import (
    CampaignFact,
    FieldChanged,
    FiguresReplaced,
    LevelTested,
    UnitRestored,
    VehicleReplaced,
)
from server.kernel.campaigns.state import PostBattle
from server.rulesets.fubar.campaign.roster import level
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.shared.campaigns import words
from server.rulesets.shared.words.narration import figures_text


def told(own: Terms, state: PostBattle, fact: CampaignFact) -> str:
    """Return the sentence for a fact that happens to `state`; "" if there is nothing to say."""
    match fact:
        case FiguresReplaced(unit=number, face=face, figures=figures):
            count = f"{figures_text(len(figures))} {'comes' if len(figures) == 1 else 'come'} back"
            return f"{state.unit(number).name} rolls {face}: {count if figures else 'no figure comes back'}."
        case VehicleReplaced(unit=number, face=face, condition=condition):
            result = "repaired" if condition == "fit" else "not repaired"
            return f"{state.unit(number).name} rolls {face}: it is {result}."
        case LevelTested(unit=number, face=face, level=then):
            unit = state.unit(number)
            name = own.book.levels[then].name
            return words.level_text(unit.name, face, "level", name, changed=then != level(unit))
        case FieldChanged(unit=number, value=value):
            return f"{state.unit(number).name}: its level is {own.book.levels[str(value)].name} now."
        case UnitRestored(unit=number):
            unit = state.unit(number)
            if not unit.vehicle:
                return f"{unit.name} is at full strength again."
            return f"{unit.name} is {'repaired' if unit.condition == 'damaged' else 'replaced'}."
        case _:
            return words.told(state, fact)
