"""Leagues as lists show them. Pure."""

from __future__ import annotations

from client_protocol.leagues import LeagueSummary
from server.leagues.acts import settled_in
from server.leagues.log.entries import LeagueFold
from server.leagues.log.league import League
from server.leagues.sides import side_table
from server.leagues.table import table_of

REMEMBERED = 2000
"""How many summaries are kept in memory."""


class Summaries:
    """Sums leagues up, each once after each entry: a table of many players takes long to make, and a list has many leagues."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, LeagueSummary]] = {}

    def of(self, fold: LeagueFold) -> LeagueSummary:
        """Return the summary of a league."""
        league = fold.league
        known = self._known.get(league.id)
        if known is not None and known[0] == fold.head:
            return known[1]
        made = summary(league)
        self._known.pop(league.id, None)
        self._known[league.id] = fold.head, made
        while len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return made


def summary(league: League) -> LeagueSummary:
    """Return a league as lists show it."""
    terms = league.terms
    return LeagueSummary(
        league.id,
        terms.name,
        terms.edition,
        terms.format,
        league.state,
        len(league.playing),
        league.round,
        league.made_at,
        sum(one.state == "over" and len(one.players) > 1 and one.outcome != "void" for one in league.fixtures.values()),
        _champion(league) if league.closed else "",
    )


def _champion(league: League) -> str:
    """Return the name of the player, or of the side in a league with sides, who stands alone at the top; "" if there is none, or
    nothing was played.
    """
    if not any(one.counts for one in settled_in(league)):
        return ""
    table = table_of(league)
    sides = [league.terms.sides[one.side - 1] for one in side_table(league, table) if one.rank == 1]
    first = sides or [league.name(one.player) for one in table if one.rank == 1]
    return first[0] if len(first) == 1 else ""
