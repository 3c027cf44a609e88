"""The wire to Redis: what happens to commands while Redis does not read."""

from __future__ import annotations

import asyncio
import os
import signal

from server.store.store import Appended, MatchStore
from tests.support.valkey import pid_of, until

LARGE = 64 * 1024
MANY = 60
"""Together more than the buffers of a socket hold."""


async def test_commands_wait_for_a_redis_that_does_not_read_and_keep_their_order(valkey_url: str) -> None:
    pid = pid_of(valkey_url)
    async with MatchStore(valkey_url, patience_seconds=30) as store:
        await store.create("m", 1, {}, b"pinned")
        os.kill(pid, signal.SIGSTOP)
        try:
            async with asyncio.timeout(20), asyncio.TaskGroup() as group:

                async def append(version: int) -> Appended:
                    found = await store.append("m", version, f"a:{version}", bytes(LARGE))
                    assert isinstance(found, Appended)
                    return found

                tasks = []
                for version in range(1, MANY):
                    tasks.append(group.create_task(append(version)))
                    await asyncio.sleep(0)
                wire = store._commands._writes._wire
                assert wire is not None
                await until(lambda: wire.full)
                tasks.append(group.create_task(append(MANY)))
                await asyncio.sleep(0)
                os.kill(pid, signal.SIGCONT)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert [task.result().version for task in tasks] == list(range(2, MANY + 2))
