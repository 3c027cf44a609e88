"""Forces: what a player brings to the table, as a file of one schema for every edition, and the form to put one together.

A force names units of some `kind`; what a kind has (fields, and lists of rows such as figures or weapons) is said by the
edition's `ForceForm`, so that one editor serves every edition. What the rules think of a force is a `ForceReport`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from client_protocol.explained import Explained
from client_protocol.shapes import Id, Name
from client_protocol.view import CardLine

FORCE_FORMAT = "underfire force 1"

Entry = Annotated[str, Meta(max_length=80)] | Annotated[int, Meta(ge=-10_000, le=10_000)] | bool
"""What a field of a force may hold."""
Entries = Annotated[dict[Id, Entry], Meta(max_length=40)]
Rows = Annotated[tuple[Entries, ...], Meta(max_length=60)]

# --- the file -------------------------------------------------------------------------------------------------------


class ForceUnit(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A unit of a force: its kind, its name, the fields of its kind and the rows of its lists."""

    kind: Id
    name: Name
    fields: Entries = {}
    rows: Annotated[dict[Id, Rows], Meta(max_length=8)] = {}


class Force(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole force, for one edition."""

    format: Annotated[str, Meta(max_length=40)]
    edition: Id
    name: Name
    units: Annotated[tuple[ForceUnit, ...], Meta(max_length=40)]
    about: Annotated[str, Meta(max_length=300)] = ""


# --- the form -------------------------------------------------------------------------------------------------------


class FormChoice(Struct, frozen=True):
    """A value a field may have: in words, and with what it means."""

    value: Entry
    label: str
    note: str = ""


class FormField(Struct, frozen=True):
    """A field. With `choices` it is one of them; without, its default says what it is: a number from `least` to `most`, or yes
    or no. `rule` is the rule behind it. Fields with the same `group` belong together under that heading, and most units leave
    them at their defaults; "" for those that every unit has.
    """

    key: Id
    label: str
    default: Entry
    choices: tuple[FormChoice, ...] = ()
    least: int = 0
    most: int = 0
    rule: Id = ""
    group: str = ""


class FormList(Struct, frozen=True):
    """A list of `least` to `most` rows, each with these fields. `one` is what a row is called."""

    key: Id
    label: str
    one: str
    fields: tuple[FormField, ...]
    least: int = 1
    most: int = 12


class FormKind(Struct, frozen=True):
    """A kind of unit: its fields and its lists."""

    key: Id
    label: str
    fields: tuple[FormField, ...]
    lists: tuple[FormList, ...] = ()


class ForceForm(Struct, frozen=True):
    """What a force of an edition is put together from. `measure` is what a report's totals count ("Weight", "Points"), in
    `unit`: whole numbers, or thousandths ("milli").
    """

    kinds: tuple[FormKind, ...]
    measure: str
    notes: tuple[str, ...] = ()
    unit: str = ""


# --- the verdict ----------------------------------------------------------------------------------------------------


class ForceProblem(Struct, frozen=True):
    """What is wrong with a force, in a sentence, and where: the unit's place in the force (-1: the whole), the list and the row
    within it, the field.
    """

    sentence: str
    rule: Id = ""
    unit: int = -1
    list: Id = ""
    row: int = -1
    field: Id = ""


class UnitReport(Struct, frozen=True):
    """A unit of a force as the rules see it: the lines of its card and what it counts for."""

    card: tuple[CardLine, ...]
    total: Explained


class ForceReport(Struct, frozen=True):
    """What the rules say of a force: nothing wrong when there are no `problems`. `units` are given as far as they can be read."""

    problems: tuple[ForceProblem, ...]
    total: int
    units: tuple[UnitReport, ...] = ()


class Conversion(Struct, frozen=True):
    """A force of one edition made into one of another: the `force`, and what was `changed` in it or left out, a sentence each. If
    nothing of it can be converted there is no force, and `refusal` says why.
    """

    force: Force | None
    changed: tuple[str, ...] = ()
    refusal: str = ""
