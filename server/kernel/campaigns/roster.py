"""The roster of a force through a campaign: each unit as it started, and what has changed since. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.forces import Entries, ForceUnit
from client_protocol.shapes import Id

Condition = Literal["fit", "damaged", "lost", "struck"]
"""How a unit stands: fit; a vehicle that is damaged, or lost; struck off the roster."""


class RosterUnit(Struct, frozen=True, omit_defaults=True):
    """A unit of a campaign.

    Attributes:
        started: the unit as it joined, with every field filled in. Its figures are the most that it ever has.
        initial: how many figures it started with.
        vehicle: whether it is a vehicle.
        changes: the fields that the campaign has changed.
        missing: the figures that it has not, by their places in `started`, counted from 1.
        condition: how it stands.
        battles: how many battles it has fought.
        lost: how many figures it has lost in them, also those that came back.
        kills: how many figures of the enemy it has put out of action in them.
        names: the names of its figures, by their places; of a figure that is missing, who it was.
    """

    started: ForceUnit
    initial: int
    vehicle: bool = False
    changes: Entries = {}
    missing: tuple[int, ...] = ()
    condition: Condition = "fit"
    battles: int = 0
    lost: int = 0
    kills: int = 0
    names: dict[int, str] = {}

    @property
    def name(self) -> str:
        """Its name."""
        return self.started.name

    @property
    def fields(self) -> Entries:
        """Its fields with what the campaign has changed, as if no figure were missing."""
        return {**self.started.fields, **self.changes}

    @property
    def strength(self) -> int:
        """How many figures it has now."""
        return 0 if self.condition in {"lost", "struck"} else self.initial - len(self.missing)

    @property
    def lone(self) -> bool:
        """Whether it is a single figure, and never was more."""
        return not self.vehicle and self.initial == 1

    @property
    def gap(self) -> int:
        """How many figures it lacks to its first strength."""
        return self.initial - self.strength

    def named(self, places: Iterable[int]) -> tuple[str, ...]:
        """Return the names of the figures at these places that have one."""
        return tuple(self.names[place] for place in places if place in self.names)

    def with_field(self, key: Id, value: str | int | bool) -> RosterUnit:
        """Return the unit with another value of a field."""
        return replace(self, changes={**self.changes, key: value})


class Roster(Struct, frozen=True, omit_defaults=True):
    """A force in a campaign. The number of a unit is its place in `units`, counted from 0, and never changes.

    Attributes:
        edition: the edition that its matches play.
        name: the force's name.
        units: its units, also those that have been struck off.
        points: the campaign points that it has.
        battles: how many battles it has fought.
        about: what the force's file says about it.
    """

    edition: Id
    name: str
    units: tuple[RosterUnit, ...]
    points: int = 0
    battles: int = 0
    about: str = ""

    def with_unit(self, number: int, unit: RosterUnit) -> Roster:
        """Return the roster with `unit` in the place of the one of this number."""
        return replace(self, units=(*self.units[:number], unit, *self.units[number + 1 :]))

    @property
    def there(self) -> tuple[int, ...]:
        """The numbers of the units that have not been struck off."""
        return tuple(number for number, unit in enumerate(self.units) if unit.condition != "struck")
