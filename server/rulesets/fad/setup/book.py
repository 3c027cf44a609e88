"""The numbers of an edition: the family's tables with the edition's changes, checked row by row."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import field

from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.traits import Traits
from server.rulesets.fad.setup.tables import Tables
from server.rulesets.shared.setup import book as shared
from server.rulesets.shared.setup.book import Edition
from server.rulesets.shared.setup.hulls import Arc, HullRow
from server.rulesets.shared.setup.laid import tables
from server.rulesets.shared.setup.rows import UNREADABLE, Level, Lists, Row, read

PIERCING_BASE = 4
SUPPORT_DAMAGE = 2
"""fad4/tech.ap-from-anti-tank: armour piercing is the anti-tank rating plus `PIERCING_BASE` minus the weapon's damage.
Support weapons have no damage of their own, so this one is used.
"""


class Quality(Level, frozen=True):
    """A level of Quality. Lengths in inches. `shooter` is added to the Fire Effect of such a unit, `in_open` to one at it without
    cover, each by its rule. Of the `move_dice` of a rolled move the best counts. `factor` is the percentage by which the points
    of such a unit are multiplied.
    """

    need: int
    coherency: float
    fire_priority: int
    base_range: float
    pin_level: int
    move_dice: int = 1
    shooter: int = 0
    shooter_rule: str = ""
    in_open: int = 0
    in_open_rule: str = ""
    factor: int = 100


class Resolve(Level, frozen=True):
    """A level of Resolve: a squad is Broken at this number of casualties, or at this percentage of its original size, and a
    vehicle at this number of penetrating `hits`. `factor` is added to the Quality's when points are counted.
    """

    casualties: int = 0
    percent: int = 0
    hits: int = 0
    factor: int = 0

    def broken(self, lost: int, original: int) -> bool:
        """Return whether `lost` casualties out of `original` figures break the unit."""
        if self.casualties:
            return lost >= self.casualties
        return lost > 0 and lost * 100 >= original * self.percent


class Leadership(Level, frozen=True):
    """A level of Leadership: what a character of that level adds or has rolled again, and what it costs."""

    rating: int
    points: float = 0


class Branch(Row, frozen=True):
    """A branch to which a character belongs."""

    id: str
    name: str


class Cover(shared.Cover, frozen=True):
    """A level of cover: the Fire Effect points that make one hit, and the rule that says so."""

    points_per_hit: int
    rule: str


class SmallArm(Row, frozen=True):
    """A squad's basic weapon. `points` are the difference to a figure with the weapon that its price includes; one that is not
    `issued` stands in no force of the force editor.
    """

    id: str
    name: str
    range_multiplier: int
    damage: int
    anti_tank: int | None = None
    assault_bonus: int = 0
    points: float = 0
    issued: bool = True

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating."""
        return _piercing(self.anti_tank, self.damage)


class SupportWeapon(Row, frozen=True):
    """A weapon that adds to its squad's roll up to its range band (base, close, medium, long; none: hand to hand only), or to the
    `kill_dice` of the figure that carries it. One with `modes` is fired as one of these other rows.
    """

    id: str
    name: str
    band: Literal["none", "base", "close", "medium", "long"]
    fire_effect: int = 0
    fire_effect_die: bool = False
    anti_tank: int | None = None
    assault_bonus: int = 0
    kill_dice: int = 0
    modes: tuple[str, ...] = ()
    points: float = 0
    traits: Traits = field(default_factory=dict)

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating, for its one hit."""
        return _piercing(self.anti_tank, SUPPORT_DAMAGE)

    @property
    def shown(self) -> str:
        """What the weapon adds, in words."""
        effect = "Fire Effect +1D6" if self.fire_effect_die else f"Fire Effect +{self.fire_effect}"
        return f"{effect} up to {self.band} range"


class HeavyWeapon(Row, frozen=True):
    """A weapon that fires on its own and not as a part of its squad's fire. `blast` is the radius of its blast in inches, 0 if it
    has none; `crew` the figures that serve it on the ground, as many as a team has at least in a force. `indirect` says when it
    fires at what it does not see: when it is called, or also at what its side has spotted.
    """

    id: str
    name: str
    range_multiplier: int
    damage: int = 0
    fire_effect: int = 0
    anti_tank: int | None = None
    blast: float = 0
    crew: int = 1
    points: float = 0
    indirect: Literal["", "called", "spotted"] = ""
    traits: Traits = field(default_factory=dict)

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating."""
        return _piercing(self.anti_tank, self.damage)

    @property
    def blasts(self) -> bool:
        """Whether it strikes all that stand around a point."""
        return self.blast > 0

    @property
    def radius(self) -> int:
        """The radius of its blast in mil."""
        return inches(self.blast)

    @property
    def shown(self) -> str:
        """The row as the reference shows it."""
        anti_tank = "no anti-tank rating" if self.anti_tank is None else f"anti-tank +{self.anti_tank}"
        radius = f', blast {self.blast:g}"' if self.blast else ""
        return (
            f"{self.name}: range ×{self.range_multiplier}, damage +{self.damage}, Fire Effect +{self.fire_effect}, "
            f"{anti_tank}{radius}, crew {self.crew}"
        )


def _piercing(anti_tank: int | None, damage: int) -> int:
    # fad4/tech.ap-from-anti-tank: without an anti-tank rating there is none
    return 0 if anti_tank is None else max(0, anti_tank + PIERCING_BASE - damage)


