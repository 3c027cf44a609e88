"""The outgoing side of one socket: sending never waits, and what is queued is bounded.

The `broadcast` of websockets writes into a buffer that grows without bound for a reader that stalls, and its keepalive waits
behind that buffer. So frames are written here, by the library's rules (only while the connection is open; our frames are
never fragmented, and compressed only where that was agreed upon), and only while its buffer is below its high-water mark. The
rest waits in a queue of our own. A full queue drops all frames that a fresh snapshot can replace; a reader that makes no
progress is disconnected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from struct import Struct

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode
from websockets.protocol import OPEN

from client_protocol import codec
from client_protocol.from_server import ServerMessage
from server.gateway import deflate
from server.gateway.guests import Guest

MOST_FRAMES = 256
MOST_BYTES = 512 * 1024
PATIENCE = 10.0
"""Seconds after which a stalled connection without progress is closed."""
PROGRESS = 8 * 1024
"""Bytes that such a connection must read meanwhile, if there are so many: a reader of single bytes would keep its queue for
hours.
"""
COMPRESSED = 0x40
"""RSV1 in the first byte of a frame."""
FAREWELL = 1.0
"""Seconds that a closing handshake may take."""
_PLAIN = 0x80 | Opcode.BINARY
"""The first byte of a message in one frame."""
_TWO_BYTES, _EIGHT_BYTES = 126, 127
"""The second byte of a frame whose length follows in so many bytes."""
_MEDIUM, _LONG = Struct("!BBH"), Struct("!BBQ")


def framed(data: bytes, *, compressed: bool = False) -> bytes:
    """Return a payload as one unmasked binary frame (RFC 6455, section 5.2); RSV1 says that it is compressed (RFC 7692)."""
    first = _PLAIN | COMPRESSED if compressed else _PLAIN
    size = len(data)
    if size < _TWO_BYTES:
        return bytes((first, size)) + data
    if size < 1 << 16:
        return _MEDIUM.pack(first, _TWO_BYTES, size) + data
    return _LONG.pack(first, _EIGHT_BYTES, size) + data


def frame_of(message: ServerMessage) -> bytes:
    """Return a message as the bytes of its frame."""
    return framed(codec.encode(message))


class Socket(ServerConnection):
    """The library's connection, which tells its `Connection` when the buffer fills and drains."""

    outgoing: Connection | None = None
    guest: Guest | None = None
    """The address that it comes from, once that is known."""
    admit: Callable[[Socket], bool] = staticmethod(lambda _socket: True)
    """Called when the connection is made: whether it may stay."""
    lost: Callable[[Socket], None] = staticmethod(lambda _socket: None)
    """Called when the connection is lost."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start, or close at once if there are too many connections."""
        super().connection_made(transport)
        if not self.admit(self):
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's place in the counts of its address."""
        super().connection_lost(exc)
        self.let_go()
        self.lost(self)

    def count_for(self, guest: Guest) -> None:
        """Count as a connection of this address, until it is lost."""
        self.let_go()
        self.guest = guest
        guest.connections += 1

    def sends(self, size: int, downloads: Downloads) -> None:
        """Count `size` bytes of a file as being sent, until the connection is lost."""
        self._sending = (size, downloads)
        downloads.add(self.guest, size)

    def let_go(self) -> None:
        """Stop counting for any address."""
        size, downloads = self._sending or (0, None)
        self._sending = None
        if downloads is not None:
            downloads.add(self.guest, -size)
        guest, self.guest = self.guest, None
        if guest is not None:
            guest.connections -= 1

    _sending: tuple[int, Downloads] | None = None

    def pause_writing(self) -> None:
        """Note that the buffer is above its high-water mark."""
        super().pause_writing()
        if self.outgoing is not None:
            self.outgoing.stalled()

    def resume_writing(self) -> None:
        """Note that the buffer is below its low-water mark."""
        super().resume_writing()
        if self.outgoing is not None:
            self.outgoing.drained()

    def data_received(self, data: bytes) -> None:
        """Receive bytes from the peer.

        The library answers pings at once, whether or not the peer reads: one that only pings would fill the buffer.
        """
        super().data_received(data)
        if self.paused and self.transport.get_write_buffer_size() > MOST_BYTES:
            self.transport.abort()


class Downloads:
    """Bytes of files that are being sent to peers.

    Args:
        all_: the most bytes for all addresses together.
        each: the most bytes for one address, beyond its first file.
    """

    def __init__(self, all_: int, each: int) -> None:
        self.size = 0
        self._all = all_
        self._each = each

    def full(self, guest: Guest | None, size: int) -> bool:
        """Return whether `size` more bytes would be too many now. One file at a time is always allowed."""
        own = 0 if guest is None else guest.downloading
        return bool((own and own + size > self._each) or (self.size and self.size + size > self._all))

    def add(self, guest: Guest | None, size: int) -> None:
        """Count bytes that are being sent, or (negative) no longer are."""
        self.size += size
        if guest is not None:
            guest.downloading += size


