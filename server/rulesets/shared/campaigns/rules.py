"""What the rules of campaigns of all families say alike behind the kernel's interface."""

from __future__ import annotations

from typing import Generic, TypeVar

from client_protocol.forces import Force
from server.kernel.campaigns.roster import RosterUnit
from server.kernel.state import State
from server.rulesets.shared.campaigns.outcomes import brought
from server.rulesets.shared.campaigns.terms import Terms

T = TypeVar("T", bound=Terms)


class SharedCampaign(Generic[T]):
    """The part of `server.kernel.campaigns.rules.CampaignRules` that follows from a league's terms alone."""

    def __init__(self, terms: T) -> None:
        self.terms = terms

    def units_in(self, state: State, seat: str, force: Force, /) -> tuple[str, ...]:
        return tuple(unit.id for _, unit in brought(self.terms.form, state, seat, force))

    def kind(self, unit: RosterUnit, /) -> str:
        return self.terms.kind(unit.started.kind).label
