"""The interface of an edition's rules for what happens to a force after a battle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from client_protocol.campaigns import CampaignChoice, CampaignDue, Level
from client_protocol.forces import Force
from server.kernel.campaigns.facts import AnyFact
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.kernel.state import State


class CampaignRules(Protocol):
    """The rules of campaigns of an edition, under the settings of a league.

    A league holds a `PostBattle` for each force, asks `due` for what comes next, gives `rolled` the faces or `answered` the
    owner's answer, stores the facts that come out and folds them.
    """

    def enlist(self, force: Force, /) -> Roster:
        """Return the roster of a force that begins a campaign. Raises `ValueError`: the rules refuse the force; the text says
        why.
        """
        ...

    def fielded(self, roster: Roster, /) -> tuple[int, ...]:
        """Return the numbers of the units that fight in the next battle, in the order in which `force_of` has them."""
        ...

    def sits_out(self, unit: RosterUnit, /) -> str:
        """Return why a unit does not fight in the next battle, as a sentence; "" if it does."""
        ...

    def force_of(self, roster: Roster, /) -> Force | None:
        """Return the force with which the next match is played; None if no unit can fight."""
        ...

    def outcomes(self, state: State, seat: str, force: Force, /) -> tuple[UnitOutcome, ...]:
        """Return what a match, as it stood at its end, did to each unit of the force that a seat brought, in its order."""
        ...

    def units_in(self, state: State, seat: str, force: Force, /) -> tuple[str, ...]:
        """Return the ids that the units of the force that a seat brought have in a match, in its order."""
        ...

    def after_battle(self, roster: Roster, outcomes: Sequence[UnitOutcome], /) -> tuple[AnyFact, ...]:
        """Return the facts with which the steps after a battle begin. Raises `ValueError`: the outcomes are not those of the
        force that `force_of` gave.
        """
        ...

    def due(self, state: PostBattle, /) -> CampaignDue | None:
        """Return what comes next: dice, a question to the owner, or None if the steps are done."""
        ...

    def rolled(self, state: PostBattle, faces: Sequence[int], /) -> tuple[AnyFact, ...]:
        """Return the facts to which the dice that are due lead. Raises `ValueError`: no dice are due, or not so many."""
        ...

    def answered(self, state: PostBattle, answer: CampaignChoice, /) -> tuple[AnyFact, ...]:
        """Return the facts to which an answer leads. Raises `ValueError`: it is not legal; the text says why."""
        ...

    def told(self, state: PostBattle, fact: AnyFact, /) -> str:
        """Return the sentence for a fact that happens to `state`; "" if there is nothing to say."""
        ...

    def kind(self, unit: RosterUnit, /) -> str:
        """Return what kind of unit it is, in words."""
        ...

    def levels(self, unit: RosterUnit, /) -> tuple[Level, ...]:
        """Return the levels of a unit, as they are and as they were at the start."""
        ...