class Watchdog:
    """Watches stalled connections, and closes those that make no progress.

    Args:
        clock: seconds that only go forward.
        aborted: called for each connection that is closed so.
    """

    def __init__(self, clock: Callable[[], float], aborted: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._aborted = aborted
        self._stalled: dict[Connection, tuple[int, float]] = {}

    def watch(self, connection: Connection) -> None:
        """Require progress of a connection from now on."""
        self._stalled.setdefault(connection, (connection.backlog, self._clock()))

    def forget(self, connection: Connection) -> None:
        """Stop watching a connection that reads again or is lost."""
        self._stalled.pop(connection, None)

    def sweep(self) -> None:
        """Check every stalled connection. Call this about once a second."""
        now = self._clock()
        for connection, (backlog, since) in list(self._stalled.items()):
            if connection.backlog <= backlog - PROGRESS:
                self._stalled[connection] = (connection.backlog, now)
            elif now - since >= PATIENCE:
                self.forget(connection)
                self._aborted()
                connection.abort()


class Connection:
    """The sending side of one socket.

    Frames of two kinds go out: *published* ones, which all connections of an audience get and which a snapshot can replace,
    and *replies*, which only this connection gets.

    Args:
        socket: the library's connection, open.
        watchdog: watches the connection while the peer does not read.
        resynced: called whenever published frames were replaced by a snapshot.
    """

    __slots__ = (
        "_protocol",
        "_queue",
        "_queued",
        "_resynced",
        "_stale",
        "_transport",
        "_watchdog",
        "deflates",
        "snapshot",
        "socket",
    )

    def __init__(
        self,
        socket: Socket,
        watchdog: Watchdog,
        resynced: Callable[[], None] = lambda: None,
    ) -> None:
        self.socket = socket
        self._protocol = socket.protocol
        self._transport = socket.transport
        self._watchdog = watchdog
        self._resynced = resynced
        self._queue: list[tuple[bytes, bool]] = []
        self._queued = 0
        self._stale = False
        self.snapshot: Callable[[], bytes] | None = None
        """Makes the frame that replaces all that was published so far; set by the audience that is entered."""
        self.deflates = deflate.agreed(socket.protocol.extensions)
        """Whether the peer takes compressed messages."""
        socket.outgoing = self

    @property
    def backlog(self) -> int:
        """Bytes in the library's buffer, which the operating system has not taken yet."""
        return self._transport.get_write_buffer_size()

    @property
    def waiting(self) -> tuple[int, int]:
        """Return the frames and bytes in our own queue."""
        return len(self._queue), self._queued

    @property
    def open(self) -> bool:
        """Whether frames can still be sent."""
        return self._protocol.state is OPEN and not self._transport.is_closing()

    @property
    def clear(self) -> bool:
        """Whether a frame would go out at once: none waits."""
        return not self.socket.paused and not self._queue

    def send(self, message: ServerMessage) -> None:
        """Send a reply, now or when the peer has read what came before."""
        self.send_frame(frame_of(message))

    def send_frame(self, frame: bytes) -> None:
        """Send a frame that a snapshot cannot replace."""
        self._put(frame, published=False)

    def publish(self, frame: bytes) -> None:
        """Send a frame of an audience, or drop it if a snapshot is going to follow."""
        # This runs once for each spectator of each frame: the usual case comes first.
        if not self.socket.paused and not self._queue:
            if self._protocol.state is OPEN and not self._transport.is_closing():
                self._transport.write(frame)
        elif not self._stale:
            self._put(frame, published=True)

    def catch_up(self, frames: list[bytes] | None) -> None:
        """Send the frames that were missed, or a snapshot if they are not known (None)."""
        if frames is None:
            frames = [] if self.snapshot is None else [self.snapshot()]
        for frame in frames:
            self.publish(frame)

    def _put(self, frame: bytes, *, published: bool) -> None:
        if not self.open:
            return
        if self.clear:
            self._transport.write(frame)
            return
        self._queue.append((frame, published))
        self._queued += len(frame)
        if len(self._queue) > MOST_FRAMES or self._queued > MOST_BYTES:
            self._overflow()

    def _overflow(self) -> None:
        """Keep only the replies; if even those are too many, close the connection."""
        self._queue = [(frame, published) for frame, published in self._queue if not published]
        self._queued = sum(len(frame) for frame, _ in self._queue)
        if self.snapshot is None or len(self._queue) > MOST_FRAMES or self._queued > MOST_BYTES:
            self.abort()
            return
        if not self._stale:
            self._stale = True
            self._resynced()

    def stalled(self) -> None:
        """Note that the library's buffer is full."""
        self._watchdog.watch(self)

    def drained(self) -> None:
        """Send what waits, and a snapshot if one is owed, now that the library's buffer has space again."""
        self._watchdog.forget(self)
        while self.open and not self.socket.paused:
            if self._queue:
                frame, _ = self._queue.pop(0)
                self._queued -= len(frame)
                self._transport.write(frame)
            elif self._stale and self.snapshot is not None:
                self._stale = False
                self._transport.write(self.snapshot())
            else:
                break

    async def close(self, code: int, reason: str) -> None:
        """Close the connection with the closing handshake, or without it if the peer takes no part in it."""
        if self.socket.paused:
            self.abort()
            return
        try:
            async with asyncio.timeout(FAREWELL):
                await self.socket.close(code, reason)
        except (TimeoutError, ConnectionClosed):
            self.abort()

    def abort(self) -> None:
        """Close the connection at once; the peer resumes with a new one."""
        self._queue.clear()
        self._queued = 0
        self._transport.abort()

    def gone(self) -> None:
        """Release what was kept for a session that is over."""
        self._watchdog.forget(self)
        self.socket.outgoing = None
