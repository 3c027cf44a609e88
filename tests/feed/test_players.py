"""Players' own topics at a broker with Mosquitto's dynamic security: each is read by its player alone."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest

from server.feed.address import broker_address
from server.feed.feed import Feed
from server.feed.outbox import Letter, Outbox
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.mosquitto import Mosquitto, broker
from tests.support.player_keys import ADA, BO
from tests.support.room import begun
from tests.support.toy_rules import ToyRules

PASSWORD = "the feed's"  # noqa: S105 - of a broker on loopback
TOPIC = "underfire/1/players/{}/turn"


def plugin() -> Path:
    """The plugin, which comes with Mosquitto."""
    found = [
        path for root in ("/usr/lib", "/usr/local/lib") for path in Path(root).rglob("mosquitto_dynamic_security.so")
    ]
    assert found, "Mosquitto has come without its dynamic security plugin"
    return found[0]


@asynccontextmanager
async def secured(folder: Path) -> AsyncIterator[Mosquitto]:
    """Run a broker whose rights the feed commands."""
    rights = folder / "rights.json"
    control = shutil.which("mosquitto_ctrl", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/bin")
    assert control, "Mosquitto has come without mosquitto_ctrl"
    await asyncio.to_thread(
        subprocess.run, [control, "dynsec", "init", str(rights), "feed", PASSWORD], check=True, capture_output=True
    )
    lines = (
        "allow_anonymous true",
        f"plugin {plugin()}",
        f"plugin_opt_config_file {rights}",
        "per_listener_settings false",
    )
    async with broker(folder, *lines) as mosquitto:
        yield mosquitto


@asynccontextmanager
async def feeding(store: MatchStore, mosquitto: Mosquitto) -> AsyncIterator[None]:
    """Run a feed inside the block."""
    address = broker_address(f"mqtt://feed:the%20feed's@127.0.0.1:{mosquitto.port}")
    feed = Feed(store, address, lambda _edition: ToyRules(), version="7", now_ms=lambda: 1000, players=True)
    task = asyncio.create_task(feed.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def client(mosquitto: Mosquitto, user: str = "", password: str = "") -> aiomqtt.Client:
    """A client of the broker, by name or without one."""
    return aiomqtt.Client(
        "127.0.0.1",
        mosquitto.port,
        username=user or None,
        password=password or None,
        protocol=aiomqtt.ProtocolVersion.V5,
    )


async def admitted(mosquitto: Mosquitto, user: str, password: str) -> bool:
    """Whether the broker lets this user in."""
    try:
        async with client(mosquitto, user, password):
            return True
    except aiomqtt.MqttError:
        return False


async def until_admitted(mosquitto: Mosquitto, user: str, password: str, *, holds: bool = True) -> None:
    async with asyncio.timeout(20):
        while await admitted(mosquitto, user, password) != holds:  # noqa: ASYNC110 - the broker sends no notice of it
            await asyncio.sleep(0.05)


async def heard(reader: aiomqtt.Client, topic: str) -> bytes:
    """The next message at a topic."""
    async with asyncio.timeout(20):
        async for message in reader.messages:
            if str(message.topic) == topic:
                assert isinstance(message.payload, bytes)
                return message.payload
    raise AssertionError("the broker was lost")


@pytest.fixture(autouse=True)
def in_a_hurry_with_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.feed.players.POLL_SECONDS", 0.01)


async def test_a_player_reads_their_own_topic_and_no_other_one_does(
    store: MatchStore, rooms: Rooms, tmp_path: Path
) -> None:
    outbox, mine = Outbox(store), TOPIC.format(ADA.key)
    await outbox.put(Letter("credentials", ADA.key, b"ada's"))
    await outbox.put(Letter("credentials", BO.key, b"bo's"))
    async with secured(tmp_path) as mosquitto, feeding(store, mosquitto):
        await until_admitted(mosquitto, BO.key, "bo's")
        async with (
            client(mosquitto, ADA.key, "ada's") as ada,
            client(mosquitto, BO.key, "bo's") as bo,
            client(mosquitto) as any_,
        ):
            await ada.subscribe(mine, qos=1)
            for other in (bo, any_):
                for wish in (mine, "underfire/1/players/+/turn", "underfire/#", "#"):
                    # The broker refuses it, or grants it and delivers nothing.
                    with suppress(aiomqtt.MqttError):
                        await other.subscribe(wish, qos=1)
                # What is public is public.
                await other.subscribe("underfire/1/matches/+/summary", qos=1)
            news = json.dumps({"event": "your_turn"}).encode()
            await outbox.put(Letter("notice", ADA.key, news))
            assert await heard(ada, mine) == news
            table = await begun(rooms)
            for other in (bo, any_):
                await heard(other, f"underfire/1/matches/{table.room.match}/summary")
            assert await outbox.first() is None
            # Only the feed writes.
            with suppress(aiomqtt.MqttError):
                await bo.publish(mine, b"forged", qos=1)
            await outbox.put(Letter("notice", ADA.key, b"{}"))
            assert await heard(ada, mine) == b"{}"


async def test_a_new_password_replaces_the_old_one_and_a_forgotten_player_has_none(
    store: MatchStore, tmp_path: Path
) -> None:
    outbox = Outbox(store)
    async with secured(tmp_path) as mosquitto, feeding(store, mosquitto):
        await outbox.put(Letter("credentials", ADA.key, b"first"))
        await until_admitted(mosquitto, ADA.key, "first")
        await outbox.put(Letter("credentials", ADA.key, b"second"))
        await until_admitted(mosquitto, ADA.key, "second")
        assert not await admitted(mosquitto, ADA.key, "first")
        await outbox.put(Letter("forget", ADA.key))
        await until_admitted(mosquitto, ADA.key, "second", holds=False)
