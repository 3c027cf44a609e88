"""The connection to the broker: made again whenever it is lost, and every message published until the broker has it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from secrets import token_hex
from typing import Protocol

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from server.feed.address import BrokerAddress
from server.feed.mqtt import Client

log = logging.getLogger("underfire.feed")

KEEP_ALIVE = 15
"""Seconds without traffic after which either end asks for a sign of life; the broker waits half as long again."""
IN_FLIGHT = 500
"""Messages that may be on their way to the broker without its having confirmed them."""
CONFIRM_SECONDS = 15.0
"""Seconds after which a connection is given up on which a message was not confirmed."""
FAREWELL_SECONDS = 2.0
"""Seconds that the end of a connection waits for the broker."""
LONGEST_WAIT = 20.0
"""The longest pause between two attempts to connect, in seconds."""

Sleep = Callable[[float], Awaitable[None]]
Hear = Callable[[aiomqtt.Client, object], Awaitable[None]]
"""Takes a message that came over a connection."""


class Publish(Protocol):
    """Publishes a message."""

    async def __call__(self, topic: str, payload: bytes, *, retain: bool = False, expires: int | None = None) -> None:
        """Publish it, and return when the broker has confirmed it."""
        ...


class Broker:
    """One connection to a broker, by MQTT 5. `run` keeps it up.

    Args:
        address: where the broker is.
        will: topic and payload that the broker publishes, retained, when the connection is lost.
        hello: topic and payload that are published, retained, on every connection.
        connected: called after that on every connection: what was retained may be lost.
        sleep: waits between attempts to connect.
    """

    def __init__(
        self,
        address: BrokerAddress,
        *,
        will: tuple[str, bytes],
        hello: Callable[[], tuple[str, bytes]],
        connected: Callable[[], None] = lambda: None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._address = address
        self._will = will
        self._hello = hello
        self._on_connection = connected
        self._sleep = sleep
        self._tls = address.tls_context()
        self._connection: asyncio.Future[_Connection] | None = None

    async def run(self) -> None:
        """Keep the connection up until cancelled; then say goodbye by the will's message."""
        failures = 0
        while True:
            try:
                async with self._client() as client:
                    connection = _Connection(client)
                    try:
                        await client.publish(*self._hello(), qos=1, retain=True)
                        await _whole(client.subscribe(self._will[0], qos=1))
                        _obey_cancellation()
                        log.info("connected to the broker at %s", self._address)
                        failures = 0
                        self._up(connection)
                        await connection.until_lost(self._hear)
                    except asyncio.CancelledError:
                        await _farewell(client, *self._will)
                        raise
                    finally:
                        self._down(connection)
            except (aiomqtt.MqttError, OSError) as error:
                # The first failure is told, and then each that comes after a connection.
                (log.debug if failures else log.warning)("no connection to the broker at %s: %s", self._address, error)
            _obey_cancellation()
            failures += 1
            await self._sleep(random.uniform(0, min(LONGEST_WAIT, 0.25 * 2**failures)))

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False, expires: int | None = None) -> None:
        """Publish a message, and return when the broker has confirmed it, however often the connection is lost meanwhile. It
        may come more than once then.

        Args:
            topic: where to.
            payload: the message. An empty one that is retained removes what is retained there.
            retain: whether the broker gives it to those who subscribe later.
            expires: seconds after which the broker forgets it.
        """
        properties = None
        if expires is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.MessageExpiryInterval = expires
        while True:
            connection = await asyncio.shield(self._awaited())
            if await connection.publish(topic, payload, retain, properties):
                return

    async def _hear(self, client: aiomqtt.Client, payload: object) -> None:
        """Say hello again where the will of another connection stands: that of a process that was here before, and ends late."""
        if payload == self._will[1]:
            await client.publish(*self._hello(), qos=1, retain=True)

    def _awaited(self) -> asyncio.Future[_Connection]:
        """Return the future of the connection, or of the next one."""
        if self._connection is None:
            self._connection = asyncio.get_running_loop().create_future()
        return self._connection

    def _up(self, connection: _Connection) -> None:
        self._awaited().set_result(connection)
        self._on_connection()

    def _down(self, connection: _Connection) -> None:
        connection.lose()
        if self._connection is not None and self._connection.done():
            self._connection = None

    def _client(self) -> Client:
        topic, payload = self._will
        client = Client(
            self._address.host,
            self._address.port,
            username=self._address.user,
            password=self._address.password,
            # Two with one name would throw each other out.
            identifier=f"underfire-feed-{token_hex(6)}",
            protocol=aiomqtt.ProtocolVersion.V5,
            will=aiomqtt.Will(topic, payload, qos=1, retain=True),
            keepalive=KEEP_ALIVE,
            timeout=CONFIRM_SECONDS,
            max_inflight_messages=IN_FLIGHT,
            tls_context=self._tls,
        )
        # Each match waits for its own message, so that many wait at once is no news for the log.
        client.pending_calls_threshold = IN_FLIGHT
        return client


class _Connection:
    """A connection that is up, until it is lost."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        self._lost = asyncio.get_running_loop().create_future()

    def lose(self) -> None:
        if not self._lost.done():
            self._lost.set_result(None)

    async def until_lost(self, hear: Hear) -> None:
        """Return, or raise `aiomqtt.MqttError`, when the connection is lost. `hear` is given what is published meanwhile."""
        listening = asyncio.ensure_future(_listen(self._client, hear))
        try:
            await asyncio.wait({listening, self._lost}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                listening.result()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def publish(self, topic: str, payload: bytes, retain: bool, properties: Properties | None) -> bool:
        """Publish a message; return whether the broker has confirmed it."""
        publishing = asyncio.ensure_future(
            self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        )
        try:
            await asyncio.wait({publishing, self._lost}, return_when=asyncio.FIRST_COMPLETED)
            if publishing.done():
                try:
                    publishing.result()
                except aiomqtt.MqttError:
                    self.lose()
                    return False
                return True
            return False
        finally:
            publishing.cancel()
            await asyncio.gather(publishing, return_exceptions=True)


async def _whole(call: Coroutine[None, None, object]) -> None:
    """Wait for a call of the client to its end, even when cancelled meanwhile: the broker's answer to a call that was given up
    is a fault to aiomqtt, with a traceback in the log.
    """
    calling = asyncio.ensure_future(call)
    try:
        await asyncio.shield(calling)
    except asyncio.CancelledError:
        await asyncio.wait({calling}, timeout=FAREWELL_SECONDS)
        calling.cancel()
        await asyncio.gather(calling, return_exceptions=True)
        raise


def _obey_cancellation() -> None:
    """Raise the cancellation of the running task if it was swallowed.

    `asyncio.wait_for` of Python 3.11, which aiomqtt waits with, loses one that comes in the moment of its success
    (python/cpython#86296); and aiomqtt raises its own error when it cannot disconnect after one.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def _listen(client: aiomqtt.Client, hear: Hear) -> None:
    """Read what the broker sends; it raises `aiomqtt.MqttError` when the connection is lost."""
    async for message in client.messages:
        await hear(client, message.payload)
        _obey_cancellation()


async def _farewell(client: aiomqtt.Client, topic: str, payload: bytes) -> None:
    """Publish what the broker would publish if the connection were lost: an orderly end publishes no will."""
    try:
        await client.publish(topic, payload, qos=1, retain=True, timeout=FAREWELL_SECONDS)
    except aiomqtt.MqttError as error:
        log.debug("the broker was not told that the feed ends: %s", error)
