"""The season, the bracket and all pairs of a league as HTML that needs no JavaScript. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from client_protocol.leagues import FixtureView, LeagueView
from server.leagues.rules.season import Season, season
from server.leagues.rules.settled import Settled

STEPS_SHOWN = 12
"""How many of the last steps the table of the season has: a season of challenges can have hundreds."""
WIDE, HIGH, EDGE, NAMES = 640, 260, 36, 150
"""The size of the picture of the season, its edge, and the width of the names at its right."""
NAMED = 2
"""How many names a line of the picture has room for."""
APART = 14
"""How far the names in the picture are apart at least."""
GOLDEN = 137.5
"""The hues lie so that neighbours in the table differ most."""

LUCK = (
    "Luck over the season: how far what each player rolled lay above (+) or below (-) what could be expected, in standard "
    "deviations of the rolls, as a mean of the matches and in all"
)

Named = Mapping[str, str]
"""The names of players by their keys."""


def pictures(league: LeagueView, names: Named) -> str:
    """Return the parts of a league's page that show its season, its bracket and all pairs; "" before there is a result."""
    return "\n".join(part for part in (_bracket(league, names), _season(league, names), _pairs(league, names)) if part)


def _season(league: LeagueView, names: Named) -> str:
    table = [one.player for one in league.standings]
    joined = [one.key for one in league.players if one.key in set(table)]
    ended = sorted((one for one in league.fixtures if one.state == "over" and one.outcome), key=lambda one: one.ended)
    settled = [Settled(one.round, one.players, one.outcome, one.winner) for one in ended if one.outcome]
    found = season(joined, settled, league.terms, None if league.map is None else dict(league.map.gained))
    if not found.steps:
        return ""
    what = "Places" if found.places else "Points"
    first = max(0, len(found.steps) - STEPS_SHOWN)
    heads = "".join(f"<th>{step}</th>" for step in found.steps[first:])
    rows = "".join(
        f"<tr><td></td><td>{escape(names.get(key, ''))}</td>"
        + "".join(f"<td>{value}</td>" for value in found.values[key][first:])
        + "</tr>"
        for key in table
    )
    return (
        f"<h2>The season</h2>{_curve(found, table, names)}"
        f"<div><table><caption>{what} after each step</caption><thead><tr><th></th><th>Player</th>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _curve(found: Season, table: Sequence[str], names: Named) -> str:
    """Return the season as a picture: a line for each player."""
    values = [value for key in table for value in found.values[key]]
    low, high = (max(values), 1) if found.places else (0, max(values))  # the first place is at the top
    last = max(1, len(found.steps) - 1)

    def x(step: int) -> float:
        return EDGE + (WIDE - EDGE - NAMES) * step / last

    def y(value: int) -> float:
        return HIGH - EDGE - (HIGH - 2 * EDGE) * (value - low) / ((high - low) or 1)

    said = f"{'Places' if found.places else 'Points'} of {len(table)} players after each step, as in the table below."
    parts = [
        f'<div><svg viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" role="img" aria-label="{said}">',
        f'<text x="{EDGE - 8}" y="{y(low):.0f}" text-anchor="end">{low}</text>',
        f'<text x="{EDGE - 8}" y="{y(high):.0f}" text-anchor="end">{high}</text>',
    ]
    labels: list[tuple[float, list[str]]] = []
    for at, key in sorted(enumerate(table), key=lambda one: y(found.values[one[1]][-1])):
        name = escape(names.get(key, ""))
        course = found.values[key]
        points = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in enumerate(course))
        hue = round(at * GOLDEN + 210) % 360
        parts.append(
            f'<g class="course" stroke="hsl({hue} 60% 50%)"><title>{name}: {", ".join(map(str, course))}</title>'
            f'<polyline points="{points}"/>'
            f'<circle cx="{x(len(course) - 1):.1f}" cy="{y(course[-1]):.1f}" r="2"/></g>'
        )
        if labels and y(course[-1]) - labels[-1][0] < APART:
            labels[-1][1].append(name)
        else:
            labels.append((y(course[-1]), [name]))
    for height, said_here in labels:
        # Where names would cover each other they share a line, which has room for two: the table has them all.
        more = " ..." if len(said_here) > NAMED else ""
        parts.append(f'<text x="{x(last) + 8:.1f}" y="{height + 4:.1f}">{", ".join(said_here[:NAMED])}{more}</text>')
    return "".join([*parts, "</svg></div>"])


def _bracket(league: LeagueView, names: Named) -> str:
    """Return the rounds of an elimination next to each other, each with its meetings from top to bottom."""
    if league.terms.format != "elimination" or not league.fixtures:
        return ""
    columns = []
    for number in range(1, league.round + 1):
        own = [one for one in league.fixtures if one.round == number]
        meetings = "".join(f"<li>{_meeting(one, names)}</li>" for one in own)
        title = "Final" if number == league.rounds else f"Round {number}"
        columns.append(f'<td class="words"><strong>{title}</strong><ol>{meetings}</ol></td>')
    return f'<h2>Bracket</h2><div><table class="bracket"><tbody><tr>{"".join(columns)}</tr></tbody></table></div>'


def _meeting(fixture: FixtureView, names: Named) -> str:
    def name(key: str) -> str:
        said = escape(names.get(key, ""))
        return f"<strong>{said}</strong> (won)" if fixture.state == "over" and fixture.winner == key else said

    if len(fixture.players) == 1:
        return f"{escape(names.get(fixture.players[0], ''))}: a bye"
    said = " against ".join(map(name, fixture.players))
    return f'{said} (<a href="/#/m/{fixture.match}">match</a>)' if fixture.match else said


def luck_table(league: LeagueView, names: Named) -> str:
    """Return the luck of each player over the season, the luckiest first; "" while it is known of no match."""
    known = sorted((one for one in league.standings if one.lucky), key=lambda one: -one.luck / one.lucky)
    if not known:
        return ""
    rows = "".join(
        f"<tr><td></td><td>{escape(names.get(one.player, ''))}</td><td>{one.lucky}</td>"
        f"<td>{one.luck / one.lucky / 100:+.1f}</td><td>{one.luck / 100:+.1f}</td></tr>"
        for one in known
    )
    return (
        f"<div><table><caption>{LUCK}</caption><thead><tr><th></th><th>Player</th><th>Matches</th><th>A match</th>"
        f"<th>In all</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _pairs(league: LeagueView, names: Named) -> str:
    """Return a table of all pairs: how the player of each row did against that of each column."""
    keys = [one.player for one in league.standings]
    met: dict[tuple[str, str], str] = {}
    for one in league.fixtures:
        if one.state != "over" or len(one.players) != 2 or one.outcome not in {"won", "draw"}:
            continue
        for key, other in (one.players, one.players[::-1]):
            letter = "D" if one.outcome == "draw" else "W" if one.winner == key else "L"
            met[key, other] = met.get((key, other), "") + letter
    if not met:
        return ""
    heads = "".join(f"<th>{at}</th>" for at in range(1, len(keys) + 1))
    rows = "".join(
        f"<tr><td>{at}</td><td>{escape(names.get(key, ''))}</td>"
        + "".join(f"<td>{met.get((key, other), '')}</td>" for other in keys)
        + "</tr>"
        for at, key in enumerate(keys, 1)
    )
    return (
        "<h2>Head to head</h2><div><table><caption>How the player of each row did against that of each column: won (W), "
        f"drawn (D), lost (L)</caption><thead><tr><th></th><th>Player</th>{heads}</tr></thead><tbody>{rows}</tbody>"
        "</table></div>"
    )
