"""Writes the merged editions anew: `python -m tests.golden --write`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields

from server.rulesets.library import EDITIONS, edition
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.book import Book
from tests.support.golden_texts import write_or_compare

FOLDER = Path(__file__).parent
WORDS = {"conditions"}
"""Lists that only put things into words, like the texts of rules."""


def path(name: str) -> Path:
    """Where an edition's text stands."""
    return FOLDER / f"{name}.ruleset.txt"


def text(name: str) -> str:
    """Everything that the family and the edition say together, one fact a line."""
    rules = edition(name)
    assert isinstance(rules, PlayableEdition)
    return "\n".join(_lines(rules.book)) + "\n"


def _lines(book: Book) -> Iterator[str]:
    own = book.edition
    yield f"{own.id}: {own.name} (data version {own.version})"
    for kind, actions in own.actions.items():
        yield f"actions.{kind} = {', '.join(actions)}"
    shared = {field.name for field in fields(Book)} | WORDS
    for field in fields(book):
        if field.name not in shared and getattr(book, field.name):
            yield ""
            yield from _rows(_one_of(field.name), getattr(book, field.name))
    yield ""
    yield from _rows("terrain", book.palette)
    yield ""
    yield from _rows("cover", book.covers)
    yield ""
    yield from _rows("trait", book.traits)
    yield ""
    yield from sorted(_tables(book.tables))
    yield ""
    for option in own.option:
        values = [str(choice.value) for choice in option.choice] or [f"{option.minimum} to {option.maximum}"]
        yield f"option {option.id} [{option.rule}]: {', '.join(values)}; default {option.default}"
    yield ""
    for rule in book.reference:
        yield f"rule {rule.id}: {rule.title} ({rule.chapter})"


def _one_of(table: str) -> str:
    """What a row of `table` is called: a quality of the qualities."""
    return re.sub(r"s$", "", re.sub(r"ies$", "y", table)).replace("_", " ")


def _rows(title: str, rows: Mapping[str, object]) -> Iterator[str]:
    for key, row in rows.items():
        yield f"{title} {key}: {', '.join(_fields(row, key)) if isinstance(row, Struct) else row}"


def _fields(row: Struct, key: str) -> Iterator[str]:
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, dict):
            # A flag is there or not; other traits have a value.
            value = tuple(name if own is True else f"{name} {own}" for name, own in value.items())
        if value not in {key, field.default} if isinstance(value, str) else value not in ((), field.default):
            yield f"{field.name} {' '.join(map(_part, value)) if isinstance(value, tuple) else value}"


def _part(value: object) -> str:
    """A part of a list: a word, or a row within a row."""
    return (
        " ".join(str(getattr(value, field.name)) for field in fields(value))
        if isinstance(value, Struct)
        else str(value)
    )


def _tables(tables: Struct) -> Iterator[str]:
    for table in fields(tables):
        row = getattr(tables, table.name)
        for field in fields(row):
            value = getattr(row, field.name)
            if field.required or value != field.default:
                yield f"{table.name}.{field.name} = {_one_value(value)}"


def _one_value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    write_or_compare(__doc__, tuple(EDITIONS), path, text)
