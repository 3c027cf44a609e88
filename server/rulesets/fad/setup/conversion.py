"""Forces of one edition made into forces of another (`conversion.toml`): what both forms know stays as it is, some values have a
match, and the rest is left out. Every change is told in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files

import msgspec
from msgspec.structs import replace

from client_protocol.forces import Conversion, Entries, Entry, Force, ForceUnit, FormField, FormKind
from server.kernel.files.forces import decimals, filled, misfits
from server.rulesets.fad.commanders import COMMANDER
from server.rulesets.fad.game import INFANTRY, LEADER
from server.rulesets.fad.setup import forces
from server.rulesets.fad.setup.book import Book, HeavyWeapon, SmallArm, SupportWeapon, load
from server.rulesets.fad.vehicles.fire_control import FIRE_CONTROL, all_fire
from server.rulesets.shared.setup.rows import Row, read

WEAPONS = "weapons"
"""The list of a vehicle's weapons."""
_ARMS = ("small_arm", "weapon", "heavy_weapon")
"""The fields that name a weapon."""
NOTHING = (False, 0, forces.ALONE)
"""The values of a field with which a unit has nothing of it."""


class Table(Row, frozen=True, rename={"of": "from"}):
    """How forces of the edition `of` become forces of the edition `to`: see `conversion.toml`."""

    of: str
    to: str
    needed: tuple[str, ...] = ()
    commands: str = ""
    values: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    why: dict[str, str] = msgspec.field(default_factory=dict)


@cache
def tables() -> tuple[Table, ...]:
    """Return all conversions of the family."""
    rows = read(files("server.rulesets.fad") / "conversion.toml")["conversion"]
    return msgspec.convert(rows, tuple[Table, ...])


def editions(book: Book) -> tuple[str, ...]:
    """Return the editions whose forces can be converted into this one's."""
    return tuple(table.of for table in tables() if table.to == book.edition.id)


@cache
def _other(edition: str) -> Book:
    return load(edition)


def convert(book: Book, force: Force) -> Conversion:
    """Return `force`, which is one for another edition, as one for the edition of `book`."""
    name = book.edition.name
    if force.edition == book.edition.id:
        return Conversion(None, refusal=f"This is a force for {name} already.")
    table = next((one for one in tables() if (one.of, one.to) == (force.edition, book.edition.id)), None)
    if table is None:
        names = " and ".join(_other(edition).edition.name for edition in editions(book)) or "no other rules"
        sentence = f"Forces for {name} can be made of those for {names}; this one is for {force.edition!r}."
        return Conversion(None, refusal=sentence)
    made = _Converter(book, _other(table.of), table)
    units = made.units(force)
    if not units:
        told = " ".join(made.changed) or "It has no units."
        return Conversion(None, refusal=f"Nothing in this force can be played in {name}. {told}")
    converted = replace(force, edition=book.edition.id, units=units)
    return Conversion(converted, (*made.changed, *_counted(book, made.other, force, converted)))


def _counted(book: Book, other: Book, force: Force, converted: Force) -> Iterator[str]:
    """Yield what the force counts for now, if it counted for something else."""
    forms = (forces.form(other), forces.form(book))
    if any(misfits(form, one) for form, one in zip(forms, (force, converted), strict=True)):
        return
    was = sum(forces.points(other, unit).value for unit in filled(forms[0], force).units)
    now = sum(forces.points(book, unit).value for unit in filled(forms[1], converted).units)
    if was != now:
        yield f"The force counts {decimals(now)} points now; it counted {decimals(was)}."


