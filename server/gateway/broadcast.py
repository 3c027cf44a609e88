"""Frames to audiences: each frame is built once, and the same bytes are written to every socket of the audience.

What goes to an audience's peers is compressed, so its length says something about what it has in common with what was sent
before; and the length of a message is seen by those who watch the network, who may play too. Therefore a context

- belongs to one audience, and holds only frames: no token, invite or reply to one connection is ever compressed;
- holds no text that players choose while they play: a frame with chat goes out plain;
- holds nothing that one audience is told and another is not: a frame of an entry that some audience does not notice (a standing
  order, a sealed answer that is replaced, talk of one side) goes out plain, and so do snapshots of seats.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple, cast

from client_protocol import codec
from client_protocol.from_server import Snapshot, Update
from server.gateway import goodbyes
from server.gateway.connection import Connection, framed
from server.gateway.deflate import QUICK, THOROUGH, Context, deflated
from server.gateway.resume import Ring
from server.kernel.belief import SPECTATORS
from server.kernel.belief import Audience as Viewer
from server.matches.projections.frames import Frame

NEWCOMERS_WAIT = 8
"""Messages for which a context is kept although peers have come that do not have it."""


_NONE_SERVED: tuple[int, tuple[Connection, ...]] = (-1, ())


class Audience:
    """One audience of one match: its connections and its last frames.

    Its peers that take compressed frames are *in step*, having got all that is in the audience's context, or *newcomers*: those
    get each frame compressed alone, until the context begins anew for all.

    Args:
        snapshot: returns all that the audience sees at this moment; its `seq` is that of the last frame published.
        spectators: whether these are spectators, who are sent to after the players.
    """

    def __init__(self, snapshot: Callable[[], Snapshot], *, spectators: bool = False) -> None:
        self.spectators = spectators
        self._snapshot = snapshot
        self._plain: dict[Connection, None] = {}
        self._newcomers: dict[Connection, None] = {}
        self._in_step: dict[Connection, None] = {}
        self._context = Context(THOROUGH if spectators else QUICK)
        self._ring = Ring()
        self._last: tuple[int, _Framed] | None = None
        self._prepared: _Prepared | None = None
        self._served = _NONE_SERVED
        """A frame's number, and the connections that had got it before it was published."""
        self._left: int | None = None
        """The last frame that the connection got that left last; None if it is too far behind, and while there are others."""
        self._seq = 0

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._plain) + len(self._newcomers) + len(self._in_step)

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over the connections."""
        return iter([*self._plain, *self._newcomers, *self._in_step])

    @property
    def awaited(self) -> bool:
        """Whether frames are needed: some connection gets them, or one that was lost may still come back for them."""
        return bool(self._in_step or self._newcomers or self._plain) or self._left is not None

    def enter(self, connection: Connection, since: int, seq: int) -> None:
        """Bring a connection up to date and add it, without awaiting in between.

        Args:
            connection: a connection that is in no audience yet.
            since: the last frame it has seen; -1 for none.
            seq: the audience's last frame.
        """
        connection.snapshot = partial(self._catch_up, connection)
        missed = self.missed(since, seq)
        (self._newcomers if connection.deflates else self._plain)[connection] = None
        connection.catch_up(None if missed is None else [framed(payload) for payload in missed])
        self._left, self._seq = None, seq

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        for group in (self._plain, self._newcomers, self._in_step):
            if connection in group:
                del group[connection]
                connection.snapshot = None
                if not len(self):
                    self._left, self._last = self._seq, None
        if not self._in_step:
            self._context.begin()

    def prepare(self, update: Update, *, private: bool = False) -> None:
        """Build the frame that may be published next, as far as it can be built now. Nothing is sent, and if another frame is
        published, nothing has happened.
        """
        if not self.awaited:
            return
        message = _Framed(codec.encode(update))
        compressed = b""
        if self._in_step and not self._newcomers and not _plainly(update, private=private):
            compressed = framed(self._context.deflated(message.payload), compressed=True)
        self._prepared = _Prepared(update, message, compressed, self._context.messages)

    def unprepare(self) -> None:
        """Drop a frame that was prepared, and that may not be the next one any more."""
        self._prepared = None

    def send_prepared(self) -> None:
        """Send the frame that was prepared, and that is certainly published next, to those who can read it now."""
        prepared = self._prepared
        if prepared is None:
            return
        # One for which frames wait might get a snapshot in their place, which does not have this one yet.
        plain = [connection for connection in self._plain if connection.clear]
        compressed = prepared.compressed_for(self._context)
        in_step = [connection for connection in self._in_step if connection.clear] if compressed else []
        self._served = (prepared.update.seq, (*plain, *in_step))
        _write(in_step, compressed)
        if plain:
            _write(plain, prepared.message.plain)

    def publish(self, seq: int, update: Update, *, private: bool = False) -> None:
        """Send a frame to all connections of the audience that do not have it yet, without waiting for any of them.

        The caller's state must already include the frame: connections that are too far behind get a snapshot of it.

        Args:
            seq: its number in the audience's sequence.
            update: the frame.
            private: whether some other audience does not notice it.
        """
        prepared, self._prepared = self._prepared, None
        served = self._served[1] if self._served[0] == seq else ()
        self._served = _NONE_SERVED
        if prepared is not None and prepared.update is not update:
            prepared = None
        self._last = None
        self._seq = seq
        if not self.awaited:
            return
        message = _Framed(codec.encode(update)) if prepared is None else prepared.message
        if _plainly(update, private=private):
            _write(chain(self._plain, self._newcomers, self._in_step), message.plain, served)
        else:
            self._send(message, prepared, served)
        self._keep(seq, message)

    def _send(self, message: _Framed, prepared: _Prepared | None, served: Collection[Connection]) -> None:
        """Write a message that may be compressed to all connections but those which were `served` already."""
        context = self._context
        if self._newcomers and (not self._in_step or context.messages >= NEWCOMERS_WAIT):
            context.begin()
            self._in_step |= self._newcomers
            self._newcomers.clear()
        if self._in_step:
            compressed = b"" if prepared is None else prepared.compressed_for(context)
            compressed = compressed or framed(context.deflated(message.payload), compressed=True)
            _write(self._in_step, compressed, served)
            context.add(message.payload)
        if self._newcomers:
            _write(self._newcomers, message.alone)
        if self._plain:
            _write(self._plain, message.plain, served)

    def _keep(self, seq: int, message: _Framed) -> None:
        """Keep a message for those who come back for it."""
        self._ring.add(seq, message.payload)
        if self._left is not None and self.missed(self._left, seq) is None:
            self._left = None
            self._ring.clear()

    def missed(self, since: int, seq: int) -> list[bytes] | None:
        """Return the messages after `since`, or None if only a snapshot helps."""
        return self._ring.missed(since, seq)

    def snapshot_frame(self, *, compressed: bool = False) -> bytes:
        """Return a frame with all that the audience sees, built once for all connections that need it before the next frame."""
        snapshot = self._snapshot()
        if self._last is not None and self._last[0] == snapshot.seq:
            message = self._last[1]
        else:
            message = _Framed(codec.encode(snapshot))
            # A seat has a connection or two, and a thousand spectators come at once.
            self._last = (snapshot.seq, message) if self.spectators else None
        return message.alone if compressed else message.plain

    def _catch_up(self, connection: Connection) -> bytes:
        """Return the snapshot for a connection that has missed frames: from now on it is a newcomer, if it was in step."""
        if connection in self._in_step:
            del self._in_step[connection]
            self._newcomers[connection] = None
        return self.snapshot_frame(compressed=connection.deflates and self.spectators)


class _Prepared(NamedTuple):
    """A frame that may be published next: as a message, and compressed (b"": it is not) `after` so many of the context."""

    update: Update
    message: _Framed
    compressed: bytes
    after: int

    def compressed_for(self, context: Context) -> bytes:
        """Return the compressed frame if nothing has come into the context since; else b""."""
        return self.compressed if self.after == context.messages else b""


class _Framed:
    """A message as frames, each built when it is first needed."""

    __slots__ = ("_alone", "_plain", "payload")

    def __init__(self, payload: bytes) -> None:
        # A copy: the encoder leaves room behind what it has written, a quarter of it on average.
        self.payload = bytes(memoryview(payload))
        self._plain = self._alone = b""

    @property
    def plain(self) -> bytes:
        self._plain = self._plain or framed(self.payload)
        return self._plain

    @property
    def alone(self) -> bytes:
        """Compressed, without reference to any other message."""
        self._alone = self._alone or framed(deflated(self.payload), compressed=True)
        return self._alone


def _write(connections: Iterable[Connection], frame: bytes, served: Collection[Connection] = ()) -> None:
    """Write a frame to all of these connections but those which were `served` already."""
    for connection in tuple(connections):
        if connection not in served:
            connection.publish(frame)


def _plainly(update: Update, *, private: bool) -> bool:
    """Return whether a frame goes out plain: some audience does not notice it, or players have chosen its words."""
    return private or any(line.channel is not None for line in update.story)


class Broadcast:
    """The connections of one match: its room's `Outlet`.

    Args:
        snapshot: returns all that an audience sees at this moment.
    """

    def __init__(self, snapshot: Callable[[Viewer], Snapshot]) -> None:
        self._snapshot = snapshot
        self._audiences: dict[Viewer, Audience] = {}
        """Those that a connection has entered: many a match has no spectators, and most matches have no connections at all."""

    def enter(self, audience: Viewer, connection: object, since: int, seq: int) -> None:
        """Bring a connection up to date and add it, without awaiting in between. See `Audience.enter`."""
        entered = self._audiences.get(audience)
        if entered is None:
            entered = Audience(partial(self._snapshot, audience), spectators=audience == SPECTATORS)
            self._audiences[audience] = entered
        entered.enter(_ours(connection), since, seq)

    def leave(self, audience: Viewer, connection: object) -> None:
        """Forget a connection."""
        self._audiences[audience].leave(_ours(connection))

    @property
    def awaited(self) -> Collection[Viewer]:
        """The audiences that need frames."""
        return [viewer for viewer, audience in self._audiences.items() if audience.awaited]

    def prepare(self, frames: Sequence[Frame]) -> None:
        """Build frames of an entry that may be published next. Nothing is sent."""
        for audience in self._audiences.values():
            audience.unprepare()
        for frame in frames:
            entered = self._audiences.get(frame.audience)
            if entered is not None:
                entered.prepare(frame.update, private=frame.private)

    def send_prepared(self) -> None:
        """Send players the frames that were prepared last: their entry is in the log, and is published next. Spectators, of whom
        there may be thousands, come after all players.
        """
        for audience in self._audiences.values():
            if not audience.spectators:
                audience.send_prepared()

    def publish(self, frames: Iterable[Frame]) -> None:
        """Send the frames of one entry in their order, one for each audience that needs it."""
        for frame in frames:
            entered = self._audiences.get(frame.audience)
            if entered is not None:
                entered.publish(frame.seq, frame.update, private=frame.private)

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
