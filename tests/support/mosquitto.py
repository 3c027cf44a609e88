"""A real Mosquitto for tests, on free ports of this machine, and subscribers that note what they are sent."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from getpass import getuser
from pathlib import Path

import aiomqtt
from paho.mqtt.subscribeoptions import SubscribeOptions

from tests.support.servers import free_port

LONGEST = 20.0
"""Seconds after which a broker that does not start, or a message that does not come, fails the test."""
AGAIN = 1.0
"""Seconds after which a broker that has not ended is told again."""


@dataclass
class Mosquitto:
    """A broker in a process of its own, on a port that it keeps over every restart. It keeps nothing on disk.

    Args:
        folder: its own.
        lines: of its configuration, after the listener's; without any it lets everyone do everything.
    """

    folder: Path
    lines: Sequence[str] = ("allow_anonymous true",)
    port: int = field(default_factory=free_port)
    websocket_port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, as a setting."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and return when it listens."""
        program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        assert program, "there is no Mosquitto on the path: `make test` installs one"
        config = self.folder / "mosquitto.conf"
        config.write_text(
            "\n".join(
                (
                    # Started as root, it would become a user who cannot read a test's files.
                    f"user {getuser()}",
                    f"listener {self.port} 127.0.0.1",
                    f"listener {self.websocket_port} 127.0.0.1",
                    "protocol websockets",
                    *self.lines,
                    "",
                )
            )
        )
        with (self.folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen([program, "-c", str(config)], stdout=log, stderr=log)
        deadline = time.monotonic() + LONGEST
        for port in (self.port, self.websocket_port):
            while True:
                assert self._process.poll() is None, (self.folder / "mosquitto.log").read_text()
                assert time.monotonic() < deadline, "Mosquitto does not listen"
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.01)

    def kill(self) -> None:
        """Kill it, as `kill -9` does: all that it retained is lost."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._process is not None:
            self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None, "it was not started"
        deadline = time.monotonic() + LONGEST
        while self._process.poll() is None:
            assert time.monotonic() < deadline, "Mosquitto does not end"
            # It loses a signal that comes after it listens and before its main loop begins.
            self._process.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(AGAIN)
        self._process = None


@asynccontextmanager
async def broker(folder: Path, *lines: str) -> AsyncIterator[Mosquitto]:
    """Run a broker."""
    mosquitto = Mosquitto(folder, lines or ("allow_anonymous true",))
    await asyncio.to_thread(mosquitto.start)
    try:
        yield mosquitto
    finally:
        await asyncio.to_thread(mosquitto.stop)


@dataclass(frozen=True)
class Received:
    """A message as a subscriber got it."""

    topic: str
    payload: bytes
    retained: bool

    @property
    def kind(self) -> str:
        """The last level of its topic."""
        return self.topic.rpartition("/")[2]


class Subscriber:
    """A subscriber, and all that it has been sent."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self._more = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def to(cls, mosquitto: Mosquitto, topic: str = "#") -> AsyncIterator[Subscriber]:
        """Subscribe to a topic, of an empty name's rights."""
        subscriber = cls()
        client = aiomqtt.Client("127.0.0.1", mosquitto.port, protocol=aiomqtt.ProtocolVersion.V5)
        async with client:
            await client.subscribe(topic, options=SubscribeOptions(qos=1, retainAsPublished=True))
            listening = asyncio.create_task(subscriber._listen(client))
            try:
                yield subscriber
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            self.received.append(Received(str(message.topic), message.payload, bool(message.retain)))
            self._more.set()

    def of(self, kind: str, match: str = "") -> list[bytes]:
        """Return the payloads of the topics with this last level, of one match or all."""
        return [one.payload for one in self.received if one.kind == kind and match in one.topic]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until what was received fulfils a condition."""
        async with asyncio.timeout(LONGEST):
            while not holds():
                self._more.clear()
                await self._more.wait()
