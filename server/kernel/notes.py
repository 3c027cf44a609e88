"""A rule set's notes: what it writes under names of its own about units, figures and the match, and reads back.

A note has a type: a number is a number, and a point two of them. The kernel keeps notes without knowing what they mean; a
chapter says with a reader below which type it expects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

Item = int | str
Note = bool | int | str | tuple[Item | tuple[Item, ...], ...]
"""A flag, a whole number, a word, a list of numbers or words (a point, some figures), or a list of such lists."""
Notes = Mapping[str, Note]


SECRETS = "secrets"
"""The note of a match that says that some of its notes are secret. All know of it from the beginning."""
SECRET = "secret."  # noqa: S105 - the beginning of a name
"""What a secret note of a match begins with; the seat follows that alone may know it, a dot, and the rest of its name."""


def secret(seat: str, name: str) -> str:
    """Return the key of a note that `seat` alone may know. The match says with `SECRETS` that it has such notes."""
    return f"{SECRET}{seat}.{name}"


_WORD = frozenset({str})


class UnfitNoteError(TypeError):
    """A note is not of the type that the rules expect. No log that the rules wrote holds such a note."""

    def __init__(self, key: str, value: object, expected: str) -> None:
        super().__init__(f"the note {key!r} is {value!r}, and not {expected}")


def word(notes: Notes, key: str, default: str | None = None) -> str:
    """Return the word noted under `key`, else `default`.

    Raises:
        KeyError: there is no such note, and no default.
        UnfitNoteError: it is no word.
    """
    value = notes[key] if default is None else notes.get(key, default)
    if not isinstance(value, str):
        raise UnfitNoteError(key, value, "a word")
    return value


def number(notes: Notes, key: str, default: int | None = None) -> int:
    """Return the whole number noted under `key`, else `default`. Raises as `word` does."""
    value = notes[key] if default is None else notes.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise UnfitNoteError(key, value, "a whole number")
    return value


def pair(notes: Notes, key: str) -> tuple[int, int] | None:
    """Return the two whole numbers noted under `key`; None if there is no such note. Raises `UnfitNoteError`."""
    value = notes.get(key)
    if value is None:
        return None
    if isinstance(value, tuple) and len(value) == 2:
        one, other = value
        if isinstance(one, int) and isinstance(other, int):
            return one, other
    raise UnfitNoteError(key, value, "a pair of whole numbers")


def words(notes: Notes, key: str) -> tuple[str, ...]:
    """Return the words noted under `key`, none if there is no such note. Raises `UnfitNoteError`."""
    value = notes.get(key, ())
    if isinstance(value, tuple) and _WORD.issuperset(map(type, value)):
        return cast("tuple[str, ...]", value)
    raise UnfitNoteError(key, value, "a list of words")


def word_pairs(notes: Notes, key: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of words noted under `key`, none if there is no such note. Raises `UnfitNoteError`."""
    value = notes.get(key, ())
    found: list[tuple[str, str]] = []
    for item in value if isinstance(value, tuple) else (None,):
        if not isinstance(item, tuple) or len(item) != 2:
            raise UnfitNoteError(key, value, "a list of pairs of words")
        one, other = item
        if not isinstance(one, str) or not isinstance(other, str):
            raise UnfitNoteError(key, value, "a list of pairs of words")
        found.append((one, other))
    return tuple(found)


def rows(notes: Notes, key: str) -> tuple[object, ...]:
    """Return the list noted under `key`, an empty one if there is no such note. Raises `ValueError`, as its readers do."""
    found = notes.get(key, ())
    if not isinstance(found, tuple):
        raise ValueError(found)  # noqa: TRY004 - there is one kind of error for all notes that cannot be read
    return found
