"""Players: the keys that their browsers hold, and how they want to be told that it is their turn."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.shapes import Hex32, Id, Name, Secret

Address = Annotated[str, Meta(min_length=9, max_length=1000, pattern=r"^https://[!-~]+(?!\n)$")]
"""An address on the web, by HTTPS."""

Base64 = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_-]+={0,2}(?!\n)$")]
"""Bytes in the alphabet of URLs (RFC 4648, section 5), as browsers give the keys of a push subscription."""

Digest = Literal["each", "hour", "day"]
"""How often a player is told: of each decision soon, or of all that wait once an hour or once a day."""

Body = Literal["plain", "discord", "slack"]
"""The JSON that an address takes: our own fields, or a message of Discord's or Slack's webhooks."""


class Webhook(Struct, frozen=True, forbid_unknown_fields=True):
    """An address that is sent JSON when a decision waits."""

    url: Address
    body: Body = "plain"


class PushTo(Struct, frozen=True, forbid_unknown_fields=True):
    """A browser's push subscription (RFC 8030): where it is told, and the keys for which notices are encrypted (RFC 8291)."""

    endpoint: Address
    p256dh: Base64
    auth: Base64


class NoticeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How a player wants to be told of decisions that wait while no page of theirs is open. `topic`: at their own topic of the
    public feed's broker.
    """

    digest: Digest = "each"
    webhook: Webhook | None = None
    push: Annotated[tuple[PushTo, ...], Meta(max_length=8)] = ()
    topic: bool = False


class PlayersSeat(Struct, frozen=True):
    """A seat that is tied to a player's key, and a token for it."""

    match: Id
    seat: Id
    token: Secret


class PublicPlayer(Struct, frozen=True):
    """What all may know of a player: the key, the name that it was last introduced with, the names before that, since when it is
    known here (ms since 1970), and the number of seats that are tied to it.
    """

    key: Hex32
    name: Name
    names: tuple[Name, ...] = ()
    since: int = 0
    seats: int = 0
