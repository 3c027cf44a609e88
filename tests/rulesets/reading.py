"""A book that notes which keys of its tables and which fields of its rows are read."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import new_class
from typing import TypeVar, cast

from msgspec.structs import fields, replace

from server.rulesets.fad.setup.book import Book as FadBook
from server.rulesets.fad.setup.tables import Tables
from server.rulesets.fad.setup.variants import Changes, WeaponRows
from server.rulesets.shared.setup.book import Book
from server.rulesets.shared.setup.options import OptionRow
from server.rulesets.shared.setup.rows import Row

B = TypeVar("B", bound=Book)
R = TypeVar("R", bound=Row)


class Read:
    """What can be read of a book, and what has been read."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.read: set[str] = set()

    @property
    def dead(self) -> list[str]:
        """The data that has not been read."""
        return sorted(self.there - self.read)


class _Table(UserDict[str, object]):
    """A mapping that notes which of its keys are read, one by one or in a loop over all."""

    def __init__(self, table: Mapping[str, object], path: str, noted: Read) -> None:
        super().__init__(table)
        self._path, self._noted = path, noted
        noted.there |= {f"{path}.{key}" for key in table}

    def __getitem__(self, key: str) -> object:
        self._noted.read.add(f"{self._path}.{key}")
        return self.data[key]


def noting(book: B, noted: Read) -> B:
    """Return a book that notes in `noted` what is read of it. Fields count if any row of their list has them."""
    tables = replace(
        book.tables,
        **{field.name: _row(getattr(book.tables, field.name), field.name, noted) for field in fields(book.tables)},
    )
    lists = {
        field.name: {key: _row(row, field.name, noted) for key, row in getattr(book, field.name).items()}
        for field in fields(book)
        if field.name != "tables" and _of_rows(getattr(book, field.name))
    }
    if isinstance(book, FadBook):
        changes = Changes(lists["weapon_traits"], lists["munitions"], cast("Tables", tables).points.mixed)
        lists |= {key: _changing(getattr(book, key), rows, changes) for key, rows in lists.items()}
    own = replace(
        book.edition,
        actions=_Table(book.edition.actions, "edition.actions", noted),
        modules=_Table(book.edition.modules, "edition.modules", noted),
        option=tuple(_option(row, noted) for row in book.edition.option),
    )
    return replace(book, tables=tables, edition=_row(own, "edition", noted), **lists)


def _changing(rows: object, noting: dict[str, Row], changes: Changes) -> dict[str, Row]:
    """Return rows that note what is read of them; weapons that are changed are made of such rows too."""
    if not isinstance(rows, WeaponRows):
        return noting
    assert isinstance(rows.make, partial), "it is given the changes"
    return WeaponRows(noting, partial(rows.make.func, changes), rows.unlisted)


def _option(row: OptionRow, noted: Read) -> OptionRow:
    choices = tuple(_row(choice, "option.choice", noted) for choice in row.choice)
    return _row(replace(row, choice=choices), "option", noted)


def _of_rows(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(row, Row) for row in value.values())


def _row(row: R, path: str, noted: Read) -> R:
    """Return a row with the same fields that notes which of them are read."""
    noted.there |= {f"{path}.{field.name}" for field in fields(row) if getattr(row, field.name) != field.default}
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    return cast("R", _kind(type(row), path, noted.read.add)(**values))


@cache
def _kind(row: type[Row], path: str, note: Callable[[str], None]) -> Callable[..., Row]:
    """Return the class of the rows that replace those of the class `row`."""
    names = {field.name for field in fields(row)}

    def reads(self: Row, name: str) -> object:
        if name in names:
            note(f"{path}.{name}")
        return row.__getattribute__(self, name)

    own = {"__getattribute__": reads}
    return cast("Callable[..., Row]", new_class(row.__name__, (row,), {"frozen": True}, lambda body: body.update(own)))
