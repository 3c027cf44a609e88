"""Naming the figures of a force that lives on. Pure."""

from __future__ import annotations

from client_protocol.campaigns import NameFigures
from server.leagues.errors import ActError
from server.leagues.log.league import League
from server.leagues.log.naming import FiguresNamed
from server.matches.log.names import tidy


def naming(league: League, player: str, act: NameFigures) -> FiguresNamed:
    """Return what it leads to that a player names the figures of a unit. Raises `ActError`: it cannot be done."""
    state = league.players[player].campaign
    if state is None:
        raise ActError("Forces do not live on in this league.", "no_roster")
    if not 0 <= act.unit < len(state.roster.units) or state.unit(act.unit).condition == "struck":
        raise ActError("There is no such unit on your roster.", "no_unit")
    unit = state.unit(act.unit)
    if unit.vehicle or unit.lone:
        raise ActError(f"{unit.name} is one figure, and has a name already.")
    if len(act.names) > unit.initial:
        raise ActError(f"{unit.name} has {unit.initial} figures.")
    names = {place: name for place, one in enumerate(act.names, 1) if (name := tidy(one))}
    if names == unit.names:
        raise ActError("These are their names already.")
    return FiguresNamed(player, act.unit, tuple(names.items()))
