"""Forces as files (docs/forces.md): reading, writing, and checking against an edition's form before its rules look at them.

A unit that gets past `misfits` has only lists, fields and values that the form knows, and `filled` gives it those that were
left out, so that an edition's `check_force` need not expect anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from client_protocol.explained import Explained
from client_protocol.forces import (
    FORCE_FORMAT,
    Entries,
    Entry,
    Force,
    ForceForm,
    ForceProblem,
    ForceReport,
    ForceUnit,
    FormField,
    FormKind,
    FormList,
    UnitReport,
)
from client_protocol.shapes import OptionValue
from server.kernel.errors import RulesetError
from server.kernel.files.misfits import misfit
from server.kernel.files.setups import parse
from server.kernel.ruleset import Ruleset

MOST_UNITS = 40
MILLI = "milli"
"""The unit of a form that counts in thousandths."""
_K = TypeVar("_K", Force, ForceUnit)
_BOUNDS = "a text of at most 80 letters, a whole number from -10000 to 10000, or true or false"


class ForceError(RulesetError):
    """A file without a valid force. `reasons` are all faults found, a sentence each."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


# --- reading --------------------------------------------------------------------------------------------------------


def read(text: str) -> Force:
    """Return the force in a file, TOML or JSON.

    Raises:
        ForceError: there is none; every field that does not fit is named.
    """
    try:
        mapping = parse(text)
    except RulesetError as error:
        raise ForceError(f"{_capital(str(error))}.") from error
    except RecursionError:
        raise ForceError("This is nested too deeply for a force.") from None
    except ValueError as error:
        raise ForceError(f"This cannot be read: {error}.") from error
    if mapping.get("format") != FORCE_FORMAT:
        raise ForceError(
            f"A force says format = {json.dumps(FORCE_FORMAT)}; this says {_short(mapping.get('format'))}."
        )
    reasons = [f"A force has no field {_short(key)}." for key in mapping if key not in Force.__struct_fields__]
    known = {key: mapping[key] for key in mapping if key in Force.__struct_fields__}
    head = _converted(known | {"units": ()}, "The force", reasons, Force)
    rows = mapping.get("units", ())
    units: list[ForceUnit] = []
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_UNITS:
        reasons.append(f"A force has units, a list of 1 to {MOST_UNITS}.")
    else:
        units = [unit for number, row in enumerate(rows, 1) if (unit := _unit(number, row, reasons)) is not None]
    if reasons or head is None:
        raise ForceError(*reasons)
    force = replace(head, units=tuple(units))
    try:
        msgspec.json.encode(force)
    except UnicodeEncodeError:
        raise ForceError("It has halves of characters (lone surrogates), which are not valid text.") from None
    return force


def _unit(number: int, row: object, reasons: list[str]) -> ForceUnit | None:
    where = f"Unit {number}"
    if not isinstance(row, dict):
        reasons.append(f"{where}: it is a table of kind, name, fields and rows.")
        return None
    if isinstance(row.get("name"), str) and row["name"]:
        where = f"{row['name'][:40]} (unit {number})"
    before = len(reasons)
    reasons += [f"{where}: a unit has no field {_short(key)}." for key in row if key not in ForceUnit.__struct_fields__]
    _check_entries(row.get("fields", {}), f"{where}, fields", reasons)
    lists = row.get("rows", {})
    if not isinstance(lists, dict) or not all(isinstance(listed, list) for listed in lists.values()):
        reasons.append(f"{where}: its rows are lists, each under its key.")
    else:
        for key, listed in lists.items():
            for place, entries in enumerate(listed, 1):
                _check_entries(entries, f"{where}, {key} row {place}", reasons)
    if len(reasons) > before:
        # An earlier check has said that more exactly.
        return None
    return _converted(row, where, reasons, ForceUnit)


def _check_entries(entries: object, where: str, reasons: list[str]) -> None:
    if not isinstance(entries, dict):
        reasons.append(f"{where}: it is a table of fields.")
        return
    for key, value in entries.items():
        try:
            msgspec.convert({key: value}, Entries)
        except msgspec.ValidationError:
            reasons.append(f"{where}: {_short(key)} is {_BOUNDS}.")


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _converted(mapping: Mapping[str, object], where: str, reasons: list[str], kind: type[_K]) -> _K | None:
    try:
        return msgspec.convert(mapping, kind)
    except msgspec.ValidationError as error:
        reasons.append(f"{where}: {misfit(error)}.")
        return None
    except RecursionError as error:
        reasons.append(f"{where}: {error}.")
        return None


# --- writing --------------------------------------------------------------------------------------------------------


def dump(force: Force) -> str:
    """Return `force` as a JSON file."""
    return json.dumps(msgspec.to_builtins(force), indent=1, ensure_ascii=False) + "\n"


def _written(value: Entry) -> str:
    """Return a value as a file has it, JSON or TOML."""
    return json.dumps(value, ensure_ascii=False)


# --- the form -------------------------------------------------------------------------------------------------------


def misfits(form: ForceForm, force: Force) -> tuple[ForceProblem, ...]:
    """Return what the form does not know or does not allow in `force`, whatever the rules would say of the rest."""
    found: list[ForceProblem] = []
    kinds = {kind.key: kind for kind in form.kinds}
    for number, unit in enumerate(force.units):
        kind = kinds.get(unit.kind)
        if kind is None:
            labels = ", ".join(kinds)
            found.append(ForceProblem(f"There is no kind of unit {unit.kind!r}; there are {labels}.", unit=number))
        else:
            found += [replace(problem, unit=number) for problem in _unit_misfits(kind, unit)]
    return tuple(found)


