"""How the players of a league stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.leagues import LeagueTerms, Standing, TieBreak
from server.leagues.rules.ladder import ladder
from server.leagues.rules.settled import Settled

FORM = 5
"""How many of the last fixtures the form shows."""


def standings(players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms) -> tuple[Standing, ...]:
    """Return the table of a league, the best first.

    Players stand by their points, and by the tie-breaks of the terms where those are equal; on a ladder by their places; in an
    elimination by the rounds that they have won. Whom nothing tells apart have the same rank.

    Args:
        players: the players in the order in which they joined, also those who have left.
        settled: the fixtures that are over, in their order.
        terms: the league's terms.
    """
    own = {player: [one for one in settled if player in one.players and one.counts] for player in players}
    points = {player: sum(one.points(player, terms) for one in own[player]) for player in players}
    broken = {
        player: tuple(_value(kind, player, players, own, points, terms) for kind in terms.tie_breaks)
        for player in players
    }
    places = {player: -place for place, player in enumerate(ladder(players, settled))}
    first = {player: places[player] if terms.format == "ladder" else points[player] for player in players}
    if terms.format == "elimination":
        first = {player: sum(one.winner == player for one in own[player]) for player in players}
    order = sorted(players, key=lambda player: (first[player], points[player], broken[player]), reverse=True)
    rows: list[Standing] = []
    for place, player in enumerate(order, 1):
        before = order[place - 2] if rows else ""
        equal = bool(before) and (first[before], points[before], broken[before]) == (
            first[player],
            points[player],
            broken[player],
        )
        played = [one for one in own[player] if not one.bye]
        rows.append(
            Standing(
                rows[-1].rank if equal else place,
                player,
                len(played),
                sum(one.winner == player for one in played),
                sum(one.outcome == "draw" for one in played),
                sum(one.outcome == "won" and one.winner != player for one in played),
                points[player],
                broken[player],
                "".join(_letter(one, player) for one in played[-FORM:]),
            )
        )
    return tuple(rows)


def _letter(fixture: Settled, player: str) -> str:
    if fixture.outcome == "draw":
        return "D"
    return "W" if fixture.winner == player else "L"


def _value(
    kind: TieBreak,
    player: str,
    players: Sequence[str],
    own: Mapping[str, Sequence[Settled]],
    points: Mapping[str, int],
    terms: LeagueTerms,
) -> int:
    """Return a player's value of a tie-break, in hundredths."""
    played = [one for one in own[player] if not one.bye]
    match kind:
        case "head_to_head":
            equals = {other for other in players if points[other] == points[player]}
            return 100 * sum(one.points(player, terms) for one in played if one.opponent(player) in equals)
        case "buchholz":
            return 100 * sum(points.get(one.opponent(player), 0) for one in played)
        case "sonneborn_berger":
            shares = {"W": 100, "D": 50, "L": 0}
            return sum(shares[_letter(one, player)] * points.get(one.opponent(player), 0) for one in played)
        case "wins":
            return 100 * sum(one.winner == player for one in played)
        case "losses_inflicted":
            return 100 * sum(
                lost for one in played for other, lost in zip(one.players, one.losses, strict=False) if other != player
            )
