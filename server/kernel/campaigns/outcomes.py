"""What a battle did to the units of a force."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Damage = Literal["", "damaged", "lost"]
"""What a battle did to a vehicle; "" if nothing."""


class UnitOutcome(Struct, frozen=True, omit_defaults=True):
    """What a battle did to a unit.

    Attributes:
        place: its place in the force that was brought, counted from 0.
        strength: how many figures it had at the start.
        lost: the figures that it has lost, by their places in the unit, counted from 1, in roster order.
        damage: what happened to it if it is a vehicle. A lost one has lost its only figure.
        left: why it left the battle, as the match says it; "" if it was there to the end.
    """

    place: int
    strength: int
    lost: tuple[int, ...] = ()
    damage: Damage = ""
    left: str = ""

    @property
    def lone(self) -> bool:
        """Whether it was a single figure."""
        return self.strength == 1

    @property
    def wiped_out(self) -> bool:
        """Whether all its figures are lost."""
        return len(self.lost) == self.strength

    @property
    def suffered(self) -> bool:
        """Whether it took any loss or damage."""
        return bool(self.lost or self.damage)
