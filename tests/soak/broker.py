"""The broker of a soak, and a subscriber that keeps an account of each match as it is published."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiomqtt

from client_protocol import codec
from client_protocol.from_server import Snapshot, Update
from tests.soak.witness import Account
from tests.support.mosquitto import Mosquitto

TOPICS = "underfire/1/matches/#"
AGAIN_SECONDS = 0.1
CAUGHT_UP = 60.0
"""Seconds in which the feed must have published the last frame of a match, not counted while faults go on."""


class Follower:
    """Follows all matches at the broker, as far as it is there: what it missed is made up for by a snapshot."""

    def __init__(self, mosquitto: Mosquitto) -> None:
        self.published = 0
        """How many steps came, each as often as it did."""
        self.again = 0
        """How many of them had come before."""
        self.slowest = 0.0
        """The longest time, in seconds, from when a match had stopped until its last frame was published."""
        self._mosquitto = mosquitto
        self._accounts: dict[str, Account] = defaultdict(lambda: Account("", ""))
        self._last: dict[str, int] = defaultdict(int)
        self._more = asyncio.Event()
        self._since = 0.0

    def ill(self) -> None:
        """Note that faults go on from now on."""
        self._since = math.inf

    def well(self) -> None:
        """Note that no fault goes on any more."""
        self._since = time.monotonic()

    @classmethod
    @asynccontextmanager
    async def of(cls, mosquitto: Mosquitto) -> AsyncIterator[Follower]:
        """Follow until the block is left."""
        follower = cls(mosquitto)
        following = asyncio.create_task(follower._follow())
        try:
            yield follower
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def account(self, match: str, last: int) -> Account:
        """Return the account of a match that has stopped, once its `last` frame of the spectators was published."""
        began = time.monotonic()
        while self._last[match] < last and time.monotonic() - max(began, self._since) < CAUGHT_UP:
            self._more.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._more.wait()
        self.slowest = max(self.slowest, time.monotonic() - began)
        if self._last[match] < last:
            self._accounts[match].wrong.append(f"frame {last} was not published, only {self._last[match]}")
        return self._accounts.pop(match)

    async def _follow(self) -> None:
        while True:
            with contextlib.suppress(aiomqtt.MqttError):
                client = aiomqtt.Client("127.0.0.1", self._mosquitto.port, protocol=aiomqtt.ProtocolVersion.V5)
                async with client:
                    await client.subscribe(TOPICS, qos=1)
                    async for message in client.messages:
                        self._take(str(message.topic), message.payload)
            await asyncio.sleep(AGAIN_SECONDS)

    def _take(self, topic: str, payload: object) -> None:
        match, kind = topic.split("/")[-2:]
        if not isinstance(payload, bytes) or not payload:
            return
        account = self._accounts[match]
        if kind == "summary":
            account.others.append(payload)
            return
        message = codec.decode_server(payload)
        if isinstance(message, Update):
            self.published += 1
            self.again += message.seq in account.updates
            if account.updates.setdefault(message.seq, message) != message:
                account.wrong.append(f"frame {message.seq} was published twice, and otherwise the second time")
        elif isinstance(message, Snapshot):
            account.snapshots.append(message)
        else:
            account.wrong.append(f"{type(message).__name__} was published")
            return
        self._last[match] = max(self._last[match], message.seq)
        self._more.set()
