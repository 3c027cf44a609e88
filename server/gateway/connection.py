"""The outgoing side of one socket: it never waits, and never holds more than its bound.

The library's own `broadcast` writes into a buffer that grows without end for a reader that stalls, and its keepalive waits
behind that buffer. So frames are written here, by the library's rules (only while the connection is open; nothing of ours
is ever fragmented or compressed), and only while its buffer is below its high-water mark. The rest waits in a queue of
our own. A queue that is full is emptied of all frames that a fresh snapshot can stand for; a reader that makes no progress
is cut off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from client_protocol import codec
from client_protocol.from_server import ServerMessage
from server.gateway.guests import Guest

MOST_FRAMES = 256
MOST_BYTES = 512 * 1024
PATIENCE = 10.0
"""Seconds after which a stalled connection that makes no progress is cut off."""
PROGRESS = 8 * 1024
"""Bytes that have to be taken meanwhile, if there are so many: a reader of drops would hold what waits for hours."""
FAREWELL = 1.0
"""Seconds that a closing handshake may take."""


def framed(data: bytes) -> bytes:
    """A payload as one unmasked binary frame (RFC 6455, section 5.2)."""
    return Frame(Opcode.BINARY, data).serialize(mask=False)


def frame_of(message: ServerMessage) -> bytes:
    """A message as the bytes that go onto the socket."""
    return framed(codec.encode(message))


class Socket(ServerConnection):
    """The library's connection, telling its `Connection` when the buffer fills and drains."""

    outgoing: Connection | None = None
    guest: Guest | None = None
    """Whose address it comes from, once that is known."""
    admit: Callable[[Socket], bool] = staticmethod(lambda _socket: True)
    """Asked when the connection is made, whether it may stay."""
    lost: Callable[[Socket], None] = staticmethod(lambda _socket: None)
    """Told when the connection is lost."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins, or ends at once what has too many others beside it."""
        super().connection_made(transport)
        if not self.admit(self):
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The address has one connection less."""
        super().connection_lost(exc)
        self.let_go()
        self.lost(self)

    def count_for(self, guest: Guest) -> None:
        """Counts as a connection of this address, until it is lost."""
        self.let_go()
        self.guest = guest
        guest.connections += 1

    def sends(self, size: int, downloads: Downloads) -> None:
        """So many bytes of a file are on their way, until the connection is lost."""
        self._sending = (size, downloads)
        downloads.add(self.guest, size)

    def let_go(self) -> None:
        """Counts for no address any more."""
        size, downloads = self._sending or (0, None)
        self._sending = None
        if downloads is not None:
            downloads.add(self.guest, -size)
        guest, self.guest = self.guest, None
        if guest is not None:
            guest.connections -= 1

    _sending: tuple[int, Downloads] | None = None

    def pause_writing(self) -> None:
        """The buffer is above its high-water mark."""
        super().pause_writing()
        if self.outgoing is not None:
            self.outgoing.stalled()

    def resume_writing(self) -> None:
        """The buffer is below its low-water mark."""
        super().resume_writing()
        if self.outgoing is not None:
            self.outgoing.drained()

    def data_received(self, data: bytes) -> None:
        """Takes bytes from the peer.

        The library answers pings at once, whether or not the peer reads: one that only ever pings would fill the buffer.
        """
        super().data_received(data)
        if self.paused and self.transport.get_write_buffer_size() > MOST_BYTES:
            self.transport.abort()


class Downloads:
    """Bytes of files that peers have asked for, and that are on their way to them.

    Args:
        all_: bytes that there may be of them.
        each: bytes that one address may have, beyond its first file.
    """

    def __init__(self, all_: int, each: int) -> None:
        self.size = 0
        self._all = all_
        self._each = each

    def full(self, guest: Guest | None, size: int) -> bool:
        """Whether so many bytes would be too many now. One file may always be on its way."""
        own = 0 if guest is None else guest.downloading
        return bool((own and own + size > self._each) or (self.size and self.size + size > self._all))

    def add(self, guest: Guest | None, size: int) -> None:
        """So many bytes are on their way, or (below 0) are not any more."""
        self.size += size
        if guest is not None:
            guest.downloading += size


class Watchdog:
    """Knows the connections that are stalled, and cuts off those that make no progress.

    Args:
        clock: seconds that only go forward.
        aborted: called for each connection that is cut off.
    """

    def __init__(self, clock: Callable[[], float], aborted: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._aborted = aborted
        self._stalled: dict[Connection, tuple[int, float]] = {}

    def watch(self, connection: Connection) -> None:
        """From now on the connection must make progress."""
        self._stalled.setdefault(connection, (connection.backlog, self._clock()))

    def forget(self, connection: Connection) -> None:
        """The connection reads again, or is gone."""
        self._stalled.pop(connection, None)

    def sweep(self) -> None:
        """Looks at every stalled connection. To be called about every second."""
        now = self._clock()
        for connection, (backlog, since) in list(self._stalled.items()):
            if connection.backlog <= backlog - PROGRESS:
                self._stalled[connection] = (connection.backlog, now)
            elif now - since >= PATIENCE:
                self.forget(connection)
                self._aborted()
                connection.abort()


class Connection:
    """What is sent to one socket.

    Frames of two kinds go out: *published* ones, which everybody in an audience gets and which a snapshot can stand for, and
    *replies*, which only this connection gets.

    Args:
        socket: the library's connection, open.
        watchdog: told while the peer does not read.
        resynced: called whenever published frames were dropped for a snapshot.
    """

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
        self._queue: deque[tuple[bytes, bool]] = deque()
        self._queued = 0
        self._stale = False
        self.snapshot: Callable[[], bytes] | None = None
        """Makes the frame that stands for all that was published so far; given by the audience that is entered."""
        socket.outgoing = self

    @property
    def backlog(self) -> int:
        """Bytes the operating system has not taken yet and that are already in the library's buffer."""
        return self._transport.get_write_buffer_size()

    @property
    def waiting(self) -> tuple[int, int]:
        """Frames and bytes in our own queue."""
        return len(self._queue), self._queued

    @property
    def open(self) -> bool:
        """Whether frames can still be sent."""
        return self._protocol.state is State.OPEN and not self._transport.is_closing()

    def send(self, message: ServerMessage) -> None:
        """Sends a reply, now or when the peer has read what came before."""
        self.send_frame(frame_of(message))

    def send_frame(self, frame: bytes) -> None:
        """Sends a frame that no snapshot can stand for."""
        self._put(frame, published=False)

    def publish(self, frame: bytes) -> None:
        """Sends a frame of an audience, or drops it when a snapshot is going to follow."""
        # This is done once for each watcher of each frame: what is usual comes first.
        if not self.socket.paused and not self._queue:
            if self._protocol.state is State.OPEN and not self._transport.is_closing():
                self._transport.write(frame)
        elif not self._stale:
            self._put(frame, published=True)

    def catch_up(self, frames: list[bytes] | None) -> None:
        """Sends the frames that were missed, or a snapshot when it is not known which ones (None)."""
        if frames is None:
            frames = [] if self.snapshot is None else [self.snapshot()]
        for frame in frames:
            self.publish(frame)

    def _put(self, frame: bytes, *, published: bool) -> None:
        if not self.open:
            return
        if not self.socket.paused and not self._queue:
            self._transport.write(frame)
            return
        self._queue.append((frame, published))
        self._queued += len(frame)
        if len(self._queue) > MOST_FRAMES or self._queued > MOST_BYTES:
            self._overflow()

    def _overflow(self) -> None:
        """Keeps only the replies; if even those are too many, this is no reader."""
        self._queue = deque((frame, published) for frame, published in self._queue if not published)
        self._queued = sum(len(frame) for frame, _ in self._queue)
        if self.snapshot is None or len(self._queue) > MOST_FRAMES or self._queued > MOST_BYTES:
            self.abort()
            return
        if not self._stale:
            self._stale = True
            self._resynced()

    def stalled(self) -> None:
        """The library's buffer is full."""
        self._watchdog.watch(self)

    def drained(self) -> None:
        """The library's buffer has room again: sends what waits, and the snapshot that is owed."""
        self._watchdog.forget(self)
        while self.open and not self.socket.paused:
            if self._queue:
                frame, _ = self._queue.popleft()
                self._queued -= len(frame)
                self._transport.write(frame)
            elif self._stale and self.snapshot is not None:
                self._stale = False
                self._transport.write(self.snapshot())
            else:
                break

    async def close(self, code: int, reason: str) -> None:
        """Ends the connection with the closing handshake, or without it if the peer takes no part in it."""
        if self.socket.paused:
            self.abort()
            return
        try:
            async with asyncio.timeout(FAREWELL):
                await self.socket.close(code, reason)
        except (TimeoutError, ConnectionClosed):
            self.abort()

    def abort(self) -> None:
        """Ends the connection at once; the peer resumes with a new one."""
        self._queue.clear()
        self._queued = 0
        self._transport.abort()

    def gone(self) -> None:
        """The session is over: nothing is kept for it any longer."""
        self._watchdog.forget(self)
        self.socket.outgoing = None
