"""Appointing co-organisers, and dismissing them. Pure."""

from __future__ import annotations

from client_protocol.leagues import Appoint
from server.leagues.log.league import League
from server.leagues.log.organisers import OrganiserAppointed, OrganiserDismissed, Organising, maker

MOST = 8
"""The most organisers of a league."""


def appointing(league: League, key: str, act: Appoint, name: str) -> Organising | str:
    """Return what an appointment by the player with a key leads to; or in a sentence why it cannot be.

    Args:
        league: the league.
        key: who appoints or dismisses.
        act: what they do.
        name: the name of the player, if the server knows it: else the league's is taken.
    """
    if key != maker(league):
        return "Only the player who made this league appoints and dismisses organisers."
    if not act.yes:
        if act.player == key:
            return "The player who made the league stays its organiser."
        if act.player not in league.organisers:
            return "This player is no organiser of the league."
        return OrganiserDismissed(act.player)
    member = league.players.get(act.player)
    name = name or ("" if member is None else member.name)
    if act.player in league.organisers:
        return "This player is an organiser already."
    if not name:
        return "This server knows no player with this key."
    if len(league.organisers) >= MOST:
        return f"A league has {MOST} organisers at most."
    return OrganiserAppointed(act.player, name)


def told(league: League, by: str, fact: Organising) -> str:
    """Return the news of what the player with the key `by` has done."""
    if isinstance(fact, OrganiserAppointed):
        return f"{league.name(by)} has made {fact.name} an organiser."
    return f"{league.name(fact.player)} is no longer an organiser."
