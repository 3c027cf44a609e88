"""Frames to audiences: each frame is built once, and the same bytes are written to every socket of the audience."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import cast

from client_protocol.from_server import Snapshot, Update
from server.gateway import goodbyes
from server.gateway.connection import Connection, frame_of
from server.gateway.resume import Ring
from server.kernel.belief import SPECTATORS
from server.kernel.belief import Audience as Viewer
from server.matches.projections.frames import Frame


class Audience:
    """One audience of one match: its connections and its last frames.

    Args:
        snapshot: returns all that the audience sees at this moment; its `seq` is that of the last frame published.
        spectators: whether these are spectators, who are sent to after the players.
    """

    def __init__(self, snapshot: Callable[[], Snapshot], *, spectators: bool = False) -> None:
        self.spectators = spectators
        self._snapshot = snapshot
        self._connections: dict[Connection, None] = {}
        self._ring = Ring(frame_of)
        self._last: tuple[int, bytes] | None = None
        self._left: int | None = None
        """The last frame that the connection got that left last; None if it is too far behind, and while there are others."""
        self._seq = 0

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._connections)

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over the connections."""
        return iter(list(self._connections))

    @property
    def awaited(self) -> bool:
        """Whether frames are needed: some connection gets them, or one that was lost may still come back for them."""
        return bool(self._connections) or self._left is not None

    def enter(self, connection: Connection, since: int, seq: int) -> None:
        """Bring a connection up to date and add it, without awaiting in between.

        Args:
            connection: a connection that is in no audience yet.
            since: the last frame it has seen; -1 for none.
            seq: the audience's last frame.
        """
        connection.snapshot = self.snapshot_frame
        connection.catch_up(self.missed(since, seq))
        self._connections[connection] = None
        self._left, self._seq = None, seq

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        if connection in self._connections:
            del self._connections[connection]
            connection.snapshot = None
            if not self._connections:
                self._left, self._last = self._seq, None

    def publish(self, seq: int, update: Update) -> None:
        """Send a frame to all connections of the audience, without waiting for any of them.

        The caller's state must already include the frame: connections that are too far behind get a snapshot of it.
        """
        self._last = None
        self._seq = seq
        if not self.awaited:
            return
        frame = self._ring.add(seq, update)
        if self._left is not None and self.missed(self._left, seq) is None:
            self._left = None
            self._ring.clear()
        for connection in list(self._connections):
            connection.publish(frame)

    def missed(self, since: int, seq: int) -> list[bytes] | None:
        """Return the frames after `since`, or None if only a snapshot helps."""
        return self._ring.missed(since, seq)

    def snapshot_frame(self) -> bytes:
        """Return a frame with all that the audience sees, built once for all connections that need it before the next frame."""
        snapshot = self._snapshot()
        if self._last is not None and self._last[0] == snapshot.seq:
            return self._last[1]
        frame = frame_of(snapshot)
        # A seat has a connection or two, and a thousand spectators come at once.
        self._last = (snapshot.seq, frame) if self.spectators else None
        return frame


def publish(frames: Iterable[tuple[Audience, int, Update]]) -> None:
    """Send the frames of one step, one for each audience: to the players first, then to spectators."""
    for audience, seq, update in sorted(frames, key=lambda frame: frame[0].spectators):
        audience.publish(seq, update)


class Broadcast:
    """The connections of one match: its room's `Outlet`.

    Args:
        audiences: the match's audiences.
        snapshot: returns all that one of them sees at this moment.
    """

    def __init__(self, audiences: Collection[Viewer], snapshot: Callable[[Viewer], Snapshot]) -> None:
        self._audiences = {
            viewer: Audience(partial(snapshot, viewer), spectators=viewer == SPECTATORS) for viewer in audiences
        }

    def enter(self, audience: Viewer, connection: object, since: int, seq: int) -> None:
        """Bring a connection up to date and add it, without awaiting in between. See `Audience.enter`."""
        self._audiences[audience].enter(_ours(connection), since, seq)

    def leave(self, audience: Viewer, connection: object) -> None:
        """Forget a connection."""
        self._audiences[audience].leave(_ours(connection))

    @property
    def awaited(self) -> Collection[Viewer]:
        """The audiences that need frames."""
        return [viewer for viewer, audience in self._audiences.items() if audience.awaited]

    def publish(self, frames: Sequence[Frame]) -> None:
        """Send the frames of one entry, one for each audience: to the players first, then to spectators."""
        publish((self._audiences[frame.audience], frame.seq, frame.update) for frame in frames)

    async def dismiss(self) -> None:
        """Tell every connection that the operator has removed the match, and close it."""
        ending = goodbyes.REMOVED
        connections = [connection for audience in self._audiences.values() for connection in audience]
        for connection in connections:
            connection.send(ending.goodbye)
        await asyncio.gather(*(one.close(ending.close_code, ending.goodbye.code) for one in connections))


def _ours(connection: object) -> Connection:
    """Return a connection as the gateway's type: rooms pass back what the gateway gave them."""
    return cast("Connection", connection)
