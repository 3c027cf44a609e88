"""The lines of a soak do the harm that they count: what was lost had been taken, and comes again."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from redis.asyncio.connection import parse_url

from server.feed.address import broker_address
from server.feed.broker import Broker
from server.store.outcomes import Appended
from server.store.store import MatchStore
from tests.soak.broker_line import BrokerLine
from tests.soak.line import Line, at_port, at_socket
from tests.soak.store_line import StoreLine
from tests.support.mosquitto import Subscriber, broker
from tests.support.valkey import valkey, valkey_server, valkey_url

__all__ = ["valkey_server", "valkey_url"]
TOPIC = "test/matches/m/steps"


async def test_an_append_whose_reply_is_lost_is_sent_again_and_counts_once(valkey_url: str) -> None:
    reach = at_socket(str(parse_url(valkey_url)["path"]))
    async with StoreLine.to(reach, random.Random(1)) as line, MatchStore(f"redis://127.0.0.1:{line.port}") as store:
        await store.create("m", 0, {"made": b"now"}, b"first")
        line.lose_reply()
        outcomes = [await store.append("m", n, f"a:{n}", b"answer") for n in (1, 2)]
        assert outcomes == [Appended(2), Appended(3)]
        assert (line.lost, line.again) == (1, 1)
        async with MatchStore(valkey_url) as directly:
            assert [number for number, _ in await directly.read("m")] == [1, 2, 3]


async def test_a_step_whose_confirmation_is_lost_is_published_again(tmp_path: Path) -> None:
    async with (
        broker(tmp_path) as mosquitto,
        Subscriber.to(mosquitto) as subscriber,
        BrokerLine.to(at_port(mosquitto.port), random.Random(1)) as line,
    ):
        feed = Broker(
            broker_address(f"mqtt://127.0.0.1:{line.port}"),
            will=("test/feed", b"offline"),
            hello=lambda: ("test/feed", b"online"),
            sleep=lambda _seconds: asyncio.sleep(0),
        )
        running = asyncio.create_task(feed.run())
        line.lose_confirmation()
        await feed.publish(TOPIC, b"one step")
        await feed.publish(TOPIC, b"another step")
        assert (line.lost, line.again) == (1, 1)
        await subscriber.until(lambda: len(subscriber.of("steps")) == 3)
        assert subscriber.of("steps") == [b"one step", b"one step", b"another step"]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_nothing_passes_over_a_line_that_is_stalled_and_all_of_it_afterwards(tmp_path: Path) -> None:
    async with valkey(tmp_path) as url, Line.to(at_socket(str(parse_url(url)["path"])), random.Random(1)) as line:
        reader, writer = await asyncio.open_connection("127.0.0.1", line.port)
        with line.stalled():
            writer.write(b"PING\r\n")
            async with MatchStore(url) as directly:
                await directly.beat()
            assert not reader._buffer  # type: ignore[attr-defined] # what has come
        assert await reader.readline() == b"+PONG\r\n"
        writer.close()
