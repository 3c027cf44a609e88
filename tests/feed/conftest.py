"""A broker, a database, and feeds between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server.feed.address import broker_address
from server.feed.feed import Feed
from server.feed.metrics import FeedMetrics
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.mosquitto import Mosquitto
from tests.support.room import rooms_on
from tests.support.toy_rules import ToyRules
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that lets everyone do everything."""
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store) as opened:
        yield opened


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have feeds look more often than they do at work."""
    monkeypatch.setattr("server.feed.feed.POLL_SECONDS", 0.01)
    monkeypatch.setattr("server.feed.league_feed.POLL_SECONDS", 0.01)
    monkeypatch.setattr("server.feed.match_feed.REST_SECONDS", 0.01)
    monkeypatch.setattr("server.feed.progress.RENEW_SECONDS", 0.05)
    monkeypatch.setattr("server.feed.broker.LONGEST_WAIT", 0.05)


class Feeds:
    """Starts feeds, and ends them."""

    def __init__(self, store: MatchStore, mosquitto: Mosquitto) -> None:
        self._store = store
        self._mosquitto = mosquitto

    def feed(self, metrics: FeedMetrics | None = None) -> Feed:
        address = broker_address(self._mosquitto.url)
        return Feed(
            self._store, address, lambda _edition: ToyRules(), version="7", now_ms=lambda: 1000, metrics=metrics
        )

    @asynccontextmanager
    async def running(self, metrics: FeedMetrics | None = None) -> AsyncIterator[asyncio.Task[None]]:
        """Run a feed inside the block."""
        task = asyncio.create_task(self.feed(metrics).run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def feeds(store: MatchStore, mosquitto: Mosquitto) -> Feeds:
    return Feeds(store, mosquitto)
