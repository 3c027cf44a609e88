"""An audience's last frames, so that a connection that was lost for a moment gets what it missed and not a snapshot."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.from_server import Update

KEPT = 32
MOST_BYTES = 8 * 1024
"""Frames kept for each audience, and their bytes. With more missed frames, a snapshot is smaller."""


class Ring:
    """The last frames of one audience, in its own dense sequence.

    Args:
        build: makes the bytes of an update.
        kept: how many frames are remembered.
        most: how many bytes of them; the last one is remembered whatever it has.
    """

    __slots__ = ("_build", "_frames", "_kept", "_last", "_most", "_size")

    def __init__(self, build: Callable[[Update], bytes], kept: int = KEPT, most: int = MOST_BYTES) -> None:
        self._build = build
        self._kept = kept
        self._most = most
        self._frames: list[bytes] = []
        self._size = 0
        self._last = 0

    def add(self, seq: int, update: Update) -> bytes:
        """Add an update; return its frame.

        A number that does not follow the last one means that the sequence was reset: earlier updates are dropped.
        """
        if seq != self._last + 1:
            self.clear()
        # A copy: the encoder leaves room behind what it has written, a quarter of it on average.
        frame = bytes(memoryview(self._build(update)))
        self._last = seq
        self._frames.append(frame)
        self._size += len(frame)
        while len(self._frames) > self._kept or (self._size > self._most and len(self._frames) > 1):
            self._size -= len(self._frames.pop(0))
        return frame

    def clear(self) -> None:
        """Drop all frames."""
        self._frames.clear()
        self._size = 0

    def missed(self, since: int, seq: int) -> list[bytes] | None:
        """Return the frames after `since`, up to `seq`, which is the audience's last one.

        Returns:
            An empty list if `since` is the last one; None if a frame in between was dropped.
        """
        if since == seq:
            return []
        if since < 0 or since > seq or seq != self._last or seq - since > len(self._frames):
            return None
        return self._frames[since - seq :]
