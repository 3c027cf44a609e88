"""The numbers of an edition: the family's tables with the edition's changes, checked row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import field
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.traits import Traits, TraitValue
from server.rulesets.fad.setup.fire_controls import FireControl
from server.rulesets.fad.setup.tables import Tables
from server.rulesets.fad.setup.variants import (
    LOADED,
    Changes,
    Munition,
    Variant,
    WeaponRows,
    WeaponTrait,
    round_id,
    round_name,
    variant,
)
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


LEAST_BLAST = 0.5
"""The least radius of a blast, in inches: of a round that reaches no farther than those who stand where it lands."""


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


class Ground(Row, frozen=True):
    """What a flag of terrain does to those on foot: an inch in an area costs `factor` inches, a line `toll` inches each time it
    is crossed. Instead of the toll an `option` may say it, and that the line is not crossed. A piece with the flag `unless` costs
    nothing by this row. In matches with the option `switch` on the toll is `switched`, by the rule `switched_rule`.
    """

    id: str
    rule: str
    factor: int = 0
    toll: float = 0
    option: str = ""
    unless: str = ""
    switch: str = ""
    switched: float = 0
    switched_rule: str = ""


class TerrainEvent(Row, frozen=True):
    """What may happen where a piece of terrain is first reached: with the die `number` of the table `of` its kind, by a rule. The
    piece gets the flags `adds`, another `cover`, and `sight_percent` of its depth of sight, or the depth `sight_depth` in inches.
    """

    id: str
    of: str
    number: int
    name: str
    text: str
    rule: str
    adds: tuple[str, ...] = ()
    cover: str = ""
    sight_percent: int = 100
    sight_depth: float = 0


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
    traits: Traits = field(default_factory=dict)

    @property
    def armour_piercing(self) -> int:
        """How much the weapon takes off a fixed armour rating."""
        return _piercing(self.anti_tank, self.damage)


class SupportWeapon(Row, frozen=True):
    """A weapon that adds to its squad's roll up to its range band (base, close, medium, long; none: hand to hand only), or to the
    `kill_dice` of the figure that carries it. One with `modes` is fired as one of these other rows. `reach` is added to the range
    multiplier of the squad's small arm when its band is measured.
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
    reach: int = 0

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
    fires at what it does not see: when it is called, or also at what its side has spotted. `at_infantry` is added to its Fire
    Effect at infantry. It carries `rounds`, by their ids, besides conventional ones, and `loaded` is the one that it is loaded
    with; "" for a conventional one. `at_vehicles` is the row that it has at vehicles, by its id; "" for its own.
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
    at_infantry: int = 0
    rounds: tuple[str, ...] = ()
    loaded: str = ""
    at_vehicles: str = ""

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
    """Personal armour, with the modifier as printed, and what else it does for its squad (`data/armour.toml`), in inches.
    `remote` are the points of a suit that is steered from afar besides.
    """

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
    remote: float = 0
    traits: Traits = field(default_factory=dict)


