"""One message to many sockets: the library's `broadcast`, and what Underfire does in its place. Nothing but the sending."""

from __future__ import annotations

import argparse
import asyncio
import logging
import time
from collections.abc import Callable, Sequence

from websockets.asyncio.server import ServerConnection, broadcast, serve

from client_protocol import codec
from client_protocol.from_server import Snapshot, Update
from server.gateway.broadcast import Audience
from server.gateway.connection import Connection, Socket, Watchdog
from server.gateway.deflate import Deflate
from tests.benchmarks import cores
from tests.benchmarks.control import Child, obey
from tests.benchmarks.loop import new_loop
from tests.benchmarks.sockets import WebSocket

BURST = 10
"""Frames sent one after the other: few enough that no socket's buffer fills."""


def _no_snapshot() -> Snapshot:
    raise AssertionError("a reader has fallen behind")


async def run(size: int) -> None:
    """Serve: a socket's first message says who writes to it. `send WHO COUNT` sends a burst to that many sockets."""
    update = Update(1, {"text": "x" * (size - len(codec.encode(Update(1, {"text": ""}))) - 2)})
    audience = Audience(_no_snapshot, spectators=True)
    watchdog = Watchdog(time.monotonic)
    library: set[ServerConnection] = set()
    seq = 0

    async def sit(socket: ServerConnection) -> None:
        assert socket.request is not None
        assert isinstance(socket, Socket)
        if await socket.recv() == b"library":
            library.add(socket)
        else:
            audience.enter(Connection(socket, watchdog), 0, seq)
        await socket.wait_closed()

    def by_library() -> None:
        broadcast(library, codec.encode(update))

    def by_underfire() -> None:
        nonlocal seq
        seq += 1
        audience.publish(seq, update)

    ways: dict[str, Callable[[], None]] = {"library": by_library, "underfire": by_underfire}

    async def send(words: list[str]) -> dict[str, object]:
        group = library if words[1] == "library" else audience
        while len(group) < int(words[2]):  # noqa: ASYNC110 - they have connected, and are just coming in
            await asyncio.sleep(0.01)
        for _ in range(BURST):
            ways[words[1]]()
            await asyncio.sleep(0)
        return {"cpu": time.process_time()}

    async with serve(
        sit, "127.0.0.1", 0, create_connection=Socket, compression=None, extensions=[Deflate()], ping_interval=None
    ) as server:
        await obey(server.sockets[0].getsockname()[1], send)


def frames_per_second(child: Child, sockets: Sequence[WebSocket], way: str, bursts: int) -> float:
    """In the load generator: frames that the server sends in a second of its processor."""
    began = child.cpu
    for _ in range(bursts):
        child.ask("send", way, len(sockets))
        for socket in sockets:
            for _ in range(BURST):
                socket.take()
    return len(sockets) * bursts * BURST / (child.cpu - began)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--frame-bytes", type=int, required=True)
    flags = parser.parse_args()
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    cores.take_server_core(flags.core)
    cores.allow_many_files()
    with asyncio.Runner(loop_factory=new_loop()) as runner:
        runner.run(run(flags.frame_bytes))


if __name__ == "__main__":
    main()
