"""A reader that stalls: its socket stays open, and it never reads again."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from client_protocol.client import Table
from client_protocol.client.link import new_id
from client_protocol.from_client import Say
from client_protocol.from_server import Accepted, MatchMade
from tests.support.servers import ServerProcess, serving, until
from tests.system.peers import ask, peer_at, sit
from tests.system.play import Battle, make_match, seats_of

FRAMES = 1_200
"""Frames that a stalled reader misses. They are half as much again as the operating system buffers for it: about a
megabyte, and more if it has read much before.
"""
BURST = 5
"""Lines that a connection may say at once."""
LONG = "🎲" * 300
"""The longest line of chat; in bytes it is four times as long."""
BOUND = 5 * 1024 * 1024
"""Bytes by which the server may grow."""
PATIENCE = 10.0
"""Seconds after which the server drops a reader that takes nothing."""


def narrow(server: ServerProcess) -> socket.socket:
    """Open a connection with small buffers: a loopback's usual buffers hold megabytes before a stall is noticed."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    sock.connect(("127.0.0.1", server.port))
    sock.setblocking(False)
    return sock


async def talk(server: ServerProcess, made: MatchMade, lines: int) -> None:
    """Let a player connect, say as much as is allowed at once, and leave, again and again."""
    for number in range(lines // BURST):
        # From many addresses, since a single one may not say so much.
        async with peer_at(server, address=f"192.0.2.{number % 200 + 1}") as peer:
            await sit(peer, made.match, made.passes[0].token)
            for _ in range(BURST):
                await ask(peer, Say(new_id(), LONG), Accepted)


async def test_a_stalled_reader_delays_no_player_and_holds_bounded_memory(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server)
        async with Battle.at(server, made) as battle, Table.sit(server.address, made.match) as reader:
            # Before the measurement the allocator has its arenas, and the match its last frames.
            await talk(server, made, FRAMES)
            await until(lambda: server.metric('underfire_connections{kind="spectator"}') == 2, pause=0.1)
            before, seen = server.memory, reader.seq
            async with contextlib.AsyncExitStack() as stack:
                for audience in battle.tables:
                    stalled = await stack.enter_async_context(peer_at(server, narrow(server)))
                    await sit(stalled, made.match, next((p.token for p in made.passes if p.seat == audience), ""))
                    stalled.socket.transport.pause_reading()
                await talk(server, made, FRAMES)
                everybody = (*battle.tables.values(), reader)
                await until(lambda: all(table.seq == seen + FRAMES for table in everybody), 5.0)
                assert server.memory - before < BOUND
                await until(lambda: server.metric("underfire_aborted_total") == 3, PATIENCE + 10, 0.1)
                assert server.metric('underfire_connections{kind="seat"}') == len(seats_of(made))
                assert server.memory - before < BOUND
            assert [table.links for table in everybody] == [1] * len(everybody)
