"""The seeds of the games that are measured: the same in every run, so that runs can be compared."""

from __future__ import annotations

from collections.abc import Iterator

SEEDS = tuple(range(100))


def rounds(count: int, games: int) -> Iterator[tuple[int, ...]]:
    """Yield the seeds of each round: other ones each time, as long as there are enough."""
    for number in range(count):
        yield tuple(SEEDS[(number * games + game) % len(SEEDS)] for game in range(games))


def text(rounds_: int, games: int, matches: int) -> str:
    """Return sentences that name the seeds of so many rounds of games, and of the matches that servers are sent the orders of:
    two more than rounds played one by one, then so many at once.
    """
    of_games = ", ".join(str(seed) for chosen in rounds(rounds_, games) for seed in chosen)
    alone, crowd = (next(rounds(1, count)) for count in (rounds_ + 2, matches))
    return (
        f"Seeds of the games: {of_games}.\n"
        f"Seeds of the matches on servers: {alone[0]} to {alone[-1]} one by one, {crowd[0]} to {crowd[-1]} at once."
    )
