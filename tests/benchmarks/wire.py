"""What compression costs: processor time for a frame, and memory for a seat."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Sequence
from statistics import mean

from client_protocol import codec
from client_protocol.from_server import Snapshot, Update
from server.gateway.broadcast import Audience
from server.gateway.connection import Connection, framed
from server.gateway.deflate import QUICK, THOROUGH, Context
from server.kernel.belief import Audience as Viewer
from tests.benchmarks.prepared import SPECTATORS, Prepared


class _Peer:
    """A connection that forgets what it is sent."""

    def __init__(self, *, deflates: bool) -> None:
        self.deflates = deflates

    def publish(self, _frame: bytes) -> None:
        pass

    def catch_up(self, _frames: list[bytes] | None) -> None:
        pass


def seconds(game: Prepared, audience: Viewer) -> tuple[float, float]:
    """Return the processor time for packing a frame to an audience, and for compressing it: means over a game."""
    context = Context(THOROUGH if audience == SPECTATORS else QUICK)
    packing, compressing = [], []
    for order in game.orders:
        if audience not in order.told:
            continue
        update = codec.decode_server(order.told[audience])
        began = time.thread_time_ns()
        payload = codec.encode(update)
        packed = time.thread_time_ns()
        framed(context.deflated(payload), compressed=True)
        context.add(payload)
        compressing.append(time.thread_time_ns() - packed)
        packing.append(packed - began)
    return mean(packing) / 1e9, mean(compressing) / 1e9


def held(messages: Sequence[bytes]) -> tuple[float, float]:
    """Return the bytes that an audience holds after these messages, with a peer that takes them compressed and with another."""
    updates = [message for message in map(codec.decode_server, messages) if isinstance(message, Update)]
    compressed, plain = (_held(updates, _Peer(deflates=deflates)) for deflates in (True, False))
    return compressed, plain


def _held(updates: Sequence[Update], peer: _Peer) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        audience = Audience(_no_snapshot)
        audience.enter(cast_connection(peer), 0, 0)
        for update in updates:
            audience.publish(update.seq, update)
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def _no_snapshot() -> Snapshot:
    raise AssertionError("no snapshot is asked for")


def cast_connection(peer: object) -> Connection:
    """Return a peer as what audiences take."""
    return peer  # type: ignore[return-value]  # it has what they use
