"""What a family says and what an edition lays over it, made into one typed row or table; what is wrong is said with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from server.kernel.errors import RulesetError

S = TypeVar("S", bound=Struct)


class Part(NamedTuple):
    """What one file says of a row or a table. `where` is the file with the place in it: "tables.toml, [movement]"."""

    where: str
    values: Mapping[str, Any]


@cache
def _fields(kind: type[Struct]) -> dict[str, FieldInfo]:
    """Return the fields of a struct by their keys. To look them up takes longer than to make the struct, and tables have many
    rows.
    """
    return {field.encode_name: field for field in fields(kind)}


def laid(kind: type[S], *parts: Part) -> S:
    """The row or table that the parts make together, a later one's values in the place of an earlier one's.

    Raises:
        RulesetError: a part has a key that `kind` does not have, all of them lack one, or a value is of a wrong type.
    """
    known = _fields(kind)
    values: dict[str, Part] = {}
    for part in parts:
        for key in part.values:
            if key not in known:
                raise RulesetError(f"{part.where} has {key!r}, which is not one of {', '.join(known)}")
            values[key] = part
    lacking = [key for key, field in known.items() if field.required and key not in values]
    if lacking:
        raise RulesetError(f"{parts[-1].where} lacks {', '.join(lacking)}")
    return kind(**{known[key].name: _value(known[key], part) for key, part in values.items()})


def _value(field: FieldInfo, part: Part) -> object:
    try:
        return msgspec.convert(part.values[field.encode_name], field.type)
    except msgspec.ValidationError as error:
        raise RulesetError(f"{part.where}, {field.encode_name}: {error}") from error


def tables(kind: type[S], family: Mapping[str, Any], own: Mapping[str, Mapping[str, Any]]) -> S:
    """The tables of an edition: those of its family, with its own laid over them key by key.

    Args:
        kind: a struct with a field for each table, whose type is the table's struct. A table that has a default may be absent.
        family: what `tables.toml` of the family holds.
        own: what `[tables.*]` in the edition's `edition.toml` hold.

    Raises:
        RulesetError: there is no such table, or `laid` refuses it.
    """
    known = _fields(kind)
    for file, held in (("tables.toml", family), ("edition.toml", own)):
        for name in held:
            if name not in known:
                raise RulesetError(f"{file} has a table {name!r}, which is not one of {', '.join(known)}")
    made: dict[str, object] = {}
    for name, field in known.items():
        parts = _parts(name, family, own)
        if parts:
            made[field.name] = laid(field.type, *parts)
        elif field.required:
            raise RulesetError(f"tables.toml lacks the table {name!r}")
    return kind(**made)


def _parts(name: str, family: Mapping[str, Any], own: Mapping[str, Mapping[str, Any]]) -> Sequence[Part]:
    parts = [Part(f"tables.toml, [{name}]", family[name])] if name in family else []
    return [*parts, Part(f"edition.toml, [tables.{name}]", own[name])] if name in own else parts
