"""Who has to be told when a decision is asked: the players of seats that are tied to keys, and webhooks of the match."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Protocol, Self

from client_protocol.players import Digest
from server.matches.waits import SeatWaits
from server.notices import queue
from server.notices.presence import Presence
from server.notices.queue import Decision, Queue
from server.notices.ways import wanted
from server.players.registry import Registry
from server.store.errors import StoreError, StoreUnavailable
from server.store.following import Sleep

log = logging.getLogger("underfire.notices")

LEFT_MS = 300_000
"""Milliseconds after which a player is told who was there when it was asked, and has left since."""
RETRY_SECONDS = 1.0
"""Seconds between two tries while the database is away."""
INTERVALS: Mapping[Digest, int] = {"each": 60_000, "hour": 3_600_000, "day": 86_400_000}
"""Milliseconds between two notices at least."""


class Asked(Protocol):
    """What is asked of a room."""

    match: str

    def waits(self) -> Sequence[SeatWaits]:
        """The seats whose decisions wait."""
        ...

    @property
    def webhooks(self) -> Sequence[str]:
        """The seats that have named a webhook for this match."""
        ...

    @property
    def connected(self) -> Sequence[str]:
        """The seats that are connected to this server."""
        ...

    @property
    def tied(self) -> bool:
        """Whether a seat is tied to a key."""
        ...


class Asking:
    """Queues notices while it is open (`async with`).

    Args:
        queue: the queue.
        registry: the players.
        presence: who is connected.
        now_ms: milliseconds since 1970.
        after_ms: milliseconds after which a player is told who is not there: another server may have the connection, and a page
            may be loaded anew.
        sleep: waits while the database is away.
    """

    def __init__(
        self,
        queue: Queue,
        registry: Registry,
        presence: Presence,
        now_ms: Callable[[], int],
        after_ms: int,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._queue = queue
        self._registry = registry
        self._presence = presence
        self._now_ms = now_ms
        self._after_ms = after_ms
        self._sleep = sleep
        self._adding: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._adding:
            task.cancel()
        await asyncio.gather(*self._adding, return_exceptions=True)

    async def settle(self) -> None:
        """Wait until all that was noted is in the queue."""
        await asyncio.gather(*self._adding)

    def asked(self, room: Asked) -> None:
        """Note who is to be told, after an entry of this server's. It is called after every one, and mostly has nothing to do."""
        if room.tied or room.webhooks:
            self._note(room, [one for one in room.waits() if not one.here], self._after_ms)

    def left(self, room: Asked, seat: str) -> None:
        """Note that a player may have left; and, if their decision waits, that they may not have seen it."""
        if not (room.tied or room.webhooks) or seat in room.connected:
            return
        self._begin(partial(self._presence.left, room.match, seat))
        self._note(room, [one for one in room.waits() if one.seat == seat], max(LEFT_MS, self._after_ms))

    def _note(self, room: Asked, waits: Sequence[SeatWaits], after: int) -> None:
        for one in waits:
            decision = Decision(room.match, one.seat, one.prompt)
            if one.key:
                self._begin(partial(self._add_player, one.key, decision, after))
            for seat in room.webhooks:
                recipient = queue.webhook(room.match, seat)
                self._begin(partial(self._add, recipient, decision, after, INTERVALS["each"]))

    def _begin(self, add: Callable[[], Coroutine[object, object, None]]) -> None:
        task = asyncio.create_task(self._added(add))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)

    async def _added(self, add: Callable[[], Coroutine[object, object, None]]) -> None:
        """Add to the queue, as soon as the database is there."""
        while True:
            try:
                return await add()
            except StoreUnavailable:
                await self._sleep(RETRY_SECONDS)
            except StoreError as error:
                log.warning("a notice could not be queued: %s", error)
                return None

    async def _add_player(self, key: str, decision: Decision, after: int) -> None:
        settings = await self._registry.notices(key)
        if wanted(settings):
            await self._add(queue.player(key), decision, after, INTERVALS[settings.digest])

    async def _add(self, recipient: str, decision: Decision, after: int, interval: int) -> None:
        last = await self._queue.told_last(recipient)
        await self._queue.add(recipient, decision, max(self._now_ms() + after, last + interval))
