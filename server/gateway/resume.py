"""An audience's last frames, so that a connection that was lost for a moment gets what it missed and not a snapshot."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from client_protocol.from_server import Update

KEPT = 32
"""Frames kept for each audience. With more missed frames, a snapshot is smaller."""


class _Entry:
    """An update, or its message once that was needed: an update takes many times the memory of its bytes."""

    __slots__ = ("_held", "seq")

    def __init__(self, seq: int, update: Update) -> None:
        self.seq = seq
        self._held: Update | bytes = update

    def payload(self, build: Callable[[Update], bytes]) -> bytes:
        if not isinstance(self._held, bytes):
            self._held = build(self._held)
        return self._held


class Ring:
    """The last frames of one audience, in its own dense sequence; each is built once, when it is first needed.

    Args:
        build: makes the bytes of an update.
        kept: how many updates are remembered.
    """

    def __init__(self, build: Callable[[Update], bytes], kept: int = KEPT) -> None:
        self._build = build
        self._entries: deque[_Entry] = deque(maxlen=kept)

    def add(self, seq: int, update: Update) -> Callable[[], bytes]:
        """Add an update; return a function that builds its message.

        A number that does not follow the last one means that the sequence was reset: earlier updates are dropped.
        """
        if self._entries and seq != self._entries[-1].seq + 1:
            self._entries.clear()
        entry = _Entry(seq, update)
        self._entries.append(entry)
        return lambda: entry.payload(self._build)

    def missed(self, since: int, seq: int) -> list[bytes] | None:
        """Return the frames after `since`, up to `seq`, which is the audience's last one.

        Returns:
            An empty list if `since` is the last one; None if a frame in between was dropped.
        """
        if since == seq:
            return []
        wanted = [entry for entry in self._entries if since < entry.seq <= seq]
        if since < 0 or since > seq or len(wanted) != seq - since:
            return None
        return [entry.payload(self._build) for entry in wanted]