class Mobility(Row, frozen=True):
    """How a vehicle moves, and how far with each action, in inches. Without a `standard` rate it has none with Move Out.

    `slow_in`, `closed`, `costly_in` and `over` name ground by the kind or a flag of its pieces: any of it on the way keeps the
    move at the cautious rate, it is not entered, each inch of it costs `factor` inches, it is entered though it is impassable.
    A vehicle that `flies` passes over everything; one that `bolsters` is a tank or walker, if it has armour and arms. Where
    ground is `easy_in` the named kinds alone, each inch elsewhere costs `factor` inches. One that `jumps` takes no path: without
    a standard rate it goes anywhere on the table. A flyer that `scoots` does so too without firing, and one that `strafes` fires
    at standard speed straight ahead. `sign` says what it is drawn on (see `FigureView.sign`).
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
    easy_in: tuple[str, ...] = ()
    jumps: bool = False
    scoots: bool = False
    strafes: bool = False
    factor: int = 1
    sign: str = ""
    points: float = 0

    @property
    def shown(self) -> str:
        """The row as the reference shows it."""
        standard = "no standard rate" if self.standard is None else f'{self.standard}" standard'
        if self.standard is None and self.jumps:
            standard = "standard anywhere on the table"
        notes = [
            "passes over everything" if self.flies else "",
            "bolsters infantry" if self.bolsters else "",
            f"cautious in {_ground(self.slow_in)}" if self.slow_in else "",
            f'{self.factor}" for each inch of {_ground(self.costly_in)}' if self.costly_in else "",
            f"does not enter {_ground(self.closed)}" if self.closed else "",
            f"crosses {_ground(self.over)}" if self.over else "",
            f'{self.factor}" for each inch off a road or paved ground' if self.easy_in else "",
            "takes no path" if self.jumps else "",
            "may scoot" if self.scoots else "",
            "may make strafing runs" if self.strafes else "",
        ]
        return "; ".join([f'{self.name}: {self.cautious}" cautious, {standard}', *(note for note in notes if note)])


def _ground(kinds: tuple[str, ...]) -> str:
    return ", ".join("difficult ground" if kind == "difficult" else kind.replace("_", " ") for kind in kinds)


class Mine(Row, frozen=True):
    """A type of mine: what its hits do, as those of a weapon that no unit fires."""

    id: str
    name: str
    damage: int
    anti_tank: int

    @property
    def weapon(self) -> HeavyWeapon:
        """The row of the weapon that strikes when it goes off."""
        return HeavyWeapon(self.id, self.name, 0, self.damage, anti_tank=self.anti_tank, crew=0)


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
    grounds: dict[str, Ground]
    terrain_events: dict[str, TerrainEvent]
    qualities: dict[str, Quality]
    resolves: dict[str, Resolve]
    # Not dictionaries: compiled code looks into these past the methods of a class of ours (`WeaponRows`).
    small_arms: Mapping[str, SmallArm]
    support_weapons: Mapping[str, SupportWeapon]
    heavy_weapons: Mapping[str, HeavyWeapon]
    mines: dict[str, Mine]
    armours: dict[str, Armour]
    mobilities: dict[str, Mobility]
    fire_controls: dict[str, FireControl]
    hulls: dict[str, HullRow]
    arcs: dict[str, Arc]
    conditions: dict[str, Condition]
    levels: dict[str, int]
    leaderships: dict[str, Leadership]
    branches: dict[str, Branch]
    weapon_traits: dict[str, WeaponTrait]
    munitions: dict[str, Munition]

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
        if rows == "fire_controls":
            return (row.shown for row in self.fire_controls.values())
        if rows == "laid":
            return (f"{row.name}: damage +{row.damage}, anti-tank +{row.anti_tank}" for row in self.mines.values())
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
        laid_over = tables(Tables, read(data / "tables.toml"), own.tables)
        mines = lists.take("mine", Mine)
        changes = Changes(
            lists.take("weapon_trait", WeaponTrait), lists.take("munition", Munition), laid_over.points.mixed
        )
        book = Book(
            edition=own,
            qualities=qualities,
            resolves=lists.take("resolve", Resolve),
            leaderships=lists.take("leadership", Leadership),
            branches=lists.take("branch", Branch),
            small_arms=WeaponRows(
                shared.with_traits(lists.take("small_arm", SmallArm), "weapon", traits), partial(_small_arm, changes)
            ),
            support_weapons=WeaponRows(
                shared.with_traits(lists.take("support_weapon", SupportWeapon), "weapon", traits),
                partial(_support_weapon, changes),
            ),
            heavy_weapons=WeaponRows(
                shared.with_traits(lists.take("heavy_weapon", HeavyWeapon), "weapon", traits),
                partial(_heavy_weapon, changes),
                unlisted={key: row.weapon for key, row in mines.items()},
            ),
            mines=mines,
            weapon_traits=dict(changes.traits),
            munitions=dict(changes.munitions),
            armours=shared.with_traits(lists.take("armour", Armour), "armour", traits),
            mobilities=lists.take("mobility", Mobility),
            fire_controls=lists.take("fire_control", FireControl),
            hulls=lists.take("hull", HullRow),
            arcs=lists.take("arc", Arc),
            conditions=lists.take("condition", Condition),
            palette=shared.palette(lists, covers),
            traits=traits,
            covers=covers,
            grounds=lists.take("ground", Ground),
            terrain_events=lists.take("terrain_event", TerrainEvent),
            tables=laid_over,
            reference=shared.reference(family / edition / "reference.toml", edition),
            levels={name: place for place, name in enumerate(qualities)},
        )
        check_names(book)
    except (RulesetError, *UNREADABLE) as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error
    return book


def _small_arm(changes: Changes, rows: Mapping[str, SmallArm], key: str) -> SmallArm | None:
    """Return the row of a small arm that has been changed; None if there is none."""
    said = variant(changes, key, "small_arm")
    row = rows.get(said.base) if said is not None else None
    if said is None or row is None:
        return None
    return replace(
        row,
        id=key,
        name=_named(row.name, said),
        range_multiplier=row.range_multiplier + sum(one.range_multiplier for one in said.traits),
        points=row.points + sum(one.small_arm or 0 for one in said.traits),
        traits=row.traits | _granted(said),
    )


def _support_weapon(changes: Changes, rows: Mapping[str, SupportWeapon], key: str) -> SupportWeapon | None:
    """Return the row of a support weapon that has been changed; None if there is none."""
    said = variant(changes, key, "support")
    row = rows.get(said.base) if said is not None else None
    # Who is armed with what is used hand to hand only may frighten with it, and no more.
    if said is None or row is None or (row.band == "none" and any(one.id != "terror" for one in said.traits)):
        return None
    return replace(
        row,
        id=key,
        name=_named(row.name, said),
        reach=sum(one.support_range for one in said.traits),
        points=row.points + sum(one.support or 0 for one in said.traits),
        traits=row.traits | _granted(said),
    )


def _heavy_weapon(changes: Changes, rows: Mapping[str, HeavyWeapon], key: str) -> HeavyWeapon | None:
    """Return the row of a heavy weapon that has been changed, or is loaded with a round; None if there is none."""
    said = variant(changes, key, "heavy")
    row = rows.get(said.base) if said is not None else None
    if said is None or row is None or not {one.grants for one in said.traits if one.grants}.isdisjoint(row.traits):
        return None
    for one in said.loaded:
        row = _loaded(row, one)
    both: list[WeaponTrait | Munition] = [*said.traits, *said.loaded]
    anti_tank = None if row.anti_tank is None else row.anti_tank + sum(one.anti_tank for one in both)
    mixed = [changes.mixed[len(types) - 2] for types in said.rounds if len(types) > 1]
    return replace(
        row,
        id=key,
        name=_named(row.name, said),
        range_multiplier=row.range_multiplier + sum(one.range_multiplier for one in both),
        damage=row.damage + sum(one.damage for one in both),
        fire_effect=row.fire_effect + sum(one.fire_effect for one in said.traits),
        anti_tank=anti_tank,
        crew=min([row.crew, *(one.crew for one in said.traits if one.crew)]),
        points=row.points
        + sum(one.heavy or 0 for one in said.traits)
        + sum(one.points or 0 for types in said.rounds for one in types)
        + sum(mixed),
        traits=row.traits | _granted(said),
        rounds=tuple(round_id(types) for types in said.rounds),
        loaded=round_id(said.loaded),
        at_vehicles=_at_vehicles(key, said),
    )


def _at_vehicles(key: str, said: Variant) -> str:
    """Return the id of a weapon without the types in its round that are conventional ones at vehicles; "" if it has none."""
    left = [one for one in said.loaded if not one.infantry_only]
    if len(left) == len(said.loaded):
        return ""
    conventional = key.partition(LOADED)[0]
    return f"{conventional}{LOADED}{round_id(left)}" if left else conventional


def _loaded(row: HeavyWeapon, types: Munition) -> HeavyWeapon:
    """Return the row of a weapon with what a type of munition sets in place of the weapon's own numbers, or takes a share of."""
    blast = types.blast_is if types.blast_is is not None else row.blast
    return replace(
        row,
        range_multiplier=row.range_multiplier * types.range_percent // 100,
        damage=row.damage if types.damage_is is None else types.damage_is,
        anti_tank=row.anti_tank if types.anti_tank_is is None else types.anti_tank_is,
        # A round that is meant to do more to fewer still strikes who stands where it lands.
        blast=max(LEAST_BLAST, blast + types.blast) if blast else 0,
        at_infantry=row.at_infantry if types.infantry_effect is None else types.infantry_effect - row.fire_effect,
    )


