"""The rules' data as rows of TOML, checked when they are read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources.abc import Traversable
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.laid import Part, laid


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the data. Unknown fields are refused."""


class Level(Row, frozen=True):
    """A row of a list from the worst to the best. What a level adds is a column of its row; no chapter names a level."""

    id: str
    name: str


R = TypeVar("R", bound=Row)

UNREADABLE = (msgspec.ValidationError, tomllib.TOMLDecodeError, KeyError, OSError)
"""The errors that reading data may raise if the data is faulty."""


MOST_KEPT = 64
"""The most texts whose tables are kept: the data of a family and the scenarios of an edition."""


def read(path: Traversable) -> dict[str, Any]:
    """Return the tables of a TOML file, which others may be given too: they are not to be changed."""
    return _tables(path.read_text(encoding="utf-8"))


@lru_cache(MOST_KEPT)
def _tables(text: str) -> dict[str, Any]:
    # Each edition of a family reads the family's files, and a scenario is read for its digest again.
    return tomllib.loads(text)


def forget() -> None:
    """Keep no tables any more: the editions have been read."""
    _tables.cache_clear()


Own = Mapping[str, Mapping[str, Literal[False] | Mapping[str, Any]]]
"""An edition's changes to its family's rows, by list and id: the fields of a row that it changes or adds, or false to take
the row away. `before` is no field: it names the row before which this one stands.
"""
BEFORE = "before"


class Lists:
    """The family's rows with an edition's changes applied: lists of tables in TOML files, found by their names.

    Args:
        folder: the family's data; every `[[name]]` in its TOML files is a list.
        own: the edition's changes.

    Raises:
        RulesetError: a list stands in two files, or the edition changes a list that the family does not have.
    """

    def __init__(self, folder: Traversable, own: Own) -> None:
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._files: dict[str, str] = {}
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            if path.name.endswith(".toml"):
                for name, rows in read(path).items():
                    if isinstance(rows, list):
                        if name in self._rows:
                            raise RulesetError(f"there are two lists of {name}")
                        self._rows[name], self._files[name] = rows, path.name
        self._own = dict(own)
        unknown = sorted(set(own) - set(self._rows))
        if unknown:
            raise RulesetError(f"the edition lays rows over {', '.join(unknown)}; there are {', '.join(self._rows)}")

    def take(self, name: str, row: type[R], key: str = "id") -> dict[str, R]:
        """Return the rows of a list by `key`, in the family's order; rows that the edition adds come last, or where it says.

        Raises:
            RulesetError: a row has an unknown field, lacks one, or has a wrong value; two rows have the same key; the edition
                takes away a row, or puts one before a row, that does not exist.
        """
        file = self._files[name]
        parts = {str(one[key]): [Part(f"{file}, {name} {str(one[key])!r}", one)] for one in self._rows[name]}
        if len(parts) != len(self._rows[name]):
            raise RulesetError(f"two rows of {name} have the same {key}")
        for place, change in self._own.get(name, {}).items():
            if change is not False:
                fields = {key: place, **change}
                before = fields.pop(BEFORE, None)
                parts.setdefault(place, []).append(Part(f"edition.toml, [rows.{name}.{place}]", fields))
                if before is not None:
                    parts = _moved(parts, place, str(before), name)
            elif parts.pop(place, None) is None:
                raise RulesetError(f"the edition takes the {name} {place!r} away, and there is none")
        return {place: laid(row, *said) for place, said in parts.items()}


def _moved(parts: dict[str, list[Part]], place: str, before: str, name: str) -> dict[str, list[Part]]:
    """Return the parts of all rows, with those of the row `place` before those of the row `before`."""
    order = [row for row in parts if row != place]
    if before not in order:
        raise RulesetError(f"the edition puts the {name} {place!r} before {before!r}, and there is none")
    order.insert(order.index(before), place)
    return {row: parts[row] for row in order}
