"""The seeds of the games that are measured: the same in every run, so that runs can be compared."""

from __future__ import annotations

SEEDS = tuple(range(100))


def first(count: int) -> tuple[int, ...]:
    """Return so many seeds, which are all in `SEEDS`."""
    assert count <= len(SEEDS), "each game has a seed of its own"
    return SEEDS[:count]


def text(games: int, alone: int, crowd: int) -> str:
    """Return sentences that name the seeds of so many games, and of the matches that servers are sent the orders of: so many
    that are played one by one, and so many at once.
    """
    of_games, of_alone, of_crowd = (_named(first(count)) for count in (games, alone, crowd))
    return (
        f"Seeds of the games: {of_games}.\nSeeds of the matches on servers: {of_alone} one by one, {of_crowd} at once."
    )


def _named(seeds: tuple[int, ...]) -> str:
    return f"{seeds[0]} to {seeds[-1]}"
