"""Forged entries: something in them is changed, and the whole hash chain is built anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from client_protocol.codec import pack, unpack
from server.matches.log.entries import Body, Envelope, Opened, digest


def anew(entries: Sequence[bytes], change: Callable[[Body], Body | None]) -> list[bytes]:
    """Return the entries with each body changed by `change` (None: unchanged) and a valid chain."""
    made: list[bytes] = []
    for entry in entries:
        envelope = unpack(entry, Envelope)
        body = change(envelope.body) or envelope.body
        made.append(pack(replace(envelope, body=body, prev=digest(made[-1]) if made else bytes(32))))
    return made


def played_by(name: str) -> Callable[[Body], Body | None]:
    """Change the name of the player who had the first seat from the beginning."""

    def change(body: Body) -> Body | None:
        if not isinstance(body, Opened):
            return None
        position = re.sub(r'"players":{("[a-z]+"):"[A-Za-z]+"', rf'"players":{{\1:"{name}"', body.position)
        assert position != body.position, "somebody sits there under another name"
        return replace(body, position=position)

    return change
