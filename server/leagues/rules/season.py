"""The season of a league: what each player had after each round, or after each match where there are no rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.ladder import ladder
from server.leagues.rules.rounds import round_word
from server.leagues.rules.settled import Settled


class Season(Struct, frozen=True):
    """The steps, each named by what it comes after, and for each player a value for each step: the points, or on a ladder the
    places (`places`).
    """

    steps: tuple[str, ...]
    values: dict[str, tuple[int, ...]]
    places: bool


def season(
    players: Sequence[str],
    settled: Sequence[Settled],
    terms: LeagueTerms,
    gained: Mapping[str, Sequence[int]] | None = None,
) -> Season:
    """Return the season so far.

    Args:
        players: the players in the order in which they joined, also those who have left.
        settled: the fixtures that are over, in their order; of different rounds in any order.
        terms: the league's terms.
        gained: on a map, what areas have given to players at the end of each turn.
    """
    gained = gained or {}
    if terms.format in {"free", "ladder"}:
        counted = [one for one in settled if one.counts]
        steps = [(f"Match {at}", counted[:at]) for at in range(1, len(counted) + 1)]
    else:
        turns = range(1, max(map(len, gained.values()), default=0) + 1)
        numbers = sorted({one.round for one in settled} | set(turns))
        word = round_word(terms.format).capitalize()
        steps = [(f"{word} {number}", [one for one in settled if one.round <= number]) for number in numbers]
    places = terms.format == "ladder"
    after = [_places(players, some) if places else _points(players, some, terms) for _, some in steps]
    for turn, points in enumerate(after, 1) if gained else ():
        for player in players:
            points[player] += sum(gained.get(player, ())[:turn])
    values = {player: tuple(values[player] for values in after) for player in players}
    return Season(tuple(name for name, _ in steps), values, places)


def _points(players: Sequence[str], settled: Sequence[Settled], terms: LeagueTerms) -> dict[str, int]:
    points = dict.fromkeys(players, 0)
    for one in settled:
        for player in one.players:
            if player in points:
                points[player] += one.points(player, terms)
    return points


def _places(players: Sequence[str], settled: Sequence[Settled]) -> dict[str, int]:
    return {player: place for place, player in enumerate(ladder(players, settled), 1)}
