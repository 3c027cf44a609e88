"""A league as files for programs that anyone may have: all of it as JSON, and the table as CSV. Pure."""

from __future__ import annotations

import csv
import io

import msgspec

from client_protocol.leagues import LeagueView, Standing

FIGURES = ("losses_inflicted_in_all", "losses_suffered", "luck", "matches_with_luck")
"""The last columns of the CSV: the figures that the opponents and the player lost, the luck in all in standard deviations, and
of how many matches it is known.
"""


def as_json(league: LeagueView) -> bytes:
    """Return all that strangers may know of a league, as JSON."""
    return msgspec.json.format(msgspec.json.encode(league), indent=1)


def as_csv(league: LeagueView) -> bytes:
    """Return the table of a league as CSV (RFC 4180)."""
    names = names_of(league)
    sides = sides_by_player(league)
    gained = dict(league.map.gained) if league.map else {}
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(
        [
            "rank",
            "player",
            "key",
            *(["side"] if league.sides else []),
            "played",
            "won",
            "drawn",
            "lost",
            "points",
            *(["points_for_areas"] if league.map else []),
            *league.terms.tie_breaks,
            "form",
            *FIGURES,
        ]
    )
    for one in league.standings:
        values = [f"{value / 100:g}" for value in one.tie_breaks]
        name = _plain(names.get(one.player, ""))
        rows.writerow(
            [
                one.rank,
                name,
                one.player,
                *([_plain(sides[one.player])] if league.sides else []),
                one.played,
                one.won,
                one.drawn,
                one.lost,
                one.points,
                *([sum(gained.get(one.player, ()))] if league.map else []),
                *values,
                one.form,
                *_figures(one),
            ]
        )
    return file.getvalue().encode()


def _figures(one: Standing) -> tuple[int | str, ...]:
    luck = f"{one.luck / 100:g}" if one.lucky else ""
    return one.inflicted, one.suffered, luck, one.lucky


def _plain(name: str) -> str:
    """Return a name that no program for tables takes for a formula."""
    return f"'{name}" if name[:1] in "=+-@" else name


def sides_by_player(league: LeagueView) -> dict[str, str]:
    """Return the names of the sides for which players play, by the players' keys; empty where there are none."""
    return {one.key: league.terms.sides[one.side - 1] for one in league.players if one.side}


def names_of(league: LeagueView) -> dict[str, str]:
    """Return the names of a league's players by their keys."""
    return {one.key: one.name for one in league.players}
