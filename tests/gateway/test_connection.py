from __future__ import annotations

import asyncio
import gc
import random
import tracemalloc

import pytest
from websockets.frames import Frame, Opcode

from client_protocol.from_client import Answer, EnterMatch, Ping, Say
from client_protocol.from_server import Accepted, Pong, Snapshot, Update, Welcome
from client_protocol.shapes import PROTOCOL
from client_protocol.view import Story
from server.gateway.broadcast import Audience
from server.gateway.connection import (
    COMPRESSED,
    MOST_BYTES,
    MOST_FRAMES,
    PATIENCE,
    PROGRESS,
    Connection,
    framed,
)
from server.gateway.resume import KEPT, Ring
from server.gateway.server import Gateway
from tests.gateway.conftest import Clock, Connect, Peer
from tests.gateway.fakes import BLUE, RED, FakeRooms
from tests.support.playing import Listener
from tests.support.room import eventually

OBJECT = 100
"""More than Python takes for an object and its place in a list, in bytes."""


async def stall(open_peer: Connect, token: str = "") -> Peer:
    """A peer that has entered, and reads nothing more."""
    peer = await open_peer(max_queue=1)
    await peer.enter(token)
    peer.socket.transport.pause_reading()
    return peer


def connection_of(rooms: FakeRooms, audience: str) -> Connection:
    (found,) = rooms.room.audiences[audience]
    return found


def fill(rooms: FakeRooms, connection: Connection, frames: int = 0) -> None:
    """Publishes until the connection's buffer is full, and so many frames more. No compression makes these small."""
    noise = random.Random(1)
    for _ in range(10_000):
        if connection.socket.paused:
            break
        rooms.room.tell(noise.randbytes(5_000).hex())
    assert connection.socket.paused
    for _ in range(frames):
        rooms.room.tell("z" * 100)


async def test_a_stalled_reader_costs_its_bound_and_delays_no_other_reader(
    open_peer: Connect, rooms: FakeRooms
) -> None:
    await stall(open_peer)
    connection = connection_of(rooms, "")
    fill(rooms, connection)
    red = await open_peer()
    seen = (await red.enter(RED)).seq
    for _ in range(2_000):
        rooms.room.tell("z" * 1_000)
        frames, size = connection.waiting
        assert frames <= MOST_FRAMES
        assert size <= MOST_BYTES
        assert connection.backlog <= 64 * 1024
        seen += 1
        assert (await red.expect(Update)).seq == seen


async def test_a_slow_reader_gets_a_snapshot_for_what_it_missed(
    open_peer: Connect, rooms: FakeRooms, gateway: Gateway
) -> None:
    spectator = await stall(open_peer)
    fill(rooms, connection_of(rooms, ""), frames=MOST_FRAMES + 50)
    spectator.socket.transport.resume_reading()
    seen = 0
    while isinstance(message := await spectator.receive(), Update):
        assert message.seq == seen + 1
        seen = message.seq
    assert isinstance(message, Snapshot)
    assert message.seq == rooms.room.seq > seen + MOST_FRAMES
    rooms.room.tell("and on")
    assert (await spectator.expect(Update)).seq == message.seq + 1
    assert b"underfire_resyncs_total 1.0" in gateway.metrics.text()


async def test_a_reader_that_is_behind_gets_a_prepared_frame_when_that_is_published(
    open_peer: Connect, rooms: FakeRooms
) -> None:
    """Before that, the snapshot that may take its place would not have it."""
    await stall(open_peer, RED)
    connection = connection_of(rooms, "red")
    fill(rooms, connection, frames=1)
    audience, update = rooms.room.audiences["red"], Update(rooms.room.seq + 1, story=(Story("turn", "z"),))
    audience.prepare(update)
    frames, _ = connection.waiting
    audience.send_prepared()
    assert connection.waiting[0] == frames
    audience.publish(update.seq, update)
    assert connection.waiting[0] == frames + 1


