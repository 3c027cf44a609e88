"""The first form of the log, in which notes were texts: read into typed notes and traits, and written as it was. Pure.

A match that was begun in it goes on in it until it ends: it has one form from its first entry to its last, so that each of its
hashes is over bytes of the same kind, and a program that knows the first form alone can check all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from server.kernel import traits
from server.kernel.facts import Fact, Noted, UnitFormed, UnitNoted
from server.kernel.notes import Note
from server.kernel.state import Figure, State, Unit
from server.kernel.traits import Traits
from server.rulesets.first_form import Texts, texts_of

YES = "yes"

B = TypeVar("B", Unit, Figure)


class OldForm:
    """The first form, for the matches of an edition.

    What is read and is no text of the form (since no rules wrote it) stays as it is, so writing what was read gives the same.

    Args:
        edition: the edition's id.
    """

    number = 1

    def __init__(self, edition: str) -> None:
        self._texts: Texts = texts_of(edition)

    def read_state(self, state: State) -> State:
        """Return a state of the first form with typed notes and traits."""
        book = {key: self._read_book(key, value) for key, value in state.book.items()}
        return replace(state, book=book, units={key: self._read_unit(unit) for key, unit in state.units.items()})

    def read_fact(self, fact: Fact) -> Fact:
        """Return a fact of the first form with typed notes and traits."""
        return self._changed(fact, self._read_note, self._read_book, self._read_unit)

    def written_fact(self, fact: Fact) -> Fact:
        """Return a fact as the first form has it."""
        return self._changed(fact, self._written_note, self._written_book, self._written_unit)

    @staticmethod
    def _changed(
        fact: Fact,
        note: Callable[[str, Note], Note],
        book: Callable[[str, Note], Note],
        unit: Callable[[Unit], Unit],
    ) -> Fact:
        if isinstance(fact, UnitNoted):
            return replace(fact, value=note(fact.key, fact.value))
        if isinstance(fact, Noted):
            return replace(fact, value=book(fact.key, fact.value))
        if isinstance(fact, UnitFormed):
            return replace(fact, unit=unit(fact.unit))
        return fact

    # --- reading ------------------------------------------------------------------------------------------------------

    def _read_unit(self, unit: Unit) -> Unit:
        figures = {key: self._read_bearer(figure) for key, figure in unit.figures.items()}
        return replace(self._read_bearer(unit), figures=figures)

    def _read_bearer(self, bearer: B) -> B:
        flags: Traits = {key: True for key in self._texts.flags if bearer.profile.get(key) == YES}
        profile = {key: self._read_note(key, value) for key, value in bearer.profile.items() if key not in flags}
        return replace(bearer, profile=profile, traits=traits.kept({**traits.of(bearer), **flags}))

    def _read_note(self, key: str, value: Note) -> Note:
        if not isinstance(value, str):
            return value
        texts = self._texts
        if key in texts.words:
            return tuple(value.split(" ")) if value else ()
        if key in texts.numbers:
            return _number(value)
        parts = [_number(part) for part in value.split(" ")] if key in texts.pairs else []
        one, other = parts if len(parts) == 2 else ("", "")
        return (one, other) if isinstance(one, int) and isinstance(other, int) else value

    def _read_book(self, key: str, value: Note) -> Note:
        if key not in self._texts.book_pairs or not isinstance(value, tuple):
            return value
        return tuple(tuple(part.split(" ")) if isinstance(part, str) and " " in part else part for part in value)

    # --- writing ------------------------------------------------------------------------------------------------------

    def _written_unit(self, unit: Unit) -> Unit:
        figures = {key: self._written_bearer(figure) for key, figure in unit.figures.items()}
        return replace(self._written_bearer(unit), figures=figures)

    def _written_bearer(self, bearer: B) -> B:
        own = traits.of(bearer)
        flags = [key for key in self._texts.flags if own.get(key) is True]
        left: Traits = {key: value for key, value in own.items() if key not in flags}
        profile = {key: self._written_note(key, value) for key, value in bearer.profile.items()}
        return replace(bearer, profile={**profile, **dict.fromkeys(flags, YES)}, traits=traits.kept(left))

    def _written_note(self, key: str, value: Note) -> Note:
        texts = self._texts
        if key in texts.numbers and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if key in texts.pairs | texts.words and isinstance(value, tuple):
            return " ".join(map(str, value))
        return value

    def _written_book(self, key: str, value: Note) -> Note:
        if key not in self._texts.book_pairs or not isinstance(value, tuple):
            return value
        return tuple(" ".join(map(str, part)) if isinstance(part, tuple) else part for part in value)


def _number(text: str) -> int | str:
    """Return the whole number that a text spells; the text if it spells none, or not in the way it is written."""
    digits = text.removeprefix("-")
    number = int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else None
    return number if number is not None and str(number) == text else text
