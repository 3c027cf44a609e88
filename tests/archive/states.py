"""A hash of a match's state that stays the same when states get new fields with default values.

Of a match in the first form (`server.matches.log.old_form`) it is the hash of the state in that form, as it was recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo, fields, replace

from server.kernel.facts import Noted, UnitFormed
from server.kernel.notes import Note
from server.kernel.state import State, Unit
from server.matches.log.entries import Stepped
from server.matches.log.fold import Fold
from server.matches.log.forms import NEWEST, Form

LATE_OF_FIGURES = {"level"}
LATE_OF_UNITS = {"set_up", "stuns", "moved", "lying_figures"}
EVERY = 10
"""The sums are taken after every so many entries, and after the last one."""


def sums(entries: Sequence[bytes]) -> dict[str, str]:
    """Return the sums of a match, by the number of the entry after which they are taken."""
    fold = Fold(entries[0])
    found = {}
    formed: set[str] = set()
    for number, payload in enumerate(entries[1:], 2):
        body = fold.add(payload).envelope.body
        if isinstance(body, Stepped):
            formed |= {fact.unit.id for fact in body.facts if isinstance(fact, UnitFormed)}
        if number % EVERY == 0 or number == len(entries):
            found[str(number)] = sum_of(as_recorded(fold.state, fold.form, formed))
    return found


def as_recorded(state: State, form: Form, formed: Collection[str]) -> State:
    """Return the state as a log of this form holds it. The units `formed` came with an entry, whose maps are sorted by their
    keys.
    """
    if form.number == NEWEST:
        return state
    book: dict[str, Note] = {}
    for key, value in state.book.items():
        noted = form.written_fact(Noted(key, value))
        assert isinstance(noted, Noted), "it stays the same kind of fact"
        book[key] = noted.value
    return replace(
        state, book=book, units={key: _unit(unit, form, came=key in formed) for key, unit in state.units.items()}
    )


def _unit(unit: Unit, form: Form, *, came: bool) -> Unit:
    formed = form.written_fact(UnitFormed(unit, ""))
    assert isinstance(formed, UnitFormed), "it stays the same kind of fact"
    figures = {
        key: replace(one, profile=_in_order(one.profile, LATE_OF_FIGURES, came=came))
        for key, one in formed.unit.figures.items()
    }
    return replace(formed.unit, profile=_in_order(formed.unit.profile, LATE_OF_UNITS, came=came), figures=figures)


def _in_order(profile: dict[str, Note], late: Collection[str], *, came: bool) -> dict[str, Note]:
    """Return the profile with its flags where they stood, before the notes that came after them: the sums count the order."""
    return dict(
        sorted(profile.items(), key=lambda item: (item[0] in late, item[0] if came and item[0] not in late else ""))
    )


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
