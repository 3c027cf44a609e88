"""A program that speaks the protocol with nothing but a websocket and MessagePack, and notes down what is said."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import msgpack  # type: ignore[import-untyped]  # the package publishes no types
from websockets.asyncio.client import ClientConnection, connect

from client_protocol import codec
from client_protocol.choices import Picked, Prompt
from client_protocol.client.link import websocket_address
from client_protocol.client.seen import Seen
from client_protocol.shapes import PROTOCOL
from client_protocol.view import View

Message: TypeAlias = dict[str, Any]
LONGEST = 20.0
"""Seconds after which a server that says nothing has failed."""
OURS, THEIRS, NOTE = "client", "server", "note"


class Talk:
    """One connection. `said` are its messages in their order, each with who sent it, and notes between them."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self.said: list[tuple[str, Message]] = []
        self.name = name
        self.prompt: Message | None = None
        self.seq = -1
        self.ended_at = -1
        """The frame with which the match was over; -1 while it is not."""
        self._socket = socket
        self._seen = Seen()
        self._ids = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def at(cls, address: str, name: str) -> AsyncIterator[Talk]:
        """A connection on which nothing has been said."""
        async with connect(websocket_address(address), compression=None, max_size=None) as socket:
            yield cls(socket, name)

    @property
    def view(self) -> View:
        """What is seen."""
        return self._seen.view

    def note(self, text: str) -> None:
        """Note something down between two messages."""
        self.said.append((NOTE, {"text": text}))

    async def say(self, message: Message) -> None:
        """Send a message."""
        packed = msgpack.packb(message)
        self.said.append((OURS, msgpack.unpackb(packed)))
        await self._socket.send(packed)

    async def hear(self) -> Message:
        """Take the next message in."""
        async with asyncio.timeout(LONGEST):
            message: Message = msgpack.unpackb(await self._socket.recv(decode=False))
        self.said.append((THEIRS, message))
        if message["type"] == "snapshot":
            self._seen = Seen(codec.typed(message["view"], View))
            self.prompt, self.seq = message["prompt"], message["seq"]
        elif message["type"] == "update":
            assert message["seq"] == self.seq + 1, "no frame is missing"
            self.seq = message["seq"]
            self._seen.patch(message.get("patch", {}))
            if "prompt" in message or message.get("closed"):
                self.prompt = message.get("prompt")
        if self._seen.over and not self.over:
            self.ended_at = self.seq
        return message

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.ended_at >= 0

    async def until(self, *types: str) -> Message:
        """Hear everything up to a message of one of these types."""
        while (message := await self.hear())["type"] not in types:
            pass
        return message

    async def ask(self, type_: str, **fields: object) -> Message:
        """Send a message under an id of its own, and hear everything up to its reply."""
        id_ = f"{self.name}-{next(self._ids):06}"
        await self.say({"type": type_, "id": id_, **fields})
        while (message := await self.hear()).get("id") != id_:
            pass
        return message

    async def level(self) -> None:
        """Hear all that has been sent by now, and leave no trace of having asked."""
        kept = len(self.said)
        await self._socket.send(msgpack.packb({"type": "ping", "id": "level"}))
        while (await self.hear())["type"] != "pong":
            pass
        self.said = [*self.said[:kept], *self.said[kept:-1]]

    async def sit(self, match: str, token: str) -> None:
        """Enter a match."""
        await self.say({"type": "enter_match", "protocol": PROTOCOL, "match": match, "token": token})
        await self.until("snapshot")

    async def commit(self) -> Message:
        """Commit to a share of the dice."""
        return await self.ask("commit", digest=hashlib.sha256(self.share).hexdigest())

    async def reveal(self) -> Message:
        """Reveal it."""
        return await self.ask("reveal", randomness=self.share.hex())

    @property
    def share(self) -> bytes:
        """A share of the dice that is the same each time. A bot draws its own from the operating system."""
        return hashlib.sha256(self.name.encode()).digest()

    @property
    def asked(self) -> Prompt | None:
        """What is to be answered, as the client's struct; None if nothing is."""
        if self.prompt is None or self.prompt["answered"]:
            return None
        return codec.typed(self.prompt, Prompt)

    async def answer(self, picked: Picked) -> Message:
        """Answer what is asked."""
        assert self.prompt is not None, "something is asked"
        values = codec.plain(picked.values)
        return await self.ask("answer", prompt=self.prompt["id"], choice=picked.choice, values=values)
