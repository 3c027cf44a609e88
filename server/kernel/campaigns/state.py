"""Where a force is between two battles: its roster, and the steps that are still to come."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.campaigns.roster import Roster, RosterUnit

RollKind = Literal["replacements", "level", "resolve", "reinforcements", "reinforcement_die"]
"""What dice are rolled for."""
Step = Literal["rest", "dice", "more_dice", "squad", "share", "spend"]
"""The steps: nothing is due; dice; buying reinforcement dice; forming a squad; sharing out; spending points."""


class Rolling(Struct, frozen=True, omit_defaults=True):
    """Dice that are due: what for, and for which unit (its number; -1: for none)."""

    kind: RollKind
    unit: int = -1


class PostBattle(Struct, frozen=True, omit_defaults=True):
    """A force between two battles, folded from facts (`server.kernel.campaigns.facts`).

    Attributes:
        roster: the force.
        step: the step that is due.
        queue: the dice that are due, in their order.
        lost: how many figures each unit lost in the last battle, by its number.
        troopers: how many reinforcements have not been used.
        bought: what has been bought after this battle, each for which unit: "level:3".
    """

    roster: Roster
    step: Step = "rest"
    queue: tuple[Rolling, ...] = ()
    lost: dict[int, int] = {}
    troopers: int = 0
    bought: tuple[str, ...] = ()

    def unit(self, number: int) -> RosterUnit:
        """Return the unit with this number."""
        return self.roster.units[number]

    def with_unit(self, number: int, unit: RosterUnit) -> PostBattle:
        """Return this state with `unit` in the place of the one of this number."""
        return replace(self, roster=self.roster.with_unit(number, unit))

    def with_points(self, more: int) -> PostBattle:
        """Return this state with more campaign points, or fewer."""
        return replace(self, roster=replace(self.roster, points=self.roster.points + more))
