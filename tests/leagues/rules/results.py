"""Results of leagues, for the tests of their rules: by hand, and at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from hypothesis import settings

from client_protocol.leagues import Format, LeagueTerms, TieBreak
from server.leagues.rules.pairing import pairs
from server.leagues.rules.settled import Settled

calm = settings(derandomize=True, deadline=None, max_examples=60)

Pairs = tuple[tuple[str, ...], ...]
Referee = Callable[[tuple[str, ...], int], Settled]
"""Says how the fixture of a pair in a round ends."""


def terms(format_: Format, *tie_breaks: TieBreak, win: int = 3, draw: int = 1, loss: int = 0) -> LeagueTerms:
    return LeagueTerms("Autumn", "toy", ("duel",), format_, win=win, draw=draw, loss=loss, tie_breaks=tie_breaks)


def named(count: int) -> list[str]:
    """Return this many players, in the order of their seeding: `p01`, `p02` ..."""
    return [f"p{number:02}" for number in range(1, count + 1)]


def won(winner: str, loser: str, number: int = 0, losses: tuple[int, ...] = ()) -> Settled:
    """A fixture that the first of two players has won."""
    return Settled(number, (winner, loser), "won", winner, losses)


def lost(loser: str, winner: str, number: int = 0, losses: tuple[int, ...] = ()) -> Settled:
    """A fixture that the first of two players has lost."""
    return Settled(number, (loser, winner), "won", winner, losses)


def drawn(one: str, other: str, number: int = 0, losses: tuple[int, ...] = ()) -> Settled:
    return Settled(number, (one, other), "draw", "", losses)


def void(one: str, other: str, number: int = 0, losses: tuple[int, ...] = ()) -> Settled:
    return Settled(number, (one, other), "void", "", losses)


def bye(player: str, number: int = 0) -> Settled:
    return Settled(number, (player,), "won", player)


def at_random(seed: int, *, decided: bool = False) -> Referee:
    """Return a referee that lets chance decide; with `decided` there are winners alone."""
    chance = random.Random(seed)

    def referee(pair: tuple[str, ...], number: int) -> Settled:
        if len(pair) == 1:
            return bye(pair[0], number)
        one, other = pair
        losses = (chance.randrange(9), chance.randrange(9))
        ends = chance.choice((won, lost) if decided else (won, lost, won, lost, drawn, void))
        return ends(one, other, number, losses)

    return referee


def played(
    terms_: LeagueTerms, players: Sequence[str], rounds: int, referee: Referee
) -> tuple[list[Pairs], list[Settled]]:
    """Play a league of players who all stay. Return the pairs of each round, and all fixtures."""
    settled: list[Settled] = []
    told = []
    for number in range(1, rounds + 1):
        told.append(pairs(terms_, players, players, settled, number))
        settled += [referee(pair, number) for pair in told[-1]]
    return told, settled