class Armour(Row, frozen=True):
    """Personal armour, with the modifier as printed, and what else it does for its squad (`data/armour.toml`), in inches."""

    id: str
    name: str
    modifier: int
    assault_bonus: int = 0
    move: float = 0
    coherency: float = 0
    pin_level: int = 0
    kill_dice: int = 1
    deflects: int = 0
    points: float = 0
    traits: Traits = field(default_factory=dict)


class Mobility(Row, frozen=True):
    """How a vehicle moves, and how far with each action, in inches. Without a `standard` rate it has none with Move Out.

    `slow_in`, `closed`, `costly_in` and `over` name ground by the kind or a flag of its pieces: any of it on the way keeps the
    move at the cautious rate, it is not entered, each inch of it costs `factor` inches, it is entered though it is impassable.
    A vehicle that `flies` passes over everything; one that `bolsters` is a tank or walker, if it has armour and arms.
    """

    id: str
    name: str
    cautious: int
    standard: int | None = None
    rule: str = "move.vehicle-rates"
    flies: bool = False
    bolsters: bool = False
    slow_in: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    costly_in: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    factor: int = 1
    points: float = 0

    @property
    def shown(self) -> str:
        """The row as the reference shows it."""
        standard = "no standard rate" if self.standard is None else f'{self.standard}" standard'
        notes = [
            "passes over everything" if self.flies else "",
            "bolsters infantry" if self.bolsters else "",
            f"cautious in {_ground(self.slow_in)}" if self.slow_in else "",
            f'{self.factor}" for each inch of {_ground(self.costly_in)}' if self.costly_in else "",
            f"does not enter {_ground(self.closed)}" if self.closed else "",
            f"crosses {_ground(self.over)}" if self.over else "",
        ]
        return "; ".join([f'{self.name}: {self.cautious}" cautious, {standard}', *(note for note in notes if note)])


def _ground(kinds: tuple[str, ...]) -> str:
    return ", ".join("difficult ground" if kind == "difficult" else kind.replace("_", " ") for kind in kinds)


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
    heavy_weapons: dict[str, HeavyWeapon]
    armours: dict[str, Armour]
    mobilities: dict[str, Mobility]
    hulls: dict[str, HullRow]
    arcs: dict[str, Arc]
    conditions: dict[str, Condition]
    levels: dict[str, int]
    leaderships: dict[str, Leadership]
    branches: dict[str, Branch]

    def level(self, quality: str) -> int:
        """Return the rank of a Quality, counted from the worst."""
        return self.levels[quality]

    def footnotes(self, weapon: HeavyWeapon) -> str:
        """Return what a heavy weapon does by its traits, behind commas; "" if it has none."""
        return "".join(
            f", {self.traits[trait].name[0].lower()}{self.traits[trait].name[1:]}" for trait in weapon.traits
        )

    def adds(self, weapon: SupportWeapon) -> str:
        """Return what a support weapon adds to its squad's fire, in words."""
        if not weapon.modes:
            return weapon.shown
        *others, last = (self.support_weapons[mode].name.lower() for mode in weapon.modes)
        return f"as {', '.join(others)} or {last}"

    def shown(self, rows: str) -> Iterable[str]:
        if rows == "mobilities":
            return (row.shown for row in self.mobilities.values())
        if rows == "heavy_weapons":
            return (f"{row.shown}{self.footnotes(row)}" for row in self.heavy_weapons.values())
        return super().shown(rows)


def load(edition: str) -> Book:
    """Return the book of `edition` ("fad4"): the family's data with the edition's changes. Raises `RulesetError`."""
    family = files("server.rulesets.fad")
    data = family / "data"
    try:
        own = msgspec.convert(read(family / edition / "edition.toml"), Edition)
        lists = Lists(data, own.rows)
        traits = shared.trait_rows(lists)
        qualities, covers = lists.take("quality", Quality), lists.take("cover", Cover)
        book = Book(
            edition=own,
            qualities=qualities,
            resolves=lists.take("resolve", Resolve),
            leaderships=lists.take("leadership", Leadership),
            branches=lists.take("branch", Branch),
            small_arms=lists.take("small_arm", SmallArm),
            support_weapons=shared.with_traits(lists.take("support_weapon", SupportWeapon), "weapon", traits),
            heavy_weapons=shared.with_traits(lists.take("heavy_weapon", HeavyWeapon), "weapon", traits),
            armours=shared.with_traits(lists.take("armour", Armour), "armour", traits),
            mobilities=lists.take("mobility", Mobility),
            hulls=lists.take("hull", HullRow),
            arcs=lists.take("arc", Arc),
            conditions=lists.take("condition", Condition),
            palette=shared.palette(lists, covers),
            traits=traits,
            covers=covers,
            tables=tables(Tables, read(data / "tables.toml"), own.tables),
            reference=shared.reference(family / edition / "reference.toml", edition),
            levels={name: place for place, name in enumerate(qualities)},
        )
        check_names(book)
    except (RulesetError, *UNREADABLE) as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error
    return book


def check_names(book: Book) -> None:
    """See that the table form names rows that there are, where players bring forces. Raises `RulesetError`."""
    new = book.tables.form
    for weapon in book.support_weapons.values():
        for mode in weapon.modes:
            shared.known(f"the support weapon {weapon.id}", mode, book.support_weapons)
    for trait in book.tables.points.traits:
        shared.known("the table points", trait, book.traits)
    for name, there in (
        (new.quality, book.qualities),
        (new.resolve, book.resolves),
        (new.small_arm, book.small_arms),
        (new.armour, book.armours),
        (new.support, book.support_weapons),
        (new.mobility, book.mobilities),
        (new.hull, book.hulls),
        (new.weapon, book.heavy_weapons),
        (new.arc, book.arcs),
    ):
        if book.tables.bounds.units:
            shared.known("the table form", name, there)
