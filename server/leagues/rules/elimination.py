"""Elimination: the winners of a round meet in the next one, the first seed in the end the second."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from server.leagues.rules.settled import Settled, seated


def elimination(players: Sequence[str], settled: Sequence[Settled], number: int) -> tuple[tuple[str, ...], ...]:
    """Return the pairs of a round, counted from 1: in the first one the first of the seeding meets the last, and the first ones
    have byes if the number of players is no power of two.

    Args:
        players: those who play, in the order of their seeding.
        settled: the fixtures that are over.
        number: the number of the round.
    """
    if number == 1:
        return _first_round(players)
    last = [one for one in settled if one.round == number - 1]
    ahead = [_through(one, players) for one in last]
    pairs = [tuple(one for one in pair if one) for pair in zip_longest(ahead[::2], ahead[1::2], fillvalue="")]
    return tuple(seated((pair[0], pair[1]), settled) if len(pair) == 2 else pair for pair in pairs if pair)


def _through(fixture: Settled, players: Sequence[str]) -> str:
    """Return who goes on from a fixture: the winner; or, if one has left, the other; "" if both have."""
    playing = [one for one in fixture.players if one in players]
    return fixture.winner if fixture.winner in playing else (playing[0] if len(playing) == 1 else "")


def _first_round(players: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    order = [0]
    while len(order) < len(players):
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    seats = [players[seed] if seed < len(players) else "" for seed in order]
    return tuple(tuple(one for one in pair if one) for pair in zip(seats[::2], seats[1::2], strict=True))


def undecided(last: Sequence[Settled], players: Sequence[str]) -> bool:
    """Return whether a fixture of the last round has no winner although both of its players go on."""
    return any(
        not one.bye and one.winner not in one.players and all(player in players for player in one.players)
        for one in last
    )
