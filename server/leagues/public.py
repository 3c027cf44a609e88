"""A league as files that anyone may have: a page that needs no JavaScript, JSON, and the table as CSV. Pure."""

from __future__ import annotations

import csv
import datetime as dt
import io
from html import escape

import msgspec

from client_protocol.leagues import FixtureView, LeagueView, TieBreak
from server.leagues.map_page import map_table

TIE_BREAKS: dict[TieBreak, str] = {
    "head_to_head": "Points among those who have as many points",
    "buchholz": "Points of all opponents",
    "sonneborn_berger": "Points of the opponents that were beaten, and half of those with whom it was a draw",
    "wins": "Wins",
    "losses_inflicted": "Figures that the opponents lost",
}
"""What the tie-breaks are, in words."""
STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
th, td { border-bottom: 1px solid #8888; padding: 0.4rem 0.6rem; text-align: right; }
th:nth-child(2), td:nth-child(2), .words { text-align: left; }
"""


def as_json(league: LeagueView) -> bytes:
    """Return all that strangers may know of a league, as JSON."""
    return msgspec.json.format(msgspec.json.encode(league), indent=1)


def as_csv(league: LeagueView) -> bytes:
    """Return the table of a league as CSV (RFC 4180)."""
    names = _names(league)
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(
        ["rank", "player", "key", "played", "won", "drawn", "lost", "points", *league.terms.tie_breaks, "form"]
    )
    for one in league.standings:
        values = [f"{value / 100:g}" for value in one.tie_breaks]
        name = _plain(names.get(one.player, ""))
        rows.writerow(
            [one.rank, name, one.player, one.played, one.won, one.drawn, one.lost, one.points, *values, one.form]
        )
    return file.getvalue().encode()


def _plain(name: str) -> str:
    """Return a name that no program for tables takes for a formula."""
    return f"'{name}" if name[:1] in "=+-@" else name


def as_page(league: LeagueView) -> bytes:
    """Return a page about a league."""
    title, names = escape(league.terms.name), _names(league)
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="stylesheet" href="/leagues/style.css"></head><body>',
        f"<h1>{title}</h1>",
        f"<p>{escape(league.terms.about)}</p>" if league.terms.about else "",
        (
            f'<p><a href="/#/league/{league.id}">The league on this server</a>, '
            f'<a href="/leagues/{league.id}.csv">the table</a> and <a href="/leagues/{league.id}.json">all of it</a> '
            "as files.</p>"
        ),
        _table(league, names),
        map_table(league, names),
        _fixtures(league, names),
        "<h2>What has happened</h2><ul>",
        *(f"<li>{_moment(one.at)}: {escape(one.text)}</li>" for one in league.news),
        "</ul></body></html>",
    ]
    return "\n".join(part for part in parts if part).encode()


def _table(league: LeagueView, names: dict[str, str]) -> str:
    if not league.standings:
        return "<p>No player has joined yet.</p>"
    heads = ["", "Player", "Played", "Won", "Drawn", "Lost", "Points"]
    breaks = "".join(f'<th title="{TIE_BREAKS[one]}">{one.replace("_", " ")}</th>' for one in league.terms.tie_breaks)
    rows = [
        f"<tr><td>{one.rank}</td><td>{escape(names.get(one.player, ''))}</td><td>{one.played}</td><td>{one.won}</td>"
        f"<td>{one.drawn}</td><td>{one.lost}</td><td>{one.points}</td>"
        + "".join(f"<td>{value / 100:g}</td>" for value in one.tie_breaks)
        + f"<td>{one.form}</td></tr>"
        for one in league.standings
    ]
    head = "".join(f"<th>{one}</th>" for one in heads) + breaks + "<th>Form</th>"
    return (
        f"<div><table><caption>Standings</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        "</table></div>"
    )


def _fixtures(league: LeagueView, names: dict[str, str]) -> str:
    if not league.fixtures:
        return ""
    rows = [
        f"<tr><td>{one.round or ''}</td><td>{escape(' against '.join(names.get(key, '') for key in one.players))}</td>"
        f'<td class="words">{escape(_ended(one, names))}</td></tr>'
        for one in league.fixtures
    ]
    return (
        '<div><table><caption>Fixtures</caption><thead><tr><th>Round</th><th>Players</th><th class="words">Result</th>'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _ended(fixture: FixtureView, names: dict[str, str]) -> str:
    if fixture.state != "over":
        return "is being played" if fixture.state == "played" else "to be played"
    if fixture.outcome == "won":
        said = f"{names.get(fixture.winner, '')} has won."
    else:
        said = "A draw." if fixture.outcome == "draw" else "It does not count."
    return f"{said} {fixture.reason}".strip()


def _names(league: LeagueView) -> dict[str, str]:
    return {one.key: one.name for one in league.players}


def _moment(ms: int) -> str:
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
