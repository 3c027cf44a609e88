"""The numbers of an edition: the family's tables with the edition's changes, checked row by row."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import field

from server.kernel.errors import RulesetError
from server.kernel.traits import Traits
from server.rulesets.fad.setup.tables import Tables
from server.rulesets.shared.setup import book as shared
from server.rulesets.shared.setup.book import Edition
from server.rulesets.shared.setup.laid import tables
from server.rulesets.shared.setup.rows import UNREADABLE, Level, Lists, Row, read

PIERCING_BASE = 4
SUPPORT_DAMAGE = 2
"""fad4/tech.ap-from-anti-tank: armour piercing is the anti-tank rating plus `PIERCING_BASE` minus the weapon's damage.
Support weapons have no damage of their own, so this one is used.
"""


class Quality(Level, frozen=True):
    """A level of Quality. Lengths in inches. `shooter` is added to the Fire Effect of such a unit, `in_open` to one at it without
    cover, each by its rule.
    """

    need: int
    coherency: float
    fire_priority: int
    base_range: float
    pin_level: int
    shooter: int = 0
    shooter_rule: str = ""
    in_open: int = 0
    in_open_rule: str = ""


class Resolve(Level, frozen=True):
    """A level of Resolve: a unit is Broken at this number of casualties, or at this percentage of its original size."""

    casualties: int = 0
    percent: int = 0

    def broken(self, lost: int, original: int) -> bool:
        """Return whether `lost` casualties out of `original` figures break the unit."""
        if self.casualties:
            return lost >= self.casualties
        return lost > 0 and lost * 100 >= original * self.percent


class Cover(shared.Cover, frozen=True):
    """A level of cover: the Fire Effect points that make one hit, and the rule that says so."""

    points_per_hit: int
    rule: str


class SmallArm(Row, frozen=True):
    """A squad's basic weapon."""

    id: str
    name: str
    range_multiplier: int
    damage: int
    anti_tank: int | None = None
    assault_bonus: int = 0

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating."""
        return _piercing(self.anti_tank, self.damage)


class SupportWeapon(Row, frozen=True):
    """A weapon that adds to its squad's roll up to its range band (base, close, medium, long)."""

    id: str
    name: str
    band: Literal["base", "close", "medium", "long"]
    fire_effect: int = 0
    fire_effect_die: bool = False
    anti_tank: int | None = None
    assault_bonus: int = 0
    traits: Traits = field(default_factory=dict)

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating, for its one hit."""
        return _piercing(self.anti_tank, SUPPORT_DAMAGE)


def _piercing(anti_tank: int | None, damage: int) -> int:
    # fad4/tech.ap-from-anti-tank: without an anti-tank rating there is none
    return 0 if anti_tank is None else max(0, anti_tank + PIERCING_BASE - damage)


class Armour(Row, frozen=True):
    """Personal armour, with the modifier as printed."""

    id: str
    name: str
    modifier: int
    assault_bonus: int = 0
    traits: Traits = field(default_factory=dict)


class Mobility(Row, frozen=True):
    """How a vehicle moves, and how far with each action, in inches. Without a `standard` rate it has none with Move Out."""

    id: str
    name: str
    cautious: int
    standard: int | None = None

    @property
    def shown(self) -> str:
        """The row as the reference shows it."""
        standard = "no standard rate" if self.standard is None else f'{self.standard}" standard'
        return f'{self.name}: {self.cautious}" cautious, {standard}'


class Condition(Row, frozen=True):
    """A marker of a unit, as players read it: its name, its effect, and the rule that places it."""

    id: str
    name: str
    text: str
    rule: str


class Book(shared.Book, frozen=True, kw_only=True, eq=False):
    """The numbers and words of an edition. `levels` are the ranks of the Qualities, counted from the worst.

    Books are compared by identity, so that they can be keys of a cache.
    """

    tables: Tables
    covers: dict[str, Cover]
    qualities: dict[str, Quality]
    resolves: dict[str, Resolve]
    small_arms: dict[str, SmallArm]
    support_weapons: dict[str, SupportWeapon]
    armours: dict[str, Armour]
    mobilities: dict[str, Mobility]
    conditions: dict[str, Condition]
    levels: dict[str, int]

    def level(self, quality: str) -> int:
        """Return the rank of a Quality, counted from the worst."""
        return self.levels[quality]

    def shown(self, rows: str) -> Iterable[str]:
        return (row.shown for row in self.mobilities.values()) if rows == "mobilities" else super().shown(rows)


def load(edition: str) -> Book:
    """Return the book of `edition` ("fad4"): the family's data with the edition's changes. Raises `RulesetError`."""
    family = files("server.rulesets.fad")
    data = family / "data"
    try:
        own = msgspec.convert(read(family / edition / "edition.toml"), Edition)
        lists = Lists(data, own.rows)
        traits = shared.trait_rows(lists)
        qualities, covers = lists.take("quality", Quality), lists.take("cover", Cover)
        return Book(
            edition=own,
            qualities=qualities,
            resolves=lists.take("resolve", Resolve),
            small_arms=lists.take("small_arm", SmallArm),
            support_weapons=shared.with_traits(lists.take("support_weapon", SupportWeapon), "weapon", traits),
            armours=shared.with_traits(lists.take("armour", Armour), "armour", traits),
            mobilities=lists.take("mobility", Mobility),
            conditions=lists.take("condition", Condition),
            palette=shared.palette(lists, covers),
            traits=traits,
            covers=covers,
            tables=tables(Tables, read(data / "tables.toml"), own.tables),
            reference=shared.reference(family / edition / "reference.toml", edition),
            levels={name: place for place, name in enumerate(qualities)},
        )
    except (RulesetError, *UNREADABLE) as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error
