"""A cache of the files of ended matches. Such a file changes only when the log does, which then is only by chat."""

from __future__ import annotations

MOST_BYTES = 32 * 1024 * 1024
"""The total size of the cached files, in bytes."""


class FileCache:
    """Files by match; the least recently used are dropped first.

    Args:
        most: the most bytes that all of them together may have.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._files: dict[str, tuple[int, bytes]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """The total size of the cached files, in bytes."""
        return self._size

    def get(self, match: str, length: int) -> bytes | None:
        """Return the cached file of a match whose log has `length` entries, or None."""
        kept = self._files.get(match)
        if kept is None or kept[0] != length:
            return None
        self._files[match] = self._files.pop(match)
        return kept[1]

    def put(self, match: str, length: int, file: bytes) -> None:
        """Cache the file of a match whose log has `length` entries, unless it exceeds the cache's size."""
        self.drop(match)
        if len(file) > self._most:
            return
        self._files[match] = (length, file)
        self._size += len(file)
        while self._size > self._most:
            self.drop(next(iter(self._files)))

    def drop(self, match: str) -> None:
        """Drop a match's file from the cache."""
        _, file = self._files.pop(match, (0, b""))
        self._size -= len(file)
