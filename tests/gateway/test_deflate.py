"""Agreeing upon compression, and what peers send compressed."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode

from client_protocol import codec
from client_protocol.codec import LARGEST_INWARD
from client_protocol.from_client import Ping
from client_protocol.from_server import Pong, Snapshot, Update
from server.gateway.connection import COMPRESSED, MOST_FRAMES
from tests.gateway.conftest import Connect, Peer
from tests.gateway.fakes import BLUE, FakeRooms
from tests.gateway.test_connection import connection_of, fill

AGREED = "permessage-deflate; client_no_context_takeover; server_max_window_bits=14; client_max_window_bits=10"


def offer(**wanted: object) -> dict[str, object]:
    """Return options with which a peer offers compression, with these parameters."""
    return {"extensions": [ClientPerMessageDeflateFactory(**wanted)]}  # type: ignore[arg-type]  # checked by the library


def extensions_of(peer: Peer) -> str | None:
    assert peer.socket.response is not None
    return peer.socket.response.headers.get("Sec-WebSocket-Extensions")


def raw(data: bytes, *, first: bool = True, last: bool = True) -> bytes:
    """Return a client's frame with compressed data."""
    opcode = Opcode.BINARY if first else Opcode.CONT
    frame = Frame(opcode, data, fin=last).serialize(mask=True)
    return bytes((frame[0] | COMPRESSED * first,)) + frame[1:]


def deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -10)
    return (compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


async def test_compression_is_agreed_upon_with_a_browser(open_peer: Connect) -> None:
    peer = await open_peer(**offer(client_max_window_bits=True))
    assert extensions_of(peer) == AGREED


@pytest.mark.parametrize(
    "wanted",
    [
        {"server_no_context_takeover": True},
        {"server_max_window_bits": 13},
        {"client_max_window_bits": None},
    ],
    ids=str,
)
async def test_a_peer_that_wants_another_compression_gets_plain_messages(
    open_peer: Connect, rooms: FakeRooms, wanted: dict[str, object]
) -> None:
    peer = await open_peer(**offer(**wanted))
    assert extensions_of(peer) is None
    await peer.enter(BLUE)
    rooms.room.tell("now")
    await peer.expect(Update)


async def test_the_first_offer_that_suits_is_taken(open_peer: Connect) -> None:
    first, second = (offer(**wanted)["extensions"][0] for wanted in ({"server_max_window_bits": 9}, {}))  # type: ignore[index]
    peer = await open_peer(extensions=[first, second])
    assert extensions_of(peer) == AGREED


async def test_a_peer_plays_compressed_in_both_directions(open_peer: Connect, rooms: FakeRooms) -> None:
    peer = await open_peer(**offer())
    await peer.enter(BLUE)
    for number in range(20):
        rooms.room.tell(f"on it goes: {number}")
        assert (await peer.expect(Update)).story[0].text == f"on it goes: {number}"
        assert (await peer.ask(Ping(str(number)), Pong)).id == str(number)


async def test_a_slow_reader_that_missed_frames_can_read_those_that_follow(
    open_peer: Connect, rooms: FakeRooms
) -> None:
    slow = await open_peer(max_queue=1, **offer())
    await slow.enter()
    connection = connection_of(rooms, "")
    rooms.room.tell("in step")
    await slow.expect(Update)
    slow.socket.transport.pause_reading()
    fill(rooms, connection, frames=MOST_FRAMES + 50)
    slow.socket.transport.resume_reading()
    while isinstance(message := await slow.receive(), Update):
        pass
    assert isinstance(message, Snapshot)
    for number in range(20):
        rooms.room.tell(f"and on: {number}")
        assert (await slow.expect(Update)).story[0].text == f"and on: {number}"


async def test_the_library_compresses_nothing_between_the_messages_of_a_context(
    open_peer: Connect, rooms: FakeRooms
) -> None:
    peer = await open_peer(**offer())
    await peer.enter(BLUE)
    socket = connection_of(rooms, "blue").socket
    rooms.room.tell("on it goes")
    await socket.send(codec.encode(Pong("1", 0)))
    rooms.room.tell("on it goes")
    assert [type(await peer.receive()) for _ in range(3)] == [Update, Pong, Update]


async def test_a_bomb_is_not_inflated(open_peer: Connect) -> None:
    bomb = deflate(bytes(10_000_000))
    assert len(bomb) < LARGEST_INWARD
    peer = await open_peer(**offer())
    tracemalloc.start()
    try:
        peer.socket.transport.write(raw(bomb))
        assert await peer.closed() == 1009
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    await (await open_peer()).enter()


async def test_a_bomb_in_parts_is_not_inflated(open_peer: Connect) -> None:
    peer = await open_peer(**offer())
    compressor = zlib.compressobj(9, zlib.DEFLATED, -10)
    # The first part is as long as a message may be: nothing is left for the second one.
    first = compressor.compress(bytes(LARGEST_INWARD)) + compressor.flush(zlib.Z_SYNC_FLUSH)
    second = compressor.compress(bytes(10_000_000)) + compressor.flush(zlib.Z_SYNC_FLUSH)
    peer.socket.transport.write(raw(first, last=False) + raw(second[:-4], first=False))
    assert await peer.closed() == 1009
