"""The rules' data as rows of TOML, checked when it is read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the data: a field that nobody reads is a mistake, and is refused."""


R = TypeVar("R", bound=Row)

UNREADABLE = (msgspec.ValidationError, tomllib.TOMLDecodeError, KeyError, OSError)
"""What reading data may raise when the data is not as it should be."""


def read(path: Traversable) -> dict[str, Any]:
    """The tables of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def rows(path: Traversable, table: str, row: type[R]) -> list[R]:
    """The rows of the array `table` of a TOML file."""
    return msgspec.convert(read(path)[table], type=list[row])  # type: ignore[valid-type]  # a type known at run time


def merged(family: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """`family` with `own` laid over it: tables key by key, everything else replaced."""
    result = dict(family)
    for key, value in own.items():
        below = result.get(key)
        result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result
