"""Elimination: the winners of a round meet in the next one, the first seed in the end the second."""

from __future__ import annotations

from collections.abc import Sequence

from server.leagues.rules.settled import Settled, seated


def elimination(
    seeding: Sequence[str], playing: Sequence[str], settled: Sequence[Settled], number: int
) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a round, counted from 1: in the first one the first of the seeding meets the last, and the first ones
    have byes if the number of players is no power of two.

    Whose opponent-to-be has left has a bye, so that the other parts of the bracket stay as they are.

    Args:
        seeding: all who were drawn, in the order of their seeding, also those who have left.
        playing: those who still play.
        settled: the fixtures that are over.
        number: the number of the round.
    """
    places = _places(seeding)
    last = [one for one in settled if one.round == number - 1]
    ahead = playing if number == 1 else [player for one in last if (player := goes_on(one, playing))]
    meetings: dict[int, list[str]] = {}
    for player in sorted(ahead, key=places.__getitem__):
        # After each round half as many parts of the bracket are left, each twice as large.
        meetings.setdefault(places[player] >> number, []).append(player)
    return tuple(seated((pair[0], pair[1]), settled) if len(pair) == 2 else (pair[0],) for pair in meetings.values())


def _places(seeding: Sequence[str]) -> dict[str, int]:
    """Return the place of each player in the bracket, from top to bottom."""
    order = [0]
    while len(order) < len(seeding):
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return {seeding[seed]: place for place, seed in enumerate(order) if seed < len(seeding)}


def goes_on(fixture: Settled, playing: Sequence[str]) -> str:
    """Return who goes on from a fixture: its winner, or, where it has none, the only one of its players who still plays; "" if
    no player does. A player who has lost does not go on, even if the winner has left.
    """
    if fixture.winner in fixture.players:
        return fixture.winner if fixture.winner in playing else ""
    stay = [one for one in fixture.players if one in playing]
    return stay[0] if len(stay) == 1 else ""


def undecided(last: Sequence[Settled], playing: Sequence[str]) -> bool:
    """Return whether a fixture of the last round has no winner although both of its players still play."""
    return any(one.winner not in one.players and all(player in playing for player in one.players) for one in last)
