"""Naming a player who plays a fixture in the place of another one. Pure."""

from __future__ import annotations

from client_protocol.leagues import FixtureView, StandIn
from server.leagues.errors import ActError
from server.leagues.log.league import League
from server.leagues.log.standing_in import StandInNamed


def standing_in(league: League, fixture: FixtureView, key: str, act: StandIn) -> StandInNamed:
    """Return what it leads to that the player with a key names a stand-in. Raises `ActError`."""
    player = act.player or key
    if player not in fixture.players:
        raise ActError("This player does not play in this fixture.", "no_player")
    if key != player and key not in league.organisers:
        raise ActError("Players name their own stand-ins; for others an organiser does.", "no_organiser")
    if fixture.state != "waits" or len(fixture.players) == 1:
        raise ActError("A stand-in is named before the match begins.")
    member = league.players.get(act.by)
    if act.by and (member is None or member.state == "asks"):
        raise ActError("A stand-in is a player of the league.", "no_player")
    if act.by in (*fixture.players, *(by for _, by in fixture.stand_ins)):
        raise ActError("This player is in this fixture already.")
    return StandInNamed(fixture.number, player, act.by)


def seat_holder(fixture: FixtureView, key: str) -> str:
    """Return the player of a fixture for whom the player with a key sits at the table; "" for none."""
    places = dict(fixture.stand_ins)
    if key in fixture.players and key not in places:
        return key
    return next((player for player, by in fixture.stand_ins if by == key), "")


def sitting(fixture: FixtureView, player: str) -> str:
    """Return the key of who sits at the table for a player of a fixture."""
    return dict(fixture.stand_ins).get(player, player)
