"""A hash of a match's state that stays the same when states get new fields with default values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields

from server.kernel.state import State
from server.matches.log.fold import Fold

EVERY = 10
"""The sums are taken after every so many entries, and after the last one."""


def sums(entries: Sequence[bytes]) -> dict[str, str]:
    """Return the sums of a match, by the number of the entry after which they are taken."""
    fold = Fold(entries[0])
    found = {}
    for number, payload in enumerate(entries[1:], 2):
        fold.add(payload)
        if number % EVERY == 0 or number == len(entries):
            found[str(number)] = sum_of(fold.state)
    return found


def sum_of(state: State) -> str:
    """Return the SHA-256 of everything in a state that differs from its default. The order of maps counts: it is the
    roster's.
    """
    return hashlib.sha256(msgspec.json.encode(_plain(state))).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Struct):
        tag = value.__struct_config__.tag
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        told = {
            field.name: _plain(own[field.name])
            for field in fields(value)
            if field.required or own[field.name] != _default(field)
        }
        return told if tag is None else {"type": tag, **told}
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return value


def _default(field: FieldInfo) -> object:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
