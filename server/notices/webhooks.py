"""What a webhook is sent: JSON of our own, or a message as Discord and Slack take it."""

from __future__ import annotations

import msgspec

from client_protocol.players import Body
from server.notices.news import Notice


def payload(news: Notice, body: Body) -> bytes:
    """Return the JSON that tells this news.

    `plain` is described in docs/players.md. In the other two no name can call people.
    """
    if body == "discord":
        # https://discord.com/developers/docs/resources/webhook#execute-webhook
        return msgspec.json.encode({"content": news.text[:2000], "allowed_mentions": {"parse": []}})
    if body == "slack":
        # https://api.slack.com/reference/surfaces/formatting#escaping
        text = news.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return msgspec.json.encode({"text": text})
    return msgspec.json.encode(news)
