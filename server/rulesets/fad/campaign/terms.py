"""The terms of a campaign: the numbers of an edition, what its forces can have, and the league's settings."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from server.kernel.ruleset import Ruleset
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.setup.campaign_tables import Campaign
from server.rulesets.shared.campaigns.terms import Terms as SharedTerms
from server.rulesets.shared.campaigns.terms import examined_by


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


class Terms(SharedTerms, frozen=True, kw_only=True):
    """What the rules of campaigns ask of an edition.

    Attributes:
        book: the edition's numbers.
        settings: the league's.
    """

    book: Book
    settings: Settings = Settings()

    @property
    def table(self) -> Campaign:
        """The numbers of campaigns."""
        return self.book.tables.campaign


class Edition(Ruleset, Protocol):
    """An edition of the family."""

    @property
    def book(self) -> Book:
        """The edition's data."""
        ...


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

    return Terms(
        book=rules.book,
        form=form,
        examine=examined_by(rules, {}),
        entries=frozenset(row["id"] for row in rules.reference),
        settings=settings or Settings(),
    )
