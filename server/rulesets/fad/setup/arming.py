"""Weapon traits and munitions in forces: the fields that ask for them, and the weapons that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from client_protocol.forces import Entries, FormChoice, FormField
from server.kernel.files.forces import decimals
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.variants import ADDED, MIXED, Weapons
from server.rulesets.shared.setup.rows import Row

NONE = "none"
"""The value of a field with which nothing is changed."""
TRAITS = ("weapon_trait", "weapon_trait_2")
ROUNDS = ("munition", "munition_2", "munition_3")
MIX = "munitions_mixed"
LABELS = {
    "weapon_trait": "Weapon trait",
    "weapon_trait_2": "Second weapon trait",
    "munition": "Special rounds",
    "munition_2": "Second type of rounds",
    "munition_3": "Third type of rounds",
}
TRAIT_RULE, ROUND_RULE = "tech.weapon-traits", "tech.munitions"
LONGEST = 60
"""The most letters of a weapon's id in a setup."""


def fields(book: Book, weapons: Weapons, prefix: str = "", of: str = "", group: str = "") -> Iterator[FormField]:
    """Yield the fields that ask for changes of a weapon of a class. `prefix` stands before their keys, and `of` before their
    labels; they stand under the heading `group`.
    """
    carries = weapons == "heavy" and any(row.points is not None for row in book.munitions.values())
    group = group or (f"{of or 'Weapon'}: traits" + (" and special rounds" if carries else ""))
    traits = tuple(
        FormChoice(key, row.name, f"{decimals(round(price * 1000))} points")
        for key, row in book.weapon_traits.items()
        if (price := row.price(weapons)) is not None
    )
    rounds = tuple(
        FormChoice(key, row.name, f"{decimals(round(row.points * 1000))} points")
        for key, row in book.munitions.items()
        if row.points is not None
    )
    none = FormChoice(NONE, "None")
    for key in TRAITS if traits else ():
        yield FormField(prefix + key, _label(of, LABELS[key]), NONE, (none, *traits), rule=TRAIT_RULE, group=group)
    if carries:
        for key in ROUNDS:
            yield FormField(prefix + key, _label(of, LABELS[key]), NONE, (none, *rounds), rule=ROUND_RULE, group=group)
        yield FormField(prefix + MIX, _label(of, "All types in one round"), default=False, rule=ROUND_RULE, group=group)


def _label(of: str, label: str) -> str:
    return f"{of}: {label.lower()}" if of else label


def weapon(book: Book, entries: Entries, key: str, prefix: str = "") -> str:
    """Return the id of the weapon that the field `key` names, with the changes that other fields of a unit or row ask for;
    without them if it cannot have them.
    """
    made = _asked(book, entries, key, prefix)
    known = any(made in rows for rows in (book.small_arms, book.support_weapons, book.heavy_weapons))
    return made if known and len(made) <= LONGEST else str(entries[key])


def _asked(book: Book, entries: Entries, key: str, prefix: str) -> str:
    traits = _picked(book.weapon_traits, entries, prefix, TRAITS)
    rounds = _picked(book.munitions, entries, prefix, ROUNDS)
    if len(rounds) > 1 and entries.get(prefix + MIX):
        rounds = [MIXED.join(rounds)]
    return ADDED.join([str(entries[key]), *traits, *rounds])


def _picked(rows: Mapping[str, Row], entries: Entries, prefix: str, keys: tuple[str, ...]) -> list[str]:
    """Return the rows that fields name, in the order of the rows."""
    named = {str(entries.get(prefix + key, NONE)) for key in keys}
    return [row for row in rows if row in named]


def unfit(book: Book, rows: Mapping[str, Row], entries: Entries, key: str, prefix: str = "") -> str:
    """Return why a weapon cannot have the changes that are asked for, as a part of a sentence; "" if it can."""
    made = _asked(book, entries, key, prefix)
    base = rows.get(str(entries[key]))
    if base is None or (made in rows and len(made) <= LONGEST):
        return ""
    named = [
        row.name.lower()
        for table in (book.weapon_traits, book.munitions)
        for one, row in table.items()
        if one in made.replace(MIXED, ADDED).split(ADDED)[1:]
    ]
    name = str(getattr(base, "name", "")).lower()
    return f"{name} cannot have {' and '.join(named)}" + (" at once" if len(named) > 1 else "")
