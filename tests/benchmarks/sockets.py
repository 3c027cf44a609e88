"""A websocket as bare as it can be, so that the load generator costs as little as it can."""

from __future__ import annotations

import base64
import os
import socket
import struct
import zlib

PATIENCE = 20.0
"""Seconds after which a server that says nothing is taken for dead."""
BINARY, CLOSE, PING, PONG = 2, 8, 9, 10
COMPRESSED = 0x40
"""The bit that marks a compressed message, and what its end leaves out (RFC 7692, section 7.2.2)."""
TAIL = b"\0\0\xff\xff"
OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"


class Hungup(Exception):  # noqa: N818 - a condition
    """The server has closed the connection."""


class WebSocket:
    """A client's connection. `taken` counts the bytes of all messages that came.

    Args:
        port: the server's, on this machine.
        compressed: whether it takes compressed messages, as a browser does. They are not inflated ...
        inflates: ... unless this is set.
    """

    def __init__(self, port: int, *, compressed: bool = True, inflates: bool = False) -> None:
        self._inflater = zlib.decompressobj(-zlib.MAX_WBITS) if inflates else None
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray()
        self.taken = 0
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{OFFER if compressed else ''}\r\n".encode()
        )
        while b"\r\n\r\n" not in self._buffer:
            self._fill()
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        assert b" 101 " in head, head
        self._buffer[:] = rest

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, payload: bytes, opcode: int = BINARY) -> None:
        """Send a message. The mask is nought: it has to be there, and leaves the bytes as they are."""
        size = len(payload)
        head = (
            struct.pack("!BB", 0x80 | opcode, 0x80 | size)
            if size < 126
            else struct.pack("!BBH", 0x80 | opcode, 0xFE, size)
        )
        self._socket.sendall(head + b"\0\0\0\0" + payload)

    def take(self) -> bytes:
        """The next message; waits for it."""
        while (payload := self._next()) is None:
            self._fill()
        return payload

    def ready(self) -> list[bytes]:
        """The messages that have come; to be called when there is something to be read."""
        self._fill()
        payloads = []
        while (payload := self._next()) is not None:
            payloads.append(payload)
        return payloads

    def _fill(self) -> None:
        data = self._socket.recv(1 << 18)
        if not data:
            raise Hungup("the server has hung up")
        self._buffer += data

    def _next(self) -> bytes | None:
        """The next message in the buffer (RFC 6455, section 5.2), if it is whole."""
        while len(buffer := self._buffer) >= 2:
            opcode, packed, size, at = buffer[0] & 15, buffer[0] & COMPRESSED, buffer[1], 2
            if size == 126:
                size, at = int.from_bytes(buffer[2:4], "big"), 4
            elif size == 127:
                size, at = int.from_bytes(buffer[2:10], "big"), 10
            if len(buffer) < at + size:
                return None
            payload = bytes(buffer[at : at + size])
            del buffer[: at + size]
            if opcode == BINARY:
                self.taken += size
                return self._inflater.decompress(payload + TAIL) if self._inflater and packed else payload
            if opcode == PING:
                self.send(payload, PONG)
            elif opcode == CLOSE:
                raise Hungup(f"{int.from_bytes(payload[:2], 'big')} {payload[2:].decode()}".strip())
        return None
