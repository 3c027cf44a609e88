"""The floor: a bare program of `websockets` and `redis-py` that knows no rules.

A websocket message in, one append to a stream of a database that syncs before it answers, a broadcast to the sockets of
the match. What it appends and broadcasts has the size of what Underfire appends and sends.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections import defaultdict

import msgpack  # type: ignore[import-untyped]  # the package publishes no types
from redis.asyncio import BlockingConnectionPool, Redis
from websockets.asyncio.server import ServerConnection, broadcast, serve

from tests.benchmarks import cores
from tests.benchmarks.control import obey
from tests.benchmarks.loop import new_loop

GREETINGS = 1
REPLIES = 0


async def run(redis_url: str, entry_bytes: int, frame_bytes: int) -> None:
    # By default redis-py fails where a hundred connections are in use; a program as fast as can be waits for one.
    redis = Redis.from_pool(BlockingConnectionPool.from_url(redis_url, max_connections=100, timeout=None))
    tables: defaultdict[str, set[ServerConnection]] = defaultdict(set)
    frame = bytes(frame_bytes)

    async def sit(socket: ServerConnection) -> None:
        match = msgpack.unpackb(await socket.recv())["match"]
        table = tables[match]
        table.add(socket)
        await socket.send(frame)
        async for order in socket:
            assert isinstance(order, bytes)
            await redis.xadd(f"floor:{match}", {"e": order.ljust(entry_bytes, b"\0")})
            broadcast(table, frame)

    async with serve(sit, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        await obey(server.sockets[0].getsockname()[1])
    await redis.aclose()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--redis", required=True)
    parser.add_argument("--entry-bytes", type=int, required=True)
    parser.add_argument("--frame-bytes", type=int, required=True)
    flags = parser.parse_args()
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # it complains of every load that just hangs up
    cores.take_server_core(flags.core)
    cores.allow_many_files()
    with asyncio.Runner(loop_factory=new_loop()) as runner:
        runner.run(run(flags.redis, flags.entry_bytes, flags.frame_bytes))


if __name__ == "__main__":
    main()
