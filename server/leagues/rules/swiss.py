"""Swiss: those meet who stand alike, and no two meet twice while that can be helped."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.settled import Settled, met, seated

BYE = ""
"""Stands for the opponent of a player who has a bye."""
ONCE_MORE = 10**15
"""The weight of a meeting that is not the first one, or a bye: more than all differences in points together."""

ALIKE = 10_000
"""The weight of a difference of one point: more than all wishes about who of those that stand alike meets whom."""


def swiss(players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of the next round.

    They are the perfect matching of least weight: first the fewest meetings and byes that are not the first ones, then the
    smallest differences in points. Of an odd number of players the one with the fewest points has a bye.

    Args:
        players: those who play, in the order of their seeding.
        settled: the fixtures that are over.
        terms: say what results count for.
    """
    import networkx as nx  # noqa: PLC0415 - it takes a quarter of a second, and few servers ever need it

    points = {player: sum(one.points(player, terms) for one in settled if player in one.players) for player in players}
    order = sorted(players, key=lambda player: (-points[player], players.index(player)))
    place = {player: number for number, player in enumerate(order)}
    byes = {one.players[0] for one in settled if one.bye}
    meetings = met(settled)
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(order)
    for at, one in enumerate(order):
        for other in order[at + 1 :]:
            again = ONCE_MORE * (frozenset((one, other)) in meetings)
            alike = ALIKE * (points[one] - points[other]) ** 2
            graph.add_edge(one, other, weight=again + alike + _wish(order, points, one, other))
        if len(order) % 2:
            graph.add_edge(one, BYE, weight=ONCE_MORE * (one in byes) + ALIKE * _above_last(points, one))
    found = nx.min_weight_matching(graph)
    pairs = [tuple(sorted(pair, key=lambda player: place.get(player, len(order)))) for pair in found]
    pairs.sort(key=lambda pair: place[pair[0]])
    return tuple((pair[0],) if pair[1] == BYE else seated((pair[0], pair[1]), settled) for pair in pairs)


def _wish(order: Sequence[str], points: dict[str, int], one: str, other: str) -> int:
    """Return how far a pair is from what is wished: among equals the upper half meets the lower one, and where those meet who do
    not stand alike, it is the last of the better ones with the first of the others.
    """
    above, below = order.index(one), order.index(other)
    if points[one] != points[other]:
        return len(order) - above + below
    return abs(below - above - sum(points[player] == points[one] for player in order) // 2)


def _above_last(points: dict[str, int], player: str) -> int:
    return (points[player] - min(points.values())) ** 2 * len(points)
