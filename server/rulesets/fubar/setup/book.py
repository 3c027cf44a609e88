"""The numbers of an edition: the family's tables with the edition's changes, checked row by row."""

from __future__ import annotations

from importlib.resources import files

import msgspec
from msgspec import field

from server.kernel.errors import RulesetError
from server.kernel.space.geometry import inches
from server.kernel.traits import Traits
from server.rulesets.shared.setup import book as shared
from server.rulesets.shared.setup.rows import UNREADABLE, Lists, Row, merged, read


class Level(Row, frozen=True):
    """A level of training and experience (fubar4/unit.training-table)."""

    name: str
    activation: int
    expertise: int
    max_suppressed: int


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


class HullRow(Row, frozen=True):
    """A hull to scale, in inches, and whether it runs on wheels."""

    name: str
    length: float
    width: float
    wheels: bool = False


class Arc(Row, frozen=True):
    """The arc of a vehicle's weapon in degrees: its middle, from the vehicle's facing, and its spread to either side."""

    name: str
    middle: float
    spread: float


class Book(shared.Book, frozen=True, kw_only=True, eq=False):
    """The numbers and words of an edition. Levels and armours are listed worst first.

    Books are compared by identity, so that they can be keys of a cache.
    """

    levels: dict[str, Level]
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
        traits = shared.trait_rows(lists)
        tables = merged(read(data / "tables.toml"), own.tables)
        training = tables.pop("training")
        order = training.pop("order")
        return Book(
            edition=own,
            palette=shared.palette(lists),
            traits=traits,
            reference=shared.reference(family / edition / "reference.toml", edition),
            levels={name: msgspec.convert(training[name], Level) for name in order},
            weapons=shared.with_traits(lists.take("weapon", Weapon), "weapon", traits),
            armours=lists.take("personal", Armour),
            vehicle_armours=lists.take("vehicle", Armour),
            hulls=msgspec.convert(tables.pop("hulls"), dict[str, HullRow]),
            arcs=msgspec.convert(tables.pop("arcs"), dict[str, Arc]),
            tables=tables,
        )
    except UNREADABLE as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error
