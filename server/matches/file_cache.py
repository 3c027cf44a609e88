"""The files of ended matches that were asked for lately. An ended match's file changes only where its log does: by chat."""

from __future__ import annotations

MOST_BYTES = 32 * 1024 * 1024
"""Bytes of all files that are kept together."""


class FileCache:
    """Files by match; those that were asked for longest ago go first.

    Args:
        most: bytes that all of them may have together.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._files: dict[str, tuple[int, bytes]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes of all files that are kept."""
        return self._size

    def get(self, match: str, length: int) -> bytes | None:
        """The file of a match whose log has so many entries, if it is kept."""
        kept = self._files.get(match)
        if kept is None or kept[0] != length:
            return None
        self._files[match] = self._files.pop(match)
        return kept[1]

    def put(self, match: str, length: int, file: bytes) -> None:
        """Keep the file of a match whose log has so many entries, if it is not larger than all may be together."""
        self.drop(match)
        if len(file) > self._most:
            return
        self._files[match] = (length, file)
        self._size += len(file)
        while self._size > self._most:
            self.drop(next(iter(self._files)))

    def drop(self, match: str) -> None:
        """Keep a match's file no longer."""
        _, file = self._files.pop(match, (0, b""))
        self._size -= len(file)
