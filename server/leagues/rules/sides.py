"""Leagues with sides: who meets whom between them, and how they stand together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from client_protocol.leagues import LeagueTerms, SideStanding, Standing
from server.leagues.rules.round_robin import round_robin
from server.leagues.rules.settled import Settled, seated
from server.leagues.rules.swiss import weigh_meetings

Sides = Mapping[str, int]
"""The sides for which players play, counted from 1; empty where each plays alone."""
NO_SIDES: Sides = MappingProxyType({})


def rounds_of_sides(counts: Mapping[int, int]) -> int:
    """Return how many rounds it takes until each player has met each one of the other sides. `counts` are the sides' players."""
    return len(_rounds(counts))


def _rounds(counts: Mapping[int, int]) -> list[tuple[tuple[tuple[int, int], ...], int]]:
    """Return for each round which sides meet in it, and how far the one has gone round against the other."""
    sides = sorted(side for side, count in counts.items() if count)
    found = []
    for turn in range(len(sides) - 1 + len(sides) % 2):
        met = [one for one in round_robin([str(side) for side in sides], turn + 1) if len(one) == 2]
        meetings = [(int(home), int(away)) for home, away in met]
        longest = [max(counts[home], counts[away]) for home, away in meetings]
        for shift in range(max(longest, default=0)):
            going = tuple(one for one, long in zip(meetings, longest, strict=True) if shift < long)
            found.append((going, shift))
    return found


def round_robin_of_sides(seeding: Sequence[str], sides: Sides, number: int) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a round, counted from 1, in which each player meets each of the other sides once over all rounds.

    The sides meet each other by the circle method. As long as two of them meet, the players of the one go round against those of
    the other, a place in each round. Those who find no opponent in a round sit it out: that is no bye, and gives no points.
    """
    rosters: dict[int, list[str]] = {}
    for player in seeding:
        rosters.setdefault(sides[player], []).append(player)
    rounds = _rounds({side: len(roster) for side, roster in rosters.items()})
    if not 0 < number <= len(rounds):
        return ()
    drawn, (meetings, shift) = [], rounds[number - 1]
    for home, away in meetings:
        longest = max(len(rosters[home]), len(rosters[away]))
        for place, one in enumerate(rosters[home]):
            against = (place + shift) % longest
            if against < len(rosters[away]):
                # Each player comes first and second in turns, those at home and those away.
                pair = (one, rosters[away][against])
                drawn.append(pair[::-1] if (place + against) % 2 else pair)
    return tuple(drawn)


def swiss_of_sides(
    players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms, sides: Sides
) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of the next round, in which only players of different sides meet.

    As many meet as can. Of those who could sit out it is those who have had the most fixtures; that is no bye, and gives no
    points. Otherwise those meet who stand alike, as in a Swiss league without sides.

    Args:
        players: those who play, in the order of their seeding.
        settled: the fixtures that are over.
        terms: say what results count for.
        sides: their sides.
    """
    import networkx as nx  # noqa: PLC0415 - it takes an eighth of a second, and few servers ever need it

    points = {player: sum(one.points(player, terms) for one in settled if player in one.players) for player in players}
    had = {player: sum(player in one.players for one in settled) for player in players}
    order = sorted(players, key=lambda player: -points[player])
    weigh = weigh_meetings(order, points, settled)
    places = range(len(order))
    meetings = [
        (one, other) for one in places for other in places if one < other and sides[order[one]] != sides[order[other]]
    ]
    heaviest = 1 + sum(max((weigh(*pair) for pair in meetings if pair[0] == one), default=0) for one in places)
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from(
        (one, other, weigh(one, other) + heaviest * (had[order[one]] + had[order[other]])) for one, other in meetings
    )
    pairs = sorted((min(pair), max(pair)) for pair in nx.min_weight_matching(graph))
    return tuple(seated((order[one], order[other]), settled) for one, other in pairs)


def side_standings(
    names: Sequence[str], sides: Sides, playing: Sequence[str], table: Sequence[Standing]
) -> tuple[SideStanding, ...]:
    """Return the table of sides, the best first: all that their players have played and won, also those who have left.

    Args:
        names: the sides' names.
        sides: the players' sides.
        playing: those who still play.
        table: the table of players.
    """
    found = []
    for side in range(1, len(names) + 1):
        own = [one for one in table if sides[one.player] == side]
        found.append(
            SideStanding(
                0,
                side,
                sum(sides[player] == side for player in playing),
                sum(one.played for one in own),
                sum(one.won for one in own),
                sum(one.drawn for one in own),
                sum(one.lost for one in own),
                sum(one.points for one in own),
            )
        )
    ranked = sorted(found, key=lambda one: -one.points)
    return tuple(replace(one, rank=1 + sum(other.points > one.points for other in ranked)) for one in ranked)
