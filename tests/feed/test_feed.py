"""What the feed publishes, to whom, and after which accidents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any

import aiomqtt
import msgspec
import pytest
from msgspec.structs import replace
from paho.mqtt.client import Client as Subscribing

from client_protocol.codec import decode_server
from client_protocol.from_server import MatchSummary, Snapshot, Update
from server.feed.feed import LOOKED, LOST
from server.feed.match_feed import MatchFeed
from server.feed.metrics import FeedMetrics
from server.kernel.belief import SPECTATORS
from server.matches.removal import remove
from server.matches.rooms import Rooms
from server.matches.shared_summaries import SharedSummaries
from server.store.errors import StoreError
from server.store.key_names import FEED, FEED_LEASE
from server.store.store import MatchStore
from tests.feed.conftest import Feeds
from tests.support.mosquitto import Mosquitto, Subscriber
from tests.support.playing import payload
from tests.support.room import DUEL, Table, begun, made

UNLISTED = replace(DUEL, id="make-2", listed=False)


def steps(received: Subscriber, match: str) -> list[Update]:
    found = [decode_server(one) for one in received.of("steps", match)]
    assert all(isinstance(one, Update) for one in found)
    return [one for one in found if isinstance(one, Update)]


def snapshot(data: bytes) -> Snapshot:
    found = decode_server(data)
    assert isinstance(found, Snapshot)
    return found


def arrived(received: Subscriber, table: Table) -> Callable[[], bool]:
    """Whether the last frame of the spectators and a snapshot after it have come."""
    match = table.room.match

    def holds() -> bool:
        last = table.room.teller.snapshot(SPECTATORS).seq
        snapshots = received.of("snapshot", match)
        return bool(snapshots) and snapshots[-1] != b"" and snapshot(snapshots[-1]).seq == last

    return holds


async def finished(table: Table) -> None:
    await table.play_out()
    assert table.room.over


async def test_steps_are_the_bytes_that_spectators_get(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    async with Subscriber.to(mosquitto) as received, feeds.running():
        table = await begun(rooms)
        await table.deploy()
        await finished(table)
        await received.until(arrived(received, table))
        (first, *frames) = [payload(frame) for frame in table.listeners[""].frames]
    assert isinstance(decode_server(first), Snapshot)
    assert received.of("steps")[-len(frames) :] == frames
    # From the first one on, none is missing and none comes twice.
    seqs = [one.seq for one in steps(received, table.room.match)]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_a_newcomer_is_up_to_date_within_one_message(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    table = await begun(rooms)
    match = table.room.match
    async with feeds.running(), Subscriber.to(mosquitto) as first:
        await table.deploy()
        await first.until(arrived(first, table))
        async with Subscriber.to(mosquitto, f"underfire/1/matches/{match}/#") as received:
            await received.until(lambda: len(received.received) >= 2)
            assert {one.kind: one.retained for one in received.received} == {"summary": True, "snapshot": True}
            (told,) = received.of("summary")
            summary = msgspec.json.decode(told, type=MatchSummary)
            assert summary == replace(table.room.summary(), spectators=0)
            seq = snapshot(received.of("snapshot")[-1]).seq
            assert seq == table.room.teller.snapshot(SPECTATORS).seq
            # The next step goes on from there.
            await table.give(table.asked[0], table.default(table.asked[0]))
            await received.until(lambda: bool(received.of("steps")))
            assert steps(received, match)[0].seq == seq + 1


async def test_an_unlisted_match_leaves_no_trace(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    async with Subscriber.to(mosquitto) as received, feeds.running():
        hidden = await begun(rooms, UNLISTED)
        await hidden.deploy()
        await finished(hidden)
        seen = await begun(rooms)
        await received.until(arrived(received, seen))
    everything = b"".join(one.topic.encode() + one.payload for one in received.received)
    assert seen.room.match.encode() in everything
    assert hidden.room.match.encode() not in everything


async def test_presence_says_online_and_offline(feeds: Feeds, mosquitto: Mosquitto) -> None:
    async with Subscriber.to(mosquitto, "underfire/1/feed") as received:
        async with feeds.running():
            await received.until(lambda: len(received.received) == 1)
        await received.until(lambda: len(received.received) == 2)
        told = [json.loads(one.payload) for one in received.received]
        assert told[0] == {"state": "online", "since": 1000, "version": "7"}
        assert told[1]["state"] == "offline"
    async with Subscriber.to(mosquitto, "underfire/1/feed") as later:
        await later.until(lambda: bool(later.received))
        assert later.received[0].retained
        assert json.loads(later.received[0].payload)["state"] == "offline"


async def test_the_operator_sees_how_far_the_feed_is_behind(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    metrics = FeedMetrics()
    async with Subscriber.to(mosquitto) as received, feeds.running(metrics):
        table = await begun(rooms)
        await received.until(arrived(received, table))
        told = {sample.name: sample.value for metric in metrics.registry.collect() for sample in metric.samples}
        assert told["underfire_feed_matches"] == told["underfire_feed_leading"] == 1
        assert (
            told["underfire_feed_steps_total"] == told["underfire_feed_lag_seconds_count"] == len(received.of("steps"))
        )
    assert [
        sample.value for metric in metrics.registry.collect() for sample in metric.samples if "leading" in sample.name
    ] == [0]


# --- accidents -------------------------------------------------------------------------------------------------------


async def test_after_a_crash_no_step_is_missing(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore
) -> None:
    table = await begun(rooms)
    match = table.room.match
    async with Subscriber.to(mosquitto) as received:
        async with feeds.running():
            await received.until(arrived(received, table))
        # As if it had been killed: what it stored last is older than what it published.
        stored = await store.command("HGET", FEED, match)
        assert isinstance(stored, bytes)
        await store.command("HSET", FEED, match, int(stored) - 2)
        await table.deploy()
        async with feeds.running():
            await finished(table)
            await received.until(arrived(received, table))
    seqs = [one.seq for one in steps(received, match)]
    assert sorted(set(seqs)) == list(range(1, max(seqs) + 1))
    # Once more from a little before, and then on.
    assert sum(later <= before for before, later in pairwise(seqs)) == 1


async def test_a_match_that_ended_while_no_feed_ran_is_published(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore
) -> None:
    await store.command("HSET", FEED, LOOKED, 1000)
    table = await begun(rooms)
    await table.deploy()
    await finished(table)
    async with feeds.running(), Subscriber.to(mosquitto) as received:
        await received.until(arrived(received, table))
    assert steps(received, table.room.match)[-1].seq == table.room.teller.snapshot(SPECTATORS).seq


async def test_a_broker_that_loses_everything_is_told_again(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    table = await begun(rooms)
    async with feeds.running():
        async with Subscriber.to(mosquitto) as received:
            await received.until(arrived(received, table))
            mosquitto.kill()
        await table.deploy()
        mosquitto.start()
        async with Subscriber.to(mosquitto) as again:
            await again.until(arrived(again, table))
            assert {one.kind for one in again.received} >= {"feed", "summary", "snapshot"}
            await finished(table)
            await again.until(arrived(again, table))


async def test_one_feed_of_a_database_publishes_and_the_next_takes_over(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore
) -> None:
    table = await begun(rooms)
    async with Subscriber.to(mosquitto) as received, feeds.running():
        await received.until(arrived(received, table))
        async with feeds.running():
            await table.deploy()
            await received.until(arrived(received, table))
            seqs = [one.seq for one in steps(received, table.room.match)]
            assert seqs == sorted(set(seqs))
            # The first one loses its right, as it does when it hangs: the second one goes on.
            await store.command("DEL", FEED_LEASE)
            await finished(table)
            await received.until(arrived(received, table))
    told = {one.seq for one in steps(received, table.room.match)}
    assert told == set(range(1, max(told) + 1))


async def test_a_database_that_refuses_a_command_does_not_end_the_feed(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    asked = SharedSummaries.begun
    refusals = [StoreError("Redis refuses a command: OOM")]

    async def refused_once(summaries: SharedSummaries, made_since: int) -> list[str]:
        if refusals:
            raise refusals.pop()
        return await asked(summaries, made_since)

    read, unread = MatchStore.read, [StoreError("Redis refuses a command: OOM")]

    async def unread_once(store: MatchStore, match: str) -> list[tuple[int, bytes]]:
        if unread:
            raise unread.pop()
        return await read(store, match)

    monkeypatch.setattr("server.feed.match_feed.RETRY_SECONDS", 0.01)
    monkeypatch.setattr(SharedSummaries, "begun", refused_once)
    monkeypatch.setattr(MatchStore, "read", unread_once)
    async with Subscriber.to(mosquitto) as received, feeds.running() as feed:
        await received.until(arrived(received, table))
        assert not feed.done()
    assert not refusals
    assert not unread


@pytest.mark.parametrize("swallowed", [True, False], ids=["swallowed", "an error in its place"])
async def test_a_feed_that_is_cancelled_amid_a_call_to_the_broker_ends(
    feeds: Feeds, monkeypatch: pytest.MonkeyPatch, swallowed: bool
) -> None:
    calling = asyncio.Event()
    publish = aiomqtt.Client.publish

    async def loses_the_cancellation(client: aiomqtt.Client, *message: Any, **options: Any) -> None:  # noqa: ANN401
        if calling.is_set():
            return await publish(client, *message, **options)
        calling.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not swallowed:
                raise aiomqtt.MqttError("Operation timed out") from None
        return None

    monkeypatch.setattr(aiomqtt.Client, "publish", loses_the_cancellation)
    feed = asyncio.ensure_future(feeds.feed().run())
    async with asyncio.timeout(30):
        await calling.wait()
    feed.cancel()
    done, _ = await asyncio.wait({feed}, timeout=30)
    assert done
    assert feed.cancelled()


async def test_a_feed_that_is_cancelled_while_it_says_hello_again_ends(
    feeds: Feeds, mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = asyncio.Event()
    publish = aiomqtt.Client.publish
    hellos = 0

    async def loses_the_cancellation(client: aiomqtt.Client, topic: str, payload: bytes, **options: Any) -> None:  # noqa: ANN401
        nonlocal hellos
        hellos += b"online" in payload
        if hellos < 2 or again.is_set():
            return await publish(client, topic, payload, **options)
        again.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return None

    async with Subscriber.to(mosquitto) as received:
        feed = asyncio.ensure_future(feeds.feed().run())
        await received.until(lambda: bool(received.of("feed")))
        monkeypatch.setattr(aiomqtt.Client, "publish", loses_the_cancellation)
        hellos = 1
        # Another feed's will, which comes late.
        will = json.dumps({"state": "offline", "why": LOST}).encode()
        async with aiomqtt.Client("127.0.0.1", mosquitto.port) as other:
            await publish(other, "underfire/1/feed", will, qos=1)
        async with asyncio.timeout(30):
            await again.wait()
        feed.cancel()
        done, _ = await asyncio.wait({feed}, timeout=30)
        assert done
        assert feed.cancelled()


async def test_a_feed_that_ends_while_it_connects_leaves_no_fault_in_the_log(
    feeds: Feeds, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked = asyncio.Event()
    send = Subscribing.subscribe

    def subscribe(client: Subscribing, *topics: object, **options: object) -> object:
        asked.set()
        return send(client, *topics, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Subscribing, "subscribe", subscribe)
    feed = asyncio.ensure_future(feeds.feed().run())
    async with asyncio.timeout(30):
        await asked.wait()
    feed.cancel()
    await asyncio.wait({feed}, timeout=30)
    assert feed.cancelled()
    assert not [one.getMessage() for one in caplog.records if one.name == "mqtt"]


async def test_a_feed_that_gives_way_does_not_hide_the_one_that_publishes(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore
) -> None:
    table = await begun(rooms)
    async with (
        Subscriber.to(mosquitto, "underfire/1/feed") as presence,
        Subscriber.to(mosquitto) as received,
        feeds.running(),
    ):
        await received.until(arrived(received, table))
        async with feeds.running():
            # The second one takes the lease, and the first one, which hung meanwhile, says goodbye after that.
            await store.command("SET", FEED_LEASE, "another")
            await presence.until(lambda: b"offline" in presence.received[-1].payload)
            await store.command("DEL", FEED_LEASE)
            await presence.until(lambda: b"online" in presence.received[-1].payload)
            async with aiomqtt.Client("127.0.0.1", mosquitto.port) as late:
                await late.publish("underfire/1/feed", json.dumps({"state": "offline", "why": LOST}), 1, retain=True)
            await presence.until(lambda: b"offline" in presence.received[-1].payload)
            await presence.until(lambda: b"online" in presence.received[-1].payload)
            assert presence.received[-1].retained


# --- the end ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("while_it_runs", [True, False], ids=["while a feed runs", "while none runs"])
async def test_removal_clears_what_is_retained(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore, while_it_runs: bool
) -> None:
    table = await begun(rooms)
    match = table.room.match
    async with Subscriber.to(mosquitto) as received:
        async with feeds.running():
            await received.until(arrived(received, table))
            if while_it_runs:
                await remove(store, None, match, forget=True)
                await received.until(lambda: received.of("snapshot", match)[-1] == b"")
        if not while_it_runs:
            await remove(store, None, match, forget=True)
            async with feeds.running():
                await received.until(lambda: received.of("snapshot", match)[-1] == b"")
        assert received.of("summary", match)[-1] == b""
    async with Subscriber.to(mosquitto) as later:
        await later.until(lambda: bool(later.received))
        await asyncio.wait_for(later.until(lambda: later.received[-1].kind == "feed"), 5)
        assert match not in "".join(one.topic for one in later.received)


async def test_a_match_that_is_over_and_quiet_is_forgotten_and_still_cleared_when_removed(
    rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.feed.match_feed.LINGER_SECONDS", 0.05)
    quiet, forget = asyncio.Event(), MatchFeed._until_forgotten

    async def forgotten(feed: MatchFeed) -> None:
        quiet.set()
        await forget(feed)

    monkeypatch.setattr(MatchFeed, "_until_forgotten", forgotten)
    table = await begun(rooms)
    match = table.room.match
    await finished(table)
    async with Subscriber.to(mosquitto) as received, feeds.running():
        await received.until(arrived(received, table))
        async with asyncio.timeout(20):
            await quiet.wait()
        await remove(store, None, match, forget=True)
        await received.until(lambda: received.of("snapshot", match)[-1] == b"")


async def test_an_open_seat_shows_in_the_summary(rooms: Rooms, feeds: Feeds, mosquitto: Mosquitto) -> None:
    async with Subscriber.to(mosquitto) as received, feeds.running():
        match = (await made(rooms, replace(DUEL, mine=("red",)))).match
        await received.until(lambda: bool(received.of("summary", match)))
        told = msgspec.json.decode(received.of("summary", match)[-1], type=MatchSummary)
    assert told.state == "open"
