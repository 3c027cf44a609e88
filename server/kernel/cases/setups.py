"""The setup of a case: written in it, or named by its file and changed for the case (docs/cases.md, The setup)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from server.kernel.cases.schema import Case
from server.kernel.errors import RulesetError
from server.kernel.files import setups


def setup_of(case: Case, read_text: Callable[[str], str]) -> Mapping[str, object]:
    """Return the setup that `case` starts from, with the case's changes.

    Args:
        case: the case.
        read_text: returns the text of the file that a case names.

    Raises:
        RulesetError: the file holds no setup, or the changes do not fit it.
    """
    setup = setups.parse(read_text(case.setup)) if isinstance(case.setup, str) else case.setup
    return _changed(setup, case.changes, "changes")


def _changed(old: Mapping[str, Any], changes: Mapping[str, object], where: str) -> dict[str, Any]:
    """Return `old` with the fields of `changes`: `false` removes a field. A list of rows with ids is changed row by row."""
    new = dict(old)
    for name, value in changes.items():
        if value is False:
            new.pop(name, None)
        elif isinstance(value, Mapping) and _has_ids(old.get(name)):
            new[name] = _rows(old[name], value, f"{where}.{name}")
        else:
            new[name] = value
    return new


def _has_ids(value: object) -> bool:
    """Return whether `value` is a list of rows, each with an id."""
    return isinstance(value, list) and all(isinstance(row, Mapping) and "id" in row for row in value)


def _rows(old: list[Mapping[str, Any]], changes: Mapping[str, object], where: str) -> list[Mapping[str, Any]]:
    """Return the rows `old` as `changes` says, by their ids; a new one stands at the end, and `false` removes one."""
    rows = {str(row["id"]): row for row in old}
    for id_, change in changes.items():
        if change is False:
            if id_ not in rows:
                raise RulesetError(
                    f"the case does not fit its schema: {where}.{id_} is false, but the setup has no {id_}"
                )
            del rows[id_]
        elif isinstance(change, Mapping):
            rows[id_] = _changed(rows.get(id_, {"id": id_}), change, f"{where}.{id_}")
        else:
            raise RulesetError(
                f"the case does not fit its schema: {where}.{id_} must be a table, or false to remove it"
            )
    return list(rows.values())
