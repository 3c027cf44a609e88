"""Web Push: a notice encrypted for one browser (RFC 8291), from a server that the push service knows by its key (RFC 8292)."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from py_vapid import Vapid02, VapidException  # type: ignore[import-untyped]  # the packages publish no types

from client_protocol.players import PushTo
from server.notices.news import Notice
from server.notices.outbound import Outbound, Undelivered
from server.store.key_names import PUSH_KEY
from server.store.store import MatchStore

KEEP_SECONDS = 86_400
"""Seconds for which a push service keeps a notice for a browser that does not run."""
VALID_SECONDS = 12 * 3600
"""Seconds for which a signed header is valid; push services take a day at most."""


async def push_key(store: MatchStore) -> Vapid02:
    """Return the key of the servers of this database, made when it is asked for first. Raises `StoreError`."""
    made = ec.generate_private_key(ec.SECP256R1())
    pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    await store.command("SET", PUSH_KEY, pem, "NX")
    held = await store.command("GET", PUSH_KEY)
    return Vapid02.from_pem(held if isinstance(held, bytes) else pem)


def public_half(key: Vapid02) -> str:
    """Return the public half as browsers want it when they subscribe: an uncompressed point, in the alphabet of URLs."""
    point = key.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


class Pushing:
    """Sends notices to browsers.

    Args:
        outbound: sends the requests.
        key: the servers' key.
        contact: an address (`mailto:` or `https:`) at which push services reach the operator.
        now: seconds since 1970.
    """

    def __init__(self, outbound: Outbound, key: Vapid02, contact: str, now: Callable[[], float] = time.time) -> None:
        self._outbound = outbound
        self._key = key
        self._contact = contact
        self._now = now

    @property
    def public(self) -> str:
        """The public half of the servers' key, as browsers want it."""
        return public_half(self._key)

    async def push(self, to: PushTo, news: Notice) -> None:
        """Send a notice to a browser.

        Raises:
            Undelivered: the push service did not take it; or, with `gone`, the browser has ended the subscription.
        """
        body = await asyncio.to_thread(_encrypted, to, msgspec.json.encode(news))
        await self._outbound.post(to.endpoint, body, self._headers(to.endpoint))

    def _headers(self, endpoint: str) -> dict[str, str]:
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(self._now()) + VALID_SECONDS,
            "sub": self._contact,
        }
        try:
            signed: dict[str, str] = self._key.sign(claims)
        except VapidException as error:
            raise Undelivered("the push service cannot be told who sends it") from error
        return {
            **signed,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEEP_SECONDS),
            "Urgency": "high",
        }


def _encrypted(to: PushTo, text: bytes) -> bytes:
    # It takes a while to import, and most servers push nothing.
    from pywebpush import WebPusher, WebPushException  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        pusher = WebPusher({"endpoint": to.endpoint, "keys": {"p256dh": to.p256dh, "auth": to.auth}})
        body: bytes = pusher.encode(text)["body"]
    except (WebPushException, ValueError) as error:
        raise Undelivered("its keys cannot be used", gone=True) from error
    return body