async def test_replies_survive_a_resync(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await stall(open_peer, BLUE)
    connection = connection_of(rooms, "blue")
    fill(rooms, connection)
    await blue.send(Answer("answer-0001", "p0", "wait"))
    other = await open_peer()
    await other.enter(RED)
    while rooms.room.results == {}:
        await other.ask(Ping("1"), Pong)
    for _ in range(MOST_FRAMES + 1):
        rooms.room.tell("z")
    blue.socket.transport.resume_reading()
    while isinstance(message := await blue.receive(), Update):
        pass
    assert isinstance(message, Accepted)
    await blue.expect(Snapshot)


async def test_a_reader_without_progress_is_cut_off(
    open_peer: Connect, rooms: FakeRooms, gateway: Gateway, clock: Clock
) -> None:
    stalled = await stall(open_peer)
    fill(rooms, connection_of(rooms, ""))
    clock.time += PATIENCE - 0.1
    gateway.watchdog.sweep()
    assert rooms.room.inside
    clock.time += 0.2
    gateway.watchdog.sweep()
    other = await open_peer()
    await other.enter(RED)
    while len(rooms.room.inside) > 1:
        await other.ask(Ping("1"), Pong)
    stalled.socket.transport.resume_reading()
    await stalled.rest()
    assert await stalled.closed() == 1006
    assert b"underfire_aborted_total 1.0" in gateway.metrics.text()


async def test_a_slow_reader_that_gets_on_is_left_alone(
    open_peer: Connect, rooms: FakeRooms, gateway: Gateway, clock: Clock
) -> None:
    slow = await stall(open_peer)
    connection = connection_of(rooms, "")
    fill(rooms, connection, frames=10)
    for _ in range(3):
        clock.time += PATIENCE - 1
        gateway.watchdog.sweep()
        # As if the operating system had taken some: the sweep only sees that it is less than before.
        gateway.watchdog._stalled[connection] = (
            connection.backlog + PROGRESS,
            gateway.watchdog._stalled[connection][1],
        )
        gateway.watchdog.sweep()
    assert rooms.room.inside == {connection}
    slow.socket.transport.resume_reading()
    while (await slow.expect(Update)).seq < rooms.room.seq:
        pass


async def test_a_reader_that_takes_only_a_few_bytes_is_cut_off(
    open_peer: Connect, rooms: FakeRooms, gateway: Gateway, clock: Clock
) -> None:
    await stall(open_peer)
    connection = connection_of(rooms, "")
    fill(rooms, connection, frames=10)
    gateway.watchdog.sweep()
    began = gateway.watchdog._stalled[connection][1]
    for _ in range(4):
        clock.time += PATIENCE / 4
        # As if the operating system had taken a little since the last look.
        gateway.watchdog._stalled[connection] = (connection.backlog + 1, began)
        gateway.watchdog.sweep()
    assert connection not in gateway.watchdog._stalled
    await eventually(lambda: not rooms.room.inside)


async def test_a_client_that_pings_and_never_reads_costs_bounded_memory(open_peer: Connect, rooms: FakeRooms) -> None:
    pinger = await stall(open_peer)
    fill(rooms, connection_of(rooms, ""))
    other = await open_peer()
    await other.enter(RED)
    for number in range(20_000):
        if not rooms.room.audiences[""]:
            break
        await pinger.socket.ping(f"{number:0125}")
        await asyncio.sleep(0)
    assert len(rooms.room.inside) == 1
    await other.ask(Ping("1"), Pong)


async def test_players_are_written_to_before_spectators(
    open_peer: Connect, rooms: FakeRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("", BLUE, RED):
        await (await open_peer()).enter(token)
    names = {connection_of(rooms, name): name for name in ("", "blue", "red")}
    written: list[str] = []
    monkeypatch.setattr(Connection, "publish", lambda self, _frame: written.append(names[self]))
    rooms.room.tell("now")
    assert written == ["blue", "red", ""]


async def test_one_frame_is_built_for_a_whole_audience(
    open_peer: Connect, rooms: FakeRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await (await open_peer()).enter()
    frames: list[bytes] = []
    monkeypatch.setattr(Connection, "publish", lambda _self, frame: frames.append(frame))
    rooms.room.tell("now")
    assert len(frames) == 3
    assert frames[0] is frames[1] is frames[2]


async def enter_again(open_peer: Connect, since: int, token: str = BLUE) -> Peer:
    peer = await open_peer()
    await peer.ask(EnterMatch(PROTOCOL, "m", token, since), Welcome)
    return peer


async def test_a_client_that_reconnects_gets_the_updates_that_it_missed(open_peer: Connect, rooms: FakeRooms) -> None:
    blue = await open_peer()
    snapshot = await blue.enter(BLUE)
    await blue.socket.close()
    for _ in range(5):
        rooms.room.tell("on it goes")
    back = await enter_again(open_peer, snapshot.seq)
    assert [(await back.expect(Update)).seq for _ in range(5)] == [1, 2, 3, 4, 5]
    up_to_date = await enter_again(open_peer, 5)
    rooms.room.tell("and on")
    assert (await up_to_date.expect(Update)).seq == 6


@pytest.mark.parametrize("since", [-1, 0, 7, 500])
async def test_a_client_whose_last_frame_is_too_old_or_unknown_gets_a_snapshot(
    open_peer: Connect, rooms: FakeRooms, since: int
) -> None:
    for _ in range(40):
        rooms.room.tell("on it goes")
    back = await enter_again(open_peer, since)
    assert (await back.expect(Snapshot)).seq == 40
    rooms.room.tell("and on")
    assert (await back.expect(Update)).seq == 41


async def test_a_sequence_that_was_set_up_anew_is_not_resumed(open_peer: Connect, rooms: FakeRooms) -> None:
    await (await open_peer()).enter(BLUE)
    for _ in range(3):
        rooms.room.tell("on it goes")
    rooms.room.seq = 10
    rooms.room.tell("from another node")
    back = await enter_again(open_peer, 2)
    assert (await back.expect(Snapshot)).seq == 11
    assert (await (await enter_again(open_peer, 10)).expect(Update)).seq == 11


def needs(audience: Audience) -> bool:
    """Whether an audience needs frames. (The linter takes the attribute for a misspelt method of a mock.)"""
    return audience.awaited


async def test_frames_are_kept_only_for_connections_that_can_come_back_for_them(
    open_peer: Connect, rooms: FakeRooms
) -> None:
    audience = rooms.room.audiences["blue"]
    rooms.room.tell("no one sees it")
    assert audience.missed(0, 1) is None
    blue = await open_peer()
    snapshot = await blue.enter(BLUE)
    await blue.socket.close()
    await eventually(lambda: not len(audience))
    told = 0
    while needs(audience):
        assert len(audience.missed(snapshot.seq, rooms.room.seq) or ()) == told
        rooms.room.tell("on it goes")
        told += 1
    assert 5 < told <= KEPT + 1
    assert audience.missed(rooms.room.seq - 1, rooms.room.seq) is None, "nothing is kept for those who cannot use it"


def test_the_frames_that_are_kept_have_no_more_bytes_than_a_snapshot() -> None:
    sizes = {1: 3000, 2: 3000, 3: 3000, 4: 9000, 5: 10}
    ring = Ring()
    kept = []
    for seq, size in sizes.items():
        ring.add(seq, bytes(size))
        kept.append(next(since for since in range(seq + 1) if ring.missed(since, seq) is not None))
    assert kept == [0, 0, 1, 3, 4]


def test_a_frame_that_is_kept_takes_no_more_memory_than_its_bytes() -> None:
    updates = [Update(seq, {}, (Story("move", "The squad holds. " * seq),)) for seq in range(1, 20)]
    audience = Audience(lambda: FakeRooms().room.snapshot(BLUE))
    audience.enter(Listener().connection, 0, 0)
    # What is sent stands in for a socket's, and is not counted.
    audience.leave(next(iter(audience)))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for update in updates:
            audience.publish(update.seq, update)
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    kept = audience.missed(0, updates[-1].seq)
    assert kept is not None, "all are kept"
    assert held < sum(len(frame) + OBJECT for frame in kept)


async def test_a_snapshot_is_built_once_between_two_frames(open_peer: Connect, rooms: FakeRooms) -> None:
    audience = rooms.room.audiences[""]
    first = audience.snapshot_frame()
    assert audience.snapshot_frame() is first
    rooms.room.tell("now")
    assert audience.snapshot_frame() != first


async def test_nothing_is_kept_of_a_connection_that_is_gone(
    open_peer: Connect, rooms: FakeRooms, gateway: Gateway
) -> None:
    peer = await open_peer()
    await peer.enter(BLUE)
    await peer.send(Say("say-0001", "bye"))
    await peer.socket.close()
    other = await open_peer()
    await other.enter(RED)
    while len(rooms.room.inside) > 1:
        await other.ask(Ping("1"), Pong)
    await asyncio.sleep(0)
    gc.collect()
    (session,) = gateway._sessions
    socket = session.connection.socket
    assert socket.request is not None
    assert (dict(socket.request.headers), socket.response) == ({}, None)
    assert [len(audience) for audience in rooms.room.audiences.values()] == [0, 1, 0]
    assert b'underfire_connections{kind="seat"} 1.0' in gateway.metrics.text()


@pytest.mark.parametrize("size", [0, 125, 126, 0xFFFF, 0x10000])
def test_a_payload_is_framed_as_the_library_frames_it(size: int) -> None:
    payload = bytes(size)
    plain = Frame(Opcode.BINARY, payload).serialize(mask=False)
    assert framed(payload) == plain
    assert framed(payload, compressed=True) == bytes((plain[0] | COMPRESSED,)) + plain[1:]
