"""Swiss: those meet who stand alike, and no two meet twice while that can be helped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.settled import Settled, met, seated

BYE = ""
"""Stands for the opponent of a player who has a bye."""

Weigh = Callable[[int, int], int]
"""Returns how much is against a meeting of the players at two places of the order."""


def swiss(players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of the next round.

    They are the perfect matching of least weight. What counts first: the fewest meetings and byes that are not the first ones; of
    an odd number of players the lowest has the bye; the smallest differences in points; among equals the upper half meets the
    lower one, and where those meet who do not stand alike, it is the last of the better ones with the first of the others.

    Args:
        players: those who play, in the order of their seeding.
        settled: the fixtures that are over.
        terms: say what results count for.
    """
    import networkx as nx  # noqa: PLC0415 - it takes an eighth of a second, and few servers ever need it

    points = {player: sum(one.points(player, terms) for one in settled if player in one.players) for player in players}
    order = sorted(players, key=lambda player: -points[player])
    if len(order) % 2:
        order.append(BYE)
    weigh = weigh_meetings(order, points, settled)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from(
        (one, other, weigh(one, other)) for one in range(len(order)) for other in range(one + 1, len(order))
    )
    pairs = sorted((min(pair), max(pair)) for pair in nx.min_weight_matching(graph))
    named = [(order[one], order[other]) for one, other in pairs]
    return tuple((one,) if other == BYE else seated((one, other), settled) for one, other in named)


def weigh_meetings(order: Sequence[str], points: dict[str, int], settled: Sequence[Settled]) -> Weigh:
    """Return what weighs a meeting. One of each kind of weight is more than all of the next kind in a round together, so the
    numbers may become large; they are whole, and stay exact.
    """
    meetings = met(settled)
    byes = {one.players[0] for one in settled if one.bye}
    alike = Counter(points.values())
    count = len(order)
    widest = max(points.values(), default=0) - min(points.values(), default=0)
    apart = count * count + 1
    too_high = apart * (count * widest**2 + 1)
    again = too_high * (count + 1)

    def weigh(one: int, other: int) -> int:
        first, second = order[one], order[other]
        if second == BYE:
            return again * (first in byes) + too_high * (count - one)
        weight = again * (frozenset((first, second)) in meetings) + apart * (points[first] - points[second]) ** 2
        if points[first] == points[second]:
            return weight + abs(other - one - alike[points[first]] // 2)
        return weight + count - one + other

    return weigh
