"""The webhook of a league: its address lies among the league's private fields and is never shown. Organisers see its host."""

from __future__ import annotations

from urllib.parse import urlsplit

from client_protocol.codec import CodecError, pack, unpack
from client_protocol.players import Webhook
from server.store.league_logs import LeagueLogs

WEBHOOK = "webhook"
"""The private field with the webhook."""
POSTED = "posted"
"""The private field with the number of the last entry that is in the queue of posts, or need not be."""


async def webhook_of(logs: LeagueLogs, league: str) -> tuple[Webhook | None, int]:
    """Return a league's webhook, None if it has none, and the number of the last entry whose posts are queued. Raises
    `StoreError`.
    """
    held = await logs.meta(league)
    try:
        return unpack(held[WEBHOOK], Webhook), int(held.get(POSTED, b"0"))
    except (KeyError, CodecError):
        return None, 0


async def host_of(logs: LeagueLogs, league: str) -> str:
    """Return the host of a league's webhook, "" if it has none. Raises `StoreError`."""
    webhook, _ = await webhook_of(logs, league)
    return "" if webhook is None else urlsplit(webhook.url).hostname or "an address"


async def set_webhook(logs: LeagueLogs, league: str, webhook: Webhook | None, number: int) -> None:
    """Name a league's webhook, or none. It is told of what happens after the entry with a number. Raises `StoreError`."""
    if webhook is None:
        await logs.set_meta(league, {WEBHOOK: None, POSTED: None})
    else:
        await logs.set_meta(league, {WEBHOOK: pack(webhook), POSTED: b"%d" % number})


async def set_posted(logs: LeagueLogs, league: str, number: int) -> None:
    """Note up to which entry the posts are queued. Raises `StoreError`."""
    await logs.set_meta(league, {POSTED: b"%d" % number})
