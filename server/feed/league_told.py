"""What the feed tells of a league: what strangers may know of it, and no more. Pure."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from client_protocol.leagues import FixtureView, LeagueTerms, LeagueView, SideStanding
from server.feed.topics import Topics
from server.leagues.log.entries import LeagueFold
from server.leagues.views import view

TOP = 10
"""How many places of a table a summary has."""


class Named(Struct, frozen=True):
    """A player: the key, and what they are called."""

    key: str
    name: str


class Place(Struct, frozen=True):
    """A place in the table: `rank` is shared by players whom no tie-break tells apart."""

    rank: int
    key: str
    name: str
    played: int
    won: int
    drawn: int
    lost: int
    points: int


class SidePlace(Struct, frozen=True):
    """A side's place in the table of sides."""

    rank: int
    name: str
    players: int
    played: int
    won: int
    drawn: int
    lost: int
    points: int


class LeagueTold(Struct, frozen=True, omit_defaults=True):
    """A league: `round` of `rounds` (0: it is open how many), how many players it has, the top of its table, and that of its
    sides, if it has any.
    """

    id: str
    name: str
    edition: str
    format: str
    state: str
    round: int
    rounds: int
    players: int
    standings: tuple[Place, ...]
    sides: tuple[SidePlace, ...] = ()


class ResultTold(Struct, frozen=True):
    """How a fixture ended: `outcome` is "won", "draw" or "void", `winner` a key ("": none has won), `match` "" where none was
    played, `settled` whether an organiser decided it.
    """

    league: str
    fixture: int
    round: int
    scenario: str
    players: tuple[Named, ...]
    outcome: str
    winner: str
    reason: str
    settled: bool
    match: str


def told_of(fold: LeagueFold, topics: Topics) -> dict[str, bytes]:
    """Return what is retained of a listed league: JSON by topics."""
    shown = view(fold, "", "", None)
    names = {one.key: one.name for one in shown.players}
    results = {
        topics.league_result(shown.id, one.number): _result(shown, one, names)
        for one in shown.fixtures
        if one.state == "over"
    }
    return {topics.league_summary(shown.id): _summary(shown, names), **results}


def _summary(shown: LeagueView, names: dict[str, str]) -> bytes:
    terms = shown.terms
    places = tuple(
        Place(one.rank, one.player, names.get(one.player, ""), one.played, one.won, one.drawn, one.lost, one.points)
        for one in shown.standings[:TOP]
    )
    playing = sum(one.state == "plays" for one in shown.players)
    return msgspec.json.encode(
        LeagueTold(
            shown.id,
            terms.name,
            terms.edition,
            terms.format,
            shown.state,
            shown.round,
            shown.rounds,
            playing,
            places,
            tuple(_side(terms, one) for one in shown.sides),
        )
    )


def _side(terms: LeagueTerms, one: SideStanding) -> SidePlace:
    name = terms.sides[one.side - 1]
    return SidePlace(one.rank, name, one.players, one.played, one.won, one.drawn, one.lost, one.points)


def _result(shown: LeagueView, one: FixtureView, names: dict[str, str]) -> bytes:
    players = tuple(Named(key, names.get(key, "")) for key in one.players)
    return msgspec.json.encode(
        ResultTold(
            shown.id,
            one.number,
            one.round,
            one.scenario,
            players,
            one.outcome,
            one.winner,
            one.reason,
            one.settled,
            one.match,
        )
    )
