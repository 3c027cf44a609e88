"""The ways in which a recipient is told: webhooks, and push services for browsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from client_protocol.players import NoticeSettings, PushTo, Webhook
from server.feed.outbox import Letter, Outbox
from server.notices import webhooks
from server.notices.news import Notice
from server.notices.outbound import Outbound, Undelivered
from server.notices.pushing import Pushing

JSON = {"Content-Type": "application/json", "User-Agent": "Underfire"}


def wanted(settings: NoticeSettings) -> bool:
    """Return whether a player wants to be told in any way."""
    return settings.webhook is not None or bool(settings.push) or settings.topic


@dataclass(frozen=True)
class Told:
    """What came of telling: in how many ways it succeeded, what went wrong, and subscriptions that have ended."""

    reached: int = 0
    faults: tuple[str, ...] = ()
    gone: tuple[PushTo, ...] = ()


class Ways:
    """Tells recipients.

    Args:
        outbound: sends requests.
        pushing: sends notices to browsers.
        outbox: takes what is published at players' topics; None: they have none.
    """

    def __init__(self, outbound: Outbound, pushing: Pushing, outbox: Outbox | None = None) -> None:
        self._outbound = outbound
        self._outbox = outbox
        self._pushing = pushing

    @property
    def push_key(self) -> str:
        """What browsers need to know of the servers to subscribe."""
        return self._pushing.public

    @property
    def outbox(self) -> Outbox | None:
        """What takes what is published at players' topics; None: they have none."""
        return self._outbox

    async def tell(
        self, news: Notice, webhook: Webhook | None, push: Sequence[PushTo] = (), topic_of: str = ""
    ) -> Told:
        """Tell the news in all of these ways; `topic_of` is the key of a player who reads their topic. Raises `StoreError`."""
        reached, faults, gone = 0, [], []
        if webhook is not None:
            try:
                await self._outbound.post(webhook.url, webhooks.payload(news, webhook.body), JSON)
                reached += 1
            except Undelivered as error:
                faults.append(f"The webhook was not sent: {error}.")
        for to in push:
            try:
                await self._pushing.push(to, news)
                reached += 1
            except Undelivered as error:
                faults.append(f"A notice to a browser was not sent: {error}.")
                if error.gone:
                    gone.append(to)
        if topic_of and self._outbox is not None:
            await self._outbox.put(Letter("notice", topic_of, msgspec.json.encode(news)))
            reached += 1
        return Told(reached, tuple(faults), tuple(gone))
