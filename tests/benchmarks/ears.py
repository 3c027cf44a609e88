"""Many sockets that are listened to at once."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tests.benchmarks.sockets import WebSocket

Take = Callable[[bytes], None]
"""Takes a message that has come."""


class Ears:
    """Sockets, and what takes the messages of each. A server pings its peers and drops those that do not reply, so those that
    wait have to be listened to now and then as well.
    """

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        self._selector.close()

    def add(self, socket: WebSocket, take: Take) -> None:
        """Listen to this one too."""
        self._selector.register(socket, selectors.EVENT_READ, take)

    def hear(self, seconds: float) -> bool:
        """Take what has come, after waiting up to so many seconds for a message. Return whether there was one."""
        ends, heard = time.monotonic() + seconds, False
        while True:
            for key, _ in self._selector.select(max(0.0, ends - time.monotonic())):
                socket, take = key.fileobj, key.data
                assert isinstance(socket, WebSocket)
                for payload in socket.ready():
                    heard = True
                    take(payload)
            # What came may have been a ping, which is no message.
            if heard or time.monotonic() >= ends:
                return heard
