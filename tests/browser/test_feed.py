"""Watching through a broker: no connection to the server, until there is something to ask, or the broker is away."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import WebSocket, expect

from client_protocol.from_server import MatchMade
from tests.browser.conftest import People
from tests.browser.player import Player
from tests.support.mosquitto import Mosquitto, Subscriber, broker
from tests.support.servers import ServerProcess, serving
from tests.system.play import Battle, make_match, standing


class Connections:
    """The websockets that a page has open, by the port of their server."""

    def __init__(self, player: Player) -> None:
        self.open: list[WebSocket] = []
        player.page.on("websocket", self._note)

    def _note(self, socket: WebSocket) -> None:
        self.open.append(socket)
        socket.on("close", self._forget)

    def _forget(self, socket: WebSocket) -> None:
        self.open.remove(socket)

    def to(self, port: int) -> bool:
        return any(f":{port}" in socket.url for socket in self.open)


@pytest_asyncio.fixture(loop_scope="session")
async def mosquitto(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    async with broker(tmp_path) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def feeding(tmp_path: Path, mosquitto: Mosquitto) -> AsyncIterator[ServerProcess]:
    """A server that publishes to the broker."""
    settings = {
        "UNDERFIRE_MQTT_URL": mosquitto.url,
        "UNDERFIRE_MQTT_WEBSOCKET": f"ws://127.0.0.1:{mosquitto.websocket_port}",
    }
    async with serving(tmp_path / "server", settings=settings) as server:
        yield server


async def _published(mosquitto: Mosquitto, made: MatchMade) -> None:
    """The feed has found the match."""
    async with Subscriber.to(mosquitto) as received:
        await received.until(lambda: bool(received.of("snapshot", made.match)))


async def _watch(server: ServerProcess, people: People, made: MatchMade) -> tuple[Player, Connections]:
    eve = await people.come(server)
    connections = Connections(eve)
    await eve.page.goto(f"{server.address}/#/m/{made.match}")
    await expect(eve.state).to_have_text("Live")
    return eve, connections


async def _shows(player: Player, battle: Battle) -> None:
    """What has happened last is on the page."""
    units = sum(bool(standing(battle.spectator.view, unit)) for unit in battle.spectator.view.units)
    await expect(player.page.locator("g.unit")).to_have_count(units)


async def test_who_watches_needs_no_connection_to_the_server(
    feeding: ServerProcess, mosquitto: Mosquitto, people: People
) -> None:
    made = await make_match(feeding)
    await _published(mosquitto, made)
    async with Battle.at(feeding, made) as battle:
        await battle.press_on(4)
        eve, connections = await _watch(feeding, people, made)
        await expect(eve.log).to_be_visible()
        lines = eve.log.get_by_role("listitem")
        for _ in range(12):
            await battle.press_on(2)
            await _shows(eve, battle)
            # Lines come after the first snapshot that the broker sends her anew, which may be some seconds old or new.
            if await lines.count():
                break
        await expect(lines.first).to_be_visible()
        assert connections.to(mosquitto.websocket_port)
        assert not connections.to(feeding.port)
        # Earlier lines are asked for, and the page is as live as before.
        await eve.log.get_by_role("button", name="Earlier lines").click()
        await expect(eve.log.get_by_role("button", name=re.compile("arlier lines"))).to_have_count(0)
        assert connections.to(feeding.port)
        await expect(eve.state).to_have_text("Live")
        await battle.press_on(4)
        await _shows(eve, battle)


async def test_who_watches_stays_when_the_broker_dies_and_when_it_is_back(
    feeding: ServerProcess, mosquitto: Mosquitto, people: People
) -> None:
    made = await make_match(feeding)
    await _published(mosquitto, made)
    async with Battle.at(feeding, made) as battle:
        await battle.press_on(1)
        eve, connections = await _watch(feeding, people, made)
        assert connections.to(mosquitto.websocket_port)
        mosquitto.kill()
        await battle.press_on(2)
        await _shows(eve, battle)
        assert connections.to(feeding.port)
        await expect(eve.state).to_have_text("Live")
        mosquitto.start()
        await battle.press_on(2)
        await _shows(eve, battle)
        for _ in range(300):
            if connections.to(mosquitto.websocket_port):
                break
            await eve.page.wait_for_timeout(50)
        assert connections.to(mosquitto.websocket_port)
        await battle.press_on(2)
        await _shows(eve, battle)


async def test_an_unlisted_match_is_watched_at_the_server(
    feeding: ServerProcess, mosquitto: Mosquitto, people: People
) -> None:
    made = await make_match(feeding, listed=False)
    eve, connections = await _watch(feeding, people, made)
    async with Battle.at(feeding, made) as battle:
        await battle.press_on(4)
        await _shows(eve, battle)
    assert connections.to(feeding.port)
