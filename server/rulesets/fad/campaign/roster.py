"""The roster of a force through a campaign: each unit as it started, what has changed since, and the next match's force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Entries, Force, ForceUnit
from client_protocol.shapes import Id
from server.kernel.files.forces import filled
from server.rulesets.fad.campaign import hands
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.fad.commanders import PLATOON
from server.rulesets.fad.game import QUALITY, RESOLVE, VEHICLE, WEAPON_TEAM
from server.rulesets.fad.setup import arming, chain_of_command
from server.rulesets.fad.setup.forces import ALONE, RECEIVER, WARPS
from server.rulesets.fad.vehicles.squads import SQUAD

Condition = Literal["fit", "damaged", "destroyed", "struck"]
"""How a unit stands: fit; a vehicle that is damaged, or destroyed; struck off the roster."""


class RosterUnit(Struct, frozen=True, omit_defaults=True):
    """A unit of a campaign.

    Attributes:
        started: the unit as it joined, with every field filled in. Its figures are the most that it ever has.
        changes: the fields that the campaign has changed.
        missing: the figures that it has not, by their places in `started`, counted from 1.
        condition: how it stands.
    """

    started: ForceUnit
    changes: Entries = {}
    missing: tuple[int, ...] = ()
    condition: Condition = "fit"

    @property
    def name(self) -> str:
        """Its name."""
        return self.started.name

    @property
    def fields(self) -> Entries:
        """Its fields with what the campaign has changed, as if no figure were missing."""
        return {**self.started.fields, **self.changes}

    @property
    def initial(self) -> int:
        """How many figures it started with."""
        return len(hands.hands(self.started))

    @property
    def strength(self) -> int:
        """How many figures it has now."""
        return 0 if self.condition in {"destroyed", "struck"} else self.initial - len(self.missing)

    @property
    def lone(self) -> bool:
        """Whether it is a single figure, and never was more."""
        return not self.is_vehicle and self.initial == 1

    @property
    def is_vehicle(self) -> bool:
        """Whether it is a vehicle."""
        return self.started.kind == VEHICLE

    @property
    def gap(self) -> int:
        """How many figures it lacks to its first strength."""
        return self.initial - self.strength

    @property
    def quality(self) -> str:
        """The level of its Quality."""
        return str(self.fields[QUALITY])

    @property
    def resolve(self) -> str:
        """The level of its Resolve; "" for a vehicle of an edition in which crews have none."""
        return str(self.fields.get(RESOLVE, ""))

    @property
    def now(self) -> ForceUnit | None:
        """The unit as it stands now; None if no figure of it is left."""
        if not self.strength:
            return None
        whole = replace(self.started, fields=self.fields)
        return hands.without(whole, self.missing)

    def with_missing(self, missing: tuple[int, ...]) -> RosterUnit:
        """Return the unit with these figures missing, the others closed up."""
        return replace(self, missing=hands.closed_up(self.started, missing) if missing else ())

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


def enlist(own: Terms, force: Force) -> Roster:
    """Return the roster of a force that begins a campaign.

    Args:
        own: the terms of the campaign.
        force: the force.

    Raises:
        ValueError: the rules refuse the force. The text says why.
    """
    problems = own.examine(force).problems
    if problems:
        raise ValueError(" ".join(problem.sentence for problem in problems))
    whole = filled(own.form, force)
    return Roster(force.edition, force.name, tuple(RosterUnit(unit) for unit in whole.units), about=force.about)


# --- the next match ---------------------------------------------------------------------------------------------------


def sits_out(own: Terms, unit: RosterUnit) -> str:
    """Return why a unit does not fight in the next battle, as a sentence; "" if it does.

    A damaged vehicle sits out (fad5/campaign.vehicle-replacements), and so does a weapon that has too few men to serve it.
    """
    if unit.condition == "struck":
        return f"{unit.name} has been struck off."
    if unit.condition == "damaged":
        return f"{unit.name} is damaged, and sits out until it is repaired."
    now = unit.now
    if now is None:
        return f"{unit.name} has no figure left."
    if now.kind == WEAPON_TEAM:
        weapon = own.book.heavy_weapons.get(arming.weapon(own.book, now.fields, "weapon"))
        if weapon is not None and int(now.fields[hands.CREW]) < weapon.crew:
            return f"{unit.name} has {unit.strength} left, and its weapon needs {weapon.crew}: it sits out."
    return ""


def fielded(own: Terms, roster: Roster) -> tuple[int, ...]:
    """Return the numbers of the units that fight in the next battle, in the order in which `force_of` has them."""
    return tuple(number for number, unit in enumerate(roster.units) if not sits_out(own, unit))


def force_of(own: Terms, roster: Roster) -> Force | None:
    """Return the force with which the next match is played; None if no unit can fight.

    Args:
        own: the terms of the campaign.
        roster: the roster between two battles.
    """
    units = [unit for number in fielded(own, roster) if (unit := roster.units[number].now) is not None]
    if not units:
        return None
    fit = tuple(_with_few_receivers(_in_like_squads(own, units)))
    return Force(FORCE_FORMAT, roster.edition, roster.name, fit, roster.about)


def _in_like_squads(own: Terms, units: list[ForceUnit]) -> Iterator[ForceUnit]:
    """Yield the units; a vehicle that is no longer like the first of its squad drives alone, where squads are alike."""
    first: dict[str, ForceUnit] = {}
    for unit in units:
        squad = str(unit.fields.get(SQUAD, ALONE))
        leads = first.setdefault(squad, unit)
        alike = all(unit.fields.get(key) == leads.fields.get(key) for key in (QUALITY, RESOLVE))
        stays = squad == ALONE or alike or own.book.tables.vehicles.formations
        yield unit if stays else replace(unit, fields={**unit.fields, SQUAD: ALONE})


def _with_few_receivers(units: Iterator[ForceUnit]) -> Iterator[ForceUnit]:
    """Yield the units with as many warp receivers as there are squads that warp; the others are left behind."""
    all_of_them = list(units)
    left = sum(bool(unit.fields.get(WARPS)) for unit in all_of_them)
    for unit in all_of_them:
        if not unit.fields.get(RECEIVER):
            yield unit
        elif left:
            left -= 1
            yield unit
        else:
            yield replace(unit, fields={**unit.fields, RECEIVER: False})


def platoons(roster: Roster) -> int:
    """Return how many platoons a force has: at least one (fad5/campaign.experience)."""
    named = {str(roster.units[number].fields.get(PLATOON, chain_of_command.ALL)) for number in roster.there}
    return max(len(named - {chain_of_command.ALL}), 1)
