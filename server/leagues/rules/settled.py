"""Fixtures that are over, as pairing and standings need them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from client_protocol.leagues import LeagueTerms, Outcome


class Settled(Struct, frozen=True):
    """A fixture that is over: its round (0: none), its players (one alone had a bye), how it ended, who has won ("": no player),
    the figures that each of the players lost, and the luck of each in hundredths of a standard deviation (empty: not
    known).
    """

    round: int
    players: tuple[str, ...]
    outcome: Outcome
    winner: str = ""
    losses: tuple[int, ...] = ()
    luck: tuple[int, ...] = ()

    @property
    def bye(self) -> bool:
        """Whether it was a round without an opponent."""
        return len(self.players) == 1

    @property
    def counts(self) -> bool:
        """Whether it counts for its players."""
        return self.outcome != "void"

    def opponent(self, player: str) -> str:
        """Return the opponent of one of the players; "" for a bye."""
        return next((one for one in self.players if one != player), "")

    def points(self, player: str, terms: LeagueTerms) -> int:
        """Return what one of its players has got for it."""
        if not self.counts:
            return 0
        if self.outcome == "draw":
            return terms.draw
        return terms.win if self.winner == player else terms.loss


def met(settled: Sequence[Settled]) -> set[frozenset[str]]:
    """Return the pairs that have met already."""
    return {frozenset(one.players) for one in settled if not one.bye}


def seconds(settled: Sequence[Settled], player: str) -> int:
    """Return how often a player came second in a pair, less how often first: who came first has the scenario's first side."""
    return sum((one.players[1] == player) - (one.players[0] == player) for one in settled if not one.bye)


def seated(pair: tuple[str, str], settled: Sequence[Settled]) -> tuple[str, str]:
    """Return a pair in the order in which sides are shared more evenly."""
    first, second = pair
    return pair if seconds(settled, first) >= seconds(settled, second) else (second, first)
