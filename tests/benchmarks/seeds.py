"""The seeds of the games that are measured: the same in every run, so that runs can be compared."""

from __future__ import annotations

from collections.abc import Iterator

SEEDS = tuple(range(100))


def rounds(count: int, games: int) -> Iterator[tuple[int, ...]]:
    """Yield the seeds of each round: other ones each time, as long as there are enough."""
    for number in range(count):
        yield tuple(SEEDS[(number * games + game) % len(SEEDS)] for game in range(games))


def text(count: int, games: int) -> str:
    """Return a sentence that names the seeds of so many rounds."""
    return f"Seeds of the games: {', '.join(str(seed) for seeds in rounds(count, games) for seed in seeds)}."
