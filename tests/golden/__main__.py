"""Writes the merged editions anew: `python -m tests.golden --write`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields

from server.rulesets.fad.book import Book, load
from tests.support.golden_texts import write_or_compare

FOLDER = Path(__file__).parent
EDITIONS = ("fad4",)


def path(edition: str) -> Path:
    """Where an edition's text stands."""
    return FOLDER / f"{edition}.ruleset.txt"


def text(edition: str) -> str:
    """Everything that the family and the edition say together, one fact a line."""
    return "\n".join(_lines(load(edition))) + "\n"


def _lines(book: Book) -> Iterator[str]:
    own = book.edition
    yield f"{own.id}: {own.name}, {own.title} (family {own.family}, data version {own.version})"
    for kind, actions in own.actions.items():
        yield f"actions.{kind} = {', '.join(actions)}"
    for title, rows in (
        ("quality", book.qualities),
        ("resolve", book.resolves),
        ("small arm", book.small_arms),
        ("support weapon", book.support_weapons),
        ("armour", book.armours),
        ("terrain", book.palette),
    ):
        yield ""
        for key, row in rows.items():
            yield f"{title} {key}: {', '.join(_fields(row))}"
    yield ""
    yield f"quality levels, worst first: {', '.join(sorted(book.levels, key=book.levels.__getitem__))}"
    yield from sorted(_flat(book.tables))
    yield ""
    for option in own.option:
        values = [str(choice.value) for choice in option.choice] or [f"{option.minimum} to {option.maximum}"]
        yield f"option {option.id} [{option.rule}]: {', '.join(values)}; default {option.default}"
    yield ""
    for rule in book.reference:
        yield f"rule {rule.id}: {rule.title} ({rule.chapter})"


def _fields(row: Struct) -> Iterator[str]:
    for field in fields(row):
        value = getattr(row, field.name)
        if field.name not in {"id", "kind"} and value != field.default:
            yield f"{field.name} {' '.join(value) if isinstance(value, tuple) else value}"


def _flat(table: Mapping[str, object], above: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key} = {', '.join(map(str, value)) if isinstance(value, list) else value}"


if __name__ == "__main__":
    write_or_compare(__doc__, EDITIONS, path, text)
