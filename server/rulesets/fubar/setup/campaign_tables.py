"""The numbers of campaigns: what happens to a force between two battles. They are Underfire's own; FUBAR has none."""

from __future__ import annotations

from typing import Literal

from server.rulesets.shared.setup.rows import Row

Parts = tuple[int, int, int, int, int, int]
"""A percentage for each face of a die."""
Yes = tuple[bool, bool, bool, bool, bool, bool]
"""Yes or no for each face of a die."""
Change = tuple[
    Literal[-1, 0, 1], Literal[-1, 0, 1], Literal[-1, 0, 1], Literal[-1, 0, 1], Literal[-1, 0, 1], Literal[-1, 0, 1]
]
"""By how many levels a unit changes, for each face of a die."""


class Prices(Row, frozen=True):
    """The campaign points for full strength, for a better level, for the repair of a vehicle, and for another vehicle."""

    replacements: int
    level: int
    repair_vehicle: int
    replace_vehicle: int

    def of(self, what: str) -> int:
        """Return the price of a purchase by its key."""
        price: int = getattr(self, what)
        return price


class Campaign(Row, frozen=True):
    """What happens to a force between two battles. Tables have an entry for each face of a die.

    Attributes:
        recovered: the percentage of the figures lost in the battle that come back; the number is rounded up.
        repaired: whether a damaged vehicle is repaired.
        salvaged: whether a destroyed vehicle is repaired.
        level_change: how the level of a unit changes that has come through.
        heavy_level_change: how the level of a unit changes that had heavy losses.
        heavy: losses are heavy if they are more than this percentage of the unit's figures in the battle.
        points: the campaign points of a force after a battle.
        best_level: the best level that can be bought.
        prices: what is bought with points.
    """

    recovered: Parts
    repaired: Yes
    salvaged: Yes
    level_change: Change
    heavy_level_change: Change
    heavy: int
    points: int
    best_level: str
    prices: Prices
