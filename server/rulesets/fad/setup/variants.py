"""Weapons that have been changed: their rows, made of those of the tables (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeVar

from msgspec import Struct

from server.rulesets.shared.setup.rows import Row

Weapons = Literal["small_arm", "support", "heavy"]
"""A class of weapons."""
ADDED, MIXED, LOADED = ".", "_", "@"
"""What stands in the name of a weapon before a change, between the types of one round, and before the round that is loaded."""
MOST_MIXED = 3
"""The most types of munition in one round."""


class WeaponTrait(Row, frozen=True):
    """A change of weapons (`data/weapon_traits.toml`). `small_arm`, `support` and `heavy` are its prices on these classes; None
    if it is not put on them.
    """

    id: str
    name: str
    small_arm: float | None = None
    support: float | None = None
    heavy: float | None = None
    only: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    grants: str = ""
    range_multiplier: int = 0
    damage: int = 0
    fire_effect: int = 0
    anti_tank: int = 0
    crew: int = 0
    support_range: int = 0

    def price(self, weapons: Weapons) -> float | None:
        """Return what it costs on a weapon of this class; None if it is not put on one."""
        return {"small_arm": self.small_arm, "support": self.support, "heavy": self.heavy}[weapons]

    def fits(self, weapon: str, weapons: Weapons) -> bool:
        """Return whether it is put on a weapon, given by its id and class."""
        return self.price(weapons) is not None and (not self.only or weapon in self.only)


class Munition(Row, frozen=True):
    """A type of round (`data/weapon_traits.toml`). `points` is what it costs to carry it; None if no weapon does."""

    id: str
    name: str
    weapons: tuple[str, ...]
    points: float | None = None
    damage: int = 0
    blast: float = 0
    range_multiplier: int = 0
    range_percent: int = 100
    anti_tank: int = 0
    damage_is: int | None = None
    blast_is: float | None = None
    anti_tank_is: int | None = None
    infantry_effect: int | None = None
    infantry_only: bool = False
    grants: tuple[str, ...] = ()

    def fits(self, weapon: str) -> bool:
        """Return whether a weapon, given by its id, carries it."""
        return self.points is not None and weapon in self.weapons


class Changes(Struct, frozen=True):
    """What can be changed of weapons. `mixed` are the prices of putting two and three types into one round, None if none are."""

    traits: Mapping[str, WeaponTrait]
    munitions: Mapping[str, Munition]
    mixed: tuple[float, ...] = ()


class Variant(Struct, frozen=True):
    """What a weapon's id says of its changes.

    Attributes:
        base: the row of the table.
        traits: the weapon traits.
        rounds: the rounds that it carries, each of one or more types of munition.
        loaded: the types of munition in the round that it is loaded with, those of them that count; none for a conventional one.
    """

    base: str
    traits: tuple[WeaponTrait, ...]
    rounds: tuple[tuple[Munition, ...], ...]
    loaded: tuple[Munition, ...] = ()


def variant(changes: Changes, key: str, weapons: Weapons) -> Variant | None:
    """Return what the id of a weapon of this class says; None if there is no such weapon."""
    name, _, load = key.partition(LOADED)
    base, *added = name.split(ADDED)
    traits = tuple(changes.traits[part] for part in added if part in changes.traits)
    rounds = tuple(_round(changes, part) for part in added[len(traits) :])
    ids = [trait.id for trait in traits]
    loaded = _round(changes, load) if load else ()
    fit = (
        _in_order(ids, changes.traits)
        and all(trait.fits(base, weapons) and not set(trait.excludes) & set(ids) for trait in traits)
        and (weapons == "heavy" or not rounds)
        and all(types and all(one.fits(base) for one in types) for types in rounds)
        and len(set(rounds)) == len(rounds)
        and (not load or any(set(loaded) <= set(types) for types in rounds))
        and added[: len(traits)] == ids
    )
    return Variant(base, traits, rounds, loaded) if fit else None


def _round(changes: Changes, part: str) -> tuple[Munition, ...]:
    """Return the types of a round; none if there is no such round."""
    ids = part.split(MIXED)
    if len(ids) > 1 + len(changes.mixed) or not all(one in changes.munitions for one in ids):
        return ()
    return tuple(changes.munitions[one] for one in ids) if _in_order(ids, changes.munitions) else ()


def _in_order(ids: Iterable[str], rows: Iterable[str]) -> bool:
    """Return whether ids stand in the order of the rows, each once."""
    order = list(rows)
    places = [order.index(one) for one in ids]
    return places == sorted(set(places))


def round_id(types: Iterable[Munition]) -> str:
    """Return the id of a round of these types."""
    return MIXED.join(one.id for one in types)


def round_name(types: Iterable[Munition]) -> str:
    """Return the name of a round of these types, in words."""
    return " and ".join(one.name.lower() for one in types)


W = TypeVar("W", bound=Row)
D = TypeVar("D")


class WeaponRows(dict[str, W]):
    """The rows of a class of weapons by their ids. Weapons that are changed are found by the ids that say so, but do not stand
    in the list: `make` gives the row of an id that is none of the table's, or None. Rows that are `unlisted` are of weapons that
    no unit carries: they are found by their ids, and are not among those of the table.
    """

    def __init__(
        self,
        rows: Mapping[str, W],
        make: Callable[[Mapping[str, W], str], W | None],
        unlisted: Mapping[str, W] | None = None,
    ) -> None:
        super().__init__(rows)
        self.make = make
        self.unlisted: Mapping[str, W] = unlisted or {}
        self._made: dict[str, W] = dict(self.unlisted)

    def __missing__(self, key: str) -> W:
        found = self._made.get(key)
        if found is None:
            made = self.make(self, key) if ADDED in key else None
            if made is None:
                raise KeyError(key)
            found = self._made[key] = made
        return found

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def get(self, key: str, default: D | None = None) -> W | D | None:  # type: ignore[override]  # looked into by ids alone
        # Most figures carry nothing, or what stands in the table.
        found = super().get(key)
        if found is not None or ADDED not in key:
            return default if found is None else found
        try:
            return self[key]
        except KeyError:
            return default
