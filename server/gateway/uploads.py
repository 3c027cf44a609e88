"""Uploads: what is too large for one message, put together from its parts, as long as its connection lasts."""

from __future__ import annotations

from dataclasses import dataclass

from client_protocol.messages import Accepted, Refused, Upload

MOST = 3
"""Uploads of a connection that are kept at once."""
LARGEST = 8 * 1024 * 1024
"""Bytes that all uploads of a connection may have together."""


@dataclass
class _Buffer:
    """An upload: its parts so far, of how many."""

    of: int
    parts: list[bytes]

    @property
    def size(self) -> int:
        return sum(map(len, self.parts))


class Uploads:
    """What one connection has uploaded and not used yet."""

    def __init__(self) -> None:
        self._buffers: dict[str, _Buffer] = {}

    def add(self, message: Upload) -> Accepted | Refused:
        """Keep a part. The first part begins an upload, anew if there is one of its name."""
        if message.part >= message.of:
            return Refused(message.id, "upload", f"There is no part {message.part + 1} of {message.of}.")
        if message.part == 0:
            return self._begin(message)
        buffer = self._buffers.get(message.upload)
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
        buffer = self._buffers.get(upload)
        if buffer is None:
            return Refused(id_, "no_upload", "Nothing of this name has been uploaded over this connection.")
        if len(buffer.parts) < buffer.of:
            sentence = f"The upload is not complete: {len(buffer.parts)} of {buffer.of} parts are here."
            return Refused(id_, "no_upload", sentence)
        del self._buffers[upload]
        return b"".join(buffer.parts)

    def clear(self) -> None:
        """Forget everything."""
        self._buffers.clear()

    def _begin(self, message: Upload) -> Accepted | Refused:
        self._buffers.pop(message.upload, None)
        if len(self._buffers) >= MOST:
            return Refused(message.id, "upload", f"There are {MOST} uploads already that have not been used.")
        buffer = _Buffer(message.of, [])
        kept = self._keep(message, buffer)
        if isinstance(kept, Accepted):
            self._buffers[message.upload] = buffer
        return kept

    def _keep(self, message: Upload, buffer: _Buffer) -> Accepted | Refused:
        held = sum(other.size for other in self._buffers.values())
        if self._buffers.get(message.upload) is not buffer:
            held += buffer.size
        if held + len(message.data) > LARGEST:
            self._buffers.pop(message.upload, None)
            megabytes = LARGEST // (1024 * 1024)
            return Refused(message.id, "upload", f"Too large: all uploads together may have {megabytes} MiB.")
        buffer.parts.append(message.data)
        return Accepted(message.id)
