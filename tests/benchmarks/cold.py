"""A long match back on a node that has never seen it: read, folded, its rules run again from the last boundary."""

from __future__ import annotations

import asyncio
import gc
import time

from server.kernel.ruleset import Ruleset
from server.matches.environment import Environment
from server.matches.log.entries import decode
from server.matches.room import Room
from server.store.store import MatchStore
from tests.benchmarks.prepared import MADE_AT, Prepared


async def put(store: MatchStore, prepared: Prepared) -> None:
    """Write a match that was played elsewhere into the store."""
    await store.create(prepared.match, MADE_AT, prepared.meta, prepared.entries[0])
    # All in the air at once, on one connection: they arrive in order.
    await asyncio.gather(
        *(
            store.append(prepared.match, version, "", entry)
            for version, entry in enumerate(prepared.entries[1:], start=1)
        )
    )


async def put_all(redis_url: str, matches: list[Prepared]) -> None:
    async with MatchStore(redis_url) as store:
        for prepared in matches:
            await put(store, prepared)


async def times(redis_url: str, rules: Ruleset, prepared: Prepared, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds until the match can be played, and until its entries are read and decoded, in turns.

    One more round than asked for is run: the first one warms up. What was prepared is not looked through for garbage meanwhile,
    as a server has none of it.
    """
    loaded, decoded = [], []
    gc.collect()
    gc.freeze()
    async with MatchStore(redis_url) as store:
        for _ in range(rounds + 1):
            began = time.perf_counter()
            entries = await store.read(prepared.match)
            for version, payload in entries:
                decode(version, payload)
            decoded.append(time.perf_counter() - began)
            began = time.perf_counter()
            room = await Room.load(
                prepared.match, store, lambda _edition: rules, Environment(lambda: MADE_AT, lambda: 0)
            )
            loaded.append(time.perf_counter() - began)
            await room.close()
    gc.unfreeze()
    return loaded[1:], decoded[1:]
