"""Compression on the wire: permessage-deflate (RFC 7692), of which the server keeps no state for a connection.

A peer that takes over the context has the last bytes of all compressed messages in its window, and a compressor may refer to
them. The library holds a compressor for each connection for that: tens of kilobytes, and all work done again for each
spectator. Here an *audience* has a `Context`: what all of its connections have in their windows. Each frame is compressed once,
by a compressor that is given the context as its dictionary and dropped afterwards, and is written to all of them.

Only frames of a `Context` may be compressed with references, so every other message goes out plain or compressed alone; what
goes out plain does not enter a peer's window (RFC 7692, section 6). `broadcast` says which is which, and why.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

from websockets.exceptions import NegotiationError
from websockets.extensions.base import Extension
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame
from websockets.typing import ExtensionParameter

WINDOW_BITS = 14
"""The window of what we send, 16 KiB."""
INWARD_BITS = 10
"""The window of what peers send: their messages are short, and each is compressed alone."""
MEMORY = 6
"""The memory of zlib: more costs time and saves nothing on messages so short."""
_TAIL = b"\x00\x00\xff\xff"


class Effort(NamedTuple):
    """How much of what was sent before is looked through (bytes), and at which level of zlib."""

    window: int
    level: int


QUICK = Effort(12 * 1024, 6)
"""For one peer: the last prompts of a seat, whose words come again, are in 12 KiB. The last 4 KiB of them save a sixth of the
bytes; 4 KiB more would save a twentieth.
"""
THOROUGH = Effort(1 << WINDOW_BITS, 6)
"""For many peers, who share the payloads that are kept."""


def deflated(payload: bytes, before: bytes = b"", level: int = QUICK.level) -> bytes:
    """Return a message's payload compressed (RFC 7692, section 7.2.1).

    Args:
        payload: what the peer is to read.
        before: what is last in the peer's window, not more than that holds.
        level: zlib's.
    """
    if before:
        # A preset dictionary of raw deflate is what would have been compressed already in a context that goes on.
        compressor = zlib.compressobj(level, zlib.DEFLATED, -WINDOW_BITS, MEMORY, zlib.Z_DEFAULT_STRATEGY, before)
    else:
        compressor = zlib.compressobj(level, zlib.DEFLATED, -WINDOW_BITS, MEMORY)
    return (compressor.compress(payload) + compressor.flush(zlib.Z_SYNC_FLUSH)).removesuffix(_TAIL)


class Context:
    """What the windows of several peers have in common: the payloads of the last messages that all of them got, as far back as
    is looked through.

    `messages` counts them since the context began; `size` is how many bytes of them are kept.
    """

    def __init__(self, effort: Effort = QUICK) -> None:
        self._effort = effort
        self.messages = 0
        self._payloads: list[bytes] = []
        self.size = 0

    def begin(self) -> None:
        """Begin anew: the next message refers to nothing, so that every peer can read it."""
        self.messages = self.size = 0
        self._payloads.clear()

    def deflated(self, payload: bytes) -> bytes:
        """Return a payload compressed for peers that have got every message since the context began."""
        return deflated(payload, b"".join(self._payloads), self._effort.level)

    def add(self, payload: bytes) -> None:
        """Add a payload that all of them get now."""
        self.messages += 1
        # The payloads are kept as they are and not joined: those who may have to be sent them again share them.
        self._payloads.append(payload)
        self.size += len(payload)
        while (excess := self.size - self._effort.window) > 0:
            oldest = self._payloads[0]
            rest = oldest[excess:]
            self._payloads[:1] = [rest] if rest else []
            self.size -= len(oldest) - len(rest)


class Inflate(PerMessageDeflate):
    """What the library does once compression is agreed upon: it inflates. All compressed messages out are ours."""

    def encode(self, frame: Frame) -> Frame:
        """Return a frame as it is: compressed here, it would come between the messages of a context."""
        return frame


class Deflate(ServerPerMessageDeflateFactory):
    """Agrees upon compression with peers that can do it as described above; with others, messages stay plain.

    A peer must accept a window of `WINDOW_BITS` and keep it from message to message. What it sends itself it compresses message
    by message and in a small window, so that a message that is left half-sent holds little memory here.
    """

    def __init__(self) -> None:
        # `server_no_context_takeover` keeps the library from making a compressor; it is taken out of the response.
        super().__init__(
            server_no_context_takeover=True,
            client_no_context_takeover=True,
            server_max_window_bits=WINDOW_BITS,
            client_max_window_bits=INWARD_BITS,
            require_client_max_window_bits=True,
        )

    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], PerMessageDeflate]:
        """Return the response to an offer, and the extension.

        Raises:
            NegotiationError: the peer wants another window, or none.
        """
        if any(name == "server_no_context_takeover" for name, _ in params):
            raise NegotiationError("the server's context is always taken over")
        response, agreed = super().process_request_params(params, accepted_extensions)
        if agreed.local_max_window_bits != WINDOW_BITS:
            raise NegotiationError("the server's window cannot be smaller")
        inflate = Inflate(
            remote_no_context_takeover=True,
            local_no_context_takeover=True,
            remote_max_window_bits=agreed.remote_max_window_bits,
            local_max_window_bits=WINDOW_BITS,
        )
        return [one for one in response if one[0] != "server_no_context_takeover"], inflate


def agreed(extensions: Sequence[Extension]) -> bool:
    """Return whether a connection with these extensions takes compressed messages."""
    return any(isinstance(extension, Inflate) for extension in extensions)
