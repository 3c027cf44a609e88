"""Uploads: what is too large for one message, put together from its parts, and kept for a while until it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client_protocol.from_client import Upload
from client_protocol.from_server import Accepted, Refused

LARGEST = 8 * 1024 * 1024
"""Bytes that an upload may have."""
ALL = 64 * 1024 * 1024
"""Bytes that the uploads of all connections may have together."""
AGE = 60.0
"""Seconds after its last part for which an upload is kept."""


class Shelf:
    """What all connections of a server have uploaded together and not used yet.

    Args:
        clock: seconds that only go forward.
        room: bytes that there may be of it.
    """

    def __init__(self, clock: Callable[[], float], room: int = ALL) -> None:
        self.clock = clock
        self.room = room
        self.held = 0
        """Bytes of all uploads."""
        self._uploads: dict[Uploads, None] = {}

    def note(self, uploads: Uploads, more: int) -> None:
        """A connection's upload has so many bytes more now (or fewer, below 0)."""
        self.held += more
        self._uploads.pop(uploads, None)
        if uploads.size:
            self._uploads[uploads] = None

    def sweep(self) -> None:
        """Drop what has waited for too long. To be called about every second."""
        now = self.clock()
        # Those whose last part came first stand first.
        for uploads in list(self._uploads):
            if now - uploads.at < AGE:
                break
            uploads.clear()


@dataclass
class _Buffer:
    """An upload: its name, its parts so far, of how many."""

    name: str
    of: int
    parts: list[bytes]


class Uploads:
    """What one connection has uploaded and not used yet: one upload, the last that it began.

    Args:
        shelf: where all of them are.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.size = 0
        """Bytes that are kept."""
        self.at = shelf.clock()
        """When the last part came, by the shelf's clock."""
        self._shelf = shelf
        self._buffer: _Buffer | None = None

    def add(self, message: Upload) -> Accepted | Refused:
        """Keep a part. The first part begins an upload, and drops what was there before."""
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
        """The whole of an upload, which is forgotten here; `id_` is the message's that names it."""
        buffer = self._named(upload)
        if buffer is None:
            return Refused(id_, "no_upload", "Nothing of this name is kept for this connection: send it again.")
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
