"""The terms of a campaign, as far as families have them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from client_protocol.forces import Force, ForceForm, ForceReport, FormField, FormKind
from client_protocol.shapes import OptionValue
from server.kernel.files.forces import examine
from server.kernel.ruleset import Ruleset


class Terms(Struct, frozen=True, kw_only=True):
    """What the rules of campaigns ask of an edition.

    Attributes:
        form: the form from which its forces are made.
        examine: what its rules say of a force, in any match.
        entries: the ids of the edition's rule reference.
    """

    form: ForceForm
    examine: Callable[[Force], ForceReport]
    entries: frozenset[str] = frozenset()

    def kind(self, kind: str) -> FormKind:
        """Return what the form says of a kind of unit."""
        return next(one for one in self.form.kinds if one.key == kind)

    def field(self, kind: str, key: str) -> FormField | None:
        """Return a field of a kind of unit, or None if such units have none of this key."""
        return next((field for field in self.kind(kind).fields if field.key == key), None)

    def rule(self, key: str) -> str:
        """Return the entry of the edition's rule reference for a rule of campaigns; "" where the edition has none."""
        return key if key in self.entries else ""


def examined_by(rules: Ruleset, options: Mapping[str, OptionValue]) -> Callable[[Force], ForceReport]:
    """Return what says of a force whether the rules of an edition accept it in a match with these options."""

    def judged(force: Force) -> ForceReport:
        return examine(rules, force, options)

    return judged


def stepped(levels: Mapping[str, object], level: str, by: int) -> str:
    """Return the level that is `by` steps above another, or below it, and never beyond the ends of the list."""
    names = list(levels)
    return names[min(max(names.index(level) + by, 0), len(names) - 1)]
