"""The terms of a campaign: the numbers of an edition, what its forces can have, and the league's settings."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from server.kernel.ruleset import Ruleset
from server.rulesets.fubar.setup.book import Book
from server.rulesets.fubar.setup.campaign_tables import Campaign
from server.rulesets.shared.campaigns.terms import Terms as SharedTerms
from server.rulesets.shared.campaigns.terms import examined_by


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a league settles for a whole campaign.

    Attributes:
        rules: whose rules of campaigns are played. There are only ours; the option says so to the players.
        bank_points: whether campaign points that are not spent are kept.
    """

    rules: Literal["underfire"] = "underfire"
    bank_points: bool = True


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
    """Return the terms of a campaign.

    Args:
        rules: the edition that the matches play.
        settings: the league's; the defaults if it has settled nothing.

    Raises:
        ValueError: players cannot bring forces to matches of this edition.
    """
    form = rules.force_form
    if form is None:
        raise ValueError(f"{rules.info.name} is not played in campaigns.")
    # How many support weapons a unit may have is an option of each match; the league checks its own options.
    any_match = {"most_support": rules.book.tables.bounds.figures}
    return Terms(book=rules.book, form=form, examine=examined_by(rules, any_match), settings=settings or Settings())
