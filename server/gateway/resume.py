"""An audience's last frames, so that a connection that was lost for a moment gets what it missed and not a snapshot."""

from __future__ import annotations

KEPT = 32
MOST_BYTES = 8 * 1024
"""Frames kept for each audience, and their bytes. With more missed frames, a snapshot is smaller."""


class Ring:
    """The last frames of one audience, in its own dense sequence.

    Args:
        kept: how many frames are remembered.
        most: how many bytes of them; the last one is remembered whatever it has.
    """

    __slots__ = ("_frames", "_kept", "_last", "_most", "_size")

    def __init__(self, kept: int = KEPT, most: int = MOST_BYTES) -> None:
        self._kept = kept
        self._most = most
        self._frames: list[bytes] = []
        self._size = 0
        self._last = 0

    def add(self, seq: int, frame: bytes) -> None:
        """Add a frame.

        A number that does not follow the last one means that the sequence was reset: earlier frames are dropped.
        """
        if seq != self._last + 1:
            self.clear()
        self._last = seq
        self._frames.append(frame)
        self._size += len(frame)
        while len(self._frames) > self._kept or (self._size > self._most and len(self._frames) > 1):
            self._size -= len(self._frames.pop(0))

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
