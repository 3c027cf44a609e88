"""The rules' data as rows of TOML, checked when they are read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from server.kernel.errors import RulesetError


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the data. Unknown fields are refused."""


R = TypeVar("R", bound=Row)

UNREADABLE = (msgspec.ValidationError, tomllib.TOMLDecodeError, KeyError, OSError)
"""The errors that reading data may raise if the data is faulty."""


def read(path: Traversable) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


Own = Mapping[str, Mapping[str, Literal[False] | Mapping[str, Any]]]
"""An edition's changes to its family's rows, by list and id: the fields of a row that it changes or adds, or false to take
the row away.
"""


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
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            if path.name.endswith(".toml"):
                for name, rows in read(path).items():
                    if isinstance(rows, list):
                        if name in self._rows:
                            raise RulesetError(f"there are two lists of {name}")
                        self._rows[name] = rows
        self._own = dict(own)
        unknown = sorted(set(own) - set(self._rows))
        if unknown:
            raise RulesetError(f"the edition lays rows over {', '.join(unknown)}; there are {', '.join(self._rows)}")

    def take(self, name: str, row: type[R], key: str = "id") -> dict[str, R]:
        """Return the rows of a list by `key`, in the family's order; rows that the edition adds come last.

        Raises:
            msgspec.ValidationError: a row has an unknown field, lacks one, or has a wrong value.
            RulesetError: see `laid_over`.
        """
        rows = laid_over(self._rows[name], self._own.get(name, {}), key, name)
        return {getattr(one, key): one for one in msgspec.convert(rows, type=list[row])}  # type: ignore[valid-type]


def laid_over(
    family: list[dict[str, Any]], own: Mapping[str, Literal[False] | Mapping[str, Any]], key: str, name: str
) -> list[dict[str, Any]]:
    """Return the rows of `family` with the edition's changes `own` applied.

    The field `key` identifies a row; `name` is the name of the list, for sentences.

    Raises:
        RulesetError: two rows have the same key, or the edition takes away a row that the family does not have.
    """
    rows = {str(row[key]): row for row in family}
    if len(rows) != len(family):
        raise RulesetError(f"two rows of {name} have the same {key}")
    for place, change in own.items():
        if change is not False:
            rows[place] = merged(rows.get(place, {key: place}), change)
        elif rows.pop(place, None) is None:
            raise RulesetError(f"the edition takes the {name} {place!r} away, and there is none")
    return list(rows.values())


def merged(family: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `family` with `own` laid over it: tables key by key, everything else replaced."""
    result = dict(family)
    for key, value in own.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result