class _Converter:
    """One conversion on its way. `changed` are the sentences so far."""

    def __init__(self, book: Book, other: Book, table: Table) -> None:
        self.book, self.other, self.table = book, other, table
        self.mine = {kind.key: kind for kind in forces.form(book).kinds}
        self.theirs = {kind.key: kind for kind in forces.form(other).kinds}
        self.changed: list[str] = []
        self._name = book.edition.name
        self._alike: dict[str, list[str]] = {}

    def units(self, force: Force) -> tuple[ForceUnit, ...]:
        """Return the units that can be converted."""
        made = [one for unit in force.units if (one := self._unit(unit)) is not None]
        self.changed += [
            f"{_listed(names)}: {self.table.why[key]} in {self._name}." for key, names in self._alike.items()
        ]
        return tuple(self._commanded(force, made))

    def _unit(self, unit: ForceUnit) -> ForceUnit | None:
        theirs, mine = self.theirs.get(unit.kind), self.mine.get(unit.kind)
        if theirs is None:
            self._say(unit, f"{self.other.edition.name} has no units of the kind {unit.kind!r}; it is left out")
            return None
        if mine is None:
            if unit.kind != self.table.commands:
                self._say(unit, f"{theirs.label} is no kind of unit in {self._name}; it is left out")
            return None
        left: list[str] = []
        fields = self._entries(unit, unit.fields, theirs.fields, mine.fields, left)
        lacking = [key for key in self.table.needed if key in fields and fields[key] is None]
        if lacking:
            what = _said(_field(theirs.fields, lacking[0]), _value(theirs.fields, unit.fields, lacking[0]))
            self._say(unit, f"{what} is not played in {self._name}, so the unit is left out")
            return None
        rows = {listed: tuple(self._rows(unit, listed, theirs, mine, left)) for listed in _lists(theirs, mine)}
        if left:
            names = list(dict.fromkeys(left))
            self._say(
                unit, f"{_listed(names)} {'is' if len(names) == 1 else 'are'} not played in {self._name}, and left out"
            )
        kept = {key: value for key, value in fields.items() if value is not None}
        return self._controlled(mine, ForceUnit(unit.kind, unit.name, kept, rows))

    def _rows(
        self, unit: ForceUnit, listed: str, theirs: FormKind, mine: FormKind, left: list[str]
    ) -> Iterator[Entries]:
        """Yield the rows of a list that can be converted."""
        of, to = (next(one for one in kind.lists if one.key == listed) for kind in (theirs, mine))
        for row in unit.rows.get(listed, ()):
            lost: list[str] = []
            entries = self._entries(unit, row, of.fields, to.fields, lost)
            if any(entries.get(key, "") is None for key in self.table.needed):
                left.append(next(_said(field, _value(of.fields, row, field.key)) for field in of.fields))
                continue
            left += lost
            yield {key: value for key, value in entries.items() if value is not None}

    def _entries(
        self, unit: ForceUnit, entries: Entries, theirs: Sequence[FormField], mine: Sequence[FormField], left: list[str]
    ) -> dict[str, Entry | None]:
        """Return what fields become; None for a value without a match. What is left out of a unit is added to `left`."""
        made: dict[str, Entry | None] = {}
        known = {field.key: field for field in mine}
        for field in theirs:
            value = _value(theirs, entries, field.key)
            own = known.get(field.key)
            if own is None:
                self._drop(unit, field, value, left)
            elif _takes(own, value):
                made[field.key] = value
                self._compare(unit, field, value)
            else:
                made[field.key] = self._match(unit, field, own, value, left)
        unknown = [key for key in entries if all(field.key != key for field in theirs)]
        left += [f"the field {key!r}" for key in unknown]
        return made

    def _compare(self, unit: ForceUnit, field: FormField, value: Entry) -> None:
        """Tell what a weapon does not do here that it does where the force comes from."""
        mine, theirs = _weapon(self.book, str(value)), _weapon(self.other, str(value))
        if field.key not in _ARMS or mine is None or theirs is None:
            return
        lost = [self.other.traits[trait].name for trait in theirs.traits if trait not in mine.traits]
        if lost:
            without = f"without “{'” and “'.join(lost)}”, which {'is' if len(lost) == 1 else 'are'} not played in {self._name}"
            self.changed.append(f"{unit.name} keeps {mine.name}, but {without}.")

    def _match(self, unit: ForceUnit, field: FormField, own: FormField, value: Entry, left: list[str]) -> Entry | None:
        """Return the value that stands for one that is not known here; None if there is none."""
        match = self.table.values.get(field.key, {}).get(str(value))
        if match is None and field.key not in self.table.needed:
            left.append(_said(field, value))
            return None
        if match is not None:
            was, now = _word(field, value), _word(own, match)
            self._say(unit, f"{was} is not played in {self._name}; it has {now} instead")
        return match

    def _drop(self, unit: ForceUnit, field: FormField, value: Entry, left: list[str]) -> None:
        """Tell that a field is not known here, if the unit has something of it."""
        if value in NOTHING:
            return
        if field.key in self.table.why:
            names = self._alike.setdefault(field.key, [])
            if unit.name not in names:
                names.append(unit.name)
        else:
            left.append(_said(field, value))

    def _controlled(self, mine: FormKind, unit: ForceUnit) -> ForceUnit:
        """Return a vehicle with the first fire control with which all its weapons fire, as they do where there is none."""
        if all(field.key != FIRE_CONTROL for field in mine.fields):
            return unit
        armed = [self.book.heavy_weapons[str(row["weapon"])] for row in unit.rows.get(WEAPONS, ())]
        control = next(row for row in self.book.fire_controls.values() if all_fire(self.book, row, armed))
        if len(armed) > 1:
            self._say(unit, f"it has the fire control {control.name} ({control.text}), so that all its weapons fire")
        return replace(unit, fields={**unit.fields, FIRE_CONTROL: control.id})

    def _commanded(self, force: Force, units: Sequence[ForceUnit]) -> Iterator[ForceUnit]:
        """Yield the units, the first led squad with the commander who stands for those who led the force."""
        led = [unit for unit in force.units if unit.kind == self.table.commands and unit.kind not in self.mine]
        squad = next((unit for unit in units if unit.kind == INFANTRY and unit.fields.get(LEADER)), None)
        for unit in led:
            told = f"{self.theirs[unit.kind].label} is no kind of unit in {self._name}; "
            first = unit is led[0] and squad is not None
            self._say(
                unit, told + (f"a commander is with {squad.name} instead" if first and squad else "it is left out")
            )
        for unit in units:
            yield replace(unit, fields={**unit.fields, COMMANDER: True}) if led and unit is squad else unit

    def _say(self, unit: ForceUnit, what: str) -> None:
        self.changed.append(f"{unit.name}: {what}.")


