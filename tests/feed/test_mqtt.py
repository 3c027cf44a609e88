"""The client of the broker watches only sockets that are open and have something to be written, and is quiet about what waits."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from server.feed.address import broker_address
from server.feed.broker import Broker
from server.feed.mqtt import Client
from tests.support.mosquitto import Mosquitto


@pytest.fixture
def pair() -> Iterator[socket.socket]:
    """A socket that can be written to."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    yield ours
    ours.close()
    theirs.close()


def told(client: Client) -> tuple[Callable[[socket.socket], None], Callable[[socket.socket], None]]:
    """The calls by which paho says that a socket is full, and that it is to be watched no longer: also before it is closed."""
    paho = client._client
    full, done = paho.on_socket_register_write, paho.on_socket_unregister_write
    assert full is not None
    assert done is not None
    return partial(full, paho, None), partial(done, paho, None)


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_a_socket_that_was_closed_at_once_is_not_watched(pair: socket.socket) -> None:
    wrong: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: wrong.append(context))
    full, done = told(Client("127.0.0.1", 1))
    full(pair)
    done(pair)
    pair.close()
    await turns()
    assert not wrong


async def test_a_socket_on_which_all_was_written_meanwhile_is_not_watched(pair: socket.socket) -> None:
    full, done = told(Client("127.0.0.1", 1))
    full(pair)
    done(pair)
    await turns()
    assert not asyncio.get_running_loop().remove_writer(pair)


async def test_a_full_socket_is_watched_until_paho_says_otherwise(pair: socket.socket) -> None:
    full, done = told(Client("127.0.0.1", 1))
    full(pair)
    await turns()
    done(pair)
    assert not asyncio.get_running_loop().remove_writer(pair)
    full(pair)
    await turns()
    assert asyncio.get_running_loop().remove_writer(pair)


async def test_many_matches_that_publish_at_once_are_no_news_for_the_log(
    mosquitto: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    broker = Broker(broker_address(mosquitto.url), will=("test/feed", b"off"), hello=lambda: ("test/feed", b"on"))
    running = asyncio.create_task(broker.run())
    await asyncio.gather(*(broker.publish(f"test/{number}", b"a step") for number in range(50)))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert not [one for one in caplog.records if one.name == "mqtt"]
