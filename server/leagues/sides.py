"""Sides of a league: for which one plays, and until when that can change. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.leagues import ChangeSide, LeagueTerms, SideStanding, Standing
from server.leagues.errors import ActError
from server.leagues.log.facts import SideChanged
from server.leagues.log.league import League
from server.leagues.rules.rounds import round_word
from server.leagues.rules.sides import Sides, side_standings
from server.matches.log.names import tidy

ALONE = frozenset({"elimination", "ladder"})
"""The formats in which each player plays alone."""


def with_sides(terms: LeagueTerms) -> LeagueTerms:
    """Return terms whose sides have clean names. Raises `ActError`: there cannot be such sides."""
    if not terms.sides:
        return terms
    names = tuple(tidy(one) for one in terms.sides)
    if terms.format in ALONE:
        raise ActError("In an elimination and on a ladder each player plays alone: there are no sides.")
    if len(names) < 2:
        raise ActError("A league has two sides at least, or none.")
    if not all(names):
        raise ActError("A side has no name.", "empty")
    if len({one.casefold() for one in names}) < len(names):
        raise ActError("Two sides have the same name.")
    return replace(terms, sides=names)


def sides_of(league: League) -> Sides:
    """Return the sides of all players, also those who have left; empty where there are none."""
    return {key: member.side for key, member in league.players.items() if member.side}


def side_for(league: League, player: str, wanted: int) -> int:
    """Return the side for which a player plays who joins: the one that they want, or (0) the one with the fewest players. Who
    comes back plays for the same side. Raises `ActError`: there is no such side.
    """
    before = league.players.get(player)
    if before is not None:
        return before.side
    if not wanted and league.terms.sides:
        mine = [member.side for member in league.players.values() if member.state != "left"]
        return min(range(1, len(league.terms.sides) + 1), key=mine.count)
    return _there(league, wanted)


def change_side(league: League, key: str, act: ChangeSide) -> SideChanged:
    """Return what it leads to that the player with a key changes a side, their own or as an organiser. Raises `ActError`."""
    player = act.player or key
    member = league.players.get(player)
    if player != key and key not in league.organisers:
        raise ActError("Players choose their own side; for others an organiser does.", "no_organiser")
    if member is None or member.state == "left":
        raise ActError("This player is not in the league.", "no_player")
    side = _there(league, act.side)
    if not side:
        raise ActError("There is no such side in this league.", "no_side")
    if side == member.side:
        raise ActError(f"{member.name} plays for {league.terms.sides[side - 1]} already.")
    if any(player in one.players for one in league.fixtures.values()):
        raise ActError(f"{member.name} has fixtures already, and stays on the same side.", "side_stands")
    if league.round and league.terms.format in {"round_robin", "map"}:
        raise ActError("This league has begun: its sides stand.", "side_stands")
    return SideChanged(player, side)


def why_one_side(league: League) -> str:
    """Return in a sentence why a round cannot begin for the sake of the sides; "" if they do not forbid it."""
    sides = {league.players[player].side for player in league.playing}
    word = round_word(league.terms.format)
    return f"A {word} needs players on two sides." if league.terms.sides and len(sides) < 2 else ""


def side_table(league: League, table: tuple[Standing, ...]) -> tuple[SideStanding, ...]:
    """Return the table of a league's sides by that of its players; empty where there are none."""
    return side_standings(league.terms.sides, sides_of(league), league.playing, table)


def _there(league: League, side: int) -> int:
    if side > len(league.terms.sides):
        raise ActError("There is no such side in this league.", "no_side")
    return side
