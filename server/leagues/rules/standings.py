"""How the players of a league stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.leagues import LeagueTerms, Standing, TieBreak
from server.leagues.rules.ladder import ladder
from server.leagues.rules.settled import Settled

FORM = 5
"""How many of the last fixtures the form shows."""


def standings(
    players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms, more: Mapping[str, int] | None = None
) -> tuple[Standing, ...]:
    """Return the table of a league, the best first.

    Players stand by their points, and by the tie-breaks of the terms where those are equal; on a ladder by their places; in an
    elimination first by the round that they have reached. Whom nothing tells apart have the same rank.

    Args:
        players: the players in the order in which they joined, also those who have left.
        settled: the fixtures that are over, in their order; of different rounds in any order.
        terms: the league's terms.
        more: points that players have apart from results.
    """
    more = more or {}
    by_round = sorted(settled, key=lambda one: one.round)
    own = {player: [one for one in by_round if player in one.players and one.counts] for player in players}
    points = {player: sum(one.points(player, terms) for one in own[player]) + more.get(player, 0) for player in players}
    broken = {
        player: tuple(_value(kind, player, players, own, points, terms) for kind in terms.tie_breaks)
        for player in players
    }
    first = _first(players, settled, terms)
    worth = {player: (first[player], points[player], broken[player]) for player in players}
    rows: list[Standing] = []
    before = ""
    for place, player in enumerate(sorted(players, key=worth.__getitem__, reverse=True), 1):
        rank = rows[-1].rank if rows and worth[before] == worth[player] else place
        rows.append(_row(rank, player, own[player], points[player], broken[player]))
        before = player
    return tuple(rows)


def _first(players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms) -> dict[str, int]:
    """Return what counts before points: a place on the ladder, the round reached in an elimination."""
    if terms.format == "ladder":
        return {player: -place for place, player in enumerate(ladder(players, settled))}
    if terms.format == "elimination":
        return {player: _reached(player, settled) for player in players}
    return dict.fromkeys(players, 0)


def _reached(player: str, settled: Sequence[Settled]) -> int:
    """Return the round that a player has reached, by a win, a bye, or because the opponent has left: then the fixture is void,
    and the next one says that the player went on.
    """
    return max((one.round + (one.winner == player) for one in settled if player in one.players), default=0)


def _row(rank: int, player: str, own: Sequence[Settled], points: int, broken: tuple[int, ...]) -> Standing:
    played = [one for one in own if not one.bye]
    letters = "".join(_letter(one, player) for one in played)
    won, drawn, lost = (letters.count(letter) for letter in "WDL")
    suffered, inflicted = _losses(player, played)
    luck = [one.luck[one.players.index(player)] for one in played if len(one.luck) == len(one.players)]
    return Standing(
        rank,
        player,
        len(played),
        won,
        drawn,
        lost,
        points,
        broken,
        letters[-FORM:],
        inflicted,
        suffered,
        sum(luck),
        len(luck),
    )


def _losses(player: str, played: Sequence[Settled]) -> tuple[int, int]:
    """Return the figures that a player lost in these fixtures, and those that the opponents lost."""
    each = [(key == player, lost) for one in played for key, lost in zip(one.players, one.losses, strict=False)]
    return sum(lost for own, lost in each if own), sum(lost for own, lost in each if not own)


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
            return 100 * _losses(player, played)[1]
