"""Fire controls of vehicles, as rows of an edition (fad5/vehicle.fire-control)."""

from __future__ import annotations

from typing import Literal

from server.rulesets.shared.setup.rows import Row

Slot = Literal["any", "all", "main", "gun", "lights", "heavy"]
"""A place for a weapon that is fired: one of any kind, one main weapon, one machine gun or chain gun, one that is not light; or
as many as there are: all, or all lights (machine guns, chain guns and light weapons).
"""


class FireControl(Row, frozen=True):
    """Which weapons a vehicle may fire in an activation, as slots: at cautious speed, at standard speed, in a slow move and
    standing still, each as at cautious speed if it is left out. Standing still it may turn, unless it has to be `motionless`.
    """

    id: str
    name: str
    text: str
    rule: str
    cautious: tuple[Slot, ...] = ()
    standard: tuple[Slot, ...] = ()
    slow: tuple[Slot, ...] | None = None
    still: tuple[Slot, ...] | None = None
    motionless: bool = False

    @property
    def shown(self) -> str:
        """The row as the reference shows it."""
        return f"{self.name}: {self.text}"
