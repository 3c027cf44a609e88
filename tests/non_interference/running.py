"""Seeds one after the other, on a Valkey that keeps nothing."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import redis

from server.store.embedded import EmbeddedValkey
from tests.non_interference.pairs import Figures, pairs_of


@contextlib.asynccontextmanager
async def quick_valkey(folder: Path) -> AsyncIterator[str]:
    """A Valkey that writes nothing to the disk: every world of a pair begins with an empty one."""
    async with EmbeddedValkey(folder) as embedded:
        with redis.Redis.from_url(embedded.url) as operator:
            operator.config_set("appendonly", "no")
        yield embedded.url


async def run(url: str, seed: int, pairs: int) -> AsyncIterator[tuple[int, Figures]]:
    """Play the games of one seed after the other until there were so many pairs: each seed, and its figures.

    Raises:
        Noticed: an audience noticed a secret of another one.
    """
    while pairs > 0:
        figures = await pairs_of(url, seed)
        yield seed, figures
        pairs -= figures.pairs
        seed += 1
