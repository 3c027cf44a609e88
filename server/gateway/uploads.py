"""Uploads: content that is too large for one message, joined from its parts, and kept for a while until it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client_protocol.from_client import Upload
from client_protocol.from_server import Accepted, Refused

LARGEST = 8 * 1024 * 1024
"""The most bytes of one upload."""
ALL = 64 * 1024 * 1024
"""The most bytes of the uploads of all connections together."""
AGE = 60.0
"""Seconds after its last part for which an upload is kept."""


class Shelf:
    """The unused uploads of all connections of a server.

    Args:
        clock: seconds that only go forward.
        room: the most bytes of them all.
    """

    def __init__(self, clock: Callable[[], float], room: int = ALL) -> None:
        self.clock = clock
        self.room = room
        self.held = 0
        """Bytes of all uploads."""
        self._uploads: dict[Uploads, None] = {}

    def note(self, uploads: Uploads, more: int) -> None:
        """Count more bytes of a connection's upload (or fewer, if negative)."""
        self.held += more
        self._uploads.pop(uploads, None)
        if uploads.size:
            self._uploads[uploads] = None

    def sweep(self) -> None:
        """Drop expired uploads. Call this about once a second."""
        now = self.clock()
        # The uploads are in the order of their last parts.
        for uploads in list(self._uploads):
            if now - uploads.at < AGE:
                break
            uploads.clear()


@dataclass
class _Buffer:
    """An upload: its name, its parts so far, and the number of its parts."""

    name: str
    of: int
    parts: list[bytes]


class Uploads:
    """The unused upload of one connection: the last that it began.

    Args:
        shelf: counts all uploads.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.size = 0
        """The bytes held."""
        self.at = shelf.clock()
        """When the last part came, by the shelf's clock."""
        self._shelf = shelf
        self._buffer: _Buffer | None = None

    def add(self, message: Upload) -> Accepted | Refused:
        """Store a part. The first part begins an upload, and drops the one before."""
        if message.part >= message.of:
            return Refused(message.id, "upload", f"There is no part {message.part + 1} of {message.of}.")
        if message.part == 0:
            self.clear()
            self._buffer = _Buffer(message.upload, message.of, [])
            return self._keep(message, self._buffer)
        buffer = self._named(message.upload)
        if buffer is None:
            return Refused(message.id, "upload", "This upload has not begun: send its first part first.")
        if (message.part, message.of) != (len(buffer.parts), buffer.of):
            wanted = f"part {len(buffer.parts) + 1} of {buffer.of} comes next"
            if len(buffer.parts) == buffer.of:
                wanted = "it is complete"
            return Refused(message.id, "upload", f"The parts of an upload come in order: {wanted}.")
        return self._keep(message, buffer)

    def take(self, id_: str, upload: str) -> bytes | Refused:
        """Return a complete upload and forget it; `id_` is the id of the message that names it."""
        buffer = self._named(upload)
        if buffer is None:
            return Refused(id_, "no_upload", "This connection has no upload of this name: send it again.")
        if len(buffer.parts) < buffer.of:
            sentence = f"The upload is not complete: {len(buffer.parts)} of {buffer.of} parts are here."
            return Refused(id_, "no_upload", sentence)
        self.clear()
        return b"".join(buffer.parts)

    def clear(self) -> None:
        """Forget everything."""
        self._buffer = None
        size, self.size = self.size, 0
        self._shelf.note(self, -size)

    def _named(self, upload: str) -> _Buffer | None:
        return self._buffer if self._buffer is not None and self._buffer.name == upload else None

    def _keep(self, message: Upload, buffer: _Buffer) -> Accepted | Refused:
        more = len(message.data)
        if self.size + more > LARGEST:
            self.clear()
            return Refused(message.id, "upload", f"Too large: an upload may have {LARGEST // (1024 * 1024)} MiB.")
        if self._shelf.held + more > self._shelf.room:
            self.clear()
            sentence = "The server holds as many uploads as it can at the moment. Wait a minute, and send it again."
            return Refused(message.id, "upload", sentence)
        buffer.parts.append(message.data)
        self.size += more
        self.at = self._shelf.clock()
        self._shelf.note(self, more)
        return Accepted(message.id)
