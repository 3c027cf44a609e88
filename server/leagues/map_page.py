"""The map of a campaign on the page that needs no JavaScript: as a picture, and as a table. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from client_protocol.leagues import LeagueView
from client_protocol.maps import CampaignMap, MapArea

WIDE, HIGH = 640, 420
"""The size of the picture."""
EDGE, BELOW = 60, 64
"""The space at its edges, and below the lowest areas, for their names."""
LARGE = 1000
"""A map's places are in thousandths of its width and height."""
DISC = 14
LONGEST = 22
"""How many letters of a name are drawn; the table has it whole."""

Named = Mapping[str, str]
"""The names of players by their keys."""


def map_part(league: LeagueView, names: Named) -> str:
    """Return the map of a league as a picture and a table; "" where it has none."""
    if league.map is None or league.terms.map is None:
        return ""
    return f"<h2>The map</h2>{_picture(league, league.terms.map, names)}{_table(league, league.terms.map, names)}"


def _picture(league: LeagueView, map_: CampaignMap, names: Named) -> str:
    places = {one.id: _place(one) for one in map_.areas}
    held, here = _held(league), _here(league)
    parts = [
        (
            f'<div><svg class="map" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" role="img" '
            f'aria-label="{len(map_.areas)} areas and the routes between them, as in the table below.">'
        )
    ]
    for one, other in map_.routes:
        (x, y), (x2, y2) = places[one], places[other]
        parts.append(f'<line x1="{x}" y1="{y}" x2="{x2}" y2="{y2}"/>')
    for area in map_.areas:
        x, y = places[area.id]
        holder = names.get(held.get(area.id, ""), "")
        forces = [names.get(key, "") for key in here.get(area.id, ())]
        said = [f"{area.name}, worth {area.worth}", f"held by {holder}" if holder else "held by no player"]
        said += [f"here: {', '.join(forces)}"] if forces else []
        parts.append(
            f'<g class="{"held" if holder else "free"}"><title>{escape(": ".join([said[0], "; ".join(said[1:])]))}</title>'
            f'<circle cx="{x}" cy="{y}" r="{DISC}"/>'
            f'<text x="{x}" y="{y + 5}">{len(forces) or ""}</text>'
            f'<text x="{x}" y="{y + DISC + 16}">{escape(_clipped(area.name))}</text>'
            f'<text x="{x}" y="{y + DISC + 31}">{escape(_clipped(holder))}</text></g>'
        )
    note = "A disc has the number of forces in its area; below it stand the names of the area and of its holder."
    return "".join([*parts, f"</svg></div><p>{note}</p>"])


def _table(league: LeagueView, map_: CampaignMap, names: Named) -> str:
    held, here = _held(league), _here(league)
    rows = []
    for one in map_.areas:
        forces = ", ".join(names.get(key, "") for key in here.get(one.id, ()))
        holder = names.get(held.get(one.id, ""), "")
        rows.append(
            f"<tr><td>{one.worth}</td><td>{escape(one.name)}</td>"
            f'<td class="words">{escape(holder)}</td><td class="words">{escape(forces)}</td></tr>'
        )
    return (
        '<div><table><caption>The areas</caption><thead><tr><th>Worth</th><th>Area</th><th class="words">Holder</th>'
        f'<th class="words">Forces</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _held(league: LeagueView) -> dict[str, str]:
    return dict(league.map.held) if league.map else {}


def _here(league: LeagueView) -> dict[str, list[str]]:
    """Return the players whose forces stand in each area."""
    here: dict[str, list[str]] = {}
    for force in league.map.forces if league.map else ():
        here.setdefault(force.area, []).append(force.player)
    return here


def _place(area: MapArea) -> tuple[int, int]:
    return EDGE + (WIDE - 2 * EDGE) * area.x // LARGE, EDGE // 2 + (HIGH - EDGE // 2 - BELOW) * area.y // LARGE


def _clipped(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"
