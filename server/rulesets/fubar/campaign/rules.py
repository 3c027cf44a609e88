"""The rules of campaigns of an edition of the family, behind the kernel's interface."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.campaigns import CampaignChoice, CampaignDue, Level
from client_protocol.forces import Force
from client_protocol.from_server import OptionChoice, OptionInfo
from server.kernel.campaigns.facts import AnyFact
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.kernel.state import State
from server.rulesets.fubar.campaign import outcome, roster, steps, words
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.fubar.game import LEVEL
from server.rulesets.shared.campaigns.rules import SharedCampaign
from server.rulesets.shared.campaigns.settings import banking

OURS = "FUBAR has no rules for campaigns; these are Underfire's own."


def settings_for(terms: Terms) -> tuple[OptionInfo, ...]:
    """Return what a league may settle of campaigns, as options."""
    # The first leaves no choice: it tells the players whose rules these are.
    return (
        OptionInfo("rules", "Rules of the campaign", (OptionChoice(terms.settings.rules, OURS),), terms.settings.rules),
        banking("", default=terms.settings.bank_points),
    )


class FubarCampaign(SharedCampaign[Terms]):
    """The rules of campaigns under a league's terms. See `server.kernel.campaigns.rules.CampaignRules`."""

    def enlist(self, force: Force, /) -> Roster:
        return roster.enlist(self.terms, force)

    def fielded(self, held: Roster, /) -> tuple[int, ...]:
        return roster.fielded(held)

    def sits_out(self, unit: RosterUnit, /) -> str:
        return roster.sits_out(unit)

    def force_of(self, held: Roster, /) -> Force | None:
        return roster.force_of(self.terms, held)

    def outcomes(self, state: State, seat: str, force: Force, /) -> tuple[UnitOutcome, ...]:
        return outcome.outcome(self.terms, state, seat, force)

    def after_battle(self, held: Roster, outcomes: Sequence[UnitOutcome], /) -> tuple[AnyFact, ...]:
        return steps.after_battle(self.terms, held, outcomes)

    def due(self, state: PostBattle, /) -> CampaignDue | None:
        return steps.due(self.terms, state)

    def rolled(self, state: PostBattle, faces: Sequence[int], /) -> tuple[AnyFact, ...]:
        return steps.rolled(self.terms, state, faces)

    def answered(self, state: PostBattle, answer: CampaignChoice, /) -> tuple[AnyFact, ...]:
        return steps.answered(self.terms, state, answer)

    def told(self, state: PostBattle, fact: AnyFact, /) -> str:
        return words.told(self.terms, state, fact)

    def levels(self, unit: RosterUnit, /) -> tuple[Level, ...]:
        levels = self.terms.book.levels
        return (Level("Level", levels[roster.level(unit)].name, levels[str(unit.started.fields[LEVEL])].name),)
