"""An audience's last frames, so that who was away for a moment gets what was missed and not the whole table."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from client_protocol.from_server import Update

KEPT = 32
"""Frames kept for each audience. Beyond that a snapshot is smaller than the frames it stands for."""


class _Entry:
    """An update, or its frame as soon as somebody has needed it: what a frame was made of takes many times its room."""

    __slots__ = ("_held", "seq")

    def __init__(self, seq: int, update: Update) -> None:
        self.seq = seq
        self._held: Update | bytes = update

    def frame(self, build: Callable[[Update], bytes]) -> bytes:
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
        """Remembers an update; gives what builds its frame.

        A number that does not follow the last one means that the sequence was set up anew: what came before is forgotten.
        """
        if self._entries and seq != self._entries[-1].seq + 1:
            self._entries.clear()
        entry = _Entry(seq, update)
        self._entries.append(entry)
        return lambda: entry.frame(self._build)

    def missed(self, since: int, seq: int) -> list[bytes] | None:
        """The frames after `since`, up to `seq`, which is the audience's last one.

        Returns:
            Nothing to send if `since` is the last one; None if a frame between is not known any longer.
        """
        if since == seq:
            return []
        wanted = [entry for entry in self._entries if since < entry.seq <= seq]
        if since < 0 or since > seq or len(wanted) != seq - since:
            return None
        return [entry.frame(self._build) for entry in wanted]
