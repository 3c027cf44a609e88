"""What the feed publishes of leagues: what strangers may know of the listed ones."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from msgspec.structs import replace

from client_protocol.leagues import Close, LeagueView, PairRound, Settle, Undo
from server.feed.league_feed import KEEP_SECONDS, LeagueFeed
from server.feed.topics import Topics
from server.leagues.log.entries import LeagueFold
from server.matches.rooms import Rooms
from server.store.errors import StoreUnavailable
from server.store.key_names import FEED_LEAGUES, LEAGUES, league_key
from server.store.store import MatchStore
from tests.feed.conftest import Feeds
from tests.leagues.conftest import TERMS, Server, server_on
from tests.support.mosquitto import Mosquitto, Subscriber
from tests.support.player_keys import ADA, BO
from tests.support.room import Hands, never

LISTED = replace(TERMS, listed=True)
ALL = "underfire/1/leagues/#"


@pytest.fixture
def server(store: MatchStore, rooms: Rooms) -> Server:
    return server_on(store, rooms, Hands())


class Published:
    """A feed of leagues whose broker only notes what it is to retain, and what it was sent."""

    def __init__(self, store: MatchStore) -> None:
        self.now = 1000
        self.retained: dict[str, bytes] = {}
        self.sent: list[tuple[str, bytes, int | None]] = []
        self.feed = LeagueFeed(store, self.publish, Topics("underfire"), self._waits, lambda: self.now)
        self._looked = asyncio.Event()

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False, expires: int | None = None) -> None:
        assert retain
        self.sent.append((topic, payload, expires))
        self.retained.pop(topic, None)
        if payload:
            self.retained[topic] = payload

    async def began(self) -> None:
        """Begin as a feed does that has just got the right to publish; it looks once."""
        running = asyncio.create_task(self.feed.run())
        await self._looked.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def _waits(self, seconds: float) -> None:
        self._looked.set()
        await never(seconds)


def told(payload: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(payload)
    return found


async def begun(server: Server) -> LeagueView:
    league = await server.gathered(ADA, BO, terms=LISTED)
    return await server.act(league.id, ADA, PairRound(0))


async def test_the_table_and_the_results_of_a_listed_league_are_retained(
    server: Server, feeds: Feeds, mosquitto: Mosquitto
) -> None:
    league = await begun(server)
    hidden = await server.gathered(ADA, BO)
    async with feeds.running(), Subscriber.to(mosquitto, ALL) as received:
        await received.until(lambda: bool(received.of("summary")))
        await server.act(league.id, ADA, Settle(1, "won", BO.key, "Ada was ill."))
        await received.until(lambda: bool(received.of("1")) and told(received.of("summary")[-1])["standings"][0]["won"])
        async with Subscriber.to(mosquitto, ALL) as late:
            await late.until(lambda: len(late.received) == 2)
    assert all(one.retained for one in late.received)
    assert [one.topic for one in late.received if hidden.id in one.topic] == []
    (summary,), (result,) = late.of("summary"), late.of("1")
    assert late.received[0].topic.startswith(f"underfire/1/leagues/{league.id}/")
    assert {key: value for key, value in told(summary).items() if key != "standings"} == {
        "id": league.id,
        "name": "Autumn",
        "edition": "toy",
        "format": "round_robin",
        "state": "runs",
        "round": 1,
        "rounds": 1,
        "players": 2,
    }
    assert [(one["rank"], one["name"], one["points"]) for one in told(summary)["standings"]] == [
        (1, "Bo", 3),
        (2, "Ada", 0),
    ]
    assert (told(result)["winner"], told(result)["reason"], told(result)["settled"]) == (BO.key, "Ada was ill.", True)
    assert {one["name"] for one in told(result)["players"]} == {"Ada", "Bo"}
    assert not any(
        secret in one.payload for one in late.received for secret in (league.invite.encode(), b"rifle", b"force")
    )


async def test_a_broker_that_lost_everything_is_told_again(server: Server, feeds: Feeds, mosquitto: Mosquitto) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, Settle(1, "draw"))
    async with feeds.running():
        async with Subscriber.to(mosquitto, ALL) as received:
            await received.until(lambda: len(received.received) >= 2)
        await asyncio.to_thread(mosquitto.kill)
        await asyncio.to_thread(mosquitto.start)
        async with Subscriber.to(mosquitto, ALL) as received:
            await received.until(lambda: bool(received.of("summary")) and bool(received.of("1")))


async def test_nothing_is_published_twice_that_has_not_changed(server: Server, store: MatchStore) -> None:
    league = await begun(server)
    one = Published(store)
    await one.began()
    await one.feed.look()
    assert [topic for topic, _, _ in one.sent] == [f"underfire/1/leagues/{league.id}/summary"]
    await server.act(league.id, ADA, Settle(1, "draw"))
    await one.feed.look()
    await one.feed.look()
    assert [topic.rpartition("/")[2] for topic, _, _ in one.sent] == ["summary", "summary", "1"]
    # What an organiser decides anew takes the place of what stood there.
    await server.act(league.id, ADA, Settle(1, "won", ADA.key))
    await one.feed.look()
    assert told(one.retained[f"underfire/1/leagues/{league.id}/results/1"])["winner"] == ADA.key
    one.feed.again()
    await one.feed.look()
    assert [topic.rpartition("/")[2] for topic, _, _ in one.sent[-2:]] == ["summary", "1"]


async def test_a_removed_league_is_cleared_also_if_no_feed_ran_then(server: Server, store: MatchStore) -> None:
    removed, kept = await begun(server), await begun(server)
    for league in (removed, kept):
        await server.act(league.id, ADA, Settle(1, "draw"))
    one = Published(store)
    await one.began()
    await store.command("DEL", *(league_key(removed.id, part) for part in (b"log", b"meta", b"answers")))
    await store.command("ZREM", LEAGUES, removed.id)
    other = Published(store)
    other.retained = one.retained
    await other.began()
    assert {topic.split("/")[3] for topic in other.retained} == {kept.id}
    assert await store.command("HEXISTS", FEED_LEAGUES, removed.id) == 0
    # And at once by the one that runs.
    await store.command("ZREM", LEAGUES, kept.id)
    await other.feed.look()
    assert other.retained == {}


async def test_what_is_not_listed_any_longer_is_cleared(
    server: Server, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, Settle(1, "draw"))
    one = Published(store)
    await one.began()
    assert len(one.retained) == 2
    other = Published(store)
    other.retained = one.retained
    # No act changes this yet: as if one had.
    monkeypatch.setattr("server.feed.league_feed.LeagueFold", _unlisted)
    await other.began()
    assert one.retained == {}


def _unlisted(first: bytes) -> object:
    fold = LeagueFold(first)
    fold.league = replace(fold.league, terms=replace(fold.league.terms, listed=False))
    return fold


async def test_a_league_that_is_over_stays_for_a_month(server: Server, store: MatchStore) -> None:
    league = await begun(server)
    await server.act(league.id, ADA, Settle(1, "draw"))
    await server.act(league.id, ADA, Close())
    one = Published(store)
    one.now += 86_400_000
    await one.began()
    assert {expires for _, _, expires in one.sent} == {KEEP_SECONDS - 86_400}
    assert told(one.retained[f"underfire/1/leagues/{league.id}/summary"])["state"] == "over"
    # A feed that begins later does not bring it back.
    late = Published(store)
    late.now += KEEP_SECONDS * 1000
    late.retained = one.retained
    await late.began()
    assert late.retained == {}


async def undo_last(server: Server, league: LeagueView) -> None:
    last = (await server.leagues.show(league.id, ADA.key)).undo[0]
    await server.act(league.id, ADA, Undo(last.entry, "A mistake."))


async def test_a_result_that_was_undone_is_cleared_also_if_no_feed_ran_then(server: Server, store: MatchStore) -> None:
    running, stopped = await begun(server), await begun(server)
    for league in (running, stopped):
        await server.act(league.id, ADA, Settle(1, "draw"))
    one = Published(store)
    await one.began()
    await undo_last(server, running)
    await one.feed.look()
    results = [f"underfire/1/leagues/{league.id}/results/1" for league in (running, stopped)]
    assert [topic in one.retained for topic in results] == [False, True]
    assert all(place["points"] == 0 for place in told(one.retained[_summary(running)])["standings"])
    await undo_last(server, stopped)
    other = Published(store)
    other.retained = one.retained
    await other.began()
    assert other.retained.keys() == {_summary(running), _summary(stopped)}


async def test_a_league_whose_end_was_undone_is_retained_as_long_as_it_goes_on(
    server: Server, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.feed.league_feed.REOPENED", 1)
    league, other = await begun(server), await begun(server)
    await server.act(league.id, ADA, Settle(1, "draw"))
    for ended in (league, other):
        await server.act(ended.id, ADA, Close())
    one = Published(store)
    await one.began()
    one.sent.clear()
    await undo_last(server, league)
    for _ in range(2):  # of two that are over, each has its turn
        await one.feed.look()
    assert told(one.retained[_summary(league)])["state"] == "runs"
    assert [(topic.rpartition("/")[2], expires) for topic, _, expires in one.sent] == [("summary", None), ("1", None)]
    await undo_last(server, league)
    await one.feed.look()
    assert f"underfire/1/leagues/{league.id}/results/1" not in one.retained
    await server.act(league.id, ADA, Close())
    await one.feed.look()
    assert told(one.retained[_summary(league)])["state"] == "over"
    assert one.sent[-1][2] is not None


def _summary(league: LeagueView) -> str:
    return f"underfire/1/leagues/{league.id}/summary"


async def test_a_damaged_league_and_a_database_that_is_away_cost_no_other_league(
    server: Server, store: MatchStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = await begun(server), await begun(server)
    await store.command("XADD", league_key(bad.id, b"log"), "99-0", "e", "x")
    one = Published(store)
    await one.began()
    assert [topic.split("/")[3] for topic in one.retained] == [good.id]
    assert f"league {bad.id} is not published any longer" in caplog.text
    await server.act(good.id, ADA, Settle(1, "draw"))
    asked = store.command

    async def away(*words: object) -> object:
        if words[0] == "HSET":
            raise StoreUnavailable("away")
        return await asked(*words)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(store, "command", away)
        with pytest.raises(StoreUnavailable):
            await one.feed.look()
    await one.feed.look()
    assert f"underfire/1/leagues/{good.id}/results/1" in one.retained
