"""The feed of leagues: table and results of each listed one, retained. It reads their logs, never their private fields."""

from __future__ import annotations

import contextlib
import logging
from collections import deque
from collections.abc import Callable

from server.feed.broker import Publish, Sleep
from server.feed.league_told import told_of
from server.feed.topics import Topics
from server.leagues.log.entries import LeagueFold, LeagueLogError
from server.store.errors import LogDamaged, StoreError, UnknownMatch
from server.store.key_names import FEED_LEAGUES
from server.store.league_logs import LeagueLogs
from server.store.replies import pairs
from server.store.store import MatchStore

log = logging.getLogger("underfire.feed")

POLL_SECONDS = 2.0
"""Seconds between two looks at all leagues."""
MOST = 1000
"""How many leagues are looked at, the newest ones, besides those that are published already."""
KEEP_SECONDS = 30 * 86_400
"""Seconds for which the broker keeps what is retained of a league that is over."""
REOPENED = 20
"""Of how many leagues that are over it is asked at each look whether an organiser has undone that: all have their turn."""


class LeagueFeed:
    """Publishes the listed leagues of a database.

    Args:
        store: holds their logs.
        publish: publishes a message.
        topics: where to.
        sleep: waits between two looks.
        now_ms: milliseconds since 1970.
    """

    def __init__(
        self, store: MatchStore, publish: Publish, topics: Topics, sleep: Sleep, now_ms: Callable[[], int]
    ) -> None:
        self._store = store
        self._logs = LeagueLogs(store)
        self._publish = publish
        self._topics = topics
        self._sleep = sleep
        self._now_ms = now_ms
        self._folds: dict[str, LeagueFold] = {}
        self._retained: dict[str, int] = {}
        """The highest number of a fixture whose result may be retained, of each league of which anything may be."""
        self._at: dict[str, int] = {}
        """Up to which entry each league is published."""
        self._told: dict[str, dict[str, int]] = {}
        """The hashes of what was published since the broker may last have lost it, by topic, of each league."""
        self._done: set[str] = set()
        """The leagues of which nothing more is published unless the broker loses it, they are removed, or they go on."""
        self._over: deque[str] = deque()
        """Those of them that are over, in the order in which they are asked whether they go on."""

    def again(self) -> None:
        """Publish everything again, also what is being published at this moment: the broker may have lost it."""
        self._at, self._told, self._done, self._over = {}, {}, set(), deque()

    async def run(self) -> None:
        """Publish until cancelled, after another feed perhaps. While the database is away, wait for it."""
        self._folds.clear()
        self.again()
        known = False
        while True:
            try:
                if not known:
                    self._retained, known = await self._read_retained(), True
                await self.look()
            except StoreError as error:
                log.debug("leagues wait for the database: %s", error)
            await self._sleep(POLL_SECONDS)

    async def look(self) -> None:
        """Publish what has changed. Raises `StoreError`."""
        await self._look_at_ends()
        newest = await self._logs.all(MOST)
        for league in [*newest, *(self._retained.keys() - set(newest))]:
            try:
                if league not in newest and not await self._logs.made(league):
                    await self._clear(league)
                elif league not in self._done:
                    await self._look_at(league)
            except (LogDamaged, LeagueLogError, UnknownMatch) as error:
                log.warning("league %s is not published any longer: %s", league, error)
                self._done.add(league)
            except StoreError:
                raise
            except Exception:
                log.exception("league %s is not published any longer", league)
                self._done.add(league)

    async def _look_at_ends(self) -> None:
        """Find leagues whose end was undone: what is retained of them is published anew, for as long as they go on."""
        over, at = self._over, self._at
        for _ in range(min(REOPENED, len(over))):
            league, goes_on = over[0], False
            with contextlib.suppress(LogDamaged):
                goes_on = bool(await self._logs.read(league, at[league]))
            over.popleft()
            if goes_on:
                self._done.discard(league)
                self._told.pop(league, None)
            else:
                over.append(league)

    async def _look_at(self, league: str) -> None:
        # Those of before, also if the broker loses everything meanwhile.
        at, told, done = self._at, self._told.setdefault(league, {}), self._done
        fold = await self._read(league)
        if at.get(league) == fold.number:
            return
        found, expires = fold.league, None
        if found.closed:
            expires = KEEP_SECONDS - (self._now_ms() - fold.entries[-1].at) // 1000
        if found.terms.listed and (expires is None or expires > 0):
            await self._retain(fold, told, expires)
        else:
            await self._clear(league)
        at[league] = fold.number
        if found.closed:
            done.add(league)
            if done is self._done:
                self._over.append(league)
            self._folds.pop(league, None)

    async def _read(self, league: str) -> LeagueFold:
        """Return a league as it stands now."""
        fold = self._folds.get(league)
        payloads = await self._logs.read(league, 0 if fold is None else fold.number)
        if fold is None:
            first, *payloads = payloads
            fold = self._folds[league] = LeagueFold(first)
        for payload in payloads:
            fold.add(payload)
        return fold

    async def _retain(self, fold: LeagueFold, told: dict[str, int], expires: int | None) -> None:
        league, wanted = fold.league.id, told_of(fold, self._topics)
        over = {one.number for one in fold.league.fixtures.values() if one.state == "over"}
        highest = max(over, default=0)
        # It is noted first, so that a feed that is killed leaves nothing behind of which the next one does not know.
        known = self._retained.get(league)
        if known is None or known < highest:
            await self._store.command("HSET", FEED_LEAGUES, league, highest)
            self._retained[league] = highest
        if not told and known:
            gone = [self._topics.league_result(league, one) for one in range(1, known + 1) if one not in over]
        else:
            gone = [topic for topic in told if topic not in wanted]
        for topic in gone:
            await self._publish(topic, b"", retain=True)
            told.pop(topic, None)
        for topic, payload in wanted.items():
            if told.get(topic) != hash(payload):
                await self._publish(topic, payload, retain=True, expires=expires)
                told[topic] = hash(payload)

    async def _clear(self, league: str) -> None:
        """Remove what the broker may retain of a league that is not published any longer."""
        highest = self._retained.get(league)
        if highest is None:
            return
        await self._publish(self._topics.league_summary(league), b"", retain=True)
        for number in range(1, highest + 1):
            await self._publish(self._topics.league_result(league, number), b"", retain=True)
        await self._store.command("HDEL", FEED_LEAGUES, league)
        self._retained.pop(league, None)
        self._told.pop(league, None)

    async def _read_retained(self) -> dict[str, int]:
        found = pairs(await self._store.command("HGETALL", FEED_LEAGUES))
        return {league.decode(): int(highest) for league, highest in found}
