"""The rules of campaigns of an edition of the family, behind the kernel's interface (fad5/campaign.scope)."""

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
from server.rulesets.fad.campaign import outcome, roster, steps, words
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.game import QUALITY, RESOLVE
from server.rulesets.shared.campaigns.rules import SharedCampaign
from server.rulesets.shared.campaigns.settings import banking, switch

SCOPE, EXPERIENCE, TRAIT = "campaign.scope", "campaign.experience", "campaign.buy.trait"


def settings_for(terms: Terms) -> tuple[OptionInfo, ...]:
    """Return what a league may settle of campaigns, as options."""
    return (
        switch(
            "stabilised_return",
            "The stabilised wounded",
            terms.rule(SCOPE),
            "They are back in the next battle.",
            "They are lost, and replaced like the others.",
            default=terms.settings.stabilised_return,
        ),
        switch(
            "routed_return",
            "Units that have fled",
            terms.rule(SCOPE),
            "They return whole.",
            "They are lost, and replaced like the others.",
            default=terms.settings.routed_return,
        ),
        banking(terms.rule(EXPERIENCE), default=terms.settings.bank_points),
        OptionInfo(
            "traits",
            "Traits for campaign points",
            (
                OptionChoice("any", "Any trait that a whole unit can have."),
                OptionChoice("trained", "Only traits that training gives."),
            ),
            terms.settings.traits,
            terms.rule(TRAIT),
        ),
    )


class FadCampaign(SharedCampaign[Terms]):
    """The rules of campaigns under a league's terms. See `server.kernel.campaigns.rules.CampaignRules`."""

    def enlist(self, force: Force, /) -> Roster:
        return roster.enlist(self.terms, force)

    def fielded(self, held: Roster, /) -> tuple[int, ...]:
        return roster.fielded(self.terms, held)

    def sits_out(self, unit: RosterUnit, /) -> str:
        return roster.sits_out(self.terms, unit)

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
        book, first = self.terms.book, unit.started.fields
        found = [Level("Quality", book.qualities[roster.quality(unit)].name, book.qualities[str(first[QUALITY])].name)]
        if roster.resolve(unit):
            now, before = book.resolves[roster.resolve(unit)].name, book.resolves[str(first[RESOLVE])].name
            found.append(Level("Resolve", now, before))
        return tuple(found)
