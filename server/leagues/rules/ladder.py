"""Ladder: who beats a player that stands higher takes that player's place."""

from __future__ import annotations

from collections.abc import Sequence

from server.leagues.rules.settled import Settled

REACH = 3
"""How many places higher a player may stand who is challenged."""


def ladder(players: Sequence[str], settled: Sequence[Settled]) -> tuple[str, ...]:
    """Return the order of a ladder, the first place first: at first that in which the players have joined.

    Args:
        players: all players in the order in which they joined, also those who have left: who has beaten them keeps the place.
        settled: the fixtures that are over, in their order.
    """
    order = list(players)
    for one in settled:
        if one.outcome != "won" or one.bye or not all(player in order for player in one.players):
            continue
        winner, loser = order.index(one.winner), order.index(one.opponent(one.winner))
        if winner > loser:
            order.insert(loser, order.pop(winner))
    return tuple(order)


def may_challenge(order: Sequence[str], challenger: str, other: str, reach: int = REACH) -> str:
    """Return in a sentence why a player of a ladder may not challenge another one; "" if they may.

    Args:
        order: the places of those who play, the first place first.
        challenger: who challenges.
        other: who is challenged.
        reach: how many places higher the other player may stand.
    """
    places = order.index(challenger) - order.index(other)
    if places <= 0:
        return "On a ladder you challenge players who stand higher than you."
    if places > reach:
        up_to = "the player who stands 1 place" if reach == 1 else f"those who stand up to {reach} places"
        return f"On this ladder you may challenge {up_to} higher."
    return ""