def _unit_misfits(kind: FormKind, unit: ForceUnit) -> Iterator[ForceProblem]:
    yield from _field_misfits(kind.label, kind.fields, unit.fields)
    lists = {listed.key: listed for listed in kind.lists}
    for key in unit.rows:
        if key not in lists:
            yield ForceProblem(f"{kind.label} has no list {key!r}.", list=key)
    for listed in kind.lists:
        rows = unit.rows.get(listed.key, ())
        if not listed.least <= len(rows) <= listed.most:
            wanted = str(listed.least) if listed.least == listed.most else f"{listed.least} to {listed.most}"
            yield ForceProblem(f"{wanted} rows are allowed, not {len(rows)}.", list=listed.key)
        for place, row in enumerate(rows):
            for problem in _field_misfits(listed.one, listed.fields, row):
                yield replace(problem, list=listed.key, row=place)


def _field_misfits(what: str, fields: Sequence[FormField], entries: Entries) -> Iterator[ForceProblem]:
    known = {field.key: field for field in fields}
    for key, value in entries.items():
        field = known.get(key)
        if field is None:
            labels = ", ".join(known) or "none"
            yield ForceProblem(f"{what} has no field {key!r}; there are {labels}.", field=key)
        elif (wanted := _wanted(field, value)) is not None:
            yield ForceProblem(f"{field.label} cannot be {_written(value)}; it is {wanted}.", field.rule, field=key)


def _wanted(field: FormField, value: Entry) -> str | None:
    """Return the values that a field may have, in words, if `value` is not one of them."""
    if field.choices:
        # True and 1 are equal to Python, and not to a player.
        fits = any(type(c.value) is type(value) and c.value == value for c in field.choices)
        return None if fits else "one of " + ", ".join(_written(choice.value) for choice in field.choices)
    if isinstance(field.default, bool):
        return None if isinstance(value, bool) else "true or false"
    if isinstance(field.default, int):
        fits = type(value) is int and field.least <= value <= field.most
        return None if fits else f"a number from {field.least} to {field.most}"
    return None if isinstance(value, str) else "a text"


def filled(form: ForceForm, force: Force) -> Force:
    """Return `force` with defaults for every field that was left out. It has no misfits."""
    kinds = {kind.key: kind for kind in form.kinds}
    return replace(force, units=tuple(_filled(kinds[unit.kind], unit) for unit in force.units))


def _filled(kind: FormKind, unit: ForceUnit) -> ForceUnit:
    rows = {
        listed.key: tuple({**_defaults(listed.fields), **row} for row in unit.rows.get(listed.key, ()))
        for listed in kind.lists
    }
    return replace(unit, fields={**_defaults(kind.fields), **unit.fields}, rows=rows)


def _defaults(fields: Sequence[FormField]) -> Entries:
    return {field.key: field.default for field in fields}


# --- the verdict ----------------------------------------------------------------------------------------------------


def examine(rules: Ruleset, force: Force, options: Mapping[str, OptionValue]) -> ForceReport:
    """Return the report on `force` in a match of this edition with these options: first the form's, then the rules'."""
    name, form = rules.info.name, rules.force_form
    if force.format != FORCE_FORMAT:
        return _only(f"Its format is {force.format!r}; this reads {FORCE_FORMAT!r}.")
    if form is None:
        return _only(f"{name} is played with the forces of its scenarios; players cannot bring their own.")
    if force.edition != rules.info.id:
        return _only(f"It is a force for the edition {force.edition!r}; {name} takes those for {rules.info.id!r}.")
    found = misfits(form, force)
    if not found:
        return rules.check_force(filled(form, force), options)
    # Rules cannot judge what the form does not know; they judge the other units.
    able = [number for number in range(len(force.units)) if all(problem.unit != number for problem in found)]
    rest = replace(force, units=tuple(force.units[number] for number in able))
    said = rules.check_force(filled(form, rest), options)
    units = dict(zip(able, said.units, strict=True))
    return ForceReport(
        found + tuple(replace(p, unit=able[p.unit]) for p in said.problems if p.unit >= 0),
        said.total,
        tuple(units.get(number, UnitReport((), Explained(0))) for number in range(len(force.units))),
    )


def _only(sentence: str) -> ForceReport:
    return ForceReport((ForceProblem(sentence),), 0)


def counted(form: ForceForm, total: int) -> str:
    """Return a total of a report as players read it: `12`, or `47.78` where the form counts in thousandths."""
    return decimals(total) if form.unit == MILLI else str(total)


def decimals(milli: int) -> str:
    """Return a number of thousandths, rounded to hundredths: `47.78`, `26`, `-0.5`."""
    return f"{milli / 1000:.2f}".rstrip("0").rstrip(".")


def sentence(form: ForceForm | None, force: Force, problem: ForceProblem) -> str:
    """Return a problem with its place: `2nd Section, Figures row 3: ...`. `form` is that of the force's edition, if it has
    one.
    """
    unit = force.units[problem.unit] if 0 <= problem.unit < len(force.units) else None
    if unit is None or re.match(rf"{re.escape(unit.name)}(?!\w)", problem.sentence):
        # The problem is about the whole force, or names the unit already.
        return problem.sentence
    where = [unit.name if _only_one(force, unit.name) else f"{unit.name} (unit {problem.unit + 1})"]
    if problem.list:
        where.append(_label(form, unit.kind, problem.list))
        if problem.row >= 0:
            where[-1] += f" row {problem.row + 1}"
    return f"{', '.join(where)}: {problem.sentence}"


def _only_one(force: Force, name: str) -> bool:
    return sum(unit.name == name for unit in force.units) == 1


def _label(form: ForceForm | None, kind: str, key: str) -> str:
    lists: list[FormList] = [
        listed for found in (form.kinds if form is not None else ()) if found.key == kind for listed in found.lists
    ]
    return next((listed.label for listed in lists if listed.key == key), key)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