def _weapon(book: Book, key: str) -> SmallArm | SupportWeapon | HeavyWeapon | None:
    return book.small_arms.get(key) or book.support_weapons.get(key) or book.heavy_weapons.get(key)


def _lists(theirs: FormKind, mine: FormKind) -> list[str]:
    known = {listed.key for listed in mine.lists}
    return [listed.key for listed in theirs.lists if listed.key in known]


def _takes(field: FormField, value: Entry) -> bool:
    """Return whether a field may have a value."""
    if field.choices:
        return any(type(one.value) is type(value) and one.value == value for one in field.choices)
    if type(value) is not type(field.default):
        return False
    return not isinstance(value, int) or isinstance(value, bool) or field.least <= value <= field.most


def _field(fields: Iterable[FormField], key: str) -> FormField:
    return next(field for field in fields if field.key == key)


def _value(fields: Iterable[FormField], entries: Entries, key: str) -> Entry:
    return entries.get(key, _field(fields, key).default)


def _word(field: FormField, value: Entry) -> str:
    """Return what a value of a field is called."""
    return next((one.label for one in field.choices if one.value == value), str(value))


def _said(field: FormField, value: Entry) -> str:
    """Return a field with its value, in words."""
    if isinstance(value, bool):
        return field.label
    return _word(field, value) if field.choices else f"{field.label} {value}"


def _listed(names: Sequence[str]) -> str:
    """Return names as a list within a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
