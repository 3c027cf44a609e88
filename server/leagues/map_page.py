"""The map of a campaign on the page that needs no JavaScript. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from client_protocol.leagues import LeagueView


def map_table(league: LeagueView, names: Mapping[str, str]) -> str:
    """Return the areas of a league's map as a table; "" where it has none. `names` are the players' by their keys."""
    if league.map is None or league.terms.map is None:
        return ""
    held = dict(league.map.held)
    rows = []
    for one in league.terms.map.areas:
        here = ", ".join(names.get(force.player, "") for force in league.map.forces if force.area == one.id)
        holder = names.get(held.get(one.id, ""), "")
        rows.append(
            f"<tr><td>{one.worth}</td><td>{escape(one.name)}</td>"
            f'<td class="words">{escape(holder)}</td><td class="words">{escape(here)}</td></tr>'
        )
    return (
        '<div><table><caption>The map</caption><thead><tr><th>Worth</th><th>Area</th><th class="words">Holder</th>'
        f'<th class="words">Forces</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )
