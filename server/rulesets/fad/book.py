"""The numbers of an edition: the family's tables with the edition's own rows laid over them, checked row by row."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from client_protocol.messages import OptionValue
from server.kernel.geometry import inches
from server.kernel.ruleset import RulesetError


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the data: a field that nobody reads is a mistake, and is refused."""


R = TypeVar("R", bound=Row)


class Quality(Row, frozen=True):
    """A level of Quality. Lengths in inches."""

    name: str
    need: int
    coherency: float
    fire_priority: int
    base_range: float
    pin_level: int


class Resolve(Row, frozen=True):
    """When a unit of this Resolve is Broken: at so many casualties, or at this percentage of its original size."""

    name: str
    casualties: int = 0
    percent: int = 0

    def broken(self, lost: int, original: int) -> bool:
        """Whether `lost` casualties out of `original` figures reach the level."""
        if self.casualties:
            return lost >= self.casualties
        return lost > 0 and lost * 100 >= original * self.percent


class SmallArm(Row, frozen=True):
    """A squad's basic weapon."""

    id: str
    name: str
    range_multiplier: int
    damage: int
    anti_tank: int | None = None
    armour_piercing: int = 0
    assault_bonus: int = 0
    flags: tuple[str, ...] = ()


class SupportWeapon(Row, frozen=True):
    """A weapon that adds to its squad's roll as far as its band (base, close, medium, long) reaches."""

    id: str
    name: str
    band: str
    fire_effect: int = 0
    fire_effect_die: bool = False
    anti_tank: int | None = None
    armour_piercing: int = 0
    assault_bonus: int = 0
    flags: tuple[str, ...] = ()


class Armour(Row, frozen=True):
    """Personal armour: the modifier as printed, the fixed rating on the standard armour base."""

    id: str
    name: str
    modifier: int
    rating: int
    assault_bonus: int = 0
    flags: tuple[str, ...] = ()


class Palette(Row, frozen=True):
    """What a kind of terrain does unless a setup's piece says otherwise. Lengths in inches."""

    kind: str
    name: str
    sight: str = "clear"
    sight_depth: float = 0
    cover: str = "none"
    flags: tuple[str, ...] = ()
    linear: bool = False


class OptionValueRow(Row, frozen=True):
    """A value of an option."""

    value: OptionValue
    title: str
    consequence: str


class OptionRow(Row, frozen=True):
    """An option of the edition: a list of values, or a range of whole numbers."""

    id: str
    title: str
    default: OptionValue
    choice: tuple[OptionValueRow, ...] = ()
    minimum: int = 0
    maximum: int = 0
    consequence: str = ""
    rule: str = ""

    def allows(self, value: OptionValue) -> bool:
        """Whether the option may have this value."""
        if self.choice:
            return any(type(c.value) is type(value) and c.value == value for c in self.choice)
        return isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum


class Edition(Row, frozen=True):
    """An edition's own file."""

    id: str
    name: str
    title: str
    family: str
    version: int
    actions: dict[str, tuple[str, ...]]
    tables: dict[str, Any] = {}
    option: tuple[OptionRow, ...] = ()


class Reference(Row, frozen=True):
    """A rule in our own words."""

    id: str
    title: str
    chapter: str
    text: str


class Book(Struct, frozen=True):
    """Everything an edition knows in numbers and words. `tables` are the small ones, by name and key."""

    edition: Edition
    qualities: dict[str, Quality]
    resolves: dict[str, Resolve]
    small_arms: dict[str, SmallArm]
    support_weapons: dict[str, SupportWeapon]
    armours: dict[str, Armour]
    palette: dict[str, Palette]
    tables: dict[str, dict[str, Any]]
    reference: tuple[Reference, ...]
    levels: dict[str, int] = field(default_factory=dict)

    def number(self, table: str, key: str) -> int:
        """A whole number of a table."""
        value = self.tables[table][key]
        assert isinstance(value, int), f"{table}.{key} is a whole number"
        return value

    def length(self, table: str, key: str) -> int:
        """A length of a table, in mil."""
        return inches(self.tables[table][key])

    def level(self, quality: str) -> int:
        """The place of a Quality among the levels, worst first."""
        return self.levels[quality]


def load(edition: str) -> Book:
    """The book of `edition` ("fad4"), the family's data with the edition's laid over. Raises `RulesetError`."""
    family = files("server.rulesets.fad")
    try:
        own = msgspec.convert(_read(family / edition / "edition.toml"), Edition)
        tables = merged(_read(family / "data" / "tables.toml"), own.tables)
        weapons = _read(family / "data" / "weapons.toml")
        quality, resolve = tables.pop("quality"), tables.pop("infantry_resolve")
        order = quality.pop("order")
        resolve.pop("order")
        return Book(
            edition=own,
            qualities=msgspec.convert(quality, dict[str, Quality]),
            resolves=msgspec.convert(resolve, dict[str, Resolve]),
            small_arms={row.id: row for row in msgspec.convert(weapons["small_arm"], list[SmallArm])},
            support_weapons={row.id: row for row in msgspec.convert(weapons["support_weapon"], list[SupportWeapon])},
            armours={row.id: row for row in _rows(family / "data" / "armour.toml", "armour", Armour)},
            palette={row.kind: row for row in _rows(family / "data" / "terrain.toml", "terrain", Palette)},
            tables=tables,
            reference=tuple(
                row
                for row in _rows(family / "data" / "reference.toml", "rule", Reference)
                if row.id.startswith(f"{edition}/")
            ),
            levels={name: place for place, name in enumerate(order)},
        )
    except (msgspec.ValidationError, tomllib.TOMLDecodeError, KeyError, OSError) as error:
        raise RulesetError(f"the data of {edition} cannot be read: {error}") from error


def merged(family: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """`family` with `own` laid over it: tables key by key, everything else replaced."""
    result = dict(family)
    for key, value in own.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def _read(path: Traversable) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _rows(path: Traversable, table: str, row: type[R]) -> list[R]:
    return msgspec.convert(_read(path)[table], type=list[row])  # type: ignore[valid-type]  # a type known at run time
