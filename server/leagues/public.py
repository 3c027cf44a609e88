"""A league as a page that needs no JavaScript, for anyone. Pure."""

from __future__ import annotations

import datetime as dt
from html import escape

from client_protocol.leagues import FixtureView, LeagueView, TieBreak
from server.leagues.campaigns import UNFOUGHT
from server.leagues.data_files import names_of, sides_by_player
from server.leagues.map_page import map_part
from server.leagues.pictures import luck_table, pictures

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
.words { vertical-align: top; }
.bracket td { min-width: 11rem; }
.bracket ol { margin: 0; padding-left: 1.5rem; }
svg { display: block; font-size: 12px; }
svg text { fill: currentColor; }
.course { fill: none; stroke-width: 2; }
.course:hover { stroke-width: 5; }
.map line { stroke: #8888; stroke-width: 3; }
.map circle { fill: Canvas; stroke: currentColor; stroke-width: 2; }
.map .free circle { stroke-dasharray: 4 4; }
.map text { text-anchor: middle; paint-order: stroke; stroke: Canvas; stroke-width: 3px; }
"""


def as_page(league: LeagueView) -> bytes:
    """Return a page about a league."""
    title, names = escape(league.terms.name), names_of(league)
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
        _sides(league),
        _table(league, names),
        map_part(league, names),
        luck_table(league, names),
        pictures(league, names),
        _fixtures(league, names),
        "<h2>What has happened</h2><ul>",
        *(f"<li>{_moment(one.at)}: {escape(one.text)}</li>" for one in league.news),
        "</ul></body></html>",
    ]
    return "\n".join(part for part in parts if part).encode()


def _table(league: LeagueView, names: dict[str, str]) -> str:
    if not league.standings:
        return "<p>No player has joined yet.</p>"
    sides = sides_by_player(league)
    heads = ["", "Player", "Played", "Won", "Drawn", "Lost", "Points", "Figures inflicted", "Figures suffered"]
    breaks = "".join(f'<th title="{TIE_BREAKS[one]}">{one.replace("_", " ")}</th>' for one in league.terms.tie_breaks)
    rows = [
        f"<tr><td>{one.rank}</td><td>{escape(_sided(names.get(one.player, ''), sides.get(one.player)))}</td>"
        f"<td>{one.played}</td><td>{one.won}</td><td>{one.drawn}</td><td>{one.lost}</td><td>{one.points}</td><td>{one.inflicted}</td><td>{one.suffered}</td>"
        + "".join(f"<td>{value / 100:g}</td>" for value in one.tie_breaks)
        + f"<td>{one.form}</td></tr>"
        for one in league.standings
    ]
    head = "".join(f"<th>{one}</th>" for one in heads) + breaks + "<th>Form</th>"
    return (
        f"<div><table><caption>Standings</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        "</table></div>"
    )


def _sided(name: str, side: str | None) -> str:
    return f"{name} ({side})" if side else name


def _sides(league: LeagueView) -> str:
    """Return the table of sides; "" where there are none."""
    if not league.sides:
        return ""
    heads = ["", "Side", "Players", "Played", "Won", "Drawn", "Lost", "Points"]
    rows = [
        f"<tr><td>{one.rank}</td><td>{escape(league.terms.sides[one.side - 1])}</td><td>{one.players}</td>"
        f"<td>{one.played}</td><td>{one.won}</td><td>{one.drawn}</td><td>{one.lost}</td><td>{one.points}</td></tr>"
        for one in league.sides
    ]
    return (
        f"<div><table><caption>Sides</caption><thead><tr>{''.join(f'<th>{one}</th>' for one in heads)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
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
    return " ".join(filter(None, (said, fixture.reason, UNFOUGHT if fixture.unfought else "")))


def _moment(ms: int) -> str:
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
