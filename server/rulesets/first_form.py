"""What the first form of the log held as text: notes by their keys, for the editions whose matches were written in it.

Until notes had types, a number was its digits, a list its parts with a space between them, and a flag the word "yes" among a
unit's or figure's notes, where it is a trait now. This table is closed: a note or a trait that came later is written in old
matches as it is in new ones.
"""

from __future__ import annotations

from msgspec import Struct


class Texts(Struct, frozen=True):
    """The keys of an edition's notes that were text: of profiles, those of numbers, of pairs of numbers, of lists of words and of
    flags; of the book, those of lists of pairs of words.
    """

    numbers: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
    book_pairs: frozenset[str] = frozenset()


NONE = Texts()
_FAD = Texts(flags=("non_combatant",))
_FUBAR = Texts(
    numbers=frozenset({"crew", "stuns"}),
    pairs=frozenset({"set_up", "moved"}),
    words=frozenset({"lying_figures"}),
    flags=("grenades", "launcher", "leader"),
    book_pairs=frozenset({"fights"}),
)
_TEXTS = {"fad4": _FAD, "fad5": _FAD, "fubar4": _FUBAR}


def texts_of(edition: str) -> Texts:
    """Return what was text in the first form of this edition's matches; nothing for an edition that came later."""
    return _TEXTS.get(edition, NONE)
