"""The numbers of an edition: the family's tables with the edition's changes, checked row by row."""

from __future__ import annotations

from importlib.resources import files

import msgspec
from msgspec import field

from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.traits import Traits
from server.rulesets.fubar.setup.tables import Tables
from server.rulesets.shared.setup import book as shared
from server.rulesets.shared.setup import hulls, rows
from server.rulesets.shared.setup.hulls import Arc
from server.rulesets.shared.setup.laid import tables
from server.rulesets.shared.setup.rows import UNREADABLE, Lists, Row, read


class Level(rows.Level, frozen=True):
    """A level of training and experience (fubar4/unit.training-table). `weight` is its percentage of the comparison weight."""

    activation: int
    expertise: int
    max_suppressed: int
    weight: int


class Move(Row, frozen=True):
    """How far an action moves a unit, in inches, and the rule that says so (fubar4/action.table)."""

    id: str
    name: str
    length: float
    rule: str


class Cover(shared.Cover, frozen=True):
    """A level of cover, and what it adds to what each die of fire needs (fubar4/cover.table)."""

    modifier: int


class Weapon(Row, frozen=True):
    """A weapon. Ranges in inches (fubar4/measure.units); up to `close_range` it has `close_fire_points`."""

    id: str
    name: str
    kind: str
    range: float
    fire_points: int
    close_range: float = 0
    close_fire_points: int = 0
    traits: Traits = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The name as it is written inside a sentence."""
        return self.name if self.name.isupper() else self.name.lower()

    @property
    def reach(self) -> int:
        """The range in mil."""
        return inches(self.range)

    def points(self, distance: int) -> int:
        """Return the Fire Points at a distance in mil (fubar4/weapon.assault-rifle-close)."""
        if self.close_range and distance <= inches(self.close_range):
            return self.close_fire_points
        return self.fire_points


class Armour(Row, frozen=True):
    """Personal armour, or a vehicle's. A save succeeds on `save` or more; 0 means no save.

    Weapons with the trait "harmless" cannot harm an `armoured` vehicle.
    """

    id: str
    name: str
    save: int
    armoured: bool = True


class HullRow(hulls.HullRow, frozen=True):
    """A hull to scale, in inches, and whether it runs on wheels."""

    wheels: bool = False


class Book(shared.Book, frozen=True, kw_only=True, eq=False):
    """The numbers and words of an edition. Levels and armours are listed worst first.

    Books are compared by identity, so that they can be keys of a cache.
    """

    tables: Tables
    covers: dict[str, Cover]
    levels: dict[str, Level]
    moves: dict[str, Move]
    weapons: dict[str, Weapon]
    armours: dict[str, Armour]
    vehicle_armours: dict[str, Armour]
    hulls: dict[str, HullRow]
    arcs: dict[str, Arc]


def load(edition: str) -> Book:
    """Return the book of `edition` ("fubar4"): the family's data with the edition's changes. Raises `RulesetError`."""
    family = files("server.rulesets.fubar")
    data = family / "data"
    try:
        own = msgspec.convert(read(family / edition / "edition.toml"), shared.Edition)
        lists = Lists(data, own.rows)
        traits, covers = shared.trait_rows(lists), lists.take("cover", Cover)
        book = Book(
            edition=own,
            palette=shared.palette(lists, covers),
            traits=traits,
            reference=shared.reference(family / edition / "reference.toml", edition),
            levels=lists.take("level", Level),
            weapons=shared.with_traits(lists.take("weapon", Weapon), "weapon", traits),
            armours=lists.take("personal", Armour),
            vehicle_armours=lists.take("vehicle", Armour),
            hulls=lists.take("hull", HullRow),
            arcs=lists.take("arc", Arc),
            moves=lists.take("move", Move),
            covers=covers,
            tables=tables(Tables, read(data / "tables.toml"), own.tables),
        )
        check_names(book)
    except (RulesetError, *UNREADABLE) as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error
    return book


def check_names(book: Book) -> None:
    """See that the tables name levels, weapons, armours, hulls and arcs that there are. Raises `RulesetError`."""
    vehicles, new = book.tables.vehicles, book.tables.form
    for armour in (*vehicles.tank_armour, *vehicles.cannon_armour):
        shared.known("the table vehicles", armour, book.vehicle_armours)
    shared.known("the table campaign", book.tables.campaign.best_level, book.levels)
    for name, there in (
        (new.level, book.levels),
        (new.arm, book.weapons),
        (new.armour, book.armours),
        (new.crew_armour, book.armours),
        (new.vehicle_armour, book.vehicle_armours),
        (new.hull, book.hulls),
        (new.mount, book.weapons),
        (new.arc, book.arcs),
    ):
        shared.known("the table form", name, there)
