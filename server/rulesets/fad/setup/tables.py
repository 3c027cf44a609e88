"""The family's tables of numbers, one struct each. Distances are inches. What has a default is lacking in some editions."""

from __future__ import annotations

from typing import Literal

from server.rulesets.shared.setup.rows import Row


class QualityTest(Row, frozen=True):
    """How many dice a Quality Test has."""

    dice: int


class RangeBands(Row, frozen=True):
    """The upper edge of each band, as a multiple of close range."""

    close: int
    medium: int
    long: int

    def of(self, band: str) -> int:
        """The multiple of a band; 1 for base range, which is none."""
        return {"close": self.close, "medium": self.medium, "long": self.long}.get(band, 1)


class FireEffect(Row, frozen=True):
    """How many dice a Fire Effect roll has, of which the highest counts, and the least that comes out."""

    squad_dice: int
    individual_dice: int
    minimum: int


class FireEffectModifiers(Row, frozen=True):
    """What is added to a Fire Effect, besides what the shooters' and the target's Quality adds. `riflemen` is for each full
    `riflemen_each` of them.
    """

    at_base_range: int
    at_medium_range: int
    at_long_range: int
    target_under_fire_or_pinned: int
    target_bunched_up: int
    riflemen: int
    riflemen_each: int
    shooter_under_fire_or_broken: int
    open_fire: int = 0


class BunchedUp(Row, frozen=True):
    """When a unit stands too close together: figures less than `gap` apart, by their `share` of the unit in percent, or by how
    many `figures` hang together.
    """

    gap: float
    share: int = 0
    figures: int = 0


class FirePriority(Row, frozen=True):
    """How many levels of Quality lower a unit Under Fire counts."""

    under_fire_levels: int = 0


class Cover(Row, frozen=True):
    """What percentage of a squad must be in cover, and how near behind a cover's edge a figure has it."""

    share: int
    edge_reach: float


class Movement(Row, frozen=True):
    """How far infantry goes. `difficult_factor` is what an inch in difficult ground costs."""

    infantry: float
    rush_factor: int
    charge_bonus: float
    under_fire: float
    difficult_factor: int


class Morale(Row, frozen=True):
    """How many passes of a Morale Test rally and let a unit fall back, and how far the enemies of one that stays must be."""

    rally_passes: int
    fall_back_passes: int
    safe_distance: float


class Crossfire(Row, frozen=True):
    """How far apart two enemies shoot in a crossfire, in inches, and the passes with which their target holds out."""

    apart: float = 0
    passes: int = 0


class Initiative(Row, frozen=True):
    """Whether the higher die may also go second, and what a draw means."""

    winner_chooses: bool
    draw: Literal["loser-of-last-turn", "roll-again"]


class ArmourRatings(Row, frozen=True):
    """Whether armour is a fixed rating, which piercing lowers if it is above `piercing_above`, never below `piercing_floor`."""

    fixed: bool
    piercing_above: int = 0
    piercing_floor: int = 0


class CloseAssault(Row, frozen=True):
    """How a close assault is rolled and who falls back how far; `fall_back_bend` is in degrees from straight away."""

    squad_dice: int
    individual_dice: int
    overrun_factor: int
    fall_back_lost: float
    fall_back_draw: float
    fall_back_bend: int


class CloseAssaultModifiers(Row, frozen=True):
    """What is added to the score of a close assault: `outnumber` for each figure more, `quality` for each level above."""

    charging: int
    better_armour: int
    outnumber: int
    quality: int


class CloseCombatKill(Row, frozen=True):
    """What a figure's die must reach to kill, by the outcome."""

    won: int
    draw: int
    lost: int
    overrun: int

    def of(self, outcome: str) -> int:
        """What a die must reach after `outcome`."""
        return {"won": self.won, "draw": self.draw, "lost": self.lost, "overrun": self.overrun}[outcome]


class Tables(Row, frozen=True, kw_only=True):
    """All tables of an edition."""

    quality_test: QualityTest
    range_bands: RangeBands
    fire_effect: FireEffect
    fire_effect_modifiers: FireEffectModifiers
    bunched_up: BunchedUp
    fire_priority: FirePriority = FirePriority()
    cover: Cover
    movement: Movement
    morale: Morale
    crossfire: Crossfire = Crossfire()
    initiative: Initiative
    armour: ArmourRatings
    close_assault: CloseAssault
    close_assault_modifiers: CloseAssaultModifiers
    close_combat_kill: CloseCombatKill
