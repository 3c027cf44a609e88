"""The wire to Redis, on each event loop: what happens to commands while Redis does not read, and to replies in pieces."""

from __future__ import annotations

import asyncio
import math
import os
import signal

import pytest

from server.store.store import Appended, MatchStore
from server.store.wire import Wire
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


async def test_replies_are_told_apart_in_many_pieces_and_many_in_one_piece(store: MatchStore) -> None:
    await store.create("m", 1, {}, b"pinned")
    payloads = [number.to_bytes(2, "big") * (LARGE // 2) for number in range(MANY)]
    for version, payload in enumerate(payloads, start=1):
        await store.append("m", version, "", payload)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        reading = group.create_task(store.read("m", after=1))
        counting = [group.create_task(store.length("m")) for _ in range(MANY)]
    assert [payload for _, payload in reading.result()] == payloads
    assert [task.result() for task in counting] == [MANY + 1] * MANY


async def test_a_command_goes_out_at_once_while_none_is_under_way_and_those_behind_it_in_one_write(
    store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = store._commands._writes
    wire = link._wire
    assert wire is not None
    await until(lambda: link.under_way == 0)
    written: list[bytes] = []

    def write(data: bytes) -> None:
        written.append(data)
        Wire.write(wire, data)

    monkeypatch.setattr(wire, "write", write)
    echoes = [link.call("ECHO", str(number), deadline=math.inf) for number in range(5)]
    assert [data.count(b"ECHO") for data in written] == [1]
    assert await asyncio.gather(*echoes) == [b"0", b"1", b"2", b"3", b"4"]
    assert [data.count(b"ECHO") for data in written] == [1, 4]


async def test_the_wire_is_that_of_the_loop_which_a_server_runs_on(
    store: MatchStore, request: pytest.FixtureRequest
) -> None:
    wire = store._commands._writes._wire
    assert wire is not None
    (loop,) = {"asyncio", "uvloop"}.intersection(request.node.callspec.id.split("-"))
    assert type(wire._transport).__module__.partition(".")[0] == loop
