"""A league as one may see it. Pure."""

from __future__ import annotations

from itertools import islice

from client_protocol.leagues import LeaguePlayer, LeagueView
from server.leagues.acts import rounds_of, why_no_round
from server.leagues.log.entries import LeagueFold
from server.leagues.log.league import League, Member
from server.leagues.log.sealed import Sealing
from server.leagues.map_views import map_view
from server.leagues.news import news_of
from server.leagues.sides import side_table
from server.leagues.table import table_of
from server.leagues.undo_views import undo_views

MOST_NEWS = 60
"""How many of the last news are shown."""


def may_see(league: League, key: str, *, invited: bool) -> bool:
    """Return whether the player with a key ("": a stranger) may see a league."""
    return league.terms.listed or invited or key in league.organisers or key in league.players


def view(fold: LeagueFold, key: str, invite: str, sealing: Sealing | None) -> LeagueView:
    """Return a league as the player with a key ("": a stranger) sees it. `invite` is the league's, for its organisers;
    `sealing` opens the player's own order on its map (None: it is not shown).
    """
    league, terms = fold.league, fold.league.terms
    table = table_of(league)
    organises = key in league.organisers
    shown = {one: member for one, member in league.players.items() if member.has_place or organises or one == key}
    news = (one for entry in reversed(fold.entries) for one in reversed(news_of(league, entry)))
    return LeagueView(
        league.id,
        terms,
        league.state,
        tuple(league.organisers.items()),
        league.made_at,
        round=league.round,
        rounds=rounds_of(league),
        players=tuple(
            _player(one, member, hidden=league.hides_forces and not league.allied(one, key))
            for one, member in shown.items()
        ),
        fixtures=tuple(one for one in league.fixtures.values() if one.state != "challenge" or key in one.players),
        standings=table,
        sides=side_table(league, table),
        news=tuple(islice(news, MOST_NEWS)),
        next_round=why_no_round(league) if organises and not league.closed else None,
        invite=invite if organises else "",
        you=key,
        head=fold.head.hex(),
        map=map_view(league, key, sealing),
        undo=undo_views(fold) if organises else (),
    )


def _player(key: str, member: Member, *, hidden: bool) -> LeaguePlayer:
    steps = 0 if member.battle is None else member.battle.fixture
    if hidden:
        return LeaguePlayer(key, member.name, None, 0, member.state, steps=steps, side=member.side)
    battles = 0 if member.campaign is None else member.campaign.roster.battles
    return LeaguePlayer(key, member.name, member.force, member.total, member.state, battles, steps, member.side)
