"""Noticing: every server looks who is to be told by now, and tells them. Of several servers one does it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from client_protocol.from_server import MatchSummary
from client_protocol.players import NoticeSettings, PushTo, Webhook
from server.matches.background import Background
from server.matches.waits import SeatWaits
from server.notices.asking import INTERVALS
from server.notices.news import Waits, news
from server.notices.presence import STALE_MS, Presence
from server.notices.queue import Decision, Queue
from server.notices.tries import given_up
from server.notices.ways import Ways, wanted
from server.players.registry import Registry
from server.store.errors import StoreError
from server.store.following import Sleep

log = logging.getLogger("underfire.notices")

POLL_SECONDS = 2.0
"""Seconds between two looks."""
AT_ONCE = 8
"""How many recipients are told at the same time."""


@dataclass(frozen=True)
class Match:
    """What is asked of a match: its summary, what it is called for people, and the decisions that wait there."""

    summary: MatchSummary
    edition: str
    waits: Sequence[SeatWaits]
    webhook: Callable[[str], Webhook | None]


Matches = Callable[[str], Awaitable["Match | None"]]
"""Returns a match; None if it is over, or gone. It raises `StoreError` while the database is away."""


@dataclass(frozen=True)
class _Recipient:
    """A recipient as it is at present: how it wants to be told. `key` is the player's, "" for a webhook of a match."""

    key: str
    settings: NoticeSettings


class Noticing(Background):
    """Tells recipients while it is open (`async with`).

    Args:
        queue: who is to be told, and of what.
        registry: the players.
        presence: who is connected.
        matches: returns a match.
        ways: tells them.
        address: the server's address for links, without a slash at its end; "" if it is not known.
        now_ms: milliseconds since 1970.
        sleep: waits between two looks.
    """

    def __init__(
        self,
        queue: Queue,
        registry: Registry,
        presence: Presence,
        matches: Matches,
        ways: Ways,
        address: str,
        now_ms: Callable[[], int],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._queue = queue
        self._registry = registry
        self._presence = presence
        self._matches = matches
        self._ways = ways
        self._address = address
        self._now_ms = now_ms
        self._sleep = sleep
        self.others: Mapping[str, Callable[[str], Awaitable[None]]] = {}
        """Those who tell recipients that do not wait for decisions, by the first part of these recipients' names."""

    async def run(self) -> None:
        """Look until cancelled. While the database is away, wait for it."""
        while True:
            await self.attempt(self.look)
            await self._sleep(POLL_SECONDS)

    async def look(self) -> None:
        """Tell all who are to be told by now. Raises `StoreError`."""
        for recipient in await self._queue.claim(self._now_ms(), AT_ONCE):
            try:
                await self._see_to(recipient)
            except StoreError:
                raise
            except Exception:
                # It is claimed, and comes again.
                log.exception("a notice failed")

    async def _see_to(self, name: str) -> None:
        """Tell a recipient what there is to tell."""
        if (other := self.others.get(name.partition("/")[0])) is not None:
            await other(name)
            return
        decisions = await self._queue.decisions(name)
        recipient = await self._recipient(name)
        if recipient is None or not wanted(recipient.settings):
            await self._queue.forget(name)
            return
        waiting, passed = await self._still_waiting(decisions)
        again = self._now_ms() + INTERVALS[recipient.settings.digest]
        if not waiting:
            # Of those who are there it is asked again later: they may leave, or have just left.
            await self._queue.done(name, [(one, "dropped") for one in passed], again_at=self._now_ms() + STALE_MS)
            return
        told = await self._ways.tell(
            news([one for _, one in waiting], named=not recipient.key),
            recipient.settings.webhook,
            recipient.settings.push,
            recipient.key if recipient.settings.topic else "",
        )
        if told.gone and recipient.key:
            await self._drop(recipient.key, told.gone)
        if not told.reached and not await given_up(self._queue, name, told.faults, self._now_ms()):
            return
        how: Literal["told", "dropped"] = "told"
        done = [*((one, how) for one, _ in waiting), *((one, "dropped") for one in passed)]
        await self._queue.done(name, done, told_at=self._now_ms(), again_at=again)

    async def _still_waiting(
        self, decisions: Sequence[Decision]
    ) -> tuple[list[tuple[Decision, Waits]], list[Decision]]:
        """Return the decisions that wait for players who are not there, and those that wait no more."""
        waiting, passed = [], []
        for one in decisions:
            match = await self._matches(one.match)
            seats = {} if match is None else {held.seat: held for held in match.waits}
            held = seats.get(one.seat)
            if match is None or held is None or held.prompt != one.prompt:
                passed.append(one)
            elif not (held.here or await self._presence.here(one.match, one.seat)):
                waiting.append((one, self._told(match, held)))
        return waiting, passed

    def _told(self, match: Match, held: SeatWaits) -> Waits:
        summary = match.summary
        url = f"{self._address}/#/m/{summary.match}" if self._address else ""
        return Waits(
            summary.match,
            summary.title,
            match.edition,
            summary.turn,
            held.seat,
            held.side,
            held.player,
            held.since,
            url,
        )

    async def _recipient(self, name: str) -> _Recipient | None:
        kind, _, rest = name.partition("/")
        if kind == "player":
            return _Recipient(rest, await self._registry.notices(rest))
        match_id, _, seat = rest.partition("/")
        match = await self._matches(match_id)
        webhook = None if match is None else match.webhook(seat)
        return None if webhook is None else _Recipient("", NoticeSettings(webhook=webhook))

    async def _drop(self, key: str, gone: Sequence[PushTo]) -> None:
        """Drop subscriptions that browsers have ended."""
        settings = await self._registry.notices(key)
        left = tuple(one for one in settings.push if one not in gone)
        await self._registry.set_notices(key, replace(settings, push=left))
