"""A database that answers and cannot be written, and one that must not be."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from server.store.errors import StoreUnavailable
from server.store.store import Appended, Health, MatchStore
from tests.support.valkey import IMPATIENT, until, valkey


async def test_a_database_without_memory_is_not_healthy_until_it_has_some(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, MatchStore(url, wait_seconds=IMPATIENT) as store:
        seen: list[Health] = []

        def well() -> bool:
            return store.health.up

        store.watch_health(seen.append)
        await store.create("m", 1, {}, b"1")
        with redis.Redis.from_url(url) as operator:
            operator.config_set("maxmemory", "1mb")
            # The servers' beat is enough to find it out, without an answer.
            with pytest.raises(StoreUnavailable, match="cannot be written"):
                await store.beat()
            assert not well()
            assert "OOM" in store.health.reason or "memory" in store.health.reason
            assert "cannot write" in store.health.notice
            with pytest.raises(StoreUnavailable, match="cannot be written"):
                await store.append("m", 1, "", b"x")
            # It can still be read.
            assert [version for version, _ in await store.read("m")] == [1]
            operator.config_set("maxmemory", "0")
        await store.beat()
        assert well()
        assert await store.append("m", 1, "", b"x") == Appended(2)
        assert [health.up for health in seen] == [False, True]


async def test_a_database_that_is_not_ours_any_longer_is_asked_nothing(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, MatchStore(url) as store:
        await store.create("m", 1, {}, b"1")
        async with store.follow("m") as entries:
            assert await anext(entries) == (1, b"1")
            store.block("The folder is gone.")
            assert (store.health.up, store.health.reason) == (False, "The folder is gone.")
            for call in (store.append("m", 1, "", b"x"), store.read("m"), store.get_meta("m"), store.beat()):
                with pytest.raises(StoreUnavailable, match="folder is gone"):
                    await call
            async with MatchStore(url) as other:
                assert await other.append("m", 1, "", b"x") == Appended(2)
            store.block("")
            await until(lambda: store.health.up)
            assert await anext(entries) == (2, b"x")