def _named(name: str, said: Variant) -> str:
    """Return the name of a weapon with its changes, and the round that it is loaded with."""
    changed = [one.name.lower() for one in said.traits]
    told = f"{name} ({', '.join(changed)})" if changed else name
    return f"{told} with {round_name(said.loaded)} rounds" if said.loaded else told


def _granted(said: Variant) -> dict[str, TraitValue]:
    """Return the traits that a weapon has by its changes and by what it is loaded with."""
    own = [one.grants for one in said.traits if one.grants]
    return dict.fromkeys([*own, *(trait for one in said.loaded for trait in one.grants)], True)


def check_names(book: Book) -> None:
    """See that the table form names rows that there are, where players bring forces. Raises `RulesetError`."""
    new = book.tables.form
    for weapon in book.support_weapons.values():
        for mode in weapon.modes:
            shared.known(f"the support weapon {weapon.id}", mode, book.support_weapons)
    for trait in (*book.tables.points.traits, *book.tables.points.each, *book.tables.points.factors):
        shared.known("the table points", trait, book.traits)
    priced = [row for row in book.weapon_traits.values() if {row.small_arm, row.support, row.heavy} != {None}]
    carried = [row for row in book.munitions.values() if row.points is not None]
    for trait in [row.grants for row in priced if row.grants] + [one for row in carried for one in row.grants]:
        shared.known("a weapon trait or munition", trait, book.traits)
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
