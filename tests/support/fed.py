"""What the feed publishes of a match, without a broker."""

from __future__ import annotations

import asyncio

from server.feed.match_feed import MatchFeed
from server.feed.metrics import FeedMetrics
from server.feed.topics import Topics
from server.kernel.ruleset import Ruleset
from server.store.store import MatchStore
from tests.support.room import eventually, never

Published = list[tuple[str, bytes]]
"""Messages: the last level of the topic of each, and its payload."""


async def fed(store: MatchStore, match: str, rules: Ruleset) -> Published:
    """Return all that the feed publishes of a match so far; nothing if it is unlisted."""
    published: Published = []

    async def publish(topic: str, payload: bytes, *, retain: bool = False, expires: int | None = None) -> None:
        assert retain is not topic.endswith("/steps")
        assert expires is None or retain
        published.append((topic.rpartition("/")[2], payload))

    feed = MatchFeed(
        match,
        store,
        lambda _edition: rules,
        publish,
        Topics("test"),
        published=0,
        note=lambda _: None,
        sleep=never,
        metrics=FeedMetrics(),
        now_ms=lambda: 0,
    )
    running = asyncio.create_task(feed.run())
    # The snapshot is the last message: nothing here waits for a broker.
    await eventually(lambda: running.done() or any(kind == "snapshot" for kind, _ in published))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return published
