"""aiomqtt's client, without a mistake of its own: it never watches a socket that is closed, or that has nothing to be written."""

from __future__ import annotations

from typing import Any

import aiomqtt
from paho.mqtt.client import Client as Paho


class Client(aiomqtt.Client):
    """A client of a broker.

    aiomqtt (2.5) asks the event loop a turn later to watch a socket whose buffer is full, by its number alone. Until then the
    connection may be lost, and the number belong to no socket (a traceback in the log) or to another connection's, whose own
    watching would end; or all may be written, and the loop would turn for ever.
    """

    _full: Any = None
    """The socket that is to be watched until it can be written to again."""

    def _on_socket_register_write(self, client: Paho, userdata: Any, sock: Any) -> None:  # noqa: ANN401, ARG002 - aiomqtt's
        def write() -> None:
            try:
                client.loop_write()
            except Exception as error:  # noqa: BLE001 - as aiomqtt does: the connection is broken
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        def watch() -> None:
            if self._full is sock:
                self._loop.add_writer(sock.fileno(), write)

        self._full = sock
        self._loop.call_soon_threadsafe(watch)

    def _on_socket_unregister_write(self, client: Paho, userdata: Any, sock: Any) -> None:  # noqa: ANN401 - aiomqtt's
        # paho says so before it closes a socket, too.
        self._full = None
        super()._on_socket_unregister_write(client, userdata, sock)
