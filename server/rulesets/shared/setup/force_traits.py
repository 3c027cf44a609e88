"""Traits in the force editor: a field for each, and what a unit or a figure has of those that are ticked."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import UnsetType

from client_protocol.forces import Entries, FormField
from server.kernel.traits import Bearer, Traits, kept
from server.rulesets.shared.setup.book import Book, Trait


def trait_field(trait: Trait) -> FormField:
    """Return the field in which a trait is ticked."""
    return FormField(trait.id, trait.name, default=False, rule=trait.rule, group=trait.group)


def other_traits(book: Book, bearer: Bearer, placed: Collection[str] = ()) -> Iterator[FormField]:
    """Yield fields for the traits that have no place of their own in the form, which are `placed`.

    Traits that are numbers only setups can give.
    """
    for trait in book.traits.values():
        if trait.bearer == bearer and trait.value == "flag" and trait.id not in placed:
            yield trait_field(trait)


def ticked(book: Book, bearer: Bearer, entries: Entries) -> Traits | UnsetType:
    """Return the traits that are ticked in the fields of a unit, or in a row of figures."""
    return kept({key: True for key, trait in book.traits.items() if trait.bearer == bearer and entries.get(key)})
