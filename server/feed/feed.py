"""The feed: finds the listed matches and leagues in the database, and publishes each. It reads the database, never a server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from secrets import token_hex

from server.feed.address import ROOT, BrokerAddress
from server.feed.broker import Broker, Sleep
from server.feed.league_feed import LeagueFeed
from server.feed.match_feed import MatchFeed
from server.feed.metrics import FeedMetrics
from server.feed.outbox import Outbox
from server.feed.players import PlayersTopics
from server.feed.progress import Lease, LeaseLost, Progress
from server.feed.topics import Topics
from server.kernel.ruleset import Ruleset
from server.matches.shared_summaries import SharedSummaries
from server.store.connections import wall_ms
from server.store.errors import StoreError
from server.store.store import MatchStore

log = logging.getLogger("underfire.feed")

POLL_SECONDS = 1.0
"""Seconds between two looks for new matches."""
EARLIER_MS = 600_000
"""How long before the last look a match may have been made that was not found yet, in milliseconds: it was made and ended while
no feed ran, or its summary was stored late.
"""
LOOKED = ":looked"
"""The field of the progress that holds when the feed looked for matches last (ms since 1970). No match has such an id."""
LOST = "the feed is not running, or has lost its connection"


class Feed:
    """Publishes the listed matches of a database to a broker.

    Args:
        store: an open store.
        address: the broker.
        rules_of: the editions.
        root: the first level of its topics.
        version: of the software, for those who subscribe.
        sleep: waits.
        now_ms: milliseconds since 1970.
        metrics: its counters.
        players: whether it publishes to players' own topics, and commands the broker to let each player read theirs.
    """

    def __init__(
        self,
        store: MatchStore,
        address: BrokerAddress,
        rules_of: Callable[[str], Ruleset],
        *,
        root: str = ROOT,
        version: str,
        sleep: Sleep = asyncio.sleep,
        now_ms: Callable[[], int] = wall_ms,
        metrics: FeedMetrics | None = None,
        players: bool = False,
    ) -> None:
        self._metrics = metrics or FeedMetrics()
        self._store = store
        self._rules_of = rules_of
        self._version = version
        self._sleep = sleep
        self._now_ms = now_ms
        self._topics = Topics(root)
        self._lease = Lease(store, f"feed-{token_hex(8)}", sleep)
        self._progress = Progress(store)
        self._summaries = SharedSummaries(store)
        self._feeds: dict[str, MatchFeed] = {}
        self._done: set[str] = set()
        self._metrics.matches.set_function(lambda: len(self._feeds))
        self._broker = Broker(
            address,
            will=(self._topics.feed, json.dumps({"state": "offline", "why": LOST}).encode()),
            hello=lambda: (self._topics.feed, self._presence()),
            connected=self._again,
            sleep=sleep,
        )
        self._leagues = LeagueFeed(store, self._broker.publish, self._topics, sleep, now_ms)
        self._players = (
            PlayersTopics(Outbox(store), self._broker.publish, self._topics, address.user or "", sleep)
            if players
            else None
        )

    async def run(self) -> None:
        """Publish until cancelled, whenever this process is the one of its database that does."""
        while True:
            try:
                await self._lease.take()
                await self._lead()
            except StoreError as error:
                log.warning("the feed waits for the database: %s", error)
            except LeaseLost as lost:
                log.warning("%s", lost)
            await self._sleep(POLL_SECONDS)

    async def _lead(self) -> None:
        """Publish for as long as this process may.

        Raises:
            LeaseLost, StoreError: it may not any longer, or it is not known.
        """
        lost: BaseExceptionGroup[BaseException] | None = None
        self._metrics.leading.set(1)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._lease.hold())
                tasks.create_task(self._broker.run())
                tasks.create_task(self._leagues.run())
                if self._players is not None:
                    tasks.create_task(self._players.run())
                await self._discover(tasks)
        except* (LeaseLost, StoreError) as group:
            lost = group
        finally:
            self._metrics.leading.set(0)
            self._feeds.clear()
            self._done.clear()
            with contextlib.suppress(StoreError):
                await self._progress.store()
                await self._lease.give_up()
        if lost is not None:
            raise lost.exceptions[0]

    async def _discover(self, tasks: asyncio.TaskGroup) -> None:
        """Start the feed of each match that has none yet, and store the progress."""
        known = await self._progress.read()
        looked = known.pop(LOOKED, self._now_ms())
        for match in known:
            # It may have ended, or been removed, since.
            self._begin(tasks, match, known[match])
        while True:
            now = self._now_ms()
            for match in await self._summaries.begun(looked - EARLIER_MS):
                if match not in self._feeds and match not in self._done:
                    self._begin(tasks, match, 0)
            looked = now
            self._progress.note(LOOKED, looked)
            await self._progress.store()
            await self._sleep(POLL_SECONDS)

    def _begin(self, tasks: asyncio.TaskGroup, match: str, published: int) -> None:
        feed = self._feeds[match] = MatchFeed(
            match,
            self._store,
            self._rules_of,
            self._broker.publish,
            self._topics,
            published=published,
            note=lambda entry: self._progress.note(match, entry),
            sleep=self._sleep,
            metrics=self._metrics,
            now_ms=self._now_ms,
        )
        tasks.create_task(self._run(match, feed), name=f"feed of {match}")

    async def _run(self, match: str, feed: MatchFeed) -> None:
        """Run the feed of one match; a fault in it ends no other."""
        try:
            await feed.run()
        except Exception:
            log.exception("match %s is not published any longer", match)
        self._feeds.pop(match, None)
        self._done.add(match)
        self._progress.drop(match)

    def _again(self) -> None:
        for feed in self._feeds.values():
            feed.again()
        self._leagues.again()

    def _presence(self) -> bytes:
        return json.dumps({"state": "online", "since": self._now_ms(), "version": self._version}).encode()
