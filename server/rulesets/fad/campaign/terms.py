"""The terms of a campaign: the numbers of an edition, what its forces can have, and the league's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from msgspec import Struct

from client_protocol.forces import Force, ForceForm, ForceReport, FormField, FormKind
from server.kernel.files.forces import examine
from server.kernel.ruleset import Ruleset
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.campaign_tables import Campaign


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a league settles for a whole campaign.

    Attributes:
        stabilised_return: whether the stabilised wounded are back at once.
        routed_return: whether units that have fled return whole.
        bank_points: whether campaign points that are not spent are kept.
        traits: whether any trait can be bought, or those that training gives.
    """

    stabilised_return: bool = True
    routed_return: bool = True
    bank_points: bool = True
    traits: Literal["any", "trained"] = "any"


class Terms(Struct, frozen=True):
    """What the rules of campaigns ask of an edition.

    Attributes:
        book: the edition's numbers.
        form: the form from which its forces are made.
        examine: what its rules say of a force, in any match.
        entries: the ids of the edition's rule reference.
        settings: the league's.
    """

    book: Book
    form: ForceForm
    examine: Callable[[Force], ForceReport]
    entries: frozenset[str] = frozenset()
    settings: Settings = Settings()

    @property
    def table(self) -> Campaign:
        """The numbers of campaigns."""
        return self.book.tables.campaign

    def kind(self, kind: str) -> FormKind:
        """Return what the form says of a kind of unit."""
        return next(one for one in self.form.kinds if one.key == kind)

    def field(self, kind: str, key: str) -> FormField | None:
        """Return a field of a kind of unit, or None if such units have none of this key."""
        return next((field for field in self.kind(kind).fields if field.key == key), None)

    def rule(self, key: str) -> str:
        """Return the entry of the edition's rule reference for a rule of campaigns; "" where the edition has none."""
        return key if key in self.entries else ""


class Edition(Ruleset, Protocol):
    """An edition of the family."""

    book: Book


def terms(rules: Edition, settings: Settings | None = None) -> Terms:
    """Return the terms of a campaign (fad5/campaign.scope).

    Args:
        rules: the edition that the matches play.
        settings: the league's; the defaults if it has settled nothing.

    Raises:
        ValueError: players cannot bring forces to matches of this edition, or it has no numbers for campaigns.
    """
    form = rules.force_form
    if form is None or not rules.book.tables.campaign.points:
        raise ValueError(f"{rules.info.name} is not played in campaigns.")

    def judged(force: Force) -> ForceReport:
        return examine(rules, force, {})

    return Terms(
        book=rules.book,
        form=form,
        examine=judged,
        entries=frozenset(row["id"] for row in rules.reference),
        settings=settings or Settings(),
    )


def stepped(levels: Mapping[str, object], level: str, by: int) -> str:
    """Return the level that is `by` steps above another, or below it, and never beyond the ends of the list."""
    names = list(levels)
    return names[min(max(names.index(level) + by, 0), len(names) - 1)]
