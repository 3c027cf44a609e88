"""The feed of a real server at a real broker: who runs it, what becomes public, and after which deaths."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest

from client_protocol.codec import decode_server
from client_protocol.from_server import Update
from server.feed.address import broker_address
from tests.support.certificates import make_certificate
from tests.support.mosquitto import Mosquitto, Subscriber, broker
from tests.support.servers import PROC, UNDERFIRE, ServerProcess, free_port, serving
from tests.system.play import Battle, make_match

RIGHTS = (Path(__file__).parents[2] / "deploy/mosquitto/acl").read_text()
"""Who may do what, as it is deployed."""


@asynccontextmanager
async def feeding(tmp_path: Path, *lines: str) -> AsyncIterator[tuple[ServerProcess, Mosquitto]]:
    """A server that publishes to a broker."""
    async with (
        broker(tmp_path, *lines) as mosquitto,
        serving(tmp_path / "server", settings={"UNDERFIRE_MQTT_URL": mosquitto.url}) as server,
    ):
        yield server, mosquitto


def presence(received: Subscriber) -> list[str]:
    return [json.loads(payload)["state"] for payload in received.of("feed")]


def seqs(received: Subscriber) -> list[int]:
    found = [decode_server(one) for one in received.of("steps")]
    return [one.seq for one in found if isinstance(one, Update)]


async def _done(*command: str) -> None:
    """Run a command of another program, and wait for its end."""
    await asyncio.to_thread(subprocess.run, command, check=False, capture_output=True)


async def test_the_feed_outlives_its_own_death_and_ends_with_its_server(tmp_path: Path) -> None:
    async with feeding(tmp_path) as (server, mosquitto), Subscriber.to(mosquitto) as received:
        await received.until(lambda: presence(received) == ["online"])
        made = await make_match(server)
        async with Battle.at(server, made) as battle:
            await battle.press_on(2)
            await received.until(lambda: bool(seqs(received)) and seqs(received)[-1] >= battle.spectator.seq)
            (feed,) = server.feeds()
            os.kill(feed, signal.SIGKILL)
            # The broker says so in its place, and the server starts another one.
            await received.until(lambda: presence(received) == ["online", "offline"])
            await battle.press_on(2)
            await received.until(lambda: presence(received) == ["online", "offline", "online"])
            await received.until(lambda: seqs(received)[-1] == battle.spectator.seq)
            assert set(seqs(received)) == set(range(1, battle.spectator.seq + 1))
        server.kill()
        await received.until(lambda: presence(received)[-1] == "offline")
        server.start()
        await received.until(lambda: presence(received)[-1] == "online")
        server.stop()
        await received.until(lambda: presence(received)[-1] == "offline")
        server.start()


async def test_only_the_feed_may_write_and_everyone_may_read(tmp_path: Path) -> None:
    passwords, rights = tmp_path / "passwords", tmp_path / "acl"
    await _done("mosquitto_passwd", "-b", "-c", str(passwords), "feed", "a secret")
    rights.write_text(RIGHTS)
    lines = ("allow_anonymous true", f"password_file {passwords}", f"acl_file {rights}")
    async with broker(tmp_path, *lines) as mosquitto:
        url = f"mqtt://feed:a%20secret@127.0.0.1:{mosquitto.port}"
        assert "a secret" not in repr(broker_address(url))
        async with (
            serving(tmp_path / "server", settings={"UNDERFIRE_MQTT_URL": url}) as server,
            Subscriber.to(mosquitto, "underfire/#") as received,
        ):
            await received.until(lambda: presence(received) == ["online"])
            stranger = aiomqtt.Client("127.0.0.1", mosquitto.port, protocol=aiomqtt.ProtocolVersion.V5)
            async with stranger:
                with suppress(aiomqtt.MqttError):
                    await stranger.publish("underfire/1/feed", b"{}", qos=1)
            await make_match(server)
            await received.until(lambda: bool(received.of("summary")))
            assert presence(received) == ["online"]
            assert "secret" not in server.log
            assert b"a secret" not in b"".join((PROC / str(pid) / "cmdline").read_bytes() for pid in server.feeds())


async def test_tls_with_a_certificate_of_ones_own(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make_certificate(key, certificate)
    port = free_port()
    lines = ("allow_anonymous true", f"listener {port} 127.0.0.1", f"certfile {certificate}", f"keyfile {key}")
    async with broker(tmp_path, *lines) as mosquitto, Subscriber.to(mosquitto) as received:
        url = f"mqtts://localhost:{port}"
        async with serving(
            tmp_path / "server", settings={"UNDERFIRE_MQTT_URL": url, "UNDERFIRE_MQTT_CA_FILE": str(certificate)}
        ):
            await received.until(lambda: presence(received) == ["online"])
        await received.until(lambda: presence(received)[-1] == "offline")
        async with serving(tmp_path / "stranger", settings={"UNDERFIRE_MQTT_URL": url}) as server:
            # The system does not know that certificate: the broker is not believed, and the server plays all the same.
            await make_match(server)
            assert server.health()["ok"] is True
        assert presence(received)[-1] == "offline"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({}, "No broker is named: give its address in UNDERFIRE_MQTT_URL"),
        ({"UNDERFIRE_MQTT_URL": "http://:hunter2@broker"}, "The broker's address is written mqtt://"),
        ({"UNDERFIRE_MQTT_URL": "mqtt://broker:port"}, "The broker's port must be a number"),
        ({"UNDERFIRE_MQTT_URL": "mqtt://broker", "UNDERFIRE_MQTT_ROOT": "a/#"}, "first level of the topics"),
        ({"UNDERFIRE_MQTT_URL": "mqtt://broker", "UNDERFIRE_MQTT_WEBSOCKET": "https://x"}, "address for browsers"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(tmp_path: Path, variables: dict[str, str], sentence: str) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("UNDERFIRE_")}
    done = subprocess.run(
        [str(UNDERFIRE), "feed", "--data-dir", str(tmp_path)],
        env={**plain, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr
