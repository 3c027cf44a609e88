"""The feed of one match: its log folded, and what spectators see of it published."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

import msgspec

from client_protocol import codec
from client_protocol.from_server import MatchSummary
from server.feed.broker import Publish, Sleep
from server.feed.metrics import FeedMetrics
from server.feed.topics import Topics
from server.kernel.belief import SPECTATORS
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import LogError
from server.matches.log.fold import Fold, folding
from server.matches.play.referee import Referee
from server.matches.projections.frames import Teller
from server.matches.projections.summary import match_summary
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreError, StoreUnavailable, UnknownMatch
from server.store.store import MatchStore
from server.work.slicing import in_slices

log = logging.getLogger("underfire.feed")

REST_SECONDS = 1.0
"""Seconds between two snapshots of a match at least: those who come meanwhile wait so long at most for the next one."""
LINGER_SECONDS = 600.0
"""Seconds without an entry after which a match that is over is followed no more."""
KEEP_SECONDS = 86_400
"""Seconds for which the broker keeps the last summary and snapshot of a match that is over."""
RETRY_SECONDS = 1.0
"""Seconds before a match is read again while the database is away, or refuses."""


class MatchFeed:
    """The feed of one match, until it is over and quiet, archived, or removed.

    Args:
        match: its id.
        store: holds its log. Nothing but the log is read: no secret of the match ever comes here.
        rules_of: the editions.
        publish: publishes a message.
        topics: where to.
        published: the entry up to which its steps were published; 0 for none.
        note: called with the entry up to which steps are published now.
        sleep: waits.
        metrics: the feed's counters.
        now_ms: milliseconds since 1970.
    """

    def __init__(
        self,
        match: str,
        store: MatchStore,
        rules_of: Callable[[str], Ruleset],
        publish: Publish,
        topics: Topics,
        *,
        published: int,
        note: Callable[[int], None],
        sleep: Sleep,
        metrics: FeedMetrics,
        now_ms: Callable[[], int],
    ) -> None:
        self._metrics = metrics
        self._now_ms = now_ms
        self._match = match
        self._store = store
        self._rules_of = rules_of
        self._publish = publish
        self._topics = topics
        self._published = published
        self._note = note
        self._sleep = sleep
        self._changed = asyncio.Event()
        self._told: MatchSummary | None = None

    def again(self) -> None:
        """Publish what is retained again: the broker may have lost it."""
        self._told = None
        self._changed.set()

    async def run(self) -> None:
        """Publish the match until there is nothing more to publish, or cancelled."""
        refused = False
        while True:
            try:
                return await self._follow()
            except MatchRemoved:
                return await self.clear()
            except MatchClosed:
                return None  # it was archived, long after its end
            except (LogDamaged, UnknownMatch, LogError, RulesetError) as error:
                log.warning("match %s is not published any longer: %s", self._match, error)
                return None
            except StoreUnavailable:
                pass
            except StoreError as error:
                # Redis refuses a command, for instance while it is out of memory: told once, tried until it does not.
                (log.debug if refused else log.warning)("match %s waits for the database: %s", self._match, error)
                refused = True
            await self._sleep(RETRY_SECONDS)

    async def clear(self) -> None:
        """Remove what the broker retains of the match, and tell those who follow its steps that there are no more."""
        await self._publish(self._topics.steps(self._match), b"")
        for topic in (self._topics.summary(self._match), self._topics.snapshot(self._match)):
            await self._publish(topic, b"", retain=True)

    async def _follow(self) -> None:
        """Publish what the log holds since the last published entry, and then what is added to it."""
        payloads = [payload for _, payload in await self._store.read(self._match)]
        fold = Fold(payloads[0])
        if not fold.opened.listed:
            return
        known = min(max(self._published, 1), len(payloads))
        await in_slices(folding(fold, payloads[1:known]))
        fold.keep_small()
        rules = self._rules_of(fold.opened.edition)
        # The rules only repeat what is in the log, so they need no secret.
        referee = Referee(rules, b"", fold)
        teller = Teller(rules, fold, referee.ask, watched=(SPECTATORS,))
        self._changed.set()
        standing = asyncio.ensure_future(self._stand(rules, referee, teller))
        standing.add_done_callback(self._told_of_failure)
        try:
            for payload in payloads[known:]:
                await self._step(referee, teller, payload)
            async with self._store.follow(self._match, fold.number) as entries:
                while True:
                    async with asyncio.timeout(LINGER_SECONDS if fold.state.result is not None else None):
                        _, payload = await anext(entries)
                    await self._step(referee, teller, payload)
        except TimeoutError:
            await self._retain(rules, referee, teller)
        finally:
            standing.cancel()
            await asyncio.gather(standing, return_exceptions=True)
        await self._until_forgotten()

    def _told_of_failure(self, standing: asyncio.Future[None]) -> None:
        if not standing.cancelled() and (error := standing.exception()) is not None:
            log.error("match %s is published without snapshots from now on", self._match, exc_info=error)

    async def _until_forgotten(self) -> None:
        """Follow the match only to notice its removal, for as long as the broker keeps what is retained."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(KEEP_SECONDS), self._store.follow(self._match, self._published) as entries:
                async for _ in entries:
                    pass

    async def _step(self, referee: Referee, teller: Teller, payload: bytes) -> None:
        """Publish an entry: the frame that spectators get for it, if they notice it."""
        added = referee.take(payload, own=False)
        number = referee.fold.number
        for frame in list(teller.tell(added, referee.ask)):
            await self._publish(self._topics.steps(self._match), codec.encode(frame.update))
            self._metrics.steps.inc()
            self._metrics.lag.observe(max(0, self._now_ms() - added.envelope.at) / 1000)
        self._published = number
        self._note(number)
        self._changed.set()

    async def _stand(self, rules: Ruleset, referee: Referee, teller: Teller) -> None:
        """Publish how the match stands whenever it has changed, with a rest in between."""
        while True:
            await self._changed.wait()
            await self._retain(rules, referee, teller)
            await self._sleep(REST_SECONDS)

    async def _retain(self, rules: Ruleset, referee: Referee, teller: Teller) -> None:
        """Publish summary and snapshot, retained: for a day once the match is over."""
        self._changed.clear()
        expires = KEEP_SECONDS if referee.fold.state.result is not None else None
        summary = match_summary(referee.fold, referee.ask, 0, rules)
        # Both are made before the first one is sent: they tell of the same moment.
        snapshot = codec.encode(teller.snapshot(SPECTATORS))
        if summary != self._told:
            await self._publish(
                self._topics.summary(self._match), msgspec.json.encode(summary), retain=True, expires=expires
            )
            self._told = summary
        await self._publish(self._topics.snapshot(self._match), snapshot, retain=True, expires=expires)
        self._metrics.snapshots.inc()
