"""The difference between two structs as a merge patch (RFC 7396). It is compiled: this goes through every view that is told."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple


def diff(before: Struct, after: Struct) -> dict[str, Any]:
    """Return the merge patch (RFC 7396) that turns `before` into `after`: only what differs, maps key by key, null for what
    was removed.
    """
    patch: dict[str, Any] = {}
    fields, olds, news = after.__struct_fields__, astuple(before), astuple(after)
    for place in range(len(fields)):
        old, new = olds[place], news[place]
        if old is not new:
            _differ(patch, fields[place], old, new)
    return patch


_ABSENT: Final = object()
"""In the place of an entry that a map did not have."""


def _differ(patch: dict[str, Any], key: str, old: object, new: object) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        inner = _of_maps(old, new)
        if inner:
            patch[key] = inner
    elif isinstance(old, Struct) and isinstance(new, Struct) and type(old) is type(new):
        nested = diff(old, new)
        if nested:
            patch[key] = nested
    elif old != new:
        patch[key] = new


def _of_maps(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    added = 0
    for entry, value in new.items():
        before = old.get(entry, _ABSENT)
        if before is _ABSENT:
            inner[entry] = value
            added += 1
        elif before is not value:
            _differ(inner, entry, before, value)
    if len(old) + added != len(new):
        # In the order of the map, so that the same change is always told alike.
        for entry in old:
            if entry not in new:
                inner[entry] = None
    return inner
