"""The table of a league as it stands. Pure."""

from __future__ import annotations

from client_protocol.leagues import Standing
from server.leagues.acts import settled_in
from server.leagues.log.league import League
from server.leagues.rules.standings import standings


def table_of(league: League) -> tuple[Standing, ...]:
    """Return the table of a league, the best first: of all players but those who ask to join for the first time."""
    joined = [key for key, member in league.players.items() if member.has_place]
    return standings(joined, settled_in(league), league.terms, None if league.map is None else league.map.points)
