"""The forms in which logs are written, by number; a log is written in one from its first entry to its last. Pure.

The first entry names the form (`entries.Opened.form`). What differs is how notes and traits are written: `docs/dice.md` says it
for other programs.
"""

from __future__ import annotations

from typing import Protocol

from server.kernel.facts import Fact
from server.kernel.state import State
from server.matches.log.old_form import OldForm

NEWEST = 2
"""The form in which matches are begun."""


class Form(Protocol):
    """How the states and facts of a log are written."""

    @property
    def number(self) -> int:
        """Its number, which the first entry names."""
        ...

    def read_state(self, state: State) -> State:
        """Return a state of this form as the rules know it."""
        ...

    def read_fact(self, fact: Fact) -> Fact:
        """Return a fact of this form as the rules know it."""
        ...

    def written_fact(self, fact: Fact) -> Fact:
        """Return a fact of the rules in this form."""
        ...


class _Typed:
    """The form in which states and facts are written as the rules know them."""

    number = NEWEST

    def read_state(self, state: State) -> State:
        return state

    def read_fact(self, fact: Fact) -> Fact:
        return fact

    def written_fact(self, fact: Fact) -> Fact:
        return fact


TYPED: Form = _Typed()


def form_of(number: int, edition: str) -> Form | None:
    """Return the form of this number, for a match of this edition; None if this server knows no such form."""
    if number == OldForm.number:
        return OldForm(edition)
    return TYPED if number == NEWEST else None
